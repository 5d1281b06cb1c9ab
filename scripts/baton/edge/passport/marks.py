"""High-water marks: what a ledger was last seen to hold, so that it cannot go back unseen (design page
passport, "Appending", step 3).

The ledger that HEAD holds, and for each branch the entries that this checkout last saw. No boundary's
hash notices that the last resume entry is gone, and that would arm a consumed boundary again.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256

from baton.core.errors import BatonError
from baton.core.passport.canonical import encode
from baton.core.passport.entry import Entry
from baton.edge.passport import committed
from baton.edge.passport.committed import Committed
from baton.edge.passport.place import Place
from baton.hot.git import head as heads
from baton.hot.project import Project
from baton.hot.state import State

_WIDTH = 16
_UNTRACKED = "-"


@dataclass(frozen=True, slots=True)
class Rewound:
    """A ledger that lacks what it once held. where: who saw it, `in HEAD` or `on branch main`. index: of
    the first entry that is gone or is another one. had, has: how many entries."""

    where: str
    index: int
    had: int
    has: int


@dataclass(frozen=True, slots=True)
class Look:
    """What the marks say of a ledger. unchecked: why some could not be compared, one sentence each."""

    rewound: Rewound | None = None
    unchecked: list[str] = field(default_factory=list)


class Marks:
    """The marks of one passport in one checkout."""

    def __init__(self, place: Place, project: Project, state: State) -> None:
        self._place = place
        self._project = project
        self._state = state

    def look(self, data: bytes, entries: Iterable[Entry]) -> Look:
        """Compare a ledger with the marks. data: the file's bytes. Writes nothing."""
        now = trace(entries)
        head = committed.read(self._project, self._place, data)
        mark = self._record(self._branch(head))
        if head.entries is None:
            unchecked = [f"what HEAD holds of {self._place.name} cannot be read: {head.fault}"]
            return Look(self._against_mark(mark, now, head), unchecked)
        then = now if head.same else trace(head.entries)
        if mark.get("accepted") != (head.oid or None) and (lost := _lost(then, now, "in HEAD")):
            return Look(lost)
        return Look(self._against_mark(mark, now, head))

    def check(self, data: bytes, entries: Iterable[Entry]) -> list[str]:
        """Give what could not be compared. Raises `ledger-rewound`."""
        found = self.look(data, entries)
        if found.rewound:
            raise refusal(self._place.name, found.rewound)
        return found.unchecked

    def note(self, data: bytes, entries: Iterable[Entry]) -> None:
        """Remember a ledger as it is now. Raises OSError."""
        head = committed.place_in_head(self._project, self._place)
        branch = self._branch(head)
        self._set(branch, trace(entries), self._record(branch).get("accepted"))
        if branch != _UNTRACKED:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._state.path(self._note_name(_UNTRACKED)))

    def accept(self, entries: Iterable[Entry]) -> None:
        """Take a ledger as it is for the new high water, whatever HEAD holds now. Raises OSError."""
        head = committed.place_in_head(self._project, self._place)
        self._set(self._branch(head), trace(entries), head.oid or None)

    def _against_mark(self, mark: dict[str, object], now: str, head: Committed) -> Rewound | None:
        seen = mark.get("trace")
        if not isinstance(seen, str):
            return None
        lost = _lost(seen, now, f"on branch {mark.get('branch')}")
        return None if lost and head.same and self._moved_on(seen) else lost

    def _moved_on(self, seen: str) -> bool:
        """Whether another branch holds what was seen here: uncommitted entries went there with a
        switch, and nothing is lost."""
        tips = committed.on_branches(self._project, self._place)
        return any(trace(entries).startswith(seen) for entries in tips)

    def _branch(self, head: Committed) -> str:
        """Whose mark counts: the branch's for a file that git has, "" (nobody's) on a detached HEAD."""
        if self._project.checkout is None or not head.oid:
            return _UNTRACKED
        return heads.read(self._project.checkout).branch

    def _record(self, branch: str) -> dict[str, object]:
        return self._state.record(self._note_name(branch)) if branch else {}

    def _set(self, branch: str, seen: str, accepted: object) -> None:
        if branch:
            mark = {"name": self._place.name, "branch": branch, "trace": seen, "accepted": accepted}
            self._state.set_record(self._note_name(branch), mark)

    def _note_name(self, branch: str) -> str:
        key = os.fsencode(f"{self._place.name}\0{branch}")
        return f"passport-marks/{sha256(key).hexdigest()[:32]}"


def trace(entries: Iterable[Entry]) -> str:
    """Give 16 hexadecimal digits for each entry, resume entries too."""
    return "".join(sha256(encode(each.to_mapping())).hexdigest()[:_WIDTH] for each in entries)


def _lost(then: str, now: str, where: str) -> Rewound | None:
    if now.startswith(then):
        return None
    places = range(0, len(then), _WIDTH)
    same = sum(1 for _ in itertools.takewhile(lambda at: _one(then, at) == _one(now, at), places))
    return Rewound(where, same, len(then) // _WIDTH, len(now) // _WIDTH)


def _one(seen: str, at: int) -> str:
    return seen[at : at + _WIDTH]


def refusal(name: str, lost: Rewound) -> BatonError:
    """Give the refusal to build on a ledger that went back."""
    message = (
        f"{name}: the ledger went back: {lost.where} it held {lost.had} entries, now it holds {lost.has}, "
        f"and reset_boundary[{lost.index}] is gone or is another one; nothing was written. "
        "Bring the file back from git (git stash pop, git switch, git checkout); only a person may take it as it is"
    )
    return BatonError("ledger-rewound", message, f"baton passport accept {name}")
