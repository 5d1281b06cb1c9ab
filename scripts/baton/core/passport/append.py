"""A passport with one more entry, every byte that is not ours the same (design page passport,
"Writing so that every reader agrees").
"""

from __future__ import annotations

import re

from baton.core.passport import document as passports
from baton.core.passport.document import Document
from baton.core.passport.entry import Entry, Mapping
from baton.core.passport.errors import LedgerError
from baton.core.passport.events import Events
from baton.core.passport.layout import ABSENT, BLOCK, FLOW, Layout
from baton.core.passport.reading import OURS
from baton.core.passport.source import LIMIT
from baton.core.passport.spelling import Flow, block, quoted

_BLANKS = re.compile("[ \t]*")


def appended(document: Document, entry: Entry, events: Events) -> bytes:
    """Give the bytes of the passport with `entry` behind its last one.

    The result is read back: it holds exactly the old entries and the new one, and all else as it
    was. The caller has made sure that the entry may be appended. Raises LedgerError
    `invalid-ledger` where the end of the ledger cannot be extended without changing something else,
    saying what to do about it.
    """
    text = _Extended(document.source.text, document.layout, entry.to_mapping()).text()
    data = (b"\xef\xbb\xbf" if document.source.bom else b"") + text.encode()
    if len(data) > LIMIT:
        what = f"with one more entry it would be larger than {LIMIT} bytes, the most that is read"
        raise LedgerError("invalid-ledger", what)
    if not _holds(data, document, entry, events):
        raise _no_place(document, entry, events)
    return data


def _holds(data: bytes, document: Document, entry: Entry, events: Events) -> bool:
    try:
        after = passports.read(data, events, document.json)
    except LedgerError:
        return False
    entries = (*document.entries, entry)
    return (after.entries, after.foreign) == (entries, document.foreign)


def _no_place(document: Document, entry: Entry, events: Events) -> LedgerError:
    if _a_line_end_helps(document, entry, events):
        what = (
            "the file has no line end at its end, where a text block or a comment would take in "
            "what is put behind it; give the file a line end, then try again"
        )
        return LedgerError("invalid-ledger", what, hint="echo >> {path}")
    layout = document.layout
    what = (
        "no entry can be put behind the ledger's end as it is written here without changing "
        "what is not ours; write it as a block list, `reset_boundary: []` while it is empty"
    )
    place = layout.end if layout.shape == ABSENT else layout.key[0]
    return document.source.error("invalid-ledger", place, what)


def _a_line_end_helps(document: Document, entry: Entry, events: Events) -> bool:
    if document.data.endswith(b"\n"):
        return False
    ended = passports.read(document.data + b"\n", events, document.json)
    try:
        appended(ended, entry, events)
    except LedgerError:
        return False
    return True


class _Extended:
    """A text and what goes into it. One method for each way that a ledger may be written."""

    def __init__(self, text: str, layout: Layout, mapping: Mapping) -> None:
        self._text = text
        self._layout = layout
        self._mapping = mapping

    def text(self) -> str:
        """Give the text with the entry in it."""
        layout = self._layout
        if layout.root == FLOW and layout.shape == ABSENT:
            return self._absent_in_flow()
        if layout.shape == ABSENT:
            return self._absent()
        if layout.shape == BLOCK:
            return self._behind_block()
        if layout.shape == FLOW and layout.last:
            style = self._flow_like(layout.last[0])
            indent = self._indent_of(layout.last[0])
            item = style.spelled(self._mapping)
            return self._into_flow(layout.last[1], layout.value[1] - 1, item, indent)
        if layout.root == BLOCK and self._stands_on_the_key_line():
            return self._in_place_of_nothing()
        return self._filled()

    # ---- block ----

    def _absent(self) -> str:
        place, column = self._layout.end, self._layout.root_column
        lines = [f"{' ' * column}{OURS}:", *self._block(column + 2, column + 4)]
        return self._with_lines(place, lines)

    def _behind_block(self) -> str:
        layout = self._layout
        assert layout.last is not None
        dash = self._column(layout.value[0])
        first, end = layout.last
        # An entry that begins below its dash says nothing about where the next one's keys go.
        beside = self._line_start(first) == self._line_start(self._dash_of(first))
        keys = self._column(first) if beside else dash + 2
        place = self._behind_comments(self._behind_line(end), dash)
        return self._with_lines(place, self._block(dash, keys))

    def _dash_of(self, first: int) -> int:
        return self._text.rfind("-", 0, first)

    def _behind_comments(self, place: int, dash: int) -> int:
        """Go past the comments that belong to the last entry: they follow at once, deeper than its dash."""
        while place < len(self._text):
            blanks = _BLANKS.match(self._text, place)
            assert blanks is not None
            if not self._text.startswith("#", blanks.end()) or blanks.end() - place <= dash:
                break
            place = self._behind_line(blanks.end())
        return place

    def _in_place_of_nothing(self) -> str:
        """`key: []`, `key: null` or `key:` become the head of a block list; what follows on the line stays."""
        start, end = self._layout.value
        head = self._text[:start].rstrip(" \t") if end > start else self._text[:start]
        column = self._layout.root_column
        bare = _Extended(head + self._text[end:], self._layout, self._mapping)
        lines = self._block(column + 2, column + 4)
        return bare._with_lines(bare._behind_line(len(head)), lines)

    def _stands_on_the_key_line(self) -> bool:
        """Whether key and empty value stand on one line, without a comment inside."""
        key, (_, end) = self._layout.key[1], self._layout.value
        return "\n" not in self._text[key:end]

    def _block(self, dash: int, keys: int) -> list[str]:
        return block(self._mapping, " " * dash, " " * keys)

    def _with_lines(self, place: int, lines: list[str]) -> str:
        """Put whole lines before the line that begins at `place`, or behind an unfinished last one."""
        end = self._line_end(place)
        before = self._text[:place]
        gap = end if before and not before.endswith("\n") else ""
        return f"{before}{gap}{''.join(f'{line}{end}' for line in lines)}{self._text[place:]}"

    # ---- flow ----

    def _absent_in_flow(self) -> str:
        layout = self._layout
        style = self._flow_like(layout.root_start).deeper
        item = f"{quoted(OURS)}: {style.spelled([self._mapping])}"
        if layout.root_last is None:
            return self._into_empty_flow(layout.close, item)
        indent = style.indent if style.end else self._indent_of(layout.root_start + 1)
        return self._into_flow(layout.root_last, layout.close, item, indent)

    def _filled(self) -> str:
        """An empty ledger that cannot become a block list is filled where it stands."""
        layout = self._layout
        start, end = layout.value
        if layout.shape == FLOW and "\n" in self._text[start:end]:
            return self._into_empty_flow(end - 1, Flow().spelled(self._mapping))
        pretty = layout.root == FLOW
        style = self._flow_like(layout.root_start).deeper if pretty else Flow()
        head = self._text[:start]
        # `{reset_boundary}` and `{"reset_boundary":}` have no value to put another in the place of.
        colon = "" if end > start or head.rstrip(" \t\r\n").endswith(":") else ":"
        gap = " " if colon or head.endswith(":") else ""
        return f"{head}{colon}{gap}{style.spelled([self._mapping])}{self._text[end:]}"

    def _into_empty_flow(self, close: int, item: str) -> str:
        """Put the only item before the closing bracket, past comments that may stand in between."""
        return f"{self._text[:close]}{item}{self._text[close:]}"

    def _into_flow(self, end: int, close: int, item: str, indent: str) -> str:
        """Put an item behind the last one, which ends at `end`. A comma at the end stays one.

        indent: of an item that gets a line of its own.
        """
        text = self._text
        comma = self._comma(end, close)
        kept = "," if comma is not None else ""
        behind = end if comma is None else comma + 1
        if "\n" not in text[behind:close]:
            lead = ", " if comma is None else " "
            return f"{text[:behind]}{lead}{item}{kept}{text[behind:]}"
        place = self._line_start(close)
        line = f"{indent}{item}{kept}{self._line_end(place)}"
        return f"{text[:behind]}{'' if kept else ','}{text[behind:place]}{line}{text[place:]}"

    def _comma(self, start: int, close: int) -> int | None:
        """Find the comma behind the last item; comments may hold commas of their own."""
        at = start
        while at < close:
            if self._text[at] == ",":
                return at
            at = self._behind_line(at) if self._text[at] == "#" else at + 1
        return None

    def _flow_like(self, first: int) -> Flow:
        """How a flow mapping is laid out: on one line, or `{` and one key a line."""
        inner = re.compile(r"\{[ \t]*\r?\n([ \t]*)(?=[^ \t\r\n])").match(self._text, first)
        if inner is None:
            return Flow()
        indent = self._indent_of(first)
        unit = inner[1][len(indent) :] if inner[1].startswith(indent) else ""
        return Flow(indent, unit or "  ", self._line_end(first))

    # ---- lines ----

    def _column(self, index: int) -> int:
        return index - self._line_start(index)

    def _line_start(self, index: int) -> int:
        return self._text.rfind("\n", 0, index) + 1

    def _behind_line(self, index: int) -> int:
        """Give where the next line begins; `index` itself when a line has just ended there."""
        if index and self._text[index - 1] == "\n":
            return index
        end = self._text.find("\n", index)
        return len(self._text) if end < 0 else end + 1

    def _indent_of(self, index: int) -> str:
        """Give the white space before an item that is the first on its line, else as many blanks."""
        before = self._text[self._line_start(index) : index]
        return before if not before.strip(" \t") else " " * len(before)

    def _line_end(self, place: int) -> str:
        """Give the line end that is used before `place`, or in the file when none stands before it."""
        end = self._text.rfind("\n", 0, place)
        end = end if end >= 0 else self._text.find("\n")
        return "\r\n" if end > 0 and self._text[end - 1] == "\r" else "\n"
