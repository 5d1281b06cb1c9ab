"""A run has come to its end: the host says so with a `<task-notification>` (design page runs).

Where every agent that began has its result on disk, the run is harvested by that alone, and nobody
is told of it again.
"""

import os

from baton.hot import files
from baton.hot.lock import Locked
from baton.hot.project import Project
from baton.hot.runs import journal, keep, layout
from baton.hot.runs.layout import Place
from baton.hot.state import State

_COMPLETED = "<status>completed</status>"
_FOLDER = "/subagents/workflows/"
_LOCK_SECONDS = 1.0


def notified(project: Project, state: State, prompt: str) -> str:
    """Take in what a task notification says of a run that is known here.

    Gives what a person is told: what of it stays out of git, since nobody hears the hooks of agents.
    Never raises: what could not be taken in waits for `baton run harvest`.
    """
    try:
        return _take_in(project, state, prompt)
    except (OSError, Locked):
        return ""


def _take_in(project: Project, state: State, prompt: str) -> str:
    # What stands before is the script's own result, which may say anything.
    run_id = prompt.rpartition("</result>")[2].partition(_FOLDER)[2].partition("/")[0]
    place = layout.find(project, state, run_id)
    if place is None:
        return ""
    with layout.lock(state, _LOCK_SECONDS):
        data = _journal(place, run_id)
        if data and _COMPLETED in prompt.partition("<result>")[0]:
            _settle(place, data)
    return keep.outside(place)


def _journal(place: Place, run_id: str) -> bytes:
    """Copy the host's journal before anyone may delete it; give its bytes, b"" where it is gone or
    too large to be read whole."""
    attempts, _ = layout.attempts(place)
    folders = [each.get("transcripts") for each in attempts if each.get("run_id") == run_id]
    folder = folders[-1] if folders else None
    if not isinstance(folder, str):
        return b""
    data = files.read(os.path.join(folder, "journal.jsonl"), layout.LIMIT) or b""
    if not data or len(data) > layout.LIMIT:
        return b""
    text = data.decode("utf-8", "replace")
    keep.store(place, f"{layout.JOURNAL}/{run_id}.jsonl", data, text)
    return data


def _settle(place: Place, data: bytes) -> None:
    found, _ = layout.results(place)
    complete = {
        record.get("agent") for _, record in found if record.get("status") == layout.COMPLETE
    }
    if complete.issuperset(journal.read(data).started):
        attempts, _ = layout.attempts(place)
        layout.close(place, done=len(complete), attempts=len(attempts), by=layout.HOOK)
