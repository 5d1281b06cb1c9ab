"""Reading where it is ours: no anchor, alias, tag, merge key or duplicate key, texts as written."""

from __future__ import annotations

from baton.core.passport.entry import Mapping, Value
from baton.core.passport.errors import LedgerError
from baton.core.passport.events import ALIAS, END, MAPPING, SCALAR, Event
from baton.core.passport.source import Source
from baton.core.passport.stream import Stream
from baton.hot import clean

_DEEPEST = 6


class Strict:
    """Builds values from events. entry: the ledger's entry that is being read, for errors."""

    __slots__ = ("_source", "_stream", "entry")

    def __init__(self, source: Source, stream: Stream) -> None:
        self._source = source
        self._stream = stream
        self.entry: int | None = None

    def error(self, code: str, event: Event, what: str) -> LedgerError:
        """Give the error that shows at an event."""
        return self._source.error(code, event.start, what, self.entry)

    def ours(self, event: Event, what: str) -> Event:
        """Give the event back when it is plainly written. Raises LedgerError `bad-yaml`."""
        if event.kind == ALIAS:
            raise self.error("bad-yaml", event, f"{what} is an alias; it must be written out")
        if event.anchor is not None:
            raise self.error("bad-yaml", event, f"{what} bears an anchor")
        if event.tag is not None:
            raise self.error("bad-yaml", event, f"{what} bears a tag")
        return event

    def key(self, event: Event, seen: dict[str, int]) -> str:
        """Give the text of a key, and note it in `seen` with its place."""
        self.ours(event, "a key")
        if event.kind != SCALAR:
            raise self.error("bad-yaml", event, "a key that is a list or a mapping")
        key = event.value
        if key == "<<" and event.style == "plain":
            raise self.error("bad-yaml", event, "a merge key; the keys must be written out")
        if key in seen:
            first = self._source.line(seen[key])
            what = f"the key {clean.quoted(key, 60)} stands here twice (first on line {first})"
            raise self.error("duplicate-key", event, what)
        seen[key] = event.start
        return key

    def value(self, event: Event, path: str, places: dict[str, int], depth: int = 1) -> Value:
        """Give the value that begins with an event; its parts' places go into `places` by path."""
        self.ours(event, path or "an entry")
        places[path] = event.start
        if event.kind == SCALAR:
            return None if is_null(event) else event.value
        if depth > _DEEPEST:
            raise self.error(
                "bad-yaml", event, f"more than {_DEEPEST} collections lie in each other"
            )
        if event.kind == MAPPING:
            return self._mapping(path, places, depth)
        items: list[Value] = []
        while (item := self._stream.within()).kind != END:
            items.append(self.value(item, f"{path}[{len(items)}]", places, depth + 1))
        return items

    def _mapping(self, path: str, places: dict[str, int], depth: int) -> Mapping:
        mapping: Mapping = {}
        seen: dict[str, int] = {}
        prefix = f"{path}." if path else ""
        while (event := self._stream.within()).kind != END:
            key = self.key(event, seen)
            value = self._stream.within()
            mapping[key] = self.value(value, f"{prefix}{key}", places, depth + 1)
            # What is wrong with a value is sought at its key: nothing may be written behind it.
            places[f"{prefix}{key}"] = event.start
        return mapping


def is_null(event: Event) -> bool:
    """Say whether a scalar without tag is null: nothing at all, `~`, or a plain null in any case."""
    return event.style == "plain" and event.value.lower() in ("", "~", "null")
