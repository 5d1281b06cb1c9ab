"""A passport as read: its ledger, the little else that baton needs, and where a new entry goes
(design page passport, "Reading YAML without being fooled").
"""

from __future__ import annotations

from dataclasses import dataclass

from baton.core.passport.entry import Entry
from baton.core.passport.events import Events

LIMIT = 16 << 20
"""Bytes of the largest passport that is read."""


@dataclass(frozen=True, slots=True)
class Field:
    """A top-level key that is not ours. text: a scalar's text as written; None for null, a list or
    a mapping. line: from 1."""

    key: str
    text: str | None
    line: int


@dataclass(frozen=True, slots=True)
class Document:
    """A passport. data: the bytes it was read from. entries: the ledger, oldest first, and the line
    of each. fields: the other top-level keys, in order. foreign: a digest of all that is not ours.
    """

    data: bytes
    entries: tuple[Entry, ...]
    lines: tuple[int, ...]
    fields: tuple[Field, ...]
    foreign: bytes

    @property
    def verification_status(self) -> str | None:
        """The top-level `verification_status` as written; None when absent or null."""
        raise NotImplementedError

    @property
    def version_label(self) -> str | None:
        """The top-level `version_label` as written; None when absent or null."""
        raise NotImplementedError


def read(data: bytes, events: Events, json: bool = False) -> Document:
    """Give the passport that bytes (UTF-8) hold.

    events: the YAML door, `baton.edge.yaml_events.events`. json: the file's name ends in `.json`;
    text that is strict JSON goes through the JSON door whatever the name. Raises LedgerError:
    `bad-yaml`, `duplicate-key`, `invalid-ledger`, with line and column. The hash chain is not
    looked at here (`ledger.checked`).
    """
    raise NotImplementedError
