"""The time of day, local and with its offset."""

from __future__ import annotations

import datetime


def now() -> datetime.datetime:
    """Give the present moment in the machine's time zone, to the second."""
    return datetime.datetime.now().astimezone().replace(microsecond=0)


def stamp() -> str:
    """Give the present moment in UTC as RFC 3339 writes it, to the second."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def exact_stamp() -> str:
    """Give the present moment as `stamp` does, to the microsecond: two that follow each other differ."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def moment(text: str) -> datetime.datetime | None:
    """Give the moment that a chain's header names (local time when it names no zone), or None when
    it is no date."""
    try:
        return datetime.datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        return None
