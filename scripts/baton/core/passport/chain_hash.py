"""The hash that ties each boundary to all boundaries before it (design page passport, "The hash").

Every prior boundary with its final hash, then the new one with the placeholder, each as RFC 8785
bytes with a LF behind it; SHA-256; its first 12 hex digits. Resume entries never take part.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from baton.core.passport.canonical import encode
from baton.core.passport.entry import Boundary, Entry

PLACEHOLDER = "0" * 12


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The first boundary whose hash does not follow. index: in the list of all entries, from 0."""

    index: int
    expected: str
    got: str


class Chain:
    """The boundaries so far, as one running SHA-256: each costs its own bytes, not its prefix's."""

    __slots__ = ("_prefix",)

    def __init__(self) -> None:
        self._prefix = sha256()

    def hash_of(self, boundary: Boundary) -> str:
        """Give the hash that a boundary has when it comes next, whatever hash it claims."""
        ahead = self._prefix.copy()
        ahead.update(encode(replace(boundary, hash=PLACEHOLDER).to_mapping()) + b"\n")
        return ahead.hexdigest()[:12]

    def add(self, boundary: Boundary) -> None:
        """Take a boundary in, with the hash that it bears."""
        self._prefix.update(encode(boundary.to_mapping()) + b"\n")


def sealed(entries: Iterable[Entry], boundary: Boundary) -> Boundary:
    """Give a boundary that comes after these entries with its hash set."""
    chain = Chain()
    for entry in entries:
        if isinstance(entry, Boundary):
            chain.add(entry)
    return replace(boundary, hash=chain.hash_of(boundary))


def first_mismatch(entries: Sequence[Entry]) -> Mismatch | None:
    """Give the first boundary whose hash is not the one that follows; None when all do. One pass."""
    chain = Chain()
    for index, entry in enumerate(entries):
        if isinstance(entry, Boundary):
            expected = chain.hash_of(entry)
            if expected != entry.hash:
                return Mismatch(index, expected, entry.hash)
            chain.add(entry)
    return None
