"""What happens to a pipeline: the closed set of events that its log holds (design page pipeline).

An event carries what came of it (where it leads, at which level), not what to work out again: a later
version with other rules reads an old log to the same state.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass

from baton.core.passport.entry import HASH, RFC3339
from baton.core.pipeline import tables
from baton.core.pipeline.tables import ABORT, END, ORDER

Value = None | bool | int | str | list["Value"] | dict[str, "Value"]


@dataclass(frozen=True, slots=True)
class File:
    """A file as it was when it was recorded. path: from the project's root. size: bytes. digest:
    SHA-256, hexadecimal."""

    path: str
    size: int
    digest: str


@dataclass(frozen=True, slots=True)
class Started:
    """A pipeline was set up. entry: the stage that it begins with. entries: how many the passport's
    ledger held then. reset: whether `ARS_PASSPORT_RESET=1` stood; it holds for the pipeline's life."""

    entry: str
    mode: str | None
    passport: str | None
    entries: int
    reset: bool


@dataclass(frozen=True, slots=True)
class Entered:
    """The entry was confirmed, its stage begins."""

    stage: str
    mode: str | None


@dataclass(frozen=True, slots=True)
class Recorded:
    """A material and all its files; what was recorded under its name before counts no more."""

    material: str
    files: tuple[File, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """An integrity check. verdict: pass or fail. issues: how many it found, None when not said. items:
    what could not be verified. limit: whether all rounds of correction are used up."""

    stage: str
    verdict: str
    report: File
    draft: File
    issues: int | None
    items: tuple[str, ...]
    limit: bool


@dataclass(frozen=True, slots=True)
class Decided:
    """A review's decision. unresolved: what stays open and becomes a limitation."""

    stage: str
    decision: str
    unresolved: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Finished:
    """The work of an ordinary stage is done. unresolved: what becomes a limitation."""

    stage: str
    unresolved: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reached:
    """A stage's checkpoint. level: FULL or SLIM. version: of its deliverables. hash: of the boundary
    that was left in the passport, None without one. to: where a confirmation leads, "" when it must be
    chosen."""

    stage: str
    level: str
    mandatory: bool
    version: str
    hash: str | None
    to: str
    mode: str | None


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A plain yes at a checkpoint. to: the stage that begins, END; "" while a fresh session must still
    take the hand-over."""

    stage: str
    to: str
    mode: str | None


@dataclass(frozen=True, slots=True)
class Chosen:
    """An answer to a checkpoint's choice, or what helps a stalled stage (to is then "")."""

    stage: str
    value: str
    to: str
    mode: str | None


@dataclass(frozen=True, slots=True)
class Taken:
    """A fresh session took the hand-over. to: the stage that begins, END or ABORT; "" while a person
    must still confirm. planned: where that will lead. branch: what was chosen, "" for nothing. rerun:
    whether a stage runs again. refused: where the ledger says it leads though it must not."""

    hash: str
    by: str
    when: str
    branch: str
    to: str
    planned: str
    mode: str | None
    rerun: bool
    refused: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """A stage that was passed over. to: the stage that begins instead."""

    stage: str
    to: str
    mode: str | None


@dataclass(frozen=True, slots=True)
class Stalled:
    """No progress in the stage at work."""

    stage: str
    reason: str


@dataclass(frozen=True, slots=True)
class Switched:
    """The stage at work goes on in another mode."""

    stage: str
    mode: str


@dataclass(frozen=True, slots=True)
class Risked:
    """Required materials that are missing, at the person's own risk. to: the stage that wants them."""

    to: str
    materials: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Paused:
    """A person stopped here."""

    reason: str


@dataclass(frozen=True, slots=True)
class Resumed:
    """A person went on."""


@dataclass(frozen=True, slots=True)
class Aborted:
    """A person gave it up."""

    reason: str


Event = (
    Started
    | Entered
    | Recorded
    | Checked
    | Decided
    | Finished
    | Reached
    | Confirmed
    | Chosen
    | Taken
    | Skipped
    | Stalled
    | Switched
    | Risked
    | Paused
    | Resumed
    | Aborted
)
KINDS: dict[str, type[Event]] = {kind.__name__.lower(): kind for kind in typing.get_args(Event)}


@dataclass(frozen=True, slots=True)
class Entry:
    """An event in its log. at: RFC 3339, UTC. session: who."""

    at: str
    session: str
    event: Event


class EventError(ValueError):
    """A mapping that is no event; its text is a sentence."""


def _one_of(*words: str) -> tuple[Callable[[typing.Any], object], str]:
    return words.__contains__, f"one of {', '.join(filter(None, words))}"


def _is_inside(path: str) -> bool:
    return "\0" not in path and not {"", ".", ".."} & {*path.split("/")}


_PLACE = _one_of(*ORDER, END, ABORT, "")
_COUNT = (lambda number: number >= 0, "zero or more")
_FORMS: dict[str, tuple[Callable[[typing.Any], object], str]] = {
    "stage": _one_of(*ORDER),
    "checked.stage": _one_of(*tables.INTEGRITY),
    "decided.stage": _one_of(*tables.REVIEWS),
    "entry": _one_of(*tables.ENTRIES),
    "to": _PLACE,
    "planned": _PLACE,
    "skipped.to": _one_of(*ORDER),
    "material": _one_of(*tables.BY_NAME),
    "verdict": _one_of(tables.PASS, "fail"),
    "decision": _one_of(*tables.DECISIONS["3"]),
    "level": _one_of("FULL", "SLIM"),
    "mode": (re.compile("[a-z][a-z-]*").fullmatch, "the name of a mode"),
    "hash": (HASH.fullmatch, "twelve hexadecimal digits"),
    "when": (RFC3339.fullmatch, "a moment as in RFC 3339"),
    # Where it lies is asked when it is opened.
    "passport": (lambda path: "\0" not in path, "the name of a file"),
    "path": (_is_inside, "a path from the project's root"),
    "digest": (re.compile("[0-9a-f]{64}").fullmatch, "64 hexadecimal digits"),
    "size": (lambda size: size > 0, "one or more"),
    "entries": _COUNT,
    "issues": _COUNT,
}
"""What a field holds where its type says too little, as `event.field` or in all events. A log may be
somebody else's: out of these fields commands, paths and looks into tables are made."""


def kind_of(event: Event) -> str:
    """Give an event's name, as its line says it."""
    return type(event).__name__.lower()


def to_mapping(event: Event) -> dict[str, Value]:
    """Give an event's own keys with plain values, in the order in which they are written."""
    kind: type = type(event)
    return {name: _plain(getattr(event, name)) for name in _types(kind)}


def parse(kind: str, mapping: dict[str, Value]) -> Event:
    """Give the event of that kind with exactly these keys. Raises EventError."""
    if kind not in KINDS:
        raise EventError(f"no event is called {kind!r}")
    return typing.cast(Event, _made(KINDS[kind], mapping, kind))


def _plain(value: object) -> Value:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, File):
        return dataclasses.asdict(value)
    return typing.cast(Value, value)


@functools.cache
def _types(kind: type) -> dict[str, object]:
    return typing.get_type_hints(kind)


def _made(kind: type, mapping: Value, where: str) -> object:
    types_ = _types(kind)
    if not isinstance(mapping, dict):
        raise EventError(f"{where} must be an object")
    if mapping.keys() != types_.keys():
        odd = sorted(mapping.keys() ^ types_.keys())
        raise EventError(f"{where} must have the keys {', '.join(types_) or '(none)'}: {odd[0]!r}")
    made = kind(**{key: _value(types_[key], mapping[key], f"{where}.{key}") for key in types_})
    for key in types_:
        _require_form(where, key, getattr(made, key))
    return made


def _require_form(where: str, key: str, value: object) -> None:
    rule = _FORMS.get(f"{where}.{key}") or _FORMS.get(key)
    if rule is not None and value is not None and not rule[0](value):
        raise EventError(f"{where}.{key} must be {rule[1]}")


def _value(wanted: object, value: Value, where: str) -> object:
    """Give a value as its field's type wants it: a plain one, a file, a tuple of either, or nothing."""
    if isinstance(wanted, types.UnionType):
        if value is None:
            return None
        wanted = next(each for each in typing.get_args(wanted) if each is not type(None))
    if typing.get_origin(wanted) is tuple:
        if not isinstance(value, list):
            raise EventError(f"{where} must be a list")
        item = typing.get_args(wanted)[0]
        return tuple(_value(item, each, f"{where}[{n}]") for n, each in enumerate(value))
    if wanted is File:
        return _made(File, value, where)
    # A bool is an int to Python, and to nobody else.
    if type(value) is not wanted:
        raise EventError(f"{where} must be of type {getattr(wanted, '__name__', wanted)}")
    return value
