"""The flush: the state files as they are on disk are in git, or a reason why not is on record (design page persist).

The life of one flush: changed since the last one? → is moving HEAD safe? → the branch, else our own ref → record, outcome.
Content is never made or changed.
"""

from __future__ import annotations

import os
import time

from baton.hot import (
    branch,
    clean,
    conclusion,
    files,
    index,
    operation,
    parking,
    signature,
    sources,
)
from baton.hot import head as heads
from baton.hot import outcome as outcomes
from baton.hot import record as records
from baton.hot.attempt import Attempt, Comparison, Held, Lost, Request
from baton.hot.checkout import Checkout
from baton.hot.config import Config
from baton.hot.git import Failed, Git, Stuck
from baton.hot.graft import InSubmodule
from baton.hot.lock import Locked
from baton.hot.outcome import Kept, Outcome
from baton.hot.project import Project
from baton.hot.record import Record
from baton.hot.state import State

__all__ = ["SECONDS", "SUBJECT", "Outcome", "flush"]

SUBJECT = "wal: flush"
SECONDS = 5.0
_ATTEMPTS = 5
_BUSY_LOOKS, _BUSY_SECONDS = 8, 0.03
_ON_DISK = "not a git repository: the files are on disk"
_OWN_REF = 'persist = "ref"'


def flush(
    project: Project,
    state: State,
    config: Config,
    *,
    subject: str = SUBJECT,
    body: str = "",
    include: tuple[str, ...] | list[str] = (),
    always: bool = False,
    seconds: float = SECONDS,
) -> Outcome:
    """Put the state files of a project into git, within `seconds`; never raises for what a user or a system can cause.

    subject, body: the commit's message; "wal: flush" gets the local time. include: further regular files, relative to the
    project, for the branch commit alone. always: commit though nothing has changed. Takes the state directory's lock, which
    the caller must not hold.
    """
    if config.persist == "off" or os.environ.get("BATON_DISABLED") == "1":
        return Outcome(
            outcomes.DISABLED,
            "persist is off" if config.persist == "off" else "BATON_DISABLED is set",
        )
    wanted = always or bool(include)
    if not wanted and records.absent(project, state):
        return Outcome(outcomes.UNCHANGED, "" if project.checkout else _ON_DISK)
    result, kept = _bounded(project, state, config, _Words(subject, body, include, always), seconds)
    result.reason = clean.line(result.reason, 300)
    if result.kind == outcomes.UNCHANGED and kept is None:
        return result
    try:
        outcomes.note(state, result, kept)
    except OSError:
        # The note is for others' eyes; the outcome itself says what happened.
        pass
    return result


class _Words:
    """What was asked for, beside the project."""

    __slots__ = ("always", "include", "message")

    def __init__(
        self, subject: str, body: str, include: tuple[str, ...] | list[str], always: bool
    ) -> None:
        if subject == SUBJECT:
            subject = time.strftime(f"{SUBJECT} %Y%m%dT%H%M")
        lines = [clean.line(line) for line in body.strip().splitlines()]
        self.message = "\n".join(
            [clean.line(subject), *([""] if lines else []), *lines, ""]
        ).encode()
        self.include = list(include)
        self.always = always


def _bounded(
    project: Project, state: State, config: Config, words: _Words, seconds: float
) -> tuple[Outcome, Kept | None]:
    try:
        if project.checkout is None:
            return _to_disk(project, state, config)
        request = _request(project, project.checkout, state, config, words)
        deadline = time.monotonic() + seconds
        with Git(request.checkout.top, deadline) as git:
            _check_ownership(git, request.checkout)
            with state.lock(seconds):
                index.remove_own_lock(request.checkout, state)
                return _flush(request, git)
    except Locked:
        return Outcome(outcomes.DEFERRED, f"another baton held its lock for {seconds:g} s"), None
    except Stuck:
        return Outcome(
            outcomes.DEFERRED, f"git did not finish within {seconds:g} s and was ended"
        ), None
    except (Held, Lost) as error:
        return Outcome(outcomes.DEFERRED, error.words), None
    except Failed as error:
        return Outcome(outcomes.FAILED, error.words), None
    except OSError as error:
        return Outcome(
            outcomes.FAILED, f"{error.strerror}: {os.fsdecode(error.filename or '')}"
        ), None


def _request(
    project: Project, checkout: Checkout, state: State, config: Config, words: _Words
) -> Request:
    request = Request(project, checkout, state, config)
    request.message, request.always = words.message, words.always
    request.include = [signature.named(project, path) for path in words.include]
    return request


def _check_ownership(git: Git, checkout: Checkout) -> None:
    """Let git judge, before anything is written, a repository that is another user's or whose work tree is elsewhere."""
    if hasattr(os, "geteuid"):
        owners = {os.lstat(path).st_uid for path in (checkout.top, checkout.git_dir)}
        if owners != {os.geteuid()}:
            git.run("rev-parse", "--git-dir")
    settings = files.read(os.path.join(checkout.common_dir, "config"), 1 << 20) or b""
    if b"worktree" in settings.lower():
        told = os.fsdecode(git.run("rev-parse", "--show-toplevel")).rstrip("\n")
        if os.path.realpath(told) != checkout.top:
            raise Failed(f"core.worktree says that {told} is the work tree, not {checkout.top}")


def _flush(request: Request, git: Git) -> tuple[Outcome, Kept | None]:
    why = ""
    for _ in range(_ATTEMPTS):
        attempt = Attempt(request, git)
        if attempt.same() and not (request.always or request.include):
            return Outcome(outcomes.UNCHANGED), None
        try:
            why = _OWN_REF if request.config.persist == "ref" else _in_the_way(request.checkout)
            return _to_ref(attempt, why, parking.compare(attempt)) if why else _to_branch(attempt)
        except InSubmodule as found:
            request.barred[found.path] = "in a submodule"
        except Lost as lost:
            why = lost.words
    attempt = Attempt(request, git)
    return _to_ref(attempt, why, parking.compare(attempt))


def _to_branch(attempt: Attempt) -> tuple[Outcome, Kept]:
    try:
        landed = branch.land(attempt)
    except Failed as error:
        return _kept_all_the_same(Attempt(attempt.request, attempt.git), error)
    off = {path: entry for path, (entry, _) in landed.off.items()}
    return conclusion.landed(attempt, landed, parking.park(attempt, off) if off else None)


def _to_ref(attempt: Attempt, why: str, comparison: Comparison) -> tuple[Outcome, Kept]:
    entries = parking.everything(attempt, comparison)
    if comparison.holds(attempt, entries) and not attempt.request.always:
        return conclusion.still_there(
            attempt, comparison, heads.parking_ref(attempt.request.checkout)
        )
    return conclusion.parked(attempt, parking.park(attempt, entries), why)


def _kept_all_the_same(attempt: Attempt, error: Failed) -> tuple[Outcome, Kept]:
    """What the branch did not take goes to the ref; it is a failure nevertheless."""
    try:
        result, kept = _to_ref(attempt, "", parking.with_ref(attempt))
    except (Failed, Held, Lost):
        raise error from None
    result.kind = outcomes.FAILED
    result.reason = f"{error.words}; kept on {result.ref or kept.where}"
    return result, kept


def _in_the_way(checkout: Checkout) -> str:
    """Say what keeps HEAD from being moved; what may be over in a moment is given a quarter of a second."""
    for look in range(_BUSY_LOOKS):
        if look:
            time.sleep(_BUSY_SECONDS)
        head = heads.read(checkout)
        why = operation.under_way(checkout, head)
        if why:
            return why
        why = operation.busy(checkout, head)
        if not why:
            return ""
    return why


def _to_disk(project: Project, state: State, config: Config) -> tuple[Outcome, Kept | None]:
    """Outside git: the files' bytes are brought to the disk, and that is all."""
    survey, configured = (
        signature.take(project, config.paths, sources.places(project, state)),
        signature.settings(project),
    )
    for path in survey.files:
        whole = survey.place(path)
        if os.path.isfile(whole) and os.access(whole, os.R_OK):
            files.sync(os.fsdecode(whole))
    record = Record(records.DISK, config.persist, configured, config.paths)
    record.lines = survey.lines
    state.write(records.NAME, record.render())
    result = conclusion.outcome(survey, project, outcomes.UNCHANGED)
    result.reason = result.reason or _ON_DISK
    return result, conclusion.kept(survey, project, "disk")
