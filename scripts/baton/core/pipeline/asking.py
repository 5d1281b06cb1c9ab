"""What is asked of the machine, what is known of the world beside the log, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from baton.core.pipeline.event import Event, File


@dataclass(frozen=True, slots=True)
class Ask:
    """One command.

    command: its name. value: its word (a decision, a choice, a verdict, a material, a stage, a
    reason). mode: of the stage that it leads to. files: of a material. report, draft, issues: of an
    integrity check. items: what could not be verified, or stays unresolved. risk: go on without
    required materials. yes: a switch of mode that asks is meant.
    """

    command: str
    value: str = ""
    mode: str | None = None
    files: tuple[File, ...] = ()
    report: File | None = None
    draft: File | None = None
    issues: int | None = None
    items: tuple[str, ...] = ()
    risk: bool = False
    yes: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """The recorded files as they are now: path → digest, None for one that is gone. A path that is not
    there was not looked at."""

    digests: Mapping[str, str | None] = field(default_factory=dict)

    def gone(self, file: File) -> bool:
        """Whether a recorded file is not there any more."""
        return self.digests.get(file.path, file.digest) is None

    def changed(self, file: File) -> bool:
        """Whether a recorded file is not what it was, or is gone."""
        return self.digests.get(file.path, file.digest) != file.digest


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command comes to. events: to be appended, () for nothing to do. act: what a person is to be
    asked before that is done, one sentence; "" when nobody need be."""

    events: tuple[Event, ...]
    act: str = ""
