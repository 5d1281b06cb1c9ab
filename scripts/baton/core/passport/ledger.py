"""What a ledger says: verified, what awaits, what was consumed and by whom (design page passport)."""

from __future__ import annotations

from dataclasses import dataclass

from baton.core.errors import BatonError
from baton.core.passport.chain_hash import Chain
from baton.core.passport.document import Document
from baton.core.passport.entry import HASH, Boundary, Entry, Resume
from baton.core.passport.errors import LedgerError
from baton.hot import clean

_LOOK = "baton passport awaiting"


@dataclass(frozen=True, slots=True)
class Awaiting:
    """A boundary that no later resume consumes. index: in the ledger. superseded: a newer one awaits too."""

    boundary: Boundary
    index: int
    line: int
    superseded: bool


@dataclass(frozen=True, slots=True)
class Ledger:
    """A ledger whose chain was verified. consumed: hash → index of the first resume that consumes it."""

    entries: tuple[Entry, ...]
    lines: tuple[int, ...]
    consumed: dict[str, int]

    @property
    def boundaries(self) -> tuple[Boundary, ...]:
        """The boundaries, oldest first."""
        return tuple(entry for entry in self.entries if isinstance(entry, Boundary))

    def awaiting(self) -> tuple[Awaiting, ...]:
        """The boundaries without a later resume, newest first. One pass."""
        found: list[Awaiting] = []
        for index in range(len(self.entries) - 1, -1, -1):
            entry = self.entries[index]
            if isinstance(entry, Boundary) and entry.hash not in self.consumed:
                found.append(Awaiting(entry, index, self.lines[index], bool(found)))
        return tuple(found)

    def consumer(self, hash_: str) -> Resume | None:
        """The first later resume that consumes the boundary of that hash; None while it awaits."""
        index = self.consumed.get(hash_)
        entry = None if index is None else self.entries[index]
        return entry if isinstance(entry, Resume) else None

    def find(self, hash_: str, name: str) -> Awaiting:
        """The awaiting boundary of exactly that hash. name: of the passport, for people.

        Raises BatonError `bad-hash-form`, `no-such-boundary` or `already-resumed` (saying when and
        by whom).
        """
        checked_form(hash_)
        for awaiting in self.awaiting():
            if awaiting.boundary.hash == hash_:
                return awaiting
        resume = self.consumer(hash_)
        if resume is None:
            raise BatonError(
                "no-such-boundary", f"no boundary {hash_} in {name}; nothing was written", _LOOK
            )
        line = self.lines[self.consumed[hash_]]
        raise BatonError(
            "already-resumed",
            f"boundary {hash_} was consumed at {resume.generated_at} by session "
            f"{clean.quoted(resume.session_marker, 80)} ({name}, line {line})",
            _LOOK,
        )


def checked_form(hash_: str) -> str:
    """Give a hash back that is written as one. Raises BatonError `bad-hash-form`."""
    if not HASH.fullmatch(hash_):
        raise BatonError(
            "bad-hash-form",
            "a hash is exactly 12 of the digits 0-9a-f, in lower case, "
            f"got {clean.quoted(hash_, 60)} ({len(hash_)} characters)",
            _LOOK,
        )
    return hash_


def holds(document: Document, hash_: str) -> bool:
    """Say whether a boundary bears that hash, nothing else being checked: for finding the file."""
    return bool(_bearing(document, hash_))


def checked(document: Document, wanted: str = "") -> Ledger:
    """Give the ledger of a document once its chain is verified.

    wanted: a hash that somebody asks for. Raises LedgerError: `ambiguous-hash` when two boundaries
    bear the wanted hash, `hash-mismatch` (index, line, expected, got) for the first boundary whose
    hash does not follow, `invalid-ledger` for a resume entry without an earlier boundary. A
    boundary that was resumed twice stands in nobody's way here; `first_problem` names it.
    """
    bearing = _bearing(document, wanted) if wanted else []
    if len(bearing) > 1:
        raise _ambiguous(document, bearing[0], bearing[1])
    walk = _Walk(document)
    for error, blocks in walk.problems:
        if blocks:
            raise error
    return Ledger(document.entries, document.lines, walk.consumed)


def first_problem(document: Document) -> LedgerError | None:
    """Give the first thing wrong with a ledger, second resumes of a boundary included; None when all
    holds that bytes alone can show."""
    return next((error for error, _ in _Walk(document).problems), None)


def _bearing(document: Document, hash_: str) -> list[int]:
    return [
        index
        for index, entry in enumerate(document.entries)
        if isinstance(entry, Boundary) and entry.hash == hash_
    ]


def _ambiguous(document: Document, first: int, second: int) -> LedgerError:
    entry = document.entries[second]
    assert isinstance(entry, Boundary)
    what = (
        f"two boundaries bear the hash {entry.hash} "
        f"(the other on line {document.lines[first]}); neither can be meant"
    )
    return LedgerError("ambiguous-hash", what, index=second, line=document.lines[second])


class _Walk:
    """One pass over the entries. consumed: as in Ledger. problems: what is wrong, in the order of the
    entries, and whether nothing may be built on it."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._chain = Chain()
        self._known: dict[str, int] = {}
        self.consumed: dict[str, int] = {}
        self.problems: list[tuple[LedgerError, bool]] = []
        for index, entry in enumerate(document.entries):
            if isinstance(entry, Resume):
                self._resume(index, entry)
            elif not self._boundary(index, entry):
                # Behind a hash that does not follow no other can.
                break

    def _boundary(self, index: int, entry: Boundary) -> bool:
        """Take a boundary in; say whether its hash follows."""
        expected = self._chain.hash_of(entry)
        if expected != entry.hash:
            what = (
                "the hash of this boundary does not follow from it and the boundaries before it: "
                f"expected {expected}, got {entry.hash}"
            )
            self._note("hash-mismatch", index, what, True, expected, entry.hash)
            return False
        if entry.hash in self._known:
            self.problems.append(
                (_ambiguous(self._document, self._known[entry.hash], index), False)
            )
        self._known[entry.hash] = index
        self._chain.add(entry)
        return True

    def _resume(self, index: int, entry: Resume) -> None:
        hash_ = entry.consumes_hash
        if hash_ not in self._known:
            what = f"a resume entry consumes {hash_}, but no earlier boundary bears that hash"
            self._note("invalid-ledger", index, what, True)
        elif hash_ in self.consumed:
            line = self._document.lines[self.consumed[hash_]]
            what = f"boundary {hash_} is consumed a second time (first on line {line})"
            self._note("invalid-ledger", index, what, False)
        else:
            self.consumed[hash_] = index

    def _note(
        self, code: str, index: int, what: str, blocks: bool, expected: str = "", got: str = ""
    ) -> None:
        line = self._document.lines[index]
        error = LedgerError(code, what, index=index, line=line, expected=expected, got=got)
        self.problems.append((error, blocks))
