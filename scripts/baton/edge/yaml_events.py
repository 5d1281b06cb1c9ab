"""YAML text as events: the only door to PyYAML. It reads and decides nothing."""

from __future__ import annotations

from collections.abc import Iterator

from baton.core.passport.events import Event


def events(text: str) -> Iterator[Event]:
    """Give the events of a YAML text, lazily.

    text: without BOM. Indexes count characters. Raises Unreadable for what is no YAML, BatonError
    `no-environment` when PyYAML came without its C library.
    """
    raise NotImplementedError
