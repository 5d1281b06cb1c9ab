"""Launches that were noted before the tool ran and are not answered yet, in the state directory."""

import os
import time

from baton.hot.runs import call, layout
from baton.hot.runs.call import Launch
from baton.hot.state import State

_FOLDER = "runs/.launching"
_FORGET_SECONDS = 7 * 86400


def note(state: State, launch: Launch) -> None:
    """Note a launch. Raises OSError."""
    _forget_old(state)
    record = call.facts(launch)
    record.update({"cwd": launch.cwd, "script": launch.script, "tool_use": launch.tool_use})
    state.write(_name(launch), layout.render(record))


def drop(state: State, launch: Launch) -> None:
    """Take a launch's note away: it is answered. Raises OSError."""
    try:
        os.unlink(state.path(_name(launch)))
    except (FileNotFoundError, NotADirectoryError):
        pass


def only(state: State, session: str) -> Launch | None:
    """Give the one launch of a session that is not answered; None where there is none or several."""
    folder = state.path(_FOLDER)
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    records = [state.record(f"{_FOLDER}/{name}") for name in names]
    mine = [record for record in records if record.get("session") == session]
    return call.noted(mine[0]) if len(mine) == 1 else None


def _name(launch: Launch) -> str:
    name = "".join(sign for sign in launch.tool_use if sign.isalnum() or sign in "_-")
    return f"{_FOLDER}/{name[:80] or 'unknown'}"


def _forget_old(state: State) -> None:
    """A launch that was never answered was refused, or its session died long ago."""
    folder = state.path(_FOLDER)
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        path = os.path.join(folder, name)
        try:
            if time.time() - os.stat(path).st_mtime > _FORGET_SECONDS:
                os.unlink(path)
        except FileNotFoundError:
            pass
