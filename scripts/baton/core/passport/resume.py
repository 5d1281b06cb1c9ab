"""What must be asked before a boundary is consumed, and where it leads (design page passport,
"Consuming it").
"""

from __future__ import annotations

from dataclasses import dataclass

from baton.core.errors import BatonError
from baton.core.passport.entry import Boundary, Resume
from baton.core.passport.ledger import Awaiting


@dataclass(frozen=True, slots=True)
class Answers:
    """What the command line brings. stage, mode, branch: None when not given."""

    stage: str | None = None
    mode: str | None = None
    branch: str | None = None
    reverified: bool = False
    proceed_unverified: bool = False
    yes: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known outside the boundary.

    top_status: the passport's own `verification_status`. passed_at: when the pipeline's newest
    integrity PASS was recorded (RFC 3339), None without one. pipeline_mode: the mode of the
    pipeline that the passport is bound to, None without one. session: the one that wants to go on.
    kin: the sessions it is a fork of.
    """

    session: str
    kin: tuple[str, ...] = ()
    top_status: str | None = None
    passed_at: str | None = None
    pipeline_mode: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """One thing to ask. code: needs-decision, needs-reverify or needs-mode-yes. text: what to show,
    several lines. flags: what answers it, as it is typed."""

    code: str
    text: str
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Where a boundary leads once all is answered. next_stage None ends the pipeline."""

    boundary: Boundary
    next_stage: str | None
    next_mode: str | None
    chosen_branch: str | None
    override_stage: str | None
    override_mode: str | None
    warnings: tuple[str, ...]

    def entry(self, generated_at: str, session: str) -> Resume:
        """Give the resume entry to append."""
        raise NotImplementedError


def questions(found: Awaiting, answers: Answers, evidence: Evidence) -> list[Question]:
    """Give what must still be asked, in the order in which it is asked; [] when all is answered.

    Raises BatonError where no answer helps: `unknown-branch`, `mode-refused`, `needs-reverify` for
    a re-verification without evidence, `same-session`.
    """
    raise NotImplementedError


def planned(found: Awaiting, answers: Answers, evidence: Evidence) -> Plan:
    """Give the plan. Raises what `questions` raises, and BatonError with the code and the text of
    the first open question."""
    raise NotImplementedError


def continues(found: Awaiting, answers: Answers, evidence: Evidence) -> Plan:
    """Give the plan for going on in the emitting session, for the next stage only.

    Raises BatonError `in-session-refused` under systematic-review, with the instruction repeated;
    else as `planned`.
    """
    raise NotImplementedError


def acknowledgement(plan: Plan, passport: str, artefacts: list[str]) -> str:
    """Give the block that opens the new session: hash, source, recovered stage, what comes next.

    passport: its path from the root. artefacts: references, one line each.
    """
    raise NotImplementedError


__all__ = [
    "Answers",
    "BatonError",
    "Evidence",
    "Plan",
    "Question",
    "acknowledgement",
    "continues",
    "planned",
    "questions",
]
