"""The JavaScript that stands before the body of a relaunched script, and hands saved results out.

Written here over many lines, put into the script as one, so that the body keeps its line numbers.
Each line ends where a blank may follow; none holds a comment. Facts about the host that
it builds on: `agent`, `args` and `workflow` are writable properties of globalThis; `parallel` and
`pipeline` only call what they are given; a body may declare any of these names itself, so that the
prelude takes what it needs from globalThis and leaves no name behind.
"""

from __future__ import annotations

# (live agent(), saved results) → the agent() that asks live only for what is not saved.
#
# A saved result: {prompt: text with the host's line ends | null, label: text | null, byLabel: the
# label alone is enough, solo: no other call had the prompt, object: asked with a schema, value,
# model: as named | null, anyModel: not known whether one was named, type: agent type | null,
# worktree, order: its place among the results as they came in}. They come in the order in which
# they were started.
AGENT = r"""
((live, saved) => {
const {log, setTimeout, JSON, Map, Promise, Error, String, Object} = globalThis;
if ([live, log, setTimeout].some(needed => typeof needed !== 'function'))
throw Error('baton: this host has no global agent(), log() or setTimeout() to build on; nothing was started');
const prompts = new Map(), labels = new Map(), taken = new Map(), waiting = [];
let pumping = false, used = 0;
const file = (map, key, record) => { if (map.has(key)) map.get(key).push(record); else map.set(key, [record]); };
for (const record of saved) {
if (record.prompt !== null) file(prompts, record.prompt, record);
if (record.byLabel) file(labels, record.label, record);
}
const lines = text => text.replace(/\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]/g, '\n');
const clean = text => text.replace(/\s+/g, ' ').trim();
const called = options => options.label == null ? null : clean(String(options.label)) || null;
const fits = (record, options) => {
if (record.used || record.object !== !!options.schema) return false;
if (record.object && (options.schema.required || []).some(key => !(key in Object(record.value)))) return false;
if (options.model != null && (record.model === null ? !record.anyModel : record.model !== options.model)) return false;
const type = options.agentType;
if (type != null && record.type !== null && record.type !== type && !record.type.endsWith(':' + type)) return false;
return record.worktree === (options.isolation === 'worktree');
};
const rank = (record, options, label) => {
if (!fits(record, options)) return 0;
if (label === null) return options.model == null && record.model !== null ? 1 : 2;
return record.label === null || record.label === label ? 3 : record.solo ? 1 : 0;
};
const best = (records, ranked) => {
let found = null, highest = 0;
for (const record of records || []) {
const now = ranked(record);
if (now > highest) { highest = now; found = record; }
}
return found;
};
const find = (prompt, options) => {
const label = called(options);
const same = best(prompts.get(lines(prompt)), record => rank(record, options, label));
if (same) return same;
const key = label === null ? clean(prompt).slice(0, 60).trim() : label;
return best(labels.get(key), record => (label !== null || record.prompt === null) && fits(record, options) ? 1 : 0);
};
const warn = (prompt, options) => {
const label = called(options);
if (taken.has(label)) log('baton: WARNING: a second call is labelled ' + label +
'; the saved result that the first one got was asked with another prompt');
};
const pump = () => {
if (pumping || !waiting.length) return;
pumping = true;
setTimeout(() => {
pumping = false;
waiting.sort((one, other) => one.record.order - other.record.order);
const next = waiting.shift();
next.give(JSON.parse(JSON.stringify(next.record.value)));
pump();
}, 0);
};
const agent = (...words) => {
const prompt = words[0], options = words[1] || {};
if (typeof prompt !== 'string') return live(...words);
warn(prompt, options);
const record = find(prompt, options);
if (!record) return live(...words);
record.used = true;
used += 1;
const changed = record.prompt !== null && record.prompt !== lines(prompt);
if (changed) taken.set(record.label, true);
log('baton: saved result ' + used + ' of ' + saved.length + ': ' + (record.label || 'agent') +
(changed ? ' (asked with another prompt then)' : ''));
return new Promise(give => { waiting.push({record, give}); pump(); });
};
return agent;
})
"""

# (wrapped agent(), live workflow(), known children) → the workflow() that runs the scripts of known
# children inside this one, where their agents can be wrapped too.
#
# A child: [name as the host shows it, its body as a function].
WORKFLOW = r"""
((agent, live, children) => {
const {log, JSON, Error, Map, parallel, pipeline, budget, console} = globalThis;
const times = new Map();
const copy = value => value === undefined ? value : JSON.parse(JSON.stringify(value));
return (which, args) => {
const child = children[typeof which === 'string' ? which : which && which.scriptPath];
if (!child) return live(which, args);
const [name, body] = child;
const time = (times.get(name) || 0) + 1;
times.set(name, time);
const phase = '\u25b8 ' + name + (time > 1 ? ' #' + time : '');
const asked = (prompt, options) => agent(prompt, {...options, phase});
const deeper = async () => { throw Error('workflow() cannot be called from within a child workflow'); };
const told = message => log('[' + name + '] ' + message);
return (async () => copy(await body(asked, copy(args), deeper, () => {}, told, parallel, pipeline, budget, console)))();
};
})
"""

# (args as given at the launch, args of this call) → the args of the body. What the call brings is
# fresh, a memory pack say, and wins key by key.
ARGS = r"""
((then, now) => {
const keyed = value => typeof value === 'object' && value !== null && !globalThis.Array.isArray(value);
return now == null ? then : keyed(then) && keyed(now) ? {...then, ...now} : now;
})
"""

# Where the body's own name `agent` no longer means the global one, wrapping would save nothing.
CHECK = (
    "try{if(agent!==globalThis.agent)throw 1}catch(e){if(e===1)throw globalThis.Error("
    "'baton: agent() cannot be wrapped here; nothing was started')}"
)


def one_line(source: str) -> str:
    """Give source none of whose lines ends where only its line end parts two statements."""
    return " ".join(source.split("\n")).strip()
