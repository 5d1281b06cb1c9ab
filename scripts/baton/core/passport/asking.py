"""What must be asked before a boundary is consumed (design page passport, "Consuming it")."""

from __future__ import annotations

from dataclasses import dataclass

from baton.core.errors import BatonError
from baton.core.passport import modes
from baton.core.passport.entry import STATUSES, Boundary, Option, instant
from baton.core.passport.modes import stage_of, stage_or_text
from baton.core.passport.words import led_to, named, shown
from baton.hot import clean

VERIFIED, UNVERIFIED = STATUSES[0], STATUSES[1]


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

    session: the one that wants to go on. kin: the sessions it is a fork of. top_status: the
    passport's own `verification_status`. passed_at: when the pipeline's newest integrity PASS was
    recorded (RFC 3339), None without one. pipeline_mode: the mode of the pipeline that the passport
    is bound to, None without one.
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


def status(boundary: Boundary, top_status: str | None) -> str:
    """Give the worse of the two statuses; what is no status, and none at all, counts as UNVERIFIED."""
    given = [one for one in (boundary.verification_status, top_status) if one is not None]
    known = [one if one in STATUSES else UNVERIFIED for one in given or [UNVERIFIED]]
    return max(known, key=STATUSES.index)


def questions(boundary: Boundary, answers: Answers, evidence: Evidence) -> list[Question]:
    """Give what must still be asked, in the order in which it is asked; [] when all is answered.

    Raises BatonError where no answer helps: `unknown-branch`, `needs-reverify` for a
    re-verification without evidence, `mode-refused`.
    """
    option = option_taken(boundary, answers)
    asked = [_decision_question(boundary, answers) if option is None else None]
    asked.append(_status_question(boundary, answers, evidence))
    if option is not None and answers.mode is not None:
        asked.append(_mode_question(boundary, option, answers))
    return [question for question in asked if question is not None]


def option_taken(boundary: Boundary, answers: Answers) -> Option | None:
    """Give where the boundary leads by itself or by the chosen branch; None while the decision is open."""
    decision = boundary.pending_decision
    if answers.branch is None:
        return None if decision else Option("", boundary.next)
    option = decision.option(answers.branch) if decision else None
    if option is None:
        offered = (
            ", ".join(clean.quoted(one.value, 60) for one in decision.options) if decision else ""
        )
        instead = f"one of {offered}" if decision else "none: this boundary asks for no decision"
        raise BatonError(
            "unknown-branch",
            f"boundary {boundary.hash} has no branch {clean.quoted(answers.branch, 60)}; expected "
            f"{instead}; nothing was written",
            f"baton passport inspect {boundary.hash}",
        )
    return option


def _decision_question(boundary: Boundary, answers: Answers) -> Question | None:
    decision = boundary.pending_decision
    assert decision is not None
    lines = [
        f"{clean.quoted(decision.question, 500)} (boundary {boundary.hash}, stage {shown(boundary.stage)})"
    ]
    lines += [f"  {clean.quoted(one.value, 80)} → {led_to(one)}" for one in decision.options]
    if answers.stage is not None or answers.mode is not None:
        lines.append(
            "  stage= and mode= do not answer it; give them again with the branch if they are still meant"
        )
    return Question("needs-decision", "\n".join(lines), ("--branch VALUE",))


def _status_question(boundary: Boundary, answers: Answers, evidence: Evidence) -> Question | None:
    worst = status(boundary, evidence.top_status)
    if worst == VERIFIED or answers.proceed_unverified:
        return None
    if answers.reverified:
        _require_evidence(boundary, evidence)
        return None
    text = (
        f"the material behind boundary {boundary.hash} is {worst} "
        f"(passport: {_told(evidence.top_status)}, boundary: {_told(boundary.verification_status)}). "
        "Verify it again, or go on without?"
    )
    return Question("needs-reverify", text, ("--reverified", "--proceed-unverified"))


def _require_evidence(boundary: Boundary, evidence: Evidence) -> None:
    if evidence.top_status == VERIFIED or _later(evidence.passed_at, boundary.generated_at):
        return
    raise BatonError(
        "needs-reverify",
        f"nothing shows that the material behind boundary {boundary.hash} was verified again: "
        f"expected verification_status VERIFIED in the passport, or an integrity PASS after "
        f"{boundary.generated_at}; got {_told(evidence.top_status)} and "
        f"{'a PASS at ' + evidence.passed_at if evidence.passed_at else 'no PASS'}; "
        "nothing was written",
        f"baton passport inspect {boundary.hash}",
    )


def _told(text: str | None) -> str:
    return "not said" if text is None else shown(text)


def _later(moment: str | None, than: str) -> bool:
    """Whether one RFC 3339 moment lies after another; no when either names no day of the calendar."""
    one, other = instant(moment or ""), instant(than)
    return one is not None and other is not None and one > other


def _mode_question(boundary: Boundary, option: Option, answers: Answers) -> Question | None:
    assert answers.mode is not None
    stage = stage_or_text(answers.stage or option.next_stage or "")
    verdict, reason = modes.PROHIBITED, "the pipeline ends, there is no stage to run in it"
    if stage:
        before = modes.planned_mode(stage, option.next_mode, boundary.mode)
        written = stage_of(boundary.stage) not in (None, "1")
        verdict, reason = modes.switch(stage, before, answers.mode, written)
    if verdict == modes.PROHIBITED:
        raise BatonError(
            "mode-refused",
            f"mode {shown(answers.mode)} is prohibited here: {reason}; nothing was written",
            f"baton passport inspect {boundary.hash}",
        )
    if verdict == modes.SAFE or answers.yes:
        return None
    text = f"mode {shown(answers.mode)} for stage {named(stage)}: {reason}. Is it meant?"
    return Question("needs-mode-yes", text, ("--yes",))
