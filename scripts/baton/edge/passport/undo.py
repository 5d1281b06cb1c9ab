"""The undo record: what an interrupted append left to go back by (design page passport,
"Appending", steps 2 and 5).

One line of JSON, the old bytes from the first changed one on, the new ones, and a digest of all
that. A record whose digest fails was never finished, and then the passport was not yet touched.
"""

from __future__ import annotations

import json
import os
from hashlib import sha256
from typing import NamedTuple

UNTOUCHED, TORN, FOREIGN = "untouched", "torn", "foreign"
_DIGEST = 32


class Undo(NamedTuple):
    """How to take an append back. at: offset of the first byte that changes. prefix: SHA-256 of all
    before it, in hexadecimal. old, new: the bytes from there on, before and after. by: who wrote it."""

    at: int
    prefix: str
    old: bytes
    new: bytes
    by: str

    @classmethod
    def between(cls, before: bytes, after: bytes, by: str) -> Undo:
        """Give the record for a file that turns from `before` into `after`."""
        at = _common(before, after)
        return cls(at, sha256(before[:at]).hexdigest(), before[at:], after[at:], by)

    def render(self) -> bytes:
        """Give the bytes of the record."""
        head = {
            "at": self.at,
            "prefix": self.prefix,
            "old": len(self.old),
            "new": len(self.new),
            "by": self.by,
        }
        body = json.dumps(head).encode() + b"\n" + self.old + self.new
        return body + sha256(body).digest()

    def judge(self, data: bytes) -> str:
        """Say what a file is that this record lies beside: UNTOUCHED, TORN (a file that our append can
        have left: every byte behind the first changed one old, new or NUL), or FOREIGN (anything
        else, and so somebody's edit)."""
        tail = data[self.at :]
        same_start = len(data) >= self.at and sha256(data[: self.at]).hexdigest() == self.prefix
        if not same_start:
            return FOREIGN
        if tail == self.old:
            return UNTOUCHED
        sizes = sorted((len(self.old), len(self.new)))
        within = sizes[0] <= len(tail) <= sizes[1]
        return TORN if within and self._mixed(tail) else FOREIGN

    def _mixed(self, tail: bytes) -> bool:
        """Whether each byte is one that the append can have left there: a disk that lost power may
        hold a new size with bytes that never came."""
        if tail == self.new:
            return True
        old = self.old.ljust(len(tail), b"\0")
        new = self.new.ljust(len(tail), b"\0")
        return all(
            byte in (one, other, 0) for byte, one, other in zip(tail, old, new, strict=False)
        )


class Strange(Exception):
    """A whole record in another form than ours: of another version of baton, or of no baton at all."""


def parse(data: bytes) -> Undo | None:
    """Give the record that bytes hold; None for one that was never finished. Raises Strange."""
    body, digest = data[:-_DIGEST], data[-_DIGEST:]
    if sha256(body).digest() != digest:
        return None
    line, _, tails = body.partition(b"\n")
    try:
        head = json.loads(line)
    except ValueError:
        raise Strange from None
    match head:
        case {"at": int(at), "prefix": str(prefix), "old": int(cut), "by": str(by)}:
            return Undo(at, prefix, tails[:cut], tails[cut:], by)
    raise Strange


def path_for(passport: str) -> str:
    """Give the path of a passport's undo record: beside it, hidden, never matched by `*.y*ml`."""
    folder, name = os.path.split(passport)
    return os.path.join(folder, f".{name}.baton-undo")


def _common(one: bytes, other: bytes) -> int:
    """How many bytes two texts have in common at their start, by halves."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
