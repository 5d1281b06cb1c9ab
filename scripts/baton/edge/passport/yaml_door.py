"""YAML's door, loaded when the first text needs it: a JSON passport does not."""

from __future__ import annotations

from collections.abc import Iterator

from baton.core.passport.events import Event


def events(text: str) -> Iterator[Event]:
    """Give the events of a YAML text: `baton.edge.yaml_events.events`."""
    from baton.edge.yaml_events import events as read

    return read(text)
