"""The events of a passport, one at a time, with the rules that hold at any depth of it."""

from __future__ import annotations

from collections.abc import Iterator

from baton.core.passport.events import (
    ALIAS,
    DOCUMENT,
    END,
    MAPPING,
    SCALAR,
    SEQUENCE,
    Event,
    Unreadable,
)
from baton.core.passport.source import DEPTH, Source

_ENDLESS = 1 << 62


class Stream:
    """Events of one document. content_end: behind the last character of a scalar, an alias or a flow
    collection so far (a block collection has no end of its own: libyaml puts it at the next token).
    """

    __slots__ = (
        "_anchors",
        "_documents",
        "_doubtful",
        "_doubts",
        "_events",
        "_open",
        "_source",
        "content_end",
    )

    def __init__(self, source: Source, events: Iterator[Event], json: bool) -> None:
        self._source = source
        self._events = events
        self._open: list[str] = []
        self._anchors: set[str] = set()
        self._documents = 0
        # JSON has no readers that take these for line ends.
        self._doubts = iter(() if json else source.doubtful)
        self._doubtful = next(self._doubts, _ENDLESS)
        self.content_end = 0

    def next(self) -> Event | None:
        """Give the next event, None behind the last.

        Raises LedgerError `bad-yaml`: undefined alias, second document, too deep, a character
        outside of quotes that readers do not agree about; Unreadable from the door.
        """
        try:
            event = next(self._events, None)
        except Unreadable as error:
            raise self._unreadable(error) from None
        if self._doubtful != _ENDLESS:
            self._meet_doubtful(event)
        if event is None:
            return None
        if event.anchor is not None:
            self._anchors.add(event.anchor)
        if event.kind == SCALAR:
            if event.end > self.content_end:
                self.content_end = event.end
        else:
            self._structure(event)
        return event

    def within(self) -> Event:
        """Give the next event where the document cannot be over yet."""
        event = self.next()
        assert event is not None
        return event

    def _structure(self, event: Event) -> None:
        if event.kind in (MAPPING, SEQUENCE):
            self._open.append(event.style)
            if len(self._open) > DEPTH:
                what = f"more than {DEPTH} collections lie in each other"
                raise self._source.error("bad-yaml", event.start, what)
        elif event.kind == END:
            if self._open.pop() == "flow":
                self.content_end = event.end
        elif event.kind == ALIAS:
            if event.value not in self._anchors:
                raise self._source.error("bad-yaml", event.start, "an alias of no anchor")
            self.content_end = event.end
        elif event.kind == DOCUMENT:
            self._documents += 1
            if self._documents > 1:
                raise self._source.error("bad-yaml", event.start, "a second document begins here")

    def _unreadable(self, error: Unreadable) -> Exception:
        """Name the doubtful character behind which the door could not go on: no editor shows it, and the
        lines that the door counts are not an editor's."""
        if self._doubtful >= error.index:
            return error
        what = f"{self._sign()} stands here, and behind it this is not YAML: {error.what}"
        return self._source.error("bad-yaml", self._doubtful, what)

    def _sign(self) -> str:
        return f"U+{ord(self._source.text[self._doubtful]):04X}"

    def _meet_doubtful(self, event: Event | None) -> None:
        """Refuse a doubtful character before this event; go past those inside its quotes."""
        if self._doubtful < (event.start if event else _ENDLESS):
            what = (
                f"{self._sign()} outside of quotes, where some readers end the line and some do not"
            )
            raise self._source.error("bad-yaml", self._doubtful, what)
        while event and event.style in ("single", "double") and self._doubtful < event.end:
            self._doubtful = next(self._doubts, _ENDLESS)
