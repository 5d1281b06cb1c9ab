"""YAML text as events: the only door to PyYAML. It reads and decides nothing."""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from baton.core.errors import BatonError
from baton.core.passport.events import (
    ALIAS,
    DOCUMENT,
    DOCUMENT_END,
    END,
    MAPPING,
    SCALAR,
    SEQUENCE,
    Event,
    Unreadable,
)

_STYLES = {None: "plain", "": "plain", "'": "single", '"': "double", "|": "literal", ">": "folded"}


def events(text: str) -> Iterator[Event]:
    """Give the events of a YAML text, lazily.

    text: without BOM. Indexes count characters. Raises Unreadable for what is no YAML, BatonError
    `no-environment` when PyYAML came without its C library.
    """
    # Composing or loading would lose anchors and tags and is not linear; the Python parser takes
    # ninety times as long and lets pass what libyaml refuses.
    loader = getattr(yaml, "CSafeLoader", None)
    if loader is None:
        raise BatonError(
            "no-environment", "PyYAML was installed without libyaml, its C library", "baton doctor"
        )
    try:
        for event in yaml.parse(text, Loader=loader):
            translated = _translated(event)
            if translated is not None:
                yield translated
    except yaml.YAMLError as error:
        raise _unreadable(error, text) from error


def _translated(event: yaml.Event) -> Event | None:
    assert event.start_mark is not None and event.end_mark is not None
    start, end = event.start_mark.index, event.end_mark.index
    if isinstance(event, yaml.ScalarEvent):
        style = _STYLES[event.style]
        return Event(SCALAR, start, end, event.value, style, event.anchor, event.tag)
    if isinstance(event, yaml.CollectionStartEvent):
        kind = MAPPING if isinstance(event, yaml.MappingStartEvent) else SEQUENCE
        style = "flow" if event.flow_style else "block"
        return Event(kind, start, end, "", style, event.anchor, event.tag)
    if isinstance(event, yaml.CollectionEndEvent):
        return Event(END, start, end)
    if isinstance(event, yaml.AliasEvent):
        return Event(ALIAS, start, end, event.anchor or "")
    if isinstance(event, yaml.DocumentStartEvent):
        directive = " ".join(event.tags) if event.tags else None
        return Event(DOCUMENT, start, end, tag=directive, explicit=bool(event.explicit))
    if isinstance(event, yaml.DocumentEndEvent):
        return Event(DOCUMENT_END, start, end, explicit=bool(event.explicit))
    return None  # the stream's beginning and end


def _unreadable(error: yaml.YAMLError, text: str) -> Unreadable:
    if isinstance(error, yaml.MarkedYAMLError):
        # libyaml gives every error of its own a mark.
        assert error.problem_mark is not None
        return Unreadable(error.problem_mark.index, error.problem or str(error))
    # A ReaderError counts bytes.
    position = getattr(error, "position", 0)
    index = len(text.encode()[:position].decode("utf-8", "ignore"))
    return Unreadable(index, str(getattr(error, "reason", error)))
