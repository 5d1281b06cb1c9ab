"""The flush: the state files, as they are on disk, are in git, or why not is on record.

The life of one flush (design page persist): changed since the last one? → is moving HEAD safe?
→ the branch, else our own ref → record, outcome. Content is never made or changed.
"""

import os
import time

from baton.hot import clean, overlay, passports
from baton.hot.config import Config
from baton.hot.flush import outcome as outcomes
from baton.hot.flush import record as records
from baton.hot.flush import signature
from baton.hot.flush.attempt import Held, Lost, Request
from baton.hot.flush.outcome import Kept, Outcome
from baton.hot.git import index, ownership
from baton.hot.git.checkout import Checkout
from baton.hot.git.speaker import Failed, Git, Stuck
from baton.hot.git.trees import Trees
from baton.hot.lock import Locked
from baton.hot.project import CHAIN, OWN, Project
from baton.hot.state import State

__all__ = ["SECONDS", "SUBJECT", "Outcome", "flush"]

SUBJECT = f"{OWN} flush"
SECONDS = 5.0
_REASON_WIDTH = 300


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
    """Put the state files of a project into git, within `seconds`.

    subject, body: the commit's message; "wal: flush" gets the local time. include: further regular
    files, relative to the project, for the branch commit alone. always: commit though nothing has
    changed. The passports that baton has written join the config's paths. Takes the state
    directory's lock, which the caller must not hold. Never raises for what a user or a system can
    cause: the outcome says it.
    """
    off = _switched_off(config)
    if off:
        return Outcome(outcomes.DISABLED, off)
    if not always and not include and records.absent(project, state):
        return Outcome(outcomes.UNCHANGED)
    config.paths = passports.with_written(config.paths, project, state)
    request = Request(project, state, config)
    request.message = _message(subject, body)
    request.include = [signature.named(project, path) for path in include]
    request.always = always
    result, kept = _bounded(request, seconds)
    result.reason = clean.line(result.reason, _REASON_WIDTH)
    if result.kind != outcomes.UNCHANGED or kept:
        _note(state, result, kept)
    return result


def _switched_off(config: Config) -> str:
    if config.persist == "off":
        return "persist is off"
    return "BATON_DISABLED is set" if os.environ.get("BATON_DISABLED") == "1" else ""


def _message(subject: str, body: str) -> bytes:
    if subject == SUBJECT:
        subject = time.strftime(f"{SUBJECT} %Y%m%dT%H%M")
    lines = [clean.line(line) for line in body.strip().splitlines()]
    return "\n".join([clean.line(subject), *([""] if lines else []), *lines, ""]).encode()


def _note(state: State, result: Outcome, kept: Kept | None) -> None:
    try:
        outcomes.note(state, result, kept)
    except OSError:
        # The note is for others' eyes; the outcome itself says what happened.
        pass


def _bounded(request: Request, seconds: float) -> tuple[Outcome, Kept | None]:
    """Flush; what went wrong becomes an outcome: deferred when it may go right the next time."""
    try:
        checkout = request.project.checkout
        if checkout is None:
            from baton.hot.flush import plain

            return plain.sync(request)
        return _in_git(request, checkout, seconds)
    except Locked:
        return Outcome(outcomes.DEFERRED, f"another baton held its lock for {seconds:g} s"), None
    except Stuck:
        words = f"git did not finish within {seconds:g} s and was ended"
        return Outcome(outcomes.DEFERRED, words), None
    except (Held, Lost) as error:
        return Outcome(outcomes.DEFERRED, error.words), None
    except Failed as error:
        return Outcome(outcomes.FAILED, error.words), None
    except OSError as error:
        words = f"{error.strerror}: {os.fsdecode(error.filename or '')}"
        return Outcome(outcomes.FAILED, words), None


def _settle(request: Request) -> None:
    """Put an overlay in the chain's place once the operation that it was made for is over."""
    if overlay.stands(request.state) and overlay.over(request.project):
        overlay.settle(request.project, request.state)


def _in_git(request: Request, checkout: Checkout, seconds: float) -> tuple[Outcome, Kept | None]:
    with Git(checkout.top, time.monotonic() + seconds) as git:
        trees = Trees(git)
        # While git starts, the rest of us is loaded.
        from baton.hot.flush import routes

        ownership.check(git, checkout)
        with request.state.lock(seconds):
            index.sweep(checkout, request.state)
            _settle(request)
            result, kept = routes.run(request, checkout, git, trees)
            if result.commit and CHAIN in result.paths:
                overlay.adopt(request.project, request.state)
            return result, kept
