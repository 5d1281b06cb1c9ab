"""The event log's lines: one JSON object each, chained by digests (design page pipeline).

A line holds its number `n`, `prev` (the `sum` of the line before, zeros before the first), `at`,
`session`, `event` and the event's own keys; last comes `sum`, the SHA-256 of the line without it.
A line that was changed is found by its own sum, one that was put in or taken out by its neighbour's.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from baton.core.passport.entry import RFC3339
from baton.core.pipeline import event as events
from baton.core.pipeline.event import Entry, EventError, Value
from baton.core.pipeline.fold import Impossible, applied
from baton.core.pipeline.state import Pipeline
from baton.hot import clean

NOTHING = "0" * 64
LIMIT = 16 << 20
_SUM = re.compile(rb'^(\{.*),"sum":"([0-9a-f]{64})"\}$', re.DOTALL)
_CONFLICT = (b"<<<<<<<", b"=======", b">>>>>>>")
_MERGED = (
    "a merge left its marks: two histories cannot become one, take one side whole, by git checkout "
    "--ours or --theirs"
)
_OWN = ("n", "prev", "at", "session", "event")


class LogBroken(ValueError):
    """A line that is not what baton wrote. line: from 1. expected, got: "" where nothing was compared."""

    def __init__(self, line: int, what: str, expected: str = "", got: str = "") -> None:
        super().__init__(what)
        self.line = line
        self.what = what
        self.expected = expected
        self.got = got


@dataclass(frozen=True, slots=True)
class Log:
    """A log that was read. entries: its events. pipeline: where they lead, None before the first. last:
    the sum of the last line. size: how many bytes hold. torn: what stands behind them, a line that was
    not written to its end. unended: whether the last line that holds lacks its line feed."""

    entries: tuple[Entry, ...] = ()
    pipeline: Pipeline | None = None
    last: str = NOTHING
    size: int = 0
    torn: bytes = b""
    unended: bool = False

    def ended(self) -> tuple[Log, bytes]:
        """Give the log with its last line ended, and the bytes that are to be appended for that."""
        if not self.unended:
            return replace(self, torn=b""), b""
        return replace(self, size=self.size + 1, unended=False), b"\n"

    def with_entry(self, entry: Entry) -> tuple[Log, bytes]:
        """Give the log with one more event, and the line to append for it."""
        line, sum_ = _line(len(self.entries) + 1, self.last, entry)
        grown = Log(
            (*self.entries, entry),
            applied(self.pipeline, entry),
            sum_,
            self.size + len(line),
        )
        return grown, line


def read(data: bytes) -> Log:
    """Give what a log holds. Raises LogBroken at the first line that is not what was written.

    Only the last line can be torn: it has no line feed, or holds a NUL where the disk lost a block.
    One that lacks nothing but its line feed holds.
    """
    *whole, rest = data.split(b"\n")
    if not rest and whole and b"\0" in whole[-1]:
        rest = whole.pop() + b"\n"
    reader = _Reader()
    for line in whole:
        reader.take(line, 1)
    if not rest:
        return reader.log()
    try:
        reader.take(rest, 0)
    except LogBroken:
        return replace(reader.log(), torn=rest)
    return replace(reader.log(), unended=True)


class _Reader:
    """A log as far as it was read."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._pipeline: Pipeline | None = None
        self._last = NOTHING
        self._size = 0

    def take(self, line: bytes, ending: int) -> None:
        """Read one more line. ending: how many bytes end it. Raises LogBroken; nothing is taken then.

        A checkout may have put CRLF in the place of each line feed.
        """
        number = len(self._entries) + 1
        entry, sum_ = _parsed(number, line.removesuffix(b"\r"), self._last)
        try:
            self._pipeline = applied(self._pipeline, entry)
        except Impossible as error:
            raise LogBroken(number, str(error)) from error
        self._entries.append(entry)
        self._last = sum_
        self._size += len(line) + ending

    def log(self) -> Log:
        """Give what was read."""
        return Log(tuple(self._entries), self._pipeline, self._last, self._size)


def _line(number: int, previous: str, entry: Entry) -> tuple[bytes, str]:
    kind, own = events.kind_of(entry.event), events.to_mapping(entry.event)
    # What could not be read back must never be written.
    events.parse(kind, own)
    body = _body(
        {
            "n": number,
            "prev": previous,
            "at": entry.at,
            "session": entry.session,
            "event": kind,
            **own,
        }
    )
    sum_ = hashlib.sha256(body).hexdigest()
    return body[:-1] + f',"sum":"{sum_}"}}\n'.encode(), sum_


def _body(mapping: dict[str, Value]) -> bytes:
    """Raises UnicodeEncodeError for a lone surrogate."""
    return json.dumps(mapping, ensure_ascii=False, separators=(",", ":")).encode()


def _parsed(number: int, line: bytes, previous: str) -> tuple[Entry, str]:
    form = _SUM.match(line)
    if line[:7] in _CONFLICT:
        raise LogBroken(number, _MERGED)
    if form is None:
        raise LogBroken(number, "the line is no event: it does not end in its own digest")
    got = form[2].decode()
    expected = hashlib.sha256(form[1] + b"}").hexdigest()
    if got != expected:
        raise LogBroken(number, "the line was changed: its digest does not follow", expected, got)
    mapping = _mapping(number, form[1] + b"}")
    if mapping["n"] != number or mapping["prev"] != previous:
        what = "the line does not follow from the one before it: lines are missing, or were put in"
        raise LogBroken(number, what, previous, str(mapping["prev"]))
    at, session, kind = mapping["at"], mapping["session"], mapping["event"]
    if not (isinstance(at, str) and isinstance(session, str) and isinstance(kind, str)):
        raise LogBroken(number, "at, session and event must be texts")
    if not (RFC3339.fullmatch(at) and at.endswith("Z")):
        raise LogBroken(number, "at must be a moment in UTC as in RFC 3339", got=at)
    own = {key: value for key, value in mapping.items() if key not in _OWN}
    try:
        return Entry(at, session, events.parse(kind, own)), got
    except EventError as error:
        raise LogBroken(number, str(error)) from error


def _mapping(number: int, body: bytes) -> dict[str, Value]:
    try:
        mapping: dict[str, Value] = json.loads(body.decode())
        same = _body(mapping) == body
    except (ValueError, RecursionError) as error:
        raise LogBroken(number, f"the line is not JSON: {error}") from error
    if not same:
        what = (
            "the line is not in baton's own form: blanks, escapes, or a key that stands there twice"
        )
        raise LogBroken(number, what)
    missing = [key for key in _OWN if key not in mapping]
    if missing:
        raise LogBroken(number, f"the line lacks {missing[0]}")
    return mapping


def first_words(entries: Iterable[Entry]) -> Iterable[str]:
    """Give each event in one line, for people: number, time, kind, what."""
    for number, entry in enumerate(entries, 1):
        own = events.to_mapping(entry.event)
        # No issue at all is what people want to know; what is nothing else says nothing.
        said = {key: each for key, each in own.items() if each or (key, each) == ("issues", 0)}
        told = " ".join(f"{key}={_shown(value)}" for key, value in said.items())
        kind = events.kind_of(entry.event)
        yield f"{number:>3}  {entry.at[:19]}Z  {kind:9} {clean.line(told)}".rstrip()


def _shown(value: Value) -> str:
    if isinstance(value, list):
        return ", ".join(_shown(each) for each in value)
    if isinstance(value, dict):
        return f"{value['path']} ({str(value['digest'])[:12]})"
    return str(value)
