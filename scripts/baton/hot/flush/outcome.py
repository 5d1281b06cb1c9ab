"""What a flush came to, and the note of it that others show: `state.record("outcome")`."""

import os
import time

from baton.hot.state import OUTCOME, State

UNCHANGED, COMMITTED, PARKED = "unchanged", "committed", "parked"
REFUSED, DEFERRED, FAILED, DISABLED = "refused", "deferred", "failed", "disabled"
_KEPT = ("kept_at", "kept_where", "chain")
_NAMED = 100


class Outcome:
    """One flush.

    commit: full id of the commit made, "" when none was. ref: full name of the ref it went to.
    paths: the state files in it, relative to the project. refused: (path, reason) of each that was
    left out. parked: paths kept on baton's ref though the rest went to the branch, or because git
    ignores them. reason: one clean line, git's own words where git refused.
    """

    __slots__ = ("commit", "kind", "parked", "paths", "reason", "ref", "refused")

    def __init__(self, kind: str, reason: str = "") -> None:
        self.kind = kind
        self.reason = reason
        self.commit = ""
        self.ref = ""
        self.paths: list[str] = []
        self.refused: list[tuple[str, str]] = []
        self.parked: list[str] = []


class Kept:
    """Proof that all content is kept.

    where: in words. chain: its (size, mtime in ns), None when there is no chain.
    """

    __slots__ = ("chain", "where")

    def __init__(self, where: str, chain: tuple[int, int] | None) -> None:
        self.where = where
        self.chain = chain


def note(state: State, outcome: Outcome, kept: Kept | None) -> None:
    """Put down the outcome, unless it says what stands there already. Raises OSError.

    Keys: time (s since the epoch), kind, commit, ref, reason, paths, refused; and of the last
    content that was kept: kept_at, kept_where, chain [size, mtime_ns]. An outcome that kept nothing
    leaves the last three as they are.
    """
    last = state.record(OUTCOME)
    now = int(time.time())
    new = _facts(outcome, now)
    facts = (
        {"kept_at": now, "kept_where": kept.where, "chain": list(kept.chain or ())} if kept else {}
    )
    if (
        outcome.commit
        or facts.get("chain", last.get("chain")) != last.get("chain")
        or _differs(new, last)
    ):
        carried = {key: last[key] for key in _KEPT if key in last}
        state.set_record(OUTCOME, {**new, **carried, **facts})


def _facts(outcome: Outcome, now: int) -> dict[str, object]:
    return {
        "time": now,
        "kind": outcome.kind,
        "commit": outcome.commit,
        "ref": outcome.ref,
        "reason": outcome.reason,
        "paths": [printable(path) for path in outcome.paths[:_NAMED]],
        "refused": [[printable(path), reason] for path, reason in outcome.refused[:_NAMED]],
    }


def _differs(new: dict[str, object], last: dict[str, object]) -> bool:
    return any(new[key] != last.get(key) for key in ("kind", "reason", "refused"))


def printable(path: str) -> str:
    """Give a path that is legal in JSON: bytes that are no UTF-8 become U+FFFD."""
    return os.fsencode(path).decode("utf-8", "replace")
