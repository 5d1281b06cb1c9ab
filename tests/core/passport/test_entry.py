"""baton.core.passport.entry: each way in which an entry is none, and the published schema beside it."""

from __future__ import annotations

import copy
import json
import re

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baton.core.passport import entry
from baton.core.passport.entry import Boundary, Entry, EntryError, Override, Resume, Value
from passport_samples import BOUNDARY, DECISION, ENTRIES, EXPECTED, TEXTS
from support import ROOT

HASH = "aaefcfa5ad5e"
MOMENT = "2026-04-23T14:00:00Z"
FORM = "a moment as in RFC 3339, such as 2026-04-23T14:00:00Z"
KEYS = (
    "kind, hash, stage, next, generated_at, session_marker, version_label, mode, "
    "verification_status, observer_snapshot_ref, pending_decision"
)
DIGITS = "12 of the digits 0-9a-f"
FULL = Boundary(HASH, "3", None, MOMENT, "s", "v1.0", "full", "STALE", "o.md", DECISION)
RESUME = Resume(HASH, MOMENT, "s", "revise", Override("2", "plan"))


def changed(base: Entry, **changes: Value) -> dict[str, Value]:
    """An entry's mapping with keys set."""
    return {**copy.deepcopy(base.to_mapping()), **changes}


def without(base: Entry, key: str) -> dict[str, Value]:
    mapping = base.to_mapping()
    del mapping[key]
    return mapping


def decision(**changes: Value) -> Value:
    return {"question": "?", "options": options({}, {}), **changes}


def options(*changes: dict[str, Value]) -> Value:
    return [{"value": str(n), "next_stage": "4", **some} for n, some in enumerate(changes)]


# case → value, where, what, expected, got
BAD: dict[str, tuple[Value, str, str, str, str]] = {
    "a text": ("x", "", 'an entry must be a mapping, got "x"', "a mapping", '"x"'),
    "null": (None, "", "an entry must be a mapping, got null", "a mapping", "null"),
    "a list": ([], "", "an entry must be a mapping, got a list", "a mapping", "a list"),
    "nothing": ({}, "", "an entry needs the key kind", "", ""),
    "another kind": (
        {"kind": "x"},
        "kind",
        'kind must be "boundary" or "resume", got "x"',
        '"boundary" or "resume"',
        '"x"',
    ),
    "a kind that is a list": (
        {"kind": ["boundary"]},
        "kind",
        'kind must be "boundary" or "resume", got a list',
        '"boundary" or "resume"',
        "a list",
    ),
    "an unknown key": (
        changed(FULL, colour="red"),
        "colour",
        f'unknown key "colour"; a boundary has {KEYS}',
        "",
        "",
    ),
    "a key of the other kind": (
        changed(RESUME, hash=HASH),
        "hash",
        'unknown key "hash"; a resume entry has kind, consumes_hash, generated_at, session_marker, '
        "chosen_branch, user_override",
        "",
        "",
    ),
    "a key that would write to a terminal": (
        changed(FULL, **{"\x1b[2J": "x"}),
        "\x1b[2J",
        f'unknown key "\ufffd[2J"; a boundary has {KEYS}',
        "",
        "",
    ),
    "a hash of 11": (
        changed(FULL, hash=HASH[1:]),
        "hash",
        f'hash must be {DIGITS}, got "aefcfa5ad5e"',
        DIGITS,
        '"aefcfa5ad5e"',
    ),
    "a hash in upper case": (
        changed(FULL, hash=HASH.upper()),
        "hash",
        f'hash must be {DIGITS}, got "AAEFCFA5AD5E"',
        DIGITS,
        '"AAEFCFA5AD5E"',
    ),
    "a hash with a line end": (
        changed(RESUME, consumes_hash=HASH + "\n"),
        "consumes_hash",
        f'consumes_hash must be {DIGITS}, got "{HASH}"',
        DIGITS,
        f'"{HASH}"',
    ),
    "no hash": (
        changed(FULL, hash=None),
        "hash",
        "hash must be a text, got null",
        "a text",
        "null",
    ),
    "a stage that is null": (
        changed(FULL, stage=None),
        "stage",
        "stage must be a text, got null",
        "a text",
        "null",
    ),
    "a mode that is null": (
        changed(FULL, mode=None),
        "mode",
        "mode must be a text, got null",
        "a text",
        "null",
    ),
    "next that is a mapping": (
        changed(FULL, next={}),
        "next",
        "next must be a text or null, got a mapping",
        "a text or null",
        "a mapping",
    ),
    "half a character": (
        changed(FULL, session_marker="\ud83d"),
        "session_marker",
        "session_marker holds a lone surrogate (half of a character), which has no UTF-8 bytes",
        "",
        "",
    ),
    "a day alone": (
        changed(FULL, generated_at="2026-04-23"),
        "generated_at",
        f'generated_at must be {FORM}, got "2026-04-23"',
        FORM,
        '"2026-04-23"',
    ),
    "the 31st of April": (
        changed(FULL, generated_at="2026-04-31T14:00:00Z"),
        "generated_at",
        f'generated_at must be {FORM}, got "2026-04-31T14:00:00Z"',
        FORM,
        '"2026-04-31T14:00:00Z"',
    ),
    "no zone": (
        changed(RESUME, generated_at="2026-04-23T14:00:00"),
        "generated_at",
        f'generated_at must be {FORM}, got "2026-04-23T14:00:00"',
        FORM,
        '"2026-04-23T14:00:00"',
    ),
    "digits of another script": (
        changed(FULL, generated_at="２026-04-23T14:00:00Z"),
        "generated_at",
        f'generated_at must be {FORM}, got "２026-04-23T14:00:00Z"',
        FORM,
        '"２026-04-23T14:00:00Z"',
    ),
    "another status": (
        changed(FULL, verification_status="verified"),
        "verification_status",
        'verification_status must be VERIFIED, UNVERIFIED or STALE, got "verified"',
        "VERIFIED, UNVERIFIED or STALE",
        '"verified"',
    ),
    "a decision that is a text": (
        changed(FULL, pending_decision="x"),
        "pending_decision",
        'pending_decision must be a mapping, got "x"',
        "a mapping",
        '"x"',
    ),
    "a decision without question": (
        changed(FULL, pending_decision={"options": options({}, {})}),
        "pending_decision",
        "a pending decision needs the key question",
        "",
        "",
    ),
    "one option": (
        changed(FULL, pending_decision=decision(options=options({}))),
        "pending_decision.options",
        "pending_decision.options must be a list of at least two options, got a list of 1",
        "a list of at least two options",
        "a list of 1",
    ),
    "options that are a mapping": (
        changed(FULL, pending_decision=decision(options={})),
        "pending_decision.options",
        "pending_decision.options must be a list of at least two options, got a mapping",
        "a list of at least two options",
        "a mapping",
    ),
    "an option without next_stage": (
        changed(FULL, pending_decision=decision(options=[{"value": "a"}, {"value": "b"}])),
        "pending_decision.options[0]",
        "an option needs the key next_stage",
        "",
        "",
    ),
    "an option's next_mode that is null": (
        changed(FULL, pending_decision=decision(options=options({}, {"next_mode": None}))),
        "pending_decision.options[1].next_mode",
        "pending_decision.options[1].next_mode must be a text, got null",
        "a text",
        "null",
    ),
    "an option's unknown key": (
        changed(FULL, pending_decision=decision(options=options({}, {"label": "x"}))),
        "pending_decision.options[1].label",
        'unknown key "label"; an option has value, next_stage, next_mode',
        "",
        "",
    ),
    "two options of one value": (
        changed(FULL, pending_decision=decision(options=options({}, {}, {"value": "0"}))),
        "pending_decision.options[2].value",
        'pending_decision.options[2].value stands for an earlier option too: "0"',
        "",
        "",
    ),
    "an override of something else": (
        changed(RESUME, user_override={"branch": "x"}),
        "user_override.branch",
        'unknown key "branch"; a user override has stage, mode',
        "",
        "",
    ),
    "an override that is null": (
        changed(RESUME, user_override=None),
        "user_override",
        "user_override must be a mapping, got null",
        "a mapping",
        "null",
    ),
}
REQUIRED = [
    *((FULL, key) for key in "hash stage next generated_at session_marker version_label".split()),
    *((RESUME, key) for key in "consumes_hash generated_at session_marker".split()),
]


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_entry(case: str) -> None:
    value, *expected = BAD[case]
    with pytest.raises(EntryError) as caught:
        entry.parse(value)
    error = caught.value
    assert [error.where, error.what, error.expected, error.got] == expected


@pytest.mark.parametrize(
    ("base", "key"), REQUIRED, ids=lambda it: it if isinstance(it, str) else ""
)
def test_a_key_that_is_missing(base: Entry, key: str) -> None:
    name = "a boundary" if base is FULL else "a resume entry"
    with pytest.raises(EntryError) as caught:
        entry.parse(without(base, key))
    assert (caught.value.where, caught.value.what) == ("", f"{name} needs the key {key}")


@pytest.mark.parametrize("name", EXPECTED)
def test_the_vectors(name: str) -> None:
    for mapping in EXPECTED[name]["entries"]:
        assert entry.parse(mapping).to_mapping() == mapping


@given(ENTRIES)
def test_parse_after_to_mapping(one: Entry) -> None:
    assert entry.parse(one.to_mapping()) == one


def test_keys_are_written_in_one_order() -> None:
    assert ", ".join(FULL.to_mapping()) == KEYS
    assert ", ".join(RESUME.to_mapping()) == (
        "kind, consumes_hash, generated_at, session_marker, chosen_branch, user_override"
    )
    assert BOUNDARY.to_mapping()["verification_status"] == "VERIFIED"


def test_a_decision_by_itself() -> None:
    assert entry.parse_decision(FULL.to_mapping()["pending_decision"]) == DECISION
    assert DECISION.option("revise") == DECISION.options[0]
    assert DECISION.option("Revise") is None
    with pytest.raises(EntryError, match="a pending decision needs the key question"):
        entry.parse_decision({"options": []})


# ---- the schema ----

SCHEMA = json.loads((ROOT / "schema/reset-boundary.schema.json").read_text(encoding="utf-8"))
SCHEMA_READER = jsonschema.Draft202012Validator(SCHEMA)
EVERY_KEY = sorted({*FULL.to_mapping(), *RESUME.to_mapping(), "colour", "question", "options"})
ANYTHING: st.SearchStrategy[Value] = st.recursive(
    st.none() | TEXTS | st.sampled_from([HASH, MOMENT, "boundary", "resume", "STALE"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(EVERY_KEY), inner, max_size=3)
    ),
    max_leaves=6,
)


@st.composite
def mutated(draw: st.DrawFn) -> dict[str, Value]:
    """An entry in which up to three things, at any depth, were set, removed or renamed."""
    mapping = copy.deepcopy(draw(ENTRIES).to_mapping())
    for _ in range(draw(st.integers(0, 3))):
        places = _mappings(mapping)
        place = draw(st.sampled_from(places))
        key = draw(st.sampled_from([*place, *EVERY_KEY, "value", "next_stage", "next_mode"]))
        if draw(st.booleans()):
            place[key] = draw(ANYTHING)
        else:
            place.pop(key, None)
    return mapping


def _mappings(value: Value) -> list[dict[str, Value]]:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    below = [found for item in inside for found in _mappings(item)]
    return [value, *below] if isinstance(value, dict) else below


@settings(max_examples=150)
@given(mutated())
def test_schema_and_validator_agree(mapping: dict[str, Value]) -> None:
    try:
        entry.parse(mapping)
        problem = ""
    except EntryError as error:
        problem = error.what
    if "stands for an earlier option too" in problem:
        problem = ""  # no schema can say so; the description does
    assert SCHEMA_READER.is_valid([mapping]) == (problem == "")


@pytest.mark.parametrize("case", BAD)
def test_the_schema_refuses_the_same(case: str) -> None:
    beyond = ("two options of one value", "half a character")
    assert SCHEMA_READER.is_valid([BAD[case][0]]) == (case in beyond)


@given(st.from_regex(re.compile(f"^{entry.RFC3339.pattern}$"), fullmatch=False) | TEXTS)
def test_schema_and_validator_agree_on_moments(text: str) -> None:
    mapping = changed(FULL, generated_at=text)
    valid = entry.RFC3339.fullmatch(text) is not None
    assert SCHEMA_READER.is_valid([mapping]) == valid


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$defs"]["hash"]["pattern"] == f"^{entry.HASH.pattern}$"
    assert SCHEMA["$defs"]["moment"]["pattern"] == f"^{entry.RFC3339.pattern}$"
    for vector in EXPECTED.values():
        SCHEMA_READER.validate(vector["entries"])
