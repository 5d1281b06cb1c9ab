"""What must be asked before a boundary is consumed, and where it leads (design page passport,
"Consuming it").
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from baton.core.errors import BatonError
from baton.core.passport import modes
from baton.core.passport.entry import STATUSES, Boundary, Option, Override, Resume
from baton.core.passport.ledger import Awaiting
from baton.core.passport.modes import STAGES, SYSTEMATIC_REVIEW, stage_of, stage_or_text
from baton.core.passport.tag import instruction
from baton.hot import clean

VERIFIED, UNVERIFIED = STATUSES[0], STATUSES[1]
_SIMPLE = re.compile(r"[\w.':+/-]{1,80}")


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
    return _questions(found.boundary, answers, evidence)


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


def status(boundary: Boundary, top_status: str | None) -> str:
    """Give the worse of the two statuses; what is no status, and none at all, counts as UNVERIFIED."""
    given = [one for one in (boundary.verification_status, top_status) if one is not None]
    known = [one if one in STATUSES else UNVERIFIED for one in given or [UNVERIFIED]]
    return max(known, key=STATUSES.index)


# ---- what is asked ----


def _refuse_same_session(boundary: Boundary, evidence: Evidence) -> None:
    ours = (evidence.session, *evidence.kin)
    if is_systematic_review(boundary, evidence) and boundary.session_marker in ours:
        raise BatonError(
            "same-session",
            f"boundary {boundary.hash} of a systematic review was emitted by this session (or one "
            "that it is a fork of); a fresh session must consume it; nothing was written",
            f"resume_from_passport={boundary.hash}",
        )


def _questions(boundary: Boundary, answers: Answers, evidence: Evidence) -> list[Question]:
    option = _option(boundary, answers)
    asked = [_decision_question(boundary, answers) if option is None else None]
    asked.append(_status_question(boundary, answers, evidence))
    if option is not None and answers.mode is not None:
        asked.append(_mode_question(boundary, option, answers))
    return [question for question in asked if question is not None]


def _option(boundary: Boundary, answers: Answers) -> Option | None:
    """Where the boundary leads by itself or by the chosen branch; None while the decision is open."""
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
    lines += [f"  {clean.quoted(one.value, 80)} → {_led_to(one)}" for one in decision.options]
    if answers.stage is not None or answers.mode is not None:
        lines.append(
            "  stage= and mode= do not answer it; give them again with the branch if they are still meant"
        )
    return Question("needs-decision", "\n".join(lines), ("--branch VALUE",))


def _led_to(option: Option) -> str:
    if option.next_stage is None:
        return "ends the pipeline"
    mode = f", mode {shown(option.next_mode)}" if option.next_mode is not None else ""
    return f"stage {named(option.next_stage)}{mode}"


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
    one, other = _parsed(moment or ""), _parsed(than)
    return one is not None and other is not None and one > other


def _parsed(text: str) -> datetime | None:
    try:
        # A leap second is no moment to Python.
        return datetime.fromisoformat(re.sub(r"(:[0-5]\d):60", r"\1:59", text.upper()))
    except ValueError:
        return None


def _mode_question(boundary: Boundary, option: Option, answers: Answers) -> Question | None:
    assert answers.mode is not None
    stage = stage_or_text(answers.stage or option.next_stage or "")
    before = modes.planned_mode(stage, option.next_mode or boundary.mode)
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


# ---- where it leads ----


def _planned(found: Awaiting, answers: Answers, evidence: Evidence) -> Plan:
    boundary = found.boundary
    open_ = _questions(boundary, answers, evidence)
    if open_:
        raise BatonError(open_[0].code, open_[0].text, f"baton passport inspect {boundary.hash}")
    recorded = _option(boundary, answers)
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
    worst = status(found.boundary, evidence.top_status)
    if worst != VERIFIED and not answers.reverified:
        yield f"the material is {worst}, and goes on so"
    if found.superseded:
        yield "a newer boundary of this passport awaits too; this one is superseded"


def acknowledgement(plan: Plan, passport: str, artefacts: Iterable[str] = ()) -> str:
    """Give the block that opens the new session: hash, source, recovered stage, what comes next.

    passport: its path from the root. artefacts: references, one line each.
    """
    boundary = plan.boundary
    lines = [
        "### Resume Acknowledged",
        f"- Hash: {boundary.hash}",
        f"- Source session: {shown(boundary.session_marker)}, {boundary.generated_at}",
        f"- Recovered stage: {named(boundary.stage)}, version {shown(boundary.version_label)}",
        f"- Next stage: {_next_line(plan)}",
    ]
    if plan.chosen_branch is not None:
        lines.append(f"- Decision: {shown(plan.chosen_branch)}")
    lines += [f"- Warning: {warning}" for warning in plan.warnings]
    lines.append(f"- Passport: {clean.line(passport)}")
    lines += [f"- Artefact: {clean.line(artefact, 300)}" for artefact in artefacts]
    lines.append(
        "The passport is the only input to the next stage; earlier stages need not be told again."
    )
    return "\n".join(lines)


def _next_line(plan: Plan) -> str:
    leads = _led_to(Option("", plan.next_stage, plan.next_mode))
    line = (
        leads.removeprefix("stage ") if plan.next_stage is not None else "none, the pipeline ends"
    )
    if plan.override is None:
        return line
    given = [("stage", plan.override.stage), ("mode", plan.override.mode)]
    parts = [f"{key}={shown(value)}" for key, value in given if value is not None]
    return f"{line} [override: {' '.join(parts)}; recorded: {_led_to(plan.recorded)}]"


def named(stage: str) -> str:
    """Give a stage with its name behind it, where it is one of ours."""
    known = stage_of(stage)
    return f"{shown(stage)} ({STAGES[known]})" if known else shown(stage)


def shown(text: str | None) -> str:
    """Give a value from a file for showing: as it is when it is a plain word, else quoted."""
    text = text or ""
    return text if _SIMPLE.fullmatch(text) else clean.quoted(text, 80)
