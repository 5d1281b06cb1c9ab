"""High-water marks: what a ledger was last seen to hold, so that it cannot go back unseen (design page
passport, "Appending", step 3).

The ledger that HEAD holds, and for each branch the entries that this checkout last saw. No boundary's
hash notices that the last resume entry is gone, and that would arm a consumed boundary again.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
from collections.abc import Iterable
from hashlib import sha256
from typing import NamedTuple

from baton.core.errors import BatonError, typed
from baton.core.passport.entry import Entry
from baton.edge.passport import committed
from baton.edge.passport.committed import Committed
from baton.edge.passport.place import Place
from baton.hot.git import head as heads
from baton.hot.project import Project
from baton.hot.state import State

_WIDTH = 16
_UNTRACKED, _HEAD = "-", "in HEAD"


class Rewound(NamedTuple):
    """A ledger that lacks what it once held. where: it was seen, `in HEAD` or `on branch main`. at: index of
    the first entry that is gone or is another one. had, has: how many entries. seen: their trace."""

    where: str
    at: int
    had: int
    has: int
    seen: str


class Look(NamedTuple):
    """What the marks say of a ledger. compared: where they come from, as in Rewound. unchecked: why some
    could not be compared, one sentence each."""

    rewound: Rewound | None = None
    compared: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()


class Marks:
    """The marks of one passport in one checkout."""

    def __init__(self, place: Place, project: Project, state: State) -> None:
        self._place = place
        self._project = project
        self._state = state
        self._committed: Committed | None = None
        self._head_trace = ""

    def look(self, data: bytes, entries: Iterable[Entry]) -> Look:
        """Compare a ledger with the marks. data: the file's bytes. Writes nothing."""
        now = trace(entries)
        head = self._head(data)
        seen = [*self._in_head(head, now), *self._on_branch(head)]
        losses = (_lost(then, now, where) for where, then in seen)
        lost = next((each for each in losses if each and not self._moved_on(each, head)), None)
        reason = f"what HEAD holds of {self._place.name} cannot be read: {head.fault}"
        return Look(lost, tuple(where for where, _ in seen), (reason,) if head.fault else ())

    def check(self, data: bytes, entries: Iterable[Entry]) -> tuple[str, ...]:
        """Give what could not be compared. Raises `ledger-rewound`."""
        found = self.look(data, entries)
        if found.rewound:
            raise refusal(self._place.name, found.rewound)
        return found.unchecked

    def note(self, data: bytes, entries: Iterable[Entry]) -> None:
        """Remember a ledger as it is now. Raises OSError."""
        head = self._head(data)
        branch = self._branch(head)
        if branch:
            self._set(branch, trace(entries), self._record(branch).get("accepted"), head.oid)
        if branch != _UNTRACKED:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._state.path(self._note_name(_UNTRACKED)))

    def accept(self, data: bytes, entries: Iterable[Entry]) -> None:
        """Take a ledger as it is for the new high water, whatever HEAD holds now. Raises OSError."""
        head = self._head(data)
        branch = self._branch(head)
        # Detached HEADs have no line of their own, along which a ledger could only grow.
        self._set(branch, trace(entries) if branch else None, head.oid or None, head.oid)

    def _head(self, data: bytes) -> Committed:
        """What HEAD holds, looked at once: within one command it is the user's who moves it."""
        if self._committed is None:
            checkout = self._project.checkout
            mark = self._record(heads.read(checkout).branch) if checkout else {}
            known = mark.get("head") if isinstance(mark.get("head_trace"), str) else ""
            self._committed = committed.read(self._project, self._place, data, str(known or ""))
        return self._committed

    def _in_head(self, head: Committed, now: str) -> list[tuple[str, str]]:
        """What HEAD holds, unless a person has taken the ledger as it is since that was committed."""
        mark = self._record(self._branch(head))
        if not head.oid:
            return []
        known = str(mark.get("head_trace")) if head.entries is None else trace(head.entries)
        self._head_trace = now if head.same else known
        return [] if mark.get("accepted") == head.oid else [(_HEAD, self._head_trace)]

    def _on_branch(self, head: Committed) -> list[tuple[str, str]]:
        mark = self._record(self._branch(head))
        seen, branch = mark.get("trace"), mark.get("branch")
        if not isinstance(seen, str):
            return []
        return [("here" if branch == _UNTRACKED else f"on branch {branch}", seen)]

    def _moved_on(self, lost: Rewound, head: Committed) -> bool:
        """Whether another branch holds what was seen here: uncommitted entries went there with a
        switch, and nothing is lost."""
        if lost.where == _HEAD or not head.same:
            return False
        tips = committed.on_branches(self._project, self._place)
        return any(trace(entries).startswith(lost.seen) for entries in tips)

    def _branch(self, head: Committed) -> str:
        """Whose mark counts: the branch's for a file that git has; "" on a detached HEAD, whose mark holds
        what a person accepted, and no entries."""
        if self._project.checkout is None or not head.oid:
            return _UNTRACKED
        return heads.read(self._project.checkout).branch

    def _record(self, branch: str) -> dict[str, object]:
        return self._state.record(self._note_name(branch))

    def _set(self, branch: str, seen: str | None, accepted: object, head: str) -> None:
        mark: dict[str, object] = {"name": self._place.name, "branch": branch, "trace": seen}
        mark |= {"accepted": accepted, "head": head, "head_trace": self._head_trace}
        self._state.set_record(self._note_name(branch), mark)

    def _note_name(self, branch: str) -> str:
        key = os.fsencode(f"{self._place.name}\0{branch}")
        return f"passport-marks/{sha256(key).hexdigest()[:32]}"


def trace(entries: Iterable[Entry]) -> str:
    """Give 16 hexadecimal digits for each entry, resume entries too."""
    texts = (json.dumps(each.to_mapping(), sort_keys=True) for each in entries)
    return "".join(sha256(text.encode()).hexdigest()[:_WIDTH] for text in texts)


def _lost(then: str, now: str, where: str) -> Rewound | None:
    if now.startswith(then):
        return None
    places = range(0, len(then), _WIDTH)
    same = sum(1 for _ in itertools.takewhile(lambda at: _one(then, at) == _one(now, at), places))
    return Rewound(where, same, len(then) // _WIDTH, len(now) // _WIDTH, then)


def _one(seen: str, at: int) -> str:
    return seen[at : at + _WIDTH]


def told(name: str, lost: Rewound) -> str:
    """Say that a ledger went back, in one sentence."""
    return (
        f"{name}: the ledger went back: {lost.where} it held {lost.had} entries, now it holds {lost.has}, "
        f"and reset_boundary[{lost.at}] is gone or is another one"
    )


def refusal(name: str, lost: Rewound) -> BatonError:
    """Give the refusal to build on a ledger that went back."""
    message = (
        f"{told(name, lost)}; nothing was written. Bring the file back from git (git stash pop, "
        "git switch, git checkout) or from a copy; only a person may take it as it is"
    )
    return BatonError("ledger-rewound", message, f"baton passport accept {typed(name)}")
