// What a workflow script sees of its host, for tests: the same globals, agents that answer by rule.
//
// stdin: {script, args, argsGiven, children: {name: script}, killAfter: results | null, slots,
// fails: [prompts that get null]}. stdout: {value, error, live: [{prompt, label, options}], logs,
// journal: [rows], asked: {agent: {prompt, model, agentType, worktree}}}.
// killAfter ends the process as soon as that many results are written down.
import {readFileSync, writeSync} from 'node:fs';
import vm from 'node:vm';

const job = JSON.parse(readFileSync(0, 'utf8'));
const state = {value: null, error: null, live: [], logs: [], journal: [{type: 'launched'}], asked: {}};
const LIMIT = 524288;
let results = 0, calls = 0, running = 0, owed = [];
const queue = [];

function leave() {
  const bytes = Buffer.from(JSON.stringify(state));
  for (let at = 0; at < bytes.length;) at += writeSync(1, bytes, at);
  process.exit(0);
}

function hash(text) {
  let h = 2166136261;
  for (const unit of text) h = Math.imul(h ^ unit.codePointAt(0), 16777619) >>> 0;
  return h;
}

// Time is counted, not waited for: who ends first is the same on every machine, however busy.
let now = 0, entries = 0, awake = false;
const agenda = [];

function later(go, delay = 0) {
  agenda.push({at: now + Math.max(0, delay), id: ++entries, go});
  wake();
  return entries;
}

function cancel(id) {
  const at = agenda.findIndex(entry => entry.id === id);
  if (at >= 0) agenda.splice(at, 1);
}

function wake() {
  if (!awake) { awake = true; setImmediate(turn); }
}

function turn() {
  awake = false;
  agenda.sort((a, b) => a.at - b.at || a.id - b.id);
  const next = agenda.shift();
  if (!next) return;
  now = next.at;
  next.go();
  if (agenda.length) wake();
}

const clean = text => text.replace(/\s+/g, ' ').trim();

async function slot() {
  if (running >= (job.slots || 2)) await new Promise(go => queue.push(go));
  running += 1;
}

function free() {
  running -= 1;
  if (queue.length) queue.shift()();
}

async function agent(prompt, options = {}, phase = null) {
  const id = 'a' + String(++calls).padStart(4, '0');
  const label = clean(String(options.label ?? '')) || clean(String(prompt)).slice(0, 60).trim();
  await slot();
  state.journal.push({type: 'started', key: 'v2:' + id, agentId: id, label, phase: options.phase ?? phase});
  state.live.push({prompt, label, options});
  state.asked[id] = {prompt, model: options.model ?? null, agentType: options.agentType ?? null, worktree: options.isolation === 'worktree'};
  if (job.killAfter === 0) leave();
  await new Promise(go => later(go, 1 + hash(String(prompt)) % 7));
  try {
    if ((job.fails || []).includes(prompt)) {
      owed.push({type: 'failed', key: 'v2:' + id, agentId: id});
      return null;
    }
    const required = options.schema ? options.schema.required || [] : null;
    const answer = 'R' + (hash(String(prompt)) % 99991).toString(36) + (job.tail || '');
    const value = required ? Object.fromEntries([['said', answer], ...required.map(k => [k, answer + k])]) : answer;
    state.journal.push(...owed, {type: 'result', key: 'v2:' + id, agentId: id, result: value, remoteControlDeviceReport: false});
    owed = [];
    results += 1;
    if (results === job.killAfter) leave();
    return JSON.parse(JSON.stringify(value));
  } finally {
    free();
  }
}

function realm(depth, phases) {
  const globals = {
    log: text => state.logs.push(String(text)), phase: () => {}, console, setTimeout: later, clearTimeout: cancel,
    budget: {total: null, spent: () => 0, remaining: () => Infinity},
    agent: (prompt, options) => agent(prompt, options || {}, phases),
    parallel: thunks => Promise.all(thunks.map(async thunk => { try { return await thunk(); } catch { return null; } })),
    pipeline: (items, ...stages) => Promise.all(items.map(async (item, index) => {
      let value = item;
      for (const stage of stages) { try { value = await stage(value, item, index); } catch { return null; } }
      return value;
    })),
    workflow: async (which, args) => {
      if (depth) throw new Error('workflow() cannot be called from within a child workflow');
      const known = typeof which === 'string' ? job.children[which] : null;
      const text = known ?? read(which.scriptPath);
      const value = await run(text, args === undefined ? undefined : JSON.parse(JSON.stringify(args)), args !== undefined, depth + 1, '\u25b8 ' + /name: '(.*?)'/.exec(text)[1]);
      return value === undefined ? value : JSON.parse(JSON.stringify(value));
    },
  };
  return globals;
}

function read(path) {
  const bytes = readFileSync(path);
  if (bytes.length > LIMIT) throw new Error('script file too large: ' + bytes.length);
  return bytes.toString('utf8');
}

async function run(text, args, given, depth, phases) {
  if (/[\x00-\x08\x0b\x0c\x0e-\x1f]|\r(?!\n)/.test(text)) throw new Error('InputValidationError: control characters');
  const body = text.replace(/\uFEFF/, '').replace(/^#!.*/, '').replace(/export\s+const\s+m(?:e|\\u0065)ta\s*=/, 'globalThis.__meta =');
  const globals = realm(depth, phases);
  globals.args = given ? args : undefined;
  const context = vm.createContext(globals);
  vm.runInContext('globalThis.JSON = JSON', context);
  if (given) context.args = vm.runInContext('(' + JSON.stringify(JSON.stringify(args)) + ')', context), context.args = vm.runInContext('JSON.parse(args)', context);
  const code = "(async () => { 'use strict';" + body + '\n})()';
  return new vm.Script(code, {filename: 'workflow.js'}).runInContext(context);
}

try {
  state.value = (await run(job.script, job.args, !!job.argsGiven, 0, null)) ?? null;
} catch (error) {
  state.error = String(error && error.stack || error);
}
leave();
