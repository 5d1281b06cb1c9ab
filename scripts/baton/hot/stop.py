"""Stop, StopFailure, SessionEnd and PreCompact: the flush (design pages persist, host).

A turn that changed nothing ends after a few lstat calls. Nothing here blocks, asks or adds context.
"""

import os
import time

from baton.hot import door, project
from baton.hot.flush import record
from baton.hot.state import DEATH, TASKS, State

# Its time is that of the last Stop: the proof for `baton doctor` that the hook really fires.
STOPPED = "stopped"
# The host shows what these say; other events' output is dropped or taken for something else.
_HEARD = ("Stop", "")


def main(environ: dict[str, str], stdin: int = 0) -> None:
    """Answer one event. Input that is no event at all is taken for a turn that ended."""
    if environ.get("BATON_DISABLED") == "1":
        return
    event = door.event(door.read_line(stdin))
    found = project.locate(environ, "", door.text(event, "cwd") or _cwd())
    if found is None:
        return
    state = State(found, environ)
    looks = record.look(found, state)
    if looks == record.ABSENT:
        return
    if looks == record.SAME:
        _note(state, event)
    else:
        _flush(found, state, event)


def _cwd() -> str:
    try:
        return os.getcwd()
    except OSError:
        # The folder that the session began in has been deleted.
        return ""


def _note(state: State, event: dict[str, object]) -> None:
    """Put down what others tell of this stop: running tasks, the cause of a session's death."""
    name = door.text(event, "hook_event_name")
    try:
        if name == "Stop":
            _note_tasks(state, event.get("background_tasks"))
            _remove(state, DEATH)
            _touch(state, STOPPED)
        elif name == "StopFailure" and not event.get("agent_id"):
            facts = {"error": door.text(event, "error"), "session": door.text(event, "session_id")}
            state.set_record(DEATH, {**facts, "time": int(time.time())})
    except OSError:
        # Where no note can be written the flush says so, if it matters.
        pass


def _note_tasks(state: State, tasks: object) -> None:
    count = len(tasks) if isinstance(tasks, list) else 0
    if not count:
        _remove(state, TASKS)
    elif state.read(TASKS) != str(count).encode():
        state.write(TASKS, str(count).encode())


def _touch(state: State, name: str) -> None:
    """One call of the system on a quiet turn, and nothing written."""
    try:
        os.utime(state.path(name))
    except FileNotFoundError:
        state.write(name, b"")


def _remove(state: State, name: str) -> None:
    try:
        os.unlink(state.path(name))
    except (FileNotFoundError, NotADirectoryError):
        pass


def _flush(found: project.Project, state: State, event: dict[str, object]) -> None:
    from baton.hot import config, remarks, reply
    from baton.hot.flush import flush

    settings = config.load(found)
    if settings.persist == "off":
        return
    _note(state, event)
    result = flush.flush(found, state, settings)
    if door.text(event, "hook_event_name") in _HEARD:
        reply.send("Stop", person=remarks.fresh(found, state, result))
