"""Where a pipeline stands: the fold of its events (design page pipeline)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from baton.core.passport.modes import SYSTEMATIC_REVIEW
from baton.core.pipeline.event import File
from baton.core.pipeline.tables import ORDER

PENDING, IN_PROGRESS, COMPLETED, SKIPPED, BLOCKED = (
    "pending",
    "in_progress",
    "completed",
    "skipped",
    "blocked",
)
INITIALIZING, RUNNING, AWAITING, PAUSED, DONE, ABORTED = (
    "initializing",
    "running",
    "awaiting_confirmation",
    "paused",
    "completed",
    "aborted",
)
FULL, SLIM = "FULL", "SLIM"
VERIFIED, UNVERIFIED, STALE = "VERIFIED", "UNVERIFIED", "STALE"
"""What an integrity stage came to; STALE is never stored: it is what a changed draft makes of VERIFIED."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of the pipeline.

    attempt: how often it was begun. version: the label of what it made last, "" before. mode: None
    when none was named. begun, ended: when, RFC 3339, "" for not. over: its work is done, its
    checkpoint not reached yet. checks, fails: how many integrity checks there were, and how many of
    them failed. verdict: VERIFIED, UNVERIFIED (the person went on so) or "". report, draft: of its
    newest check. items: what that could not verify. decision: the review's. stalled: no progress.
    """

    state: str = PENDING
    attempt: int = 0
    version: str = ""
    mode: str | None = None
    begun: str = ""
    ended: str = ""
    over: bool = False
    checks: int = 0
    fails: int = 0
    verdict: str = ""
    report: File | None = None
    draft: File | None = None
    issues: int | None = None
    items: tuple[str, ...] = ()
    decision: str = ""
    stalled: bool = False

    @property
    def rounds(self) -> int:
        """How many rounds of correction were checked: all checks but the first."""
        return max(0, self.checks - 1)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where a stage ended and a confirmation is due.

    hash: of the boundary that must be taken in a fresh session, None without one. taken: that was
    done. confirmed: a person said yes before it was. limit: no confirmation helps, all rounds of
    correction are used up. to: where a plain yes leads, "" when it must be chosen. mode: of that stage.
    """

    stage: str
    level: str
    mandatory: bool
    hash: str | None = None
    taken: bool = False
    confirmed: bool = False
    limit: bool = False
    to: str = ""
    mode: str | None = None

    @property
    def closed(self) -> bool:
        """Whether only a fresh session leads on."""
        return self.hash is not None and not self.taken


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A pipeline as its log has it.

    now: one of INITIALIZING … ABORTED. before: what a pause interrupted. current: the stage at work
    or at its checkpoint, "" before the first. reset: whether hand-overs are recorded in the passport.
    entries: how many the ledger held when it began. reached: how many checkpoints there were.
    continues: plain confirmations in a row. rerevised: how often stage 4' was entered. limitations:
    what stays open, acknowledged. risks: materials that the person went on without. form: the
    format of the final paper, "" when not chosen. known: hashes of its boundaries, in order.
    resumed_at: when the stage at work was taken over by a fresh session, "" when it was not. reason: why
    it is paused, aborted or stalled.
    """

    entry: str
    mode: str | None = None
    passport: str | None = None
    entries: int = 0
    reset: bool = False
    started: str = ""
    now: str = INITIALIZING
    before: str = ""
    current: str = ""
    stages: Mapping[str, Stage] = field(default_factory=lambda: {each: Stage() for each in ORDER})
    checkpoint: Checkpoint | None = None
    reached: int = 0
    continues: int = 0
    rerevised: int = 0
    materials: Mapping[str, tuple[File, ...]] = field(default_factory=dict)
    limitations: tuple[str, ...] = ()
    risks: frozenset[str] = frozenset()
    form: str = ""
    known: tuple[str, ...] = ()
    passed_at: str = ""
    resumed_at: str = ""
    reason: str = ""

    @property
    def stage(self) -> Stage:
        """The stage at work or at its checkpoint."""
        return self.stages[self.current]

    @property
    def over(self) -> bool:
        """Whether nothing can happen to it any more."""
        return self.now in (DONE, ABORTED)

    @property
    def whole_mode(self) -> str | None:
        """The mode of the whole pipeline: that of a systematic review holds from its first stage on."""
        modes = (self.mode, *(stage.mode for stage in self.stages.values()))
        return SYSTEMATIC_REVIEW if SYSTEMATIC_REVIEW in modes else self.mode

    @property
    def decision(self) -> str:
        """The newest decision of a review that counts, "" without one."""
        return self.stages["3'"].decision or self.stages["3"].decision

    @property
    def unverified(self) -> tuple[str, ...]:
        """The integrity stages that a person went on from without a PASS."""
        return tuple(name for name in ORDER if self.stages[name].verdict == UNVERIFIED)

    def with_stage(self, name: str, **changes: object) -> Pipeline:
        """Give the pipeline with one stage changed."""
        stage = replace(self.stages[name], **changes)  # type: ignore[arg-type]
        return replace(self, stages={**self.stages, name: stage})
