"""Workflow scripts for tests, and a host that runs them (`workflow_host.mjs`, under node)."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from baton.hot.runs import layout, transcript

HOST = Path(__file__).with_name("workflow_host.mjs")
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node runs the workflow scripts")

HEAD = "export const meta = {name: 'flow', description: 'a flow'}\n"
CHILD = HEAD.replace("'flow'", "'kid'") + (
    "const agent2 = agent; const items = args.items;\n"
    "return (await parallel(items.map(i => () => agent2(`kid ${i}`, {label: `kid ${i}`})))).join('+')\n"
)
FLOWS: dict[str, tuple[str, object]] = {
    "chain": (
        "let said = 'begin'\nfor (const step of args) said = await agent(`${step} after ${said}`, {label: step})\n"
        "return said\n",
        ["one", "two", "three", "four", "five"],
    ),
    "parallel": (
        "return parallel(args.map(a => () => agent(`task ${a}`, {label: `t:${a}`})))\n",
        ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"],
    ),
    "pipeline": (
        "const all = await pipeline(args, x => agent(`draft ${x}`, {label: `draft ${x}`}),\n"
        "  (d, x) => agent(`review ${x}: ${d}`, {label: `review ${x}`}))\n"
        "return agent(`sum ${all.join()}`, {label: 'sum'})\n",
        ["a", "b", "c", "d"],
    ),
    "same labels": (
        "return parallel(args.map(a => () => agent(`look at ${a}`, {label: 'look'})))\n",
        ["a", "b", "c", "d", "e"],
    ),
    "voters": (
        "return parallel([0, 1, 2, 3].map(v => () => agent('vote', {label: `v${v}`})))\n",
        None,
    ),
    "one prompt": (
        "return parallel([0, 1, 2, 3].map(() => () => agent('vote')))\n",
        None,
    ),
    "schema": (
        "const schema = {type: 'object', required: ['verdict']}\n"
        "const all = await parallel(args.map(a => () => agent(`judge ${a}`, {label: a, schema})))\n"
        "return all.map(o => o.verdict)\n",
        ["x", "y", "z"],
    ),
    "finish order": (
        "const found = []\n"
        "await parallel(args.map(a => async () => { found.push(await agent(`find ${a}`)) }))\n"
        "return agent(`rank ${found.join()}`, {label: 'rank'})\n",
        ["a", "b", "c", "d"],
    ),
    "race": (
        "const first = await Promise.race(args.map(a => agent(`race ${a}`)))\n"
        "return agent(`winner ${first}`)\n",
        ["a", "b", "c"],
    ),
    "dry loop": (
        "const seen = []\nwhile (seen.length < 4)\n"
        "  seen.push(await agent(`next after ${seen.join()}`, {label: 'next'}))\n"
        "return seen\n",
        None,
    ),
    "own names": (
        "const live = agent, log = [], JSON = 1, saved = 2, record = 3\n"
        "const a = await live('with own names')\n{ const agent = live; return [a, await agent('inner')] }\n",
        None,
    ),
    "own agent": (
        "const {agent: ask} = globalThis\nfunction agent(p) { return ask('own ' + p) }\n"
        "return [await agent('x'), await agent('y')]\n",
        None,
    ),
    "children": (
        "const all = await parallel([['a', 'b'], ['c']].map(items => () => workflow('kid', {items})))\n"
        "return agent(`sum ${all.join()}`, {label: 'sum'})\n",
        None,
    ),
}


@dataclass
class Ran:
    """What the host saw of one launch."""

    value: object
    error: str | None
    live: list[dict[str, object]]
    logs: list[str]
    journal: list[dict[str, object]]
    asked: dict[str, dict[str, object]]


@dataclass
class Flow:
    """A script with its args. given: whether it is launched with args at all."""

    script: str
    args: object = None
    given: bool = False
    children: dict[str, str] = field(default_factory=dict)
    fails: list[str] = field(default_factory=list)

    def run(
        self,
        script: str | None = None,
        *,
        args: object = None,
        given: bool | None = None,
        **more: object,
    ) -> Ran:
        """Launch it, or another script in its place. A relaunch gives no args but those named."""
        job = {
            "script": self.script if script is None else script,
            "args": self.args if script is None else args,
            "argsGiven": self.given if script is None else bool(given),
            "children": self.children,
            "killAfter": None,
            "fails": self.fails if script is None else [],
            **more,
        }
        assert NODE is not None
        done = subprocess.run(
            [NODE, str(HOST)],
            input=json.dumps(job).encode(),
            capture_output=True,
            timeout=280,
        )
        assert done.returncode == 0, done.stderr.decode()
        return Ran(**json.loads(done.stdout))


def flow(name: str) -> Flow:
    """Give one of FLOWS."""
    body, args = FLOWS[name]
    children = {"kid": CHILD} if name == "children" else {}
    return Flow(HEAD + body, args, args is not None, children)


def journal_bytes(ran: Ran) -> bytes:
    """Give the journal as the host would have written it."""
    return b"".join(layout.line(row) for row in ran.journal)


def records(ran: Ran, attempt: int, *, prompts: bool = True) -> list[dict[str, object]]:
    """Give the results files that a harvest of a launch would write."""
    started = {str(r["agentId"]): (n, r) for n, r in enumerate(_rows(ran, "started"))}
    found = []
    for row_place, row in enumerate(_rows(ran, "result")):
        agent = str(row["agentId"])
        place, begun = started[agent]
        asked = ran.asked[agent]
        prompt = transcript.normal(str(asked["prompt"]).replace("\0", "\0")) if prompts else None
        found.append(
            {
                "attempt": attempt,
                "run_id": f"wf_{attempt}",
                "agent": agent,
                "label": begun["label"],
                "phase": begun["phase"],
                "prompt": prompt,
                "model": asked["model"],
                "agent_type": asked["agentType"] or "workflow-subagent",
                "worktree": asked["worktree"],
                "started": place,
                "ended": row_place,
                "row": row_place,
                "kind": "text" if isinstance(row["result"], str) else "object",
                "result": row["result"],
                "status": "complete",
            }
        )
    return found


def _rows(ran: Ran, kind: str) -> list[dict[str, object]]:
    return [row for row in ran.journal if row["type"] == kind]
