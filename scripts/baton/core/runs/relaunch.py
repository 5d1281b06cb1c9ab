"""The script that goes on with a run in any session: the original, with saved results handed out
before anything is asked (design page runs; relaunch notes).

It is always made from the original script and the results of all attempts, never from a script that
was made here. What does not fit into one script file stands in data files beside it, each a tiny
workflow of its own that the script reads as children.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from baton.core.runs import javascript, prelude, script
from baton.hot.runs import layout

# What the host takes for one script file, in bytes, and what is filled of it.
LIMIT = 524_288
ROOM = 500_000
_CHILD_WORDS = "agent, args, workflow, phase, log, parallel, pipeline, budget, console"


class TooLarge(ValueError):
    """The original script leaves no room for what must stand before it."""


@dataclass(frozen=True)
class Saved:
    """A result that may be handed out; the fields are those of `prelude.AGENT`."""

    prompt: str | None
    label: str | None
    by_label: bool
    solo: bool
    value: object
    model: str | None
    any_model: bool
    agent_type: str | None
    worktree: bool
    order: int

    def data(self) -> dict[str, object]:
        """Give it as the prelude reads it."""
        return {
            "prompt": self.prompt,
            "label": self.label,
            "byLabel": self.by_label,
            "solo": self.solo,
            "object": not isinstance(self.value, str),
            "value": self.value,
            "model": self.model,
            "anyModel": self.any_model,
            "type": self.agent_type,
            "worktree": self.worktree,
            "order": self.order,
        }


@dataclass(frozen=True)
class Job:
    """What a relaunch script is made of.

    script: the original's text. args: as the host had them at the launch, if `args_given`. saved: in
    the order in which they were started. children: {name or path as it may be called: script}.
    run, attempt: for the marker. stem: absolute path, without its ending, of the file that the text
    will stand in; data files get names that begin with it.
    """

    script: str
    args_given: bool
    args: object
    saved: Sequence[Saved]
    children: Mapping[str, str]
    run: str
    attempt: int
    stem: str


@dataclass
class Relaunch:
    """Texts to write, by path: data files first, the script itself last."""

    path: str
    files: dict[str, str] = field(default_factory=dict)


def write(job: Job) -> Relaunch:
    """Give the script of a relaunch, and its data files where it needs some.

    Raises NotAScript, and TooLarge.
    """
    whole = Relaunch(f"{job.stem}.js")
    saved: object = [record.data() for record in job.saved]
    values = {"saved": javascript.parsed(saved), "args": javascript.parsed(job.args)}
    text = _assembled(job, values)
    for name, value in (("saved", saved), ("args", job.args)):
        if _size(text) > ROOM and _size(values[name]) > 1000:
            values[name] = _spilled(value, f"{job.stem}-{name}", whole.files)
            text = _assembled(job, values)
    if _size(text) > LIMIT:
        raise TooLarge(
            f"the script has {_size(job.script)} bytes; with what must stand before it, "
            f"{_size(text)}; a script file may have {LIMIT}"
        )
    whole.files[whole.path] = text
    return whole


def inlined(children: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Give (what the host shows for it, its body) of each child that can run inside the script, by
    how it is called.

    A child that reaches for its realm's globals by name cannot: it finds the parent's there.
    """
    found = {}
    for called, text in children.items():
        try:
            _, body = script.split(text)
        except script.NotAScript:
            continue
        if "globalThis" not in body:
            of_a_plugin = ":" in called and "/" not in called
            found[called] = (called if of_a_plugin else script.name(text), body)
    return found


def _assembled(job: Job, values: Mapping[str, str]) -> str:
    head, body = script.split(job.script)
    parts = [f"{head};\n{layout.marker(job.run, job.attempt)} "]
    if job.args_given:
        parts.append(
            f"globalThis.args={prelude.one_line(prelude.ARGS)}({values['args']},globalThis.args);"
        )
    wrapped = f"{prelude.one_line(prelude.AGENT)}(globalThis.agent,{values['saved']})"
    parts.append(f"globalThis.agent={wrapped};")
    functions, table = _children(job.children)
    if functions:
        workflow = prelude.one_line(prelude.WORKFLOW)
        parts.append(
            f"globalThis.workflow={workflow}(globalThis.agent,globalThis.workflow,{table});"
        )
    if not script.declares_agent(body):
        parts.append(prelude.CHECK)
    return "".join([*parts, body, *functions])


def _children(children: Mapping[str, str]) -> tuple[list[str], str]:
    """The functions that hold the children's bodies, behind the script so that its lines stay, and
    the table of what they are called."""
    functions, rows = [], []
    for number, (called, (shown, body)) in enumerate(inlined(children).items()):
        # The inner block lets a child declare a name that is one of the function's own.
        functions.append(f"\nasync function __baton_child{number}({_CHILD_WORDS}) {{{{{body}\n}}}}")
        key, name = javascript.parsed(called), javascript.parsed(shown)
        rows.append(f"[{key}]: [{name}, __baton_child{number}]")
    return functions, "{" + ", ".join(rows) + "}"


def _spilled(value: object, stem: str, files: dict[str, str]) -> str:
    """Write a value into data files; give the expression that reads it back."""
    text, at = javascript.json_text(value), 0
    paths: list[str] = []
    while at < len(text):
        piece = _piece(text[at : at + ROOM])
        paths.append(f"{stem}-{len(paths)}.js")
        files[paths[-1]] = (
            "export const meta = {name: 'baton-data', description: 'saved results'};\n"
            f"return {javascript.literal(piece)};\n"
        )
        at += len(piece)
    names = ",".join(javascript.literal(javascript.json_text(path)) for path in paths)
    read = f"[{names}].map(path=>globalThis.workflow({{scriptPath:globalThis.JSON.parse(path)}}))"
    return f"globalThis.JSON.parse((await globalThis.Promise.all({read})).join(''))"


def _piece(text: str) -> str:
    """As much of the front of a text as a data file may hold."""
    size = len(text)
    while _size(javascript.literal(text[:size])) > ROOM:
        size = size * 9 // 10
    return text[:size]


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
