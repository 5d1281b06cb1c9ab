"""Where a flush would go, what the last one left, and the locks in its way: looked at, never touched."""

from __future__ import annotations

import os
import time

from baton.core.doctor.finding import Unseen
from baton.core.doctor.keeping import (
    BRANCH,
    DISABLED,
    DISK,
    LEADS_OUT,
    OFF,
    REF,
    REFUSED,
    Destination,
    LastFlush,
    Locks,
    Notes,
    OwnLock,
)
from baton.edge import git, processes
from baton.hot import clean, left_out, overlay
from baton.hot.config import Config
from baton.hot.flush import signature, sources
from baton.hot.flush.routes import OWN_REF
from baton.hot.git import head as heads
from baton.hot.git import operation
from baton.hot.lock import Lock, Locked
from baton.hot.moments import clock
from baton.hot.project import Project
from baton.hot.state import OUTCOME, State

# A flush lasts five seconds at the most, a change of the chain far less.
_MOMENT_SECONDS = 0.3


def destination(project: Project, config: Config, disabled: bool) -> Destination | Unseen:
    """Say where the next flush goes."""
    if disabled:
        return Destination(DISABLED)
    if config.persist == "off":
        return Destination(OFF)
    checkout = project.checkout
    if checkout is None:
        return Destination(DISK)
    asked = git.read(project.root, "rev-parse", "--git-dir")
    if asked.exit is None:
        return Unseen("git did not answer, so nobody knows where a flush goes")
    if asked.exit != 0:
        words = clean.line(asked.errors.decode("utf-8", "replace").split("\n")[0], 200)
        return Destination(REFUSED, why=words, top=checkout.top)
    head = heads.read(checkout)
    why = OWN_REF if config.persist == "ref" else operation.under_way(checkout, head)
    why = why or operation.busy(checkout, head)
    if why:
        return Destination(REF, heads.parking_ref(checkout), why)
    return Destination(BRANCH, head.branch)


def last_flush(project: Project, state: State, inside: bool) -> LastFlush:
    """Read the note of the last flush, and compare the chain with it. Raises OSError."""
    note = state.record(OUTCOME)
    kept_at, where = note.get("kept_at"), note.get("kept_where")
    kept = f"kept {clock(kept_at)} on {where}" if isinstance(kept_at, int) else ""
    refused = tuple((path, _leading(project, path, why)) for path, why in left_out.rows(note))
    try:
        looks = os.lstat(overlay.chain_path(project, state))
    except FileNotFoundError:
        looks = None
    saved = looks is not None and note.get("chain") == [looks.st_size, looks.st_mtime_ns]
    kind, reason = str(note.get("kind", "")), str(note.get("reason", ""))
    there = looks is not None
    return LastFlush(kind, reason, refused, kept, saved, there, inside, project.root)


def ignored(project: Project, config: Config, state: State) -> tuple[tuple[str, str], ...] | Unseen:
    """Ask git which state files it ignores, and by which rule."""
    if project.checkout is None:
        return ()
    survey = signature.take(project, config.paths, sources.places(project, state))
    names = [signature.shown(project, path) for path in survey.files]
    rows = git.ignored(project.root, names)
    if rows is None:
        return Unseen("git could not say which state files it ignores")
    return tuple(rows)


def git_locks(project: Project) -> Locks:
    """Look for locks of git's that keep a flush from the branch."""
    checkout = project.checkout
    if checkout is None:
        return Locks((), "")
    names = [
        path for path in operation.locks(checkout, heads.read(checkout)) if os.path.lexists(path)
    ]
    now = time.time()
    ages = tuple((path, max(0, int(now - os.lstat(path).st_mtime))) for path in names)
    return Locks(ages, operation.foreign_git(checkout) if names else "")


def own_lock(state: State) -> OwnLock:
    """Try baton's lock, without making its file. Raises OSError."""
    path = state.path("lock")
    if not os.path.exists(path):
        return OwnLock(path, False, 0, "", 0)
    try:
        with Lock(path, _MOMENT_SECONDS):
            return OwnLock(path, False, 0, "", 0)
    except Locked:
        pid = processes.lock_holder(path)
        return OwnLock(path, True, pid, processes.command(pid), processes.age(pid))


def state_paths(project: Project, config: Config, state: State) -> tuple[tuple[str, str], ...]:
    """Give (path, why) of each state path that cannot be kept."""
    survey = signature.take(project, config.paths, sources.places(project, state))
    shown = ((signature.shown(project, path), why) for path, why in survey.faults.items())
    return tuple((path, _leading(project, path, why)) for path, why in shown)


def _leading(project: Project, path: str, why: str) -> str:
    """Give why a path is not kept; of a link that leads out of the project, where to."""
    target = os.path.realpath(project.path(path))
    inside = target.startswith(os.path.realpath(project.root) + os.sep)
    return f"{LEADS_OUT}, to {target}" if why.startswith("a symbolic link") and not inside else why


def notes(state: State) -> Notes:
    """Look whether notes can be written."""
    folder = state.folder
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    return Notes(folder, os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK))
