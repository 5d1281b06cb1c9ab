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
_NAME = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/\0."), min_size=1)
_PATH = st.lists(_NAME, min_size=1, max_size=3).map("/".join)
_DIGEST = st.binary(min_size=32, max_size=32).map(bytes.hex)
_FILE = st.builds(File, _PATH, st.integers(1, 1 << 40), _DIGEST)
_STAGE = st.sampled_from(tables.ORDER)
_PLACE = st.sampled_from([*tables.ORDER, "END", "ABORT", ""])
_HASH = st.binary(min_size=6, max_size=6).map(bytes.hex)
_FORMS: dict[str, st.SearchStrategy[object]] = {
    "stage": _STAGE,
    "checked.stage": st.sampled_from(tables.INTEGRITY),
    "decided.stage": st.sampled_from(tables.REVIEWS),
    "entry": st.sampled_from([*tables.ENTRIES]),
    "to": _PLACE,
    "planned": _PLACE,
    "skipped.to": _STAGE,
    "material": st.sampled_from([*tables.BY_NAME]),
    "verdict": st.sampled_from(["pass", "fail"]),
    "decision": st.sampled_from(["accept", "minor", "major", "reject"]),
    "level": st.sampled_from(["FULL", "SLIM"]),
    "mode": st.none() | st.sampled_from(["full", "plan", "systematic-review"]),
    "switched.mode": st.sampled_from(["full", "plan"]),
    "hash": st.none() | _HASH,
    "taken.hash": _HASH,
    "when": st.just("2026-04-23T14:00:00+07:00"),
    "passport": st.none() | _PATH,
}
"""What the fields hold whose type says too little."""
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
            **{name: _values(kind, name, type_) for name, type_ in _fields(kind).items()},
        )
        for kind in events.KINDS.values()
    ]
    return typing.cast("st.SearchStrategy[events.Event]", st.one_of(*kinds))


def _values(kind: type, name: str, type_: object) -> st.SearchStrategy[object]:
    own = _FORMS.get(f"{kind.__name__.lower()}.{name}")
    return own if own is not None else _FORMS.get(name, _TYPES[type_])


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
    ("recorded", {"material": "x", "files": "y"}, "recorded.files must be a list"),
    ("recorded", {"material": "x", "files": ["y"]}, "recorded.files[0] must be an object"),
    (
        "recorded",
        {"material": "x", "files": [{"path": "p", "size": True, "digest": "d"}]},
        "recorded.files[0].size must be of type int",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "mapping", "what"), BROKEN)
def test_what_is_no_event(kind: str, mapping: dict[str, Value], what: str) -> None:
    with pytest.raises(EventError) as caught:
        parse(kind, mapping)
    assert str(caught.value) == what


_SEEN = File("text/draft.md", 6, "d" * 64)
GOOD: dict[str, events.Event] = {
    "started": events.Started("1", None, None, 0, False),
    "recorded": events.Recorded("Bibliography", (_SEEN,)),
    "checked": events.Checked("2.5", "pass", _SEEN, _SEEN, 0, (), False),
    "decided": events.Decided("3", "minor", ()),
    "reached": events.Reached("1", "FULL", False, "v1.0", "0" * 12, "2", None),
    "confirmed": events.Confirmed("1", "2", None),
    "taken": events.Taken("0" * 12, "s", "2026-04-23T14:00:00Z", "", "2", "2", None, False, ""),
    "skipped": events.Skipped("1", "2", None),
    "stalled": events.Stalled("1", ""),
    "switched": events.Switched("1", "full"),
}
_STAGES = "one of 1, 2, 2.5, 3, 4, 3', 4', 4.5, 5"
_NO_HASH = "must be twelve hexadecimal digits"
HOSTILE: list[tuple[str, str, Value, str]] = [
    ("stalled", "stage", "9", f"stalled.stage must be {_STAGES}"),
    ("confirmed", "to", "7", f"confirmed.to must be {_STAGES}, END, ABORT"),
    ("taken", "planned", "7", f"taken.planned must be {_STAGES}, END, ABORT"),
    ("skipped", "to", "END", f"skipped.to must be {_STAGES}"),
    ("started", "entry", "4.5", "started.entry must be one of 1, 2, 2.5, 3, 4, 5"),
    ("started", "passport", "a\0b", "started.passport must be the name of a file"),
    ("started", "entries", -1, "started.entries must be zero or more"),
    ("checked", "stage", "3", "checked.stage must be one of 2.5, 4.5"),
    ("checked", "verdict", "PASS", "checked.verdict must be one of pass, fail"),
    ("checked", "issues", -1, "checked.issues must be zero or more"),
    ("decided", "stage", "4", "decided.stage must be one of 3, 3'"),
    ("decided", "decision", "no", "decided.decision must be one of accept, minor, major, reject"),
    ("reached", "level", "full", "reached.level must be one of FULL, SLIM"),
    ("reached", "hash", "$(reboot)", f"reached.hash {_NO_HASH}"),
    ("taken", "hash", "0" * 13, f"taken.hash {_NO_HASH}"),
    ("taken", "when", "noon", "taken.when must be a moment as in RFC 3339"),
    ("switched", "mode", "full; reboot", "switched.mode must be the name of a mode"),
]


@pytest.mark.parametrize(("kind", "key", "value", "what"), HOSTILE)
def test_a_field_holds_what_commands_and_tables_can_be_made_of(
    kind: str, key: str, value: Value, what: str
) -> None:
    """The log may be somebody else's, its digests made by whoever knows how."""
    mapping = to_mapping(GOOD[kind])
    assert parse(kind, mapping) == GOOD[kind]
    with pytest.raises(EventError) as caught:
        parse(kind, {**mapping, key: value})
    assert str(caught.value) == what


def test_a_material_is_one_of_the_matrix() -> None:
    with pytest.raises(EventError, match=r"^recorded\.material must be one of RQ Brief, "):
        parse("recorded", {"material": "Notes", "files": []})


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../x", "a/../../x", "a//b", "./a", "a\0b"])
def test_a_file_lies_in_the_project(path: str) -> None:
    with pytest.raises(EventError) as caught:
        parse("recorded", {"material": "Bibliography", "files": [_file(path=path)]})
    assert str(caught.value) == "recorded.files[0].path must be a path from the project's root"


@pytest.mark.parametrize(
    ("size", "digest", "what"),
    [(0, "d" * 64, "size must be one or more"), (1, "D" * 64, "digest must be 64 hexadecimal digits")],
)  # fmt: skip
def test_a_file_was_measured(size: int, digest: str, what: str) -> None:
    with pytest.raises(EventError) as caught:
        parse("recorded", {"material": "Bibliography", "files": [_file(size=size, digest=digest)]})
    assert str(caught.value) == f"recorded.files[0].{what}"


def _file(path: str = "a", size: int = 1, digest: str = "d" * 64) -> Value:
    return {"path": path, "size": size, "digest": digest}
