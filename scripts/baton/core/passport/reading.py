"""The walk over a passport's events: strict where it is ours, past everything that is not."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256

from baton.core.passport import entry as entries
from baton.core.passport.entry import Entry, EntryError, Value
from baton.core.passport.events import END, MAPPING, SCALAR, SEQUENCE, Event
from baton.core.passport.layout import NULL, Layout
from baton.core.passport.source import Source
from baton.core.passport.stream import Stream
from baton.core.passport.strict import Strict, is_null

OURS = "reset_boundary"
STATUS = "verification_status"
# Events that go into a digest together: one by one they would cost twice the time.
_AT_ONCE = 1024
_LINE_ENDS = "\x85\u2028\u2029"


@dataclass(slots=True)
class Found:
    """What the walk has found. starts: the character at which each entry begins. fields: key, text,
    place of the top-level keys that are not ours. foreign: the digest of all that is not ours."""

    entries: list[Entry] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    fields: list[tuple[str, str | None, int]] = field(default_factory=list)
    layout: Layout = field(default_factory=Layout)
    foreign: bytes = b""


class Reader:
    """Walks one document. json: its events come from the JSON door."""

    def __init__(self, source: Source, stream: Stream, json: bool) -> None:
        self._source = source
        self._stream = stream
        self._json = json
        self._strict = Strict(source, stream)
        self._found = Found()
        self._foreign = sha256()
        self._unfolded: list[str] = []

    def read(self) -> Found:
        """Give what the document holds.

        Raises LedgerError: `bad-yaml`, `duplicate-key`, `invalid-ledger`; Unreadable from the door.
        """
        document = self._stream.next()
        if document is None:
            raise self._source.error("bad-yaml", 0, "there is nothing in it, not even a mapping")
        if document.tag is not None:
            raise self._strict.error("bad-yaml", document, "a %TAG directive")
        self._root(self._strict.ours(self._stream.within(), "the top level"))
        end = self._stream.within()
        self._found.layout.end = end.start if end.explicit else len(self._source.text)
        self._stream.next()
        self._digest_unfolded()
        self._found.foreign = self._foreign.digest()
        return self._found

    def _root(self, root: Event) -> None:
        if root.kind != MAPPING:
            what = "the top level is not a mapping of keys to values"
            raise self._strict.error("bad-yaml", root, what)
        layout = self._found.layout
        layout.root, layout.root_start = root.style, root.start
        layout.root_column = self._source.column(root.start)
        seen: dict[str, int] = {}
        while (event := self._stream.within()).kind != END:
            self._pair(event, self._strict.key(event, seen))
            layout.root_last = self._stream.content_end
        layout.close = event.start

    def _pair(self, at: Event, key: str) -> None:
        value = self._stream.within()
        if key != OURS:
            self._field(key, at, value)
            return
        self._found.layout.key = (at.start, at.end)
        self._ledger(self._strict.ours(value, OURS))
        if not self._json:
            self._refuse_line_ends(at.start, self._stream.content_end)

    # ---- not ours ----

    def _field(self, key: str, at: Event, value: Event) -> None:
        if key == STATUS:
            self._strict.ours(value, STATUS)
        text = value.value if value.kind == SCALAR and not is_null(value) else None
        if key == STATUS and value.kind != SCALAR:
            # It says something, and no status: that must not pass for nothing said.
            text = "a list or a mapping"
        self._found.fields.append((key, text, at.start))
        self._fold(at)
        self._fold(value)
        depth = int(value.kind in (MAPPING, SEQUENCE))
        while depth:
            event = self._stream.within()
            self._fold(event)
            depth += (event.kind in (MAPPING, SEQUENCE)) - (event.kind == END)

    def _fold(self, event: Event) -> None:
        """Take an event into the digest of what is not ours: all of it but its place."""
        kind, _, _, value, style, anchor, tag, _ = event
        marks = "" if anchor is tag is None else f"{anchor} {tag}"
        self._unfolded.append(f"{kind} {style} {marks} {len(value)} {value}")
        if len(self._unfolded) == _AT_ONCE:
            self._digest_unfolded()

    def _digest_unfolded(self) -> None:
        self._foreign.update("".join(self._unfolded).encode("utf-8", "surrogatepass"))
        self._unfolded.clear()

    # ---- ours ----

    def _ledger(self, value: Event) -> None:
        layout = self._found.layout
        if value.kind == SCALAR and is_null(value):
            layout.shape, layout.value = NULL, (value.start, value.end)
            return
        if value.kind != SEQUENCE:
            got = "a mapping" if value.kind == MAPPING else entries.described(value.value)
            what = f"{OURS} must be a list of entries, got {got}"
            raise self._strict.error("invalid-ledger", value, what)
        layout.shape = value.style
        while (event := self._stream.within()).kind != END:
            self._strict.entry = len(self._found.entries)
            self._found.starts.append(event.start)
            self._found.entries.append(self._entry(event))
            layout.last = (event.start, self._stream.content_end)
        self._strict.entry = None
        layout.value = (value.start, event.end)

    def _entry(self, event: Event) -> Entry:
        places: dict[str, int] = {}
        value: Value = self._strict.value(event, "", places)
        try:
            return entries.parse(value)
        except EntryError as error:
            raise self._source.error(
                "invalid-ledger",
                places[error.where],
                error.what,
                self._strict.entry,
                error.expected,
                error.got,
            ) from None

    def _refuse_line_ends(self, start: int, end: int) -> None:
        for index in self._source.doubtful:
            sign = self._source.text[index]
            if start <= index < end and sign in _LINE_ENDS:
                what = f"U+{ord(sign):04X} written as it is, which some readers fold into a blank"
                raise self._source.error("bad-yaml", index, f"{what}; write \\u{ord(sign):04X}")
