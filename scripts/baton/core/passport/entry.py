"""The two kinds of entry in `reset_boundary`, parsed at the door (design page passport).

Closed mappings of strings. Null is a value for `next` and `next_stage` alone; an optional key that
is absent is None here and absent again when written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

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
        raise NotImplementedError


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
        raise NotImplementedError


Entry = Boundary | Resume


def parse(value: Value) -> Entry:
    """Give the entry that a plain mapping is. Raises EntryError for whatever is not exactly one."""
    raise NotImplementedError


def parse_decision(value: Value) -> Decision:
    """Give the pending decision that a plain mapping is. Raises EntryError, paths from `pending_decision` on."""
    raise NotImplementedError
