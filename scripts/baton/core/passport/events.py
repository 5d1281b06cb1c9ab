"""The events that a passport's text comes in as, whichever door read it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

DOCUMENT, DOCUMENT_END = "document", "document-end"
MAPPING, SEQUENCE, END, SCALAR, ALIAS = "mapping", "sequence", "end", "scalar", "alias"


class Event(NamedTuple):
    """One event. start, end: character indexes into the text that was given, without its BOM.

    value: a scalar's text or an alias's name. style: of a scalar `plain`, `single`, `double`,
    `literal`, `folded`; of a collection `flow`, `block`. explicit: a document (end) that is written
    out. anchor, tag: None when there is none; the tag of a document is its %TAG directive.
    """

    kind: str
    start: int
    end: int
    value: str = ""
    style: str = ""
    anchor: str | None = None
    tag: str | None = None
    explicit: bool = False


class Unreadable(Exception):
    """Text that is no YAML (or no JSON). index: the character at which it shows."""

    def __init__(self, index: int, what: str) -> None:
        super().__init__(what)
        self.index = index
        self.what = what


Events = Callable[[str], Iterator[Event]]
"""Text without BOM → its events, lazily. Raises Unreadable."""
