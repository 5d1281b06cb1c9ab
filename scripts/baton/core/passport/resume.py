"""What must be asked before a boundary is consumed, and where it leads (design page passport,
"Consuming it").
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from baton.core.errors import BatonError
from baton.core.passport import asking
from baton.core.passport.asking import Answers, Evidence, Question
from baton.core.passport.entry import Boundary, Option, Override, Resume
from baton.core.passport.ledger import Awaiting
from baton.core.passport.modes import STAGES, SYSTEMATIC_REVIEW, stage_of, stage_or_text
from baton.core.passport.tag import instruction
from baton.core.passport.words import shown

__all__ = ["Answers", "Evidence", "Plan", "Question", "continues", "planned", "questions"]


@dataclass(frozen=True, slots=True)
class Plan:
    """Where a boundary leads once all is answered. next_stage None ends the pipeline.

    recorded: where it would have led without the override. warnings: one sentence each.
    """

    boundary: Boundary
    next_stage: str | None
    next_mode: str | None
    recorded: Option
    chosen_branch: str | None = None
    override: Override | None = None
    warnings: tuple[str, ...] = ()

    def entry(self, generated_at: str, session: str) -> Resume:
        """Give the resume entry to append."""
        return Resume(self.boundary.hash, generated_at, session, self.chosen_branch, self.override)


def questions(found: Awaiting, answers: Answers, evidence: Evidence) -> list[Question]:
    """Give what must still be asked, in the order in which it is asked; [] when all is answered.

    Raises BatonError where no answer helps: `same-session`, `unknown-branch`, `needs-reverify` for
    a re-verification without evidence, `mode-refused`.
    """
    _refuse_same_session(found.boundary, evidence)
    return asking.questions(found.boundary, answers, evidence)


def planned(found: Awaiting, answers: Answers, evidence: Evidence) -> Plan:
    """Give the plan. Raises what `questions` raises, and BatonError with the code and the text of
    the first open question."""
    _refuse_same_session(found.boundary, evidence)
    return _planned(found, answers, evidence)


def continues(found: Awaiting, answers: Answers, evidence: Evidence, passport: str) -> Plan:
    """Give the plan for going on in the emitting session, for the next stage only.

    passport: its path from the root. Raises BatonError `in-session-refused` under
    systematic-review, with the instruction repeated; else as `planned`, but for `same-session`.
    """
    boundary = found.boundary
    if is_systematic_review(boundary, evidence):
        raise BatonError(
            "in-session-refused",
            "a systematic review goes on in a fresh session only; nothing was written\n\n"
            f"{instruction(passport, boundary.hash)}",
            f"resume_from_passport={boundary.hash}",
        )
    return _planned(found, answers, evidence)


def is_systematic_review(boundary: Boundary, evidence: Evidence) -> bool:
    """Say whether the boundary's own mode or that of its pipeline is systematic-review."""
    return SYSTEMATIC_REVIEW in (boundary.mode, evidence.pipeline_mode)


def _refuse_same_session(boundary: Boundary, evidence: Evidence) -> None:
    ours = (evidence.session, *evidence.kin)
    if is_systematic_review(boundary, evidence) and boundary.session_marker in ours:
        raise BatonError(
            "same-session",
            f"boundary {boundary.hash} of a systematic review was emitted by this session (or one "
            "that it is a fork of); a fresh session must consume it; nothing was written",
            f"resume_from_passport={boundary.hash}",
        )


def _planned(found: Awaiting, answers: Answers, evidence: Evidence) -> Plan:
    boundary = found.boundary
    open_ = asking.questions(boundary, answers, evidence)
    if open_:
        raise BatonError(open_[0].code, open_[0].text, f"baton passport inspect {boundary.hash}")
    recorded = asking.option_taken(boundary, answers)
    assert recorded is not None
    stage = None if answers.stage is None else stage_or_text(answers.stage)
    override = Override(stage, answers.mode)
    return Plan(
        boundary,
        recorded.next_stage if stage is None else stage,
        recorded.next_mode if answers.mode is None else answers.mode,
        recorded,
        answers.branch,
        None if override == Override() else override,
        tuple(_warnings(found, answers, evidence)),
    )


def _warnings(found: Awaiting, answers: Answers, evidence: Evidence) -> Iterable[str]:
    worst = asking.status(found.boundary, evidence.top_status)
    if worst != asking.VERIFIED and not answers.reverified:
        yield f"the material is {worst}, and goes on so"
    if answers.stage is not None and _is_strange(answers.stage, found.boundary):
        yield f"stage {shown(answers.stage)} is none of {', '.join(STAGES)}"
    if found.superseded:
        yield "a newer boundary of this passport awaits too; this one is superseded"


def _is_strange(stage: str, boundary: Boundary) -> bool:
    """Whether a stage is none of ours, asked for where stages are: mistyped, as likely as not."""
    return stage_of(boundary.stage) is not None and stage_of(stage) is None
