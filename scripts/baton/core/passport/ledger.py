"""What a ledger says: verified, what awaits, what was consumed and by whom (design page passport)."""

from __future__ import annotations

from dataclasses import dataclass

from baton.core.passport.document import Document
from baton.core.passport.entry import Boundary, Entry, Resume
from baton.core.passport.errors import LedgerError


@dataclass(frozen=True, slots=True)
class Awaiting:
    """A boundary that no later resume consumes. index: in the ledger. superseded: a newer one awaits too."""

    boundary: Boundary
    index: int
    line: int
    superseded: bool


@dataclass(frozen=True, slots=True)
class Ledger:
    """A ledger whose chain was verified."""

    entries: tuple[Entry, ...]
    lines: tuple[int, ...]

    @property
    def boundaries(self) -> tuple[Boundary, ...]:
        """The boundaries, oldest first."""
        raise NotImplementedError

    def awaiting(self) -> tuple[Awaiting, ...]:
        """The boundaries without a later resume, newest first. One pass."""
        raise NotImplementedError

    def consumer(self, hash_: str) -> Resume | None:
        """The first later resume that consumes the boundary of that hash; None while it awaits."""
        raise NotImplementedError

    def find(self, hash_: str) -> Awaiting:
        """The awaiting boundary of exactly that hash.

        Raises BatonError `bad-hash-form`, `no-such-boundary` or `already-resumed` (saying when and
        by whom).
        """
        raise NotImplementedError


def holds(document: Document, hash_: str) -> bool:
    """Say whether a boundary bears that hash, nothing else being checked: for finding the file."""
    raise NotImplementedError


def checked(document: Document, wanted: str = "") -> Ledger:
    """Give the ledger of a document once its chain is verified.

    wanted: a hash that somebody asks for. Raises LedgerError: `ambiguous-hash` when two boundaries
    bear the wanted hash, `hash-mismatch` (index, line, expected, got) for the first boundary whose
    hash does not follow, `invalid-ledger` for a resume entry without an earlier boundary. A
    boundary that was resumed twice stands in nobody's way here; `first_problem` names it.
    """
    raise NotImplementedError


def first_problem(document: Document) -> LedgerError | None:
    """Give the first thing wrong with a ledger, second resumes of a boundary included; None when all
    holds that bytes alone can show."""
    raise NotImplementedError
