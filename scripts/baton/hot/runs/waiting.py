"""Runs that nobody has collected yet, as a new session is told of them (design pages notice, runs)."""

import os

from baton.hot import clean
from baton.hot.project import Project
from baton.hot.runs import layout
from baton.hot.runs.layout import Place
from baton.hot.state import State

_MOST = 3
# With the host's long run ids a line still fits a notice.
_PURPOSE = 20


def names(project: Project) -> list[str]:
    """Give the runs that are not harvested, the newest first. A few lstat calls each."""
    base = project.path(layout.RUNS)
    waiting = [
        name
        for name in layout.names(project)
        if not os.path.exists(os.path.join(base, name, layout.HARVESTED))
    ]
    return sorted(waiting, key=lambda name: _changed(os.path.join(base, name)), reverse=True)


def lines(project: Project, state: State, most: int = _MOST) -> list[str]:
    """Give one line for each run that is not harvested, the newest first, `most` of them and how many
    more. Never raises."""
    try:
        waiting = names(project)
        told = [_line(state, Place(project, state, name)) for name in waiting[:most]]
    except OSError as error:
        return [f"workflow runs could not be looked at: {error.strerror}"]
    more = len(waiting) - most
    return told + ([f"{more} more workflow run(s): `baton run list`"] if more > 0 else [])


def _line(state: State, place: Place) -> str:
    try:
        return _told(state, place)
    except OSError as error:
        return f"run {place.name} cannot be read: {error.strerror}"


def _told(state: State, place: Place) -> str:
    purpose = layout.snapshot(place).get("purpose")
    what = f" {clean.quoted(purpose, _PURPOSE)}" if isinstance(purpose, str) and purpose else ""
    return f"run {place.name}{what}: {_standing(state, place)}"


def _standing(state: State, place: Place) -> str:
    count = len(place.listing(layout.RESULTS))
    attempts, _ = layout.attempts(place)
    if not attempts and not count:
        return "never launched"
    # A run that came with git was launched in another checkout, perhaps by somebody else.
    ids = [run_id for each in attempts if isinstance(run_id := each.get("run_id"), str)]
    here = not attempts or any(layout.noted(state, run_id) for run_id in ids)
    return f"{count} result{'' if count == 1 else 's'} " + (
        "to collect" if here else "from elsewhere"
    )


def _changed(folder: str) -> int:
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0
