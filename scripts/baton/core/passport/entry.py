"""The two kinds of entry in `reset_boundary`, parsed at the door (design page passport).

Closed mappings of strings. Null is a value for `next` and `next_stage` alone; an optional key that
is absent is None here and absent again when written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from baton.hot import clean

Scalar = str | None
Value = Scalar | list["Value"] | dict[str, "Value"]
Mapping = dict[str, Value]

HASH = re.compile(r"[0-9a-f]{12}")
STATUSES = ("VERIFIED", "UNVERIFIED", "STALE")
# RFC 3339, section 5.6, with the lengths of months; whether a year is a leap year is not asked.
_DAY = (
    "(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    "|02-(?:0[1-9]|[12][0-9]))"
)
_TIME = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\.[0-9]+)?"
_OFFSET = "(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
RFC3339 = re.compile(f"[0-9]{{4}}-{_DAY}[Tt]{_TIME}{_OFFSET}")


def instant(text: str) -> datetime | None:
    """Give the instant that a moment as in RFC 3339 names, in whatever time zone; None when it names no
    day of the calendar."""
    try:
        # A leap second is no moment to Python.
        moment = datetime.fromisoformat(re.sub(r"(:[0-5]\d):60", r"\1:59", text.upper()))
    except ValueError:
        return None
    return moment if moment.tzinfo else None


class EntryError(ValueError):
    """An entry that is not one.

    where: the path of the key, such as `pending_decision.options[1].value`; "" for the entry
    itself. what: the sentence. expected, got: "" where nothing was compared.
    """

    def __init__(self, where: str, what: str, expected: str = "", got: str = "") -> None:
        super().__init__(what)
        self.where = where
        self.what = what
        self.expected = expected
        self.got = got


@dataclass(frozen=True, slots=True)
class Option:
    """A branch of a pending decision. next_stage None ends the pipeline."""

    value: str
    next_stage: str | None
    next_mode: str | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person must decide before the next stage: at least two options, their values distinct."""

    question: str
    options: tuple[Option, ...]

    def option(self, value: str) -> Option | None:
        """Give the option of that value, exactly; None when there is none."""
        return next((option for option in self.options if option.value == value), None)


@dataclass(frozen=True, slots=True)
class Boundary:
    """A stage that was completed, where the next session goes on. next None: the pipeline ends."""

    hash: str
    stage: str
    next: str | None
    generated_at: str
    session_marker: str
    version_label: str
    mode: str | None = None
    verification_status: str | None = None
    observer_snapshot_ref: str | None = None
    pending_decision: Decision | None = None

    def to_mapping(self) -> Mapping:
        """Give the entry as it is hashed and written, keys in the order in which they are written."""
        mapping: Mapping = {
            "kind": "boundary",
            "hash": self.hash,
            "stage": self.stage,
            "next": self.next,
            "generated_at": self.generated_at,
            "session_marker": self.session_marker,
            "version_label": self.version_label,
        }
        for key in ("mode", "verification_status", "observer_snapshot_ref"):
            _put(mapping, key, getattr(self, key))
        if self.pending_decision is not None:
            mapping["pending_decision"] = _decision_mapping(self.pending_decision)
        return mapping


@dataclass(frozen=True, slots=True)
class Override:
    """What the user put in the place of the recorded routing."""

    stage: str | None = None
    mode: str | None = None


@dataclass(frozen=True, slots=True)
class Resume:
    """The trace of a boundary's consumption."""

    consumes_hash: str
    generated_at: str
    session_marker: str
    chosen_branch: str | None = None
    user_override: Override | None = None

    def to_mapping(self) -> Mapping:
        """Give the entry as it is written, keys in the order in which they are written."""
        mapping: Mapping = {
            "kind": "resume",
            "consumes_hash": self.consumes_hash,
            "generated_at": self.generated_at,
            "session_marker": self.session_marker,
        }
        _put(mapping, "chosen_branch", self.chosen_branch)
        if self.user_override is not None:
            override: Mapping = {}
            _put(override, "stage", self.user_override.stage)
            _put(override, "mode", self.user_override.mode)
            mapping["user_override"] = override
        return mapping


Entry = Boundary | Resume


def parse(value: Value) -> Entry:
    """Give the entry that a plain mapping is. Raises EntryError for whatever is not exactly one."""
    if not isinstance(value, dict):
        raise _refused("", value, "a mapping")
    if "kind" not in value:
        raise EntryError("", "an entry needs the key kind")
    if value["kind"] == "boundary":
        return Boundary(**_closed("", value, "a boundary", _BOUNDARY))
    if value["kind"] == "resume":
        return Resume(**_closed("", value, "a resume entry", _RESUME))
    raise _refused("kind", value["kind"], '"boundary" or "resume"')


def parse_decision(value: Value) -> Decision:
    """Give the pending decision that a plain mapping is. Raises EntryError, paths from `pending_decision` on."""
    return _decision("pending_decision", value)


def _put(mapping: Mapping, key: str, value: str | None) -> None:
    if value is not None:
        mapping[key] = value


def _decision_mapping(decision: Decision) -> Mapping:
    options: list[Value] = []
    for option in decision.options:
        mapping: Mapping = {"value": option.value, "next_stage": option.next_stage}
        _put(mapping, "next_mode", option.next_mode)
        options.append(mapping)
    return {"question": decision.question, "options": options}


# ---- checks: (path, value) → what the frozen entry holds ----


def _refused(where: str, value: Value, expected: str) -> EntryError:
    got = described(value)
    return EntryError(where, f"{where or 'an entry'} must be {expected}, got {got}", expected, got)


def described(value: object) -> str:
    """Give words for a value of the wrong kind: a quoted text, `null`, `a list`, `a mapping`, or what
    JSON writes without quotes, such as `4` or `true`."""
    if isinstance(value, str):
        return clean.quoted(value, 60)
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "a mapping"
    return json.dumps(value)


def _text(where: str, value: Value, expected: str = "a text") -> str:
    if not isinstance(value, str):
        raise _refused(where, value, expected)
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            what = f"{where} holds a lone surrogate (half of a character), which has no UTF-8 bytes"
            raise EntryError(where, what) from None
    return value


def _text_or_null(where: str, value: Value) -> str | None:
    return None if value is None else _text(where, value, "a text or null")


def _constant(where: str, value: Value) -> None:
    """`kind`: the table that is read by was chosen by it."""


def _hash(where: str, value: Value) -> str:
    text = _text(where, value)
    if not HASH.fullmatch(text):
        raise _refused(where, value, "12 of the digits 0-9a-f")
    return text


def _moment(where: str, value: Value) -> str:
    text = _text(where, value)
    if not RFC3339.fullmatch(text):
        raise _refused(where, value, "a moment as in RFC 3339, such as 2026-04-23T14:00:00Z")
    return text


def _status(where: str, value: Value) -> str:
    text = _text(where, value)
    if text not in STATUSES:
        raise _refused(where, value, "VERIFIED, UNVERIFIED or STALE")
    return text


def _decision(where: str, value: Value) -> Decision:
    return Decision(**_closed(where, value, "a pending decision", _DECISION))


def _options(where: str, value: Value) -> tuple[Option, ...]:
    if not isinstance(value, list) or len(value) < 2:
        few = f"a list of {len(value)}" if isinstance(value, list) else described(value)
        expected = "a list of at least two options"
        raise EntryError(where, f"{where} must be {expected}, got {few}", expected, few)
    options = [
        Option(**_closed(f"{where}[{number}]", item, "an option", _OPTION))
        for number, item in enumerate(value)
    ]
    seen: set[str] = set()
    for number, option in enumerate(options):
        if option.value in seen:
            at = f"{where}[{number}].value"
            raise EntryError(
                at, f"{at} stands for an earlier option too: {described(option.value)}"
            )
        seen.add(option.value)
    return tuple(options)


def _override(where: str, value: Value) -> Override:
    return Override(**_closed(where, value, "a user override", _OVERRIDE))


Check = Callable[[str, Value], Any]
_Shape = dict[str, tuple[bool, Check]]
# key → whether it must be there, and its check
_BOUNDARY: _Shape = {
    "kind": (True, _constant),
    "hash": (True, _hash),
    "stage": (True, _text),
    "next": (True, _text_or_null),
    "generated_at": (True, _moment),
    "session_marker": (True, _text),
    "version_label": (True, _text),
    "mode": (False, _text),
    "verification_status": (False, _status),
    "observer_snapshot_ref": (False, _text),
    "pending_decision": (False, _decision),
}
_RESUME: _Shape = {
    "kind": (True, _constant),
    "consumes_hash": (True, _hash),
    "generated_at": (True, _moment),
    "session_marker": (True, _text),
    "chosen_branch": (False, _text),
    "user_override": (False, _override),
}
_DECISION: _Shape = {"question": (True, _text), "options": (True, _options)}
_OPTION: _Shape = {
    "value": (True, _text),
    "next_stage": (True, _text_or_null),
    "next_mode": (False, _text),
}
_OVERRIDE: _Shape = {"stage": (False, _text), "mode": (False, _text)}


def _closed(where: str, value: Value, name: str, shape: _Shape) -> dict[str, Any]:
    """Give the checked values of a mapping that has the keys of `shape` and no others."""
    if not isinstance(value, dict):
        raise _refused(where, value, "a mapping")
    prefix = f"{where}." if where else ""
    for key in value:
        if key not in shape:
            what = f"unknown key {clean.quoted(key, 60)}; {name} has {', '.join(shape)}"
            raise EntryError(f"{prefix}{key}", what)
    for key, (required, _) in shape.items():
        if required and key not in value:
            raise EntryError(where, f"{name} needs the key {key}")
    checked = {key: shape[key][1](f"{prefix}{key}", item) for key, item in value.items()}
    checked.pop("kind", None)
    return checked
