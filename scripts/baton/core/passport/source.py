"""The bytes of a passport as text, and the rules that hold for the whole file (design page passport,
"Reading YAML without being fooled").
"""

from __future__ import annotations

import re

from baton.core.passport.errors import LedgerError

LIMIT = 16 << 20
"""Bytes of the largest passport that is read."""
DEPTH = 64
"""How deep collections may lie in each other."""

_BOM = b"\xef\xbb\xbf"
_CONFLICT = re.compile(r"^(?:<{7}|>{7}|\|{7}) ", re.MULTILINE)
# Line ends to some readers and blanks to others, or a mark that some drop.
_DOUBTFUL = re.compile("[\x85\u2028\u2029\ufeff]")


class Source:
    """A passport's bytes, and its text without BOM. doubtful: where U+0085, U+2028, U+2029 and U+FEFF
    stand in it."""

    __slots__ = ("bom", "data", "doubtful", "text")

    def __init__(self, data: bytes) -> None:
        """Raises LedgerError `bad-yaml`: too large, not UTF-8, NUL, a lone CR, conflict markers."""
        if len(data) > LIMIT:
            raise LedgerError("bad-yaml", f"it is larger than {LIMIT} bytes, the most that is read")
        self.data = data
        self.bom = data.startswith(_BOM)
        self.text = _decoded(data[len(_BOM) :] if self.bom else data)
        self._refuse_first(re.compile("\0"), "a NUL character: this is not a text file")
        self._refuse_first(re.compile("\r(?!\n)"), "a carriage return without a line feed")
        self._refuse_first(_CONFLICT, "a merge conflict is not resolved here")
        self.doubtful = [match.start() for match in _DOUBTFUL.finditer(self.text)]

    def _refuse_first(self, pattern: re.Pattern[str], what: str) -> None:
        if match := pattern.search(self.text):
            raise self.error("bad-yaml", match.start(), what)

    def line(self, index: int) -> int:
        """Give the line of a character, from 1, as every editor counts them."""
        return self.text.count("\n", 0, index) + 1

    def column(self, index: int) -> int:
        """Give how many characters stand before this one on its line."""
        return index - (self.text.rfind("\n", 0, index) + 1)

    def lines(self, indexes: list[int]) -> tuple[int, ...]:
        """Give the lines of characters in ascending order, in one pass."""
        found, line, before = [], 1, 0
        for index in indexes:
            line += self.text.count("\n", before, index)
            found.append(line)
            before = index
        return tuple(found)

    def error(
        self,
        code: str,
        index: int,
        what: str,
        entry: int | None = None,
        expected: str = "",
        got: str = "",
    ) -> LedgerError:
        """Give the error that shows at a character. entry: in the ledger, from 0."""
        return LedgerError(
            code,
            what,
            index=entry,
            line=self.line(index),
            column=self.column(index) + 1,
            expected=expected,
            got=got,
        )


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        start = data.rfind(b"\n", 0, error.start) + 1
        raise LedgerError(
            "bad-yaml",
            "not UTF-8 text",
            line=data.count(b"\n", 0, start) + 1,
            column=len(data[start : error.start].decode()) + 1,
        ) from None
