"""JSON text as the same events: what is legal JSON is not always legal YAML.

A half character written as two escapes, a raw DEL, a very long key: YAML readers refuse these or
read something else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import NoReturn

from baton.core.passport.events import (
    DOCUMENT,
    DOCUMENT_END,
    END,
    MAPPING,
    SCALAR,
    SEQUENCE,
    Event,
    Unreadable,
)

_TOKEN = re.compile(
    r"""[ \t\r\n]*+ (?:
        (?P<mark>[{}\[\],:])
      | (?P<text>"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+")
      | (?P<word>(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)(?![^\s,\]}:]))
      | (?P<nothing>)
    )""",
    re.VERBOSE,
)


def events(text: str) -> Iterator[Event]:
    """Give the events of one strict JSON text (RFC 8259), lazily.

    Numbers and the words true, false and null come out as plain scalars, as written. Raises
    Unreadable at the first character that does not fit.
    """
    tokens = _Tokens(text)
    yield Event(DOCUMENT, 0, 0)
    yield from _value(tokens)
    if tokens.start < len(text):
        tokens.refuse("the end")
    yield Event(DOCUMENT_END, len(text), len(text))


class _Tokens:
    """The token in hand. kind: mark, text, word or nothing. start, end: character indexes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.end = 0
        self.advance()

    def advance(self) -> None:
        """Take the next token in hand."""
        match = _TOKEN.match(self._text, self.end)
        assert match is not None and match.lastgroup is not None
        self.kind = match.lastgroup
        self.start, self.end = match.span(self.kind)
        self.shown = match[self.kind]

    def passes(self, mark: str) -> bool:
        """Say whether the token in hand is that mark, and go past it if so."""
        if self.kind != "mark" or self.shown != mark:
            return False
        self.advance()
        return True

    def refuse(self, expected: str) -> NoReturn:
        """Say what should have stood here."""
        raise Unreadable(self.start, f"not JSON: expected {expected}")


def _value(tokens: _Tokens) -> Iterator[Event]:
    start = tokens.start
    if tokens.kind == "word":
        yield Event(SCALAR, start, tokens.end, tokens.shown, "plain")
        tokens.advance()
    elif tokens.kind == "text":
        yield _text(tokens)
    elif tokens.passes("{"):
        yield Event(MAPPING, start, start + 1, "", "flow")
        yield from _items(tokens, "}", _member)
    elif tokens.passes("["):
        yield Event(SEQUENCE, start, start + 1, "", "flow")
        yield from _items(tokens, "]", _value)
    else:
        tokens.refuse("a value")


def _items(
    tokens: _Tokens, close: str, item: Callable[[_Tokens], Iterator[Event]]
) -> Iterator[Event]:
    start = tokens.start
    if not tokens.passes(close):
        yield from item(tokens)
        while tokens.passes(","):
            yield from item(tokens)
        start = tokens.start
        if not tokens.passes(close):
            tokens.refuse(f"a comma or {close}")
    yield Event(END, start, start + 1)


def _member(tokens: _Tokens) -> Iterator[Event]:
    if tokens.kind != "text":
        tokens.refuse("a key in double quotes")
    yield _text(tokens)
    if not tokens.passes(":"):
        tokens.refuse("a colon")
    yield from _value(tokens)


def _text(tokens: _Tokens) -> Event:
    value = tokens.shown
    event = Event(
        SCALAR,
        tokens.start,
        tokens.end,
        json.loads(value) if "\\" in value else value[1:-1],
        "double",
    )
    tokens.advance()
    return event
