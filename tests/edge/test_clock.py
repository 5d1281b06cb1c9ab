"""baton.edge.clock."""

from __future__ import annotations

import datetime
import time

import pytest

from baton.edge import clock


def test_now() -> None:
    now = clock.now()
    assert now.tzinfo is not None
    assert now.microsecond == 0
    assert abs(now.timestamp() - time.time()) < 60
    assert clock.moment(now.isoformat()) == now


MOMENTS = {
    "with its zone": ("2026-07-11T14:03:22+07:00", "2026-07-11T07:03:22+00:00"),
    "local": ("2026-07-11T14:03", "2026-07-11T14:03:00+00:00"),
    "UTC": ("2026-07-11T14:03:22Z", "2026-07-11T14:03:22+00:00"),
    "a date": ("2026-07-11", "2026-07-11T00:00:00+00:00"),
    "nothing": ("", None),
    "words": ("yesterday", None),
    "no such day": ("2026-02-30T00:00", None),
    "before all time": ("0001-01-01T00:00+14:00", None),
    "after all time": ("9999-12-31T23:59-14:00", None),
}


@pytest.mark.parametrize(("text", "expected"), MOMENTS.values(), ids=MOMENTS)
def test_moment(text: str, expected: str | None) -> None:
    moment = clock.moment(text)
    wanted = datetime.datetime.fromisoformat(expected) if expected else None
    assert moment == wanted
