"""A passport as read: its ledger, the little else that baton needs, and where a new entry goes
(design page passport, "Reading YAML without being fooled").
"""

from __future__ import annotations

from dataclasses import dataclass

from baton.core.passport import json_events
from baton.core.passport.entry import Entry
from baton.core.passport.events import Events, Unreadable
from baton.core.passport.layout import Layout
from baton.core.passport.reading import STATUS, Reader
from baton.core.passport.source import LIMIT, Source
from baton.core.passport.stream import Stream

__all__ = ["LIMIT", "Document", "Field", "read"]


@dataclass(frozen=True, slots=True)
class Field:
    """A top-level key that is not ours. text: a scalar's text as written; None for null, a list or
    a mapping. line: from 1."""

    key: str
    text: str | None
    line: int


@dataclass(frozen=True, slots=True)
class Document:
    """A passport. entries: the ledger, oldest first, and the line of each. fields: the other
    top-level keys, in order. foreign: a digest of all that is not ours. json: its text is JSON.
    layout: where things stand in the text of `source`.
    """

    source: Source
    entries: tuple[Entry, ...]
    lines: tuple[int, ...]
    fields: tuple[Field, ...]
    foreign: bytes
    json: bool
    layout: Layout

    @property
    def data(self) -> bytes:
        """The bytes that it was read from."""
        return self.source.data

    @property
    def verification_status(self) -> str | None:
        """The top-level `verification_status` as written; None when absent or null."""
        return self.text_of(STATUS)

    @property
    def version_label(self) -> str | None:
        """The top-level `version_label` as written; None when absent or null."""
        return self.text_of("version_label")

    def text_of(self, key: str) -> str | None:
        """Give the text of a top-level scalar; None when it is absent, null or no scalar."""
        return next((field.text for field in self.fields if field.key == key), None)


def read(data: bytes, events: Events, json: bool = False) -> Document:
    """Give the passport that bytes (UTF-8) hold.

    events: the YAML door, `baton.edge.yaml_events.events`. json: the file's name ends in `.json`;
    text that is strict JSON goes through the JSON door whatever the name. Raises LedgerError:
    `bad-yaml`, `duplicate-key`, `invalid-ledger`, with line and column. The hash chain is not
    looked at here (`ledger.checked`).
    """
    source = Source(data)
    try:
        if json or source.text.lstrip(" \t\r\n").startswith("{"):
            return _walked(source, json_events.events, True)
    except Unreadable as error:
        if json:
            raise source.error("bad-yaml", error.index, error.what) from None
    try:
        return _walked(source, events, False)
    except Unreadable as error:
        tab = source.text[error.index : error.index + 1] == "\t"
        what = "a tab where blanks must indent" if tab else f"not YAML: {error.what}"
        raise source.error("bad-yaml", error.index, what) from None


def _walked(source: Source, events: Events, json: bool) -> Document:
    stream = Stream(source, events(source.text), json)
    found = Reader(source, stream, json).read()
    places = [place for _, _, place in found.fields]
    return Document(
        source,
        tuple(found.entries),
        source.lines(found.starts),
        tuple(
            Field(key, text, line)
            for (key, text, _), line in zip(found.fields, source.lines(places), strict=True)
        ),
        found.foreign,
        json,
        found.layout,
    )
