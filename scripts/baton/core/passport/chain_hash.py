"""The hash that ties each boundary to all boundaries before it (design page passport, "The hash").

Every prior boundary with its final hash, then the new one with the placeholder, each as RFC 8785
bytes with a LF behind it; SHA-256; its first 12 hex digits. Resume entries never take part.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256

from baton.core.passport.canonical import encode
from baton.core.passport.entry import Boundary, Entry

PLACEHOLDER = "0" * 12


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
