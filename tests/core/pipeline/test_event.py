"""The closed set of events: what each looks like, and what is none."""

from __future__ import annotations

import typing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.core.pipeline import event as events
from baton.core.pipeline import tables
from baton.core.pipeline.event import EventError, File, Value, kind_of, parse, to_mapping

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_FILE = st.builds(File, _TEXT, st.integers(0, 1 << 40), _TEXT)
_PLACES = {
    "stage": st.sampled_from(tables.ORDER),
    "entry": st.sampled_from(tables.ORDER),
    "to": st.sampled_from([*tables.ORDER, "END", "ABORT", ""]),
    "planned": st.sampled_from([*tables.ORDER, "END", "ABORT", ""]),
}
_TYPES: dict[object, st.SearchStrategy[object]] = {
    str: _TEXT,
    int: st.integers(0, 99),
    bool: st.booleans(),
    File: _FILE,
    str | None: st.none() | _TEXT,
    int | None: st.none() | st.integers(0, 9),
    tuple[str, ...]: st.lists(_TEXT, max_size=3).map(tuple),
    tuple[File, ...]: st.lists(_FILE, max_size=3).map(tuple),
}


def _events() -> st.SearchStrategy[events.Event]:
    kinds = [
        st.builds(
            kind,
            **{name: _PLACES.get(name, _TYPES[type_]) for name, type_ in _fields(kind).items()},
        )
        for kind in events.KINDS.values()
    ]
    return typing.cast("st.SearchStrategy[events.Event]", st.one_of(*kinds))


def _fields(kind: type) -> dict[str, object]:
    return typing.get_type_hints(kind)


EVENTS = _events()


@given(EVENTS)
def test_every_event_comes_back_from_its_mapping(event: events.Event) -> None:
    assert parse(kind_of(event), to_mapping(event)) == event


BROKEN: list[tuple[str, dict[str, Value], str]] = [
    ("flown", {}, "no event is called 'flown'"),
    ("paused", {}, "paused must have the keys reason: 'reason'"),
    ("resumed", {"reason": ""}, "resumed must have the keys (none): 'reason'"),
    ("paused", {"reason": None}, "paused.reason must be of type str"),
    ("stalled", {"stage": "9", "reason": ""}, "stalled.stage must be one of 1, 2, 2.5, 3, 4, 3', 4', 4.5, 5"),
    ("recorded", {"material": "x", "files": "y"}, "recorded.files must be a list"),
    ("recorded", {"material": "x", "files": ["y"]}, "recorded.files[0] must be an object"),
    (
        "recorded",
        {"material": "x", "files": [{"path": "p", "size": True, "digest": "d"}]},
        "recorded.files[0].size must be of type int",
    ),
    (
        "confirmed",
        {"stage": "1", "to": "7", "mode": None},
        "confirmed.to must be one of 1, 2, 2.5, 3, 4, 3', 4', 4.5, 5, END, ABORT",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "mapping", "what"), BROKEN)
def test_what_is_no_event(kind: str, mapping: dict[str, Value], what: str) -> None:
    with pytest.raises(EventError) as caught:
        parse(kind, mapping)
    assert str(caught.value) == what
