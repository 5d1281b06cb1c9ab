"""UserPromptSubmit and UserPromptExpansion: something was typed (design pages chain, host).

It runs on every prompt (design README "a person's act", notice "nudge"): noted is the time, never
the text. All else is read, and loaded, only when its bytes are there or its time has come.
"""

import os
import time

from baton.hot import acts, door, project
from baton.hot.project import CHAIN, Project
from baton.hot.state import State

_PASTED = b"resume_from_passport"
# A prompt with one of these is more than an ordinary one, and is read whole.
_MARKS = (b"task-notification", _PASTED)
_FIELDS = ("hook_event_name", "session_id", "cwd")
_RUN_ENDED = b"/subagents/workflows/"
_NUDGE = "nudge"
_NUDGE_BYTES = 100
_PROMPTS = 5
_HOUR_NS = 3600 * 10**9


def main(environ: dict[str, str], stdin: int = 0) -> None:
    """Answer one event."""
    line = door.read_line(stdin)
    event = _ordinary(line) or door.event(line)
    if environ.get("BATON_DISABLED") == "1":
        return
    if door.text(event, "hook_event_name") == "UserPromptSubmit":
        _submitted(event, line, environ)
    else:
        from baton.hot import expansion

        expansion.answer(event, line, environ)


def _ordinary(line: bytes) -> dict[str, object] | None:
    """What is asked of an ordinary prompt, None for any other event."""
    if any(mark in line for mark in _MARKS):
        return None
    found = door.fields(line, *_FIELDS)
    return found if found and found["hook_event_name"] == "UserPromptSubmit" else None


def _submitted(event: dict[str, object], line: bytes, environ: dict[str, str]) -> None:
    """Note a person's prompt, and give the model a line of context where that helps."""
    prompt = door.text(event, "prompt")
    found = project.locate(environ, "", door.text(event, "cwd"))
    if found is None:
        return
    state = State(found, environ)
    if not acts.by_person(prompt):
        if _RUN_ENDED in line:
            _run_ended(found, state, prompt)
        return
    told = []
    if state.exists:
        acts.submitted(state, door.text(event, "session_id"))
        if _is_due(found, state):
            told.append(_nudge(found, state))
    if _PASTED in line:
        told.append(_pasted(prompt, line, environ))
    text = "\n".join(filter(None, told))
    if text:
        from baton.hot import reply

        reply.send("UserPromptSubmit", "", text)


def _run_ended(found: Project, state: State, prompt: str) -> None:
    from baton.hot import reply
    from baton.hot.runs import settle

    reply.send("UserPromptSubmit", settle.notified(found, state, prompt))


def _pasted(prompt: str, line: bytes, environ: dict[str, str]) -> str:
    from baton.hot import once, pasted

    return pasted.context(prompt) if once.first(environ, "submitted", line) else ""


def _is_due(found: Project, state: State) -> bool:
    """Count the prompts since the chain changed; whether it is time to look if files did.

    The note: prompts, the chain's mtime and size, the time of the last nudge.
    """
    try:
        st = os.lstat(found.path(CHAIN))
    except OSError:
        return False
    chain = b"%d.%d" % (st.st_mtime_ns, st.st_size)
    note = state.read(_NUDGE)
    words = note.split() if len(note) < _NUDGE_BYTES else []
    count, seen, told = (
        words
        if len(words) == 3 and words[0].isdigit() and words[2].isdigit()
        else (b"0", chain, b"0")
    )
    now = int(count) + 1 if seen == chain else 1
    _note(state, b"%d %s %s" % (now, chain, told))
    return now >= _PROMPTS and time.time_ns() - int(told) > _HOUR_NS


def _nudge(found: Project, state: State) -> str:
    from baton.hot import nudge

    return nudge.look(found, state, _NUDGE, _PROMPTS)


def _note(state: State, data: bytes) -> None:
    try:
        state.jot(_NUDGE, data)
    except OSError:
        pass
