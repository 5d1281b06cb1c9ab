"""baton.hot.moments: moments as headers and notices name them."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from baton.hot.moments import clock, date, seconds

HEADERS = {
    "2026-07-11T14:03:22+07:00": 1783753402.0,
    "2026-07-11T07:03:22+00:00": 1783753402.0,
    "2026-07-11T07:03:22Z": 1783753402.0,
    "": 0.0,
    "—": 0.0,
    "yesterday": 0.0,
    "9999-99-99": 0.0,
}


@pytest.mark.parametrize(("text", "expected"), HEADERS.items(), ids=list(HEADERS))
def test_seconds(text: str, expected: float) -> None:
    assert seconds(text) == expected


def test_without_a_zone_it_is_local_time() -> None:
    local = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(1783753402))
    assert seconds(local) == 1783753402.0


def test_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    morning = time.localtime(1783753402)
    monkeypatch.setattr(time, "strftime", _at(morning))
    assert clock(1783753402) == "07:03"
    assert clock(1783753402 - 8 * 3600) == "2026-07-10 23:03"
    assert clock(0) == "1970-01-01 00:00" == date(0)


def _at(now: time.struct_time) -> Callable[..., str]:
    """strftime at a moment that stands still."""
    return lambda form, moment=now, strftime=time.strftime: strftime(form, moment)


@pytest.mark.parametrize("moment", [10**20, -(10**20), float("nan"), float("inf")])
def test_what_no_clock_can_show(moment: float) -> None:
    """A damaged note says so; it fails nothing."""
    assert clock(moment) == date(moment) == "??:??"
