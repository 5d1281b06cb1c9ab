"""What keeps a command from being done: one rule each, in the order in which a command is held to them.

A guard raises BatonError and changes nothing; that nothing was recorded is said by whoever asked.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable

from baton.core.errors import BatonError
from baton.core.passport import modes
from baton.core.pipeline import checkpoints, materials, routes, tables
from baton.core.pipeline.asking import Ask, Facts
from baton.core.pipeline.state import (
    ABORTED,
    AWAITING,
    DONE,
    INITIALIZING,
    PAUSED,
    VERIFIED,
    Pipeline,
)
from baton.hot import clean

Guard = Callable[[Pipeline, Ask, Facts], None]
STATUS = "baton pipeline status"


def refused(code: str, message: str, hint: str = STATUS) -> BatonError:
    """Give the refusal of a command by which nothing was recorded."""
    return BatonError(code, f"{message}; nothing was recorded", hint)


def passing(pipeline: Pipeline) -> str:
    """Give the command by which the integrity stage at work passes."""
    zero = " --issues 0" if pipeline.current == "4.5" else ""
    return f"baton pipeline integrity pass --report FILE --draft FILE{zero}"


def is_alive(pipeline: Pipeline, ask: Ask, facts: Facts) -> None:
    """Nothing leaves a pipeline that is completed or aborted."""
    if pipeline.now in (DONE, ABORTED):
        raise refused(
            "illegal-transition",
            f"the pipeline is {pipeline.now}: nothing follows",
            "baton pipeline start --name NAME --entry S",
        )


def is_awake(pipeline: Pipeline, ask: Ask, facts: Facts) -> None:
    """A paused pipeline goes on where it was, and only then."""
    if pipeline.now == PAUSED:
        raise refused("illegal-transition", "the pipeline is paused", "baton pipeline resume")


def is_begun(pipeline: Pipeline, ask: Ask, facts: Facts) -> None:
    """A stage was entered."""
    if not pipeline.current:
        raise refused(
            "illegal-transition",
            f"stage {pipeline.entry} has not begun: its entry is not confirmed",
            "baton pipeline confirm",
        )


def is_at_work(pipeline: Pipeline, ask: Ask, facts: Facts) -> None:
    """The stage is being worked on: it is neither over nor at its checkpoint."""
    point = pipeline.checkpoint
    if point is not None and point.limit:
        raise refused(
            "limit-reached",
            f"stage {point.stage} failed after {tables.CORRECTIONS} rounds of correction: a person must choose",
            way_on(pipeline),
        )
    if pipeline.now == AWAITING:
        raise refused(
            "illegal-transition",
            f"stage {pipeline.current} is over: its checkpoint waits for an answer",
            way_on(pipeline),
        )


def is_ordinary(pipeline: Pipeline, ask: Ask, facts: Facts) -> None:
    """An integrity stage ends by a check, a review by a decision: neither by a word."""
    if pipeline.current in tables.INTEGRITY:
        raise refused(
            "illegal-transition",
            f"stage {pipeline.current} ends with an integrity check that passes, not by a word",
            passing(pipeline),
        )
    if pipeline.current in tables.REVIEWS:
        raise refused(
            "illegal-transition",
            f"stage {pipeline.current} ends with the decision of the review",
            f"baton pipeline decide {'|'.join(tables.DECISIONS[pipeline.current])}",
        )


def is_integrity(pipeline: Pipeline, ask: Ask, facts: Facts) -> None:
    """Integrity is checked in its own stages alone."""
    if pipeline.current not in tables.INTEGRITY:
        raise refused(
            "illegal-transition",
            f"the pipeline stands at stage {pipeline.current}; integrity is checked at 2.5 and 4.5",
        )


def is_open_to_checks(pipeline: Pipeline, ask: Ask, facts: Facts) -> None:
    """A check that passed is not repeated, unless its draft has changed."""
    if pipeline.now == AWAITING and not is_void(pipeline, facts):
        is_at_work(pipeline, ask, facts)


def has_no_issues(pipeline: Pipeline, ask: Ask, facts: Facts) -> None:
    """The final check passes with no issue left, and says so."""
    passes = ask.value == tables.PASS
    if passes and pipeline.current == "4.5" and ask.issues != 0:
        told = "it is not said how many" if ask.issues is None else f"there are {ask.issues}"
        raise refused(
            "illegal-transition",
            f"stage 4.5 passes with no issue left (--issues 0); {told}",
            "baton pipeline integrity fail --report FILE --draft FILE",
        )


def is_review(pipeline: Pipeline, ask: Ask, facts: Facts) -> None:
    """Decisions are made by reviews, each in its own words."""
    known = tables.DECISIONS.get(pipeline.current)
    if known is None:
        raise refused(
            "illegal-transition",
            f"the pipeline stands at stage {pipeline.current}; reviews decide at 3 and 3'",
        )
    if ask.value not in known:
        raise refused(
            "illegal-transition",
            f"stage {pipeline.current} decides {', '.join(known)}; got {clean.quoted(ask.value, 40)}",
            f"baton pipeline decide {'|'.join(known)}",
        )


def is_at_a_gate(pipeline: Pipeline, ask: Ask, facts: Facts) -> None:
    """There is something to confirm: an entry or a checkpoint."""
    if pipeline.now not in (INITIALIZING, AWAITING):
        raise refused(
            "illegal-transition",
            f"stage {pipeline.current} is at work: there is nothing to confirm yet",
        )


def is_open(pipeline: Pipeline, ask: Ask, facts: Facts) -> None:
    """What was handed over in the passport goes on in the session that takes it."""
    point = pipeline.checkpoint
    if point is not None and point.closed and not awaits_a_yes(pipeline):
        said = "is confirmed, and" if point.confirmed else "was handed over, and"
        raise refused(
            "illegal-transition",
            f"stage {point.stage} {said} goes on in the session that takes boundary {point.hash}",
            f"resume_from_passport={point.hash}",
        )


def awaits_a_yes(pipeline: Pipeline) -> bool:
    """Say whether a closed checkpoint wants a person's yes beside the fresh session: it does where it is
    mandatory and offers no choice, whose answer would stand for it."""
    point = pipeline.checkpoint
    return (
        point is not None
        and point.mandatory
        and not point.confirmed
        and not checkpoints.options(pipeline, point.stage)
    )


def is_decided(pipeline: Pipeline, ask: Ask, facts: Facts) -> None:
    """Where nothing follows by itself, a yes is no answer."""
    point = pipeline.checkpoint
    if point is not None and not point.to and not point.closed:
        raise refused(
            "needs-decision",
            f"{checkpoints.question(pipeline, point.stage)} {_offered(pipeline)}",
            way_on(pipeline),
        )


def is_offered(pipeline: Pipeline, ask: Ask, facts: Facts) -> None:
    """What is chosen is one of what is offered."""
    point = pipeline.checkpoint
    if point is not None and point.closed:
        raise refused(
            "illegal-transition",
            f"the choice at stage {point.stage} is made where boundary {point.hash} is taken",
            f"resume_from_passport={point.hash}",
        )
    if routes.choice(pipeline, ask.value) is None and not _eases(pipeline, ask):
        offered = _offered(pipeline) or "Nothing is to be chosen here"
        raise refused(
            "unknown-branch", f"{clean.quoted(ask.value, 40)} is no choice here. {offered}"
        )


def _eases(pipeline: Pipeline, ask: Ask) -> bool:
    at_work = pipeline.checkpoint is None
    return at_work and pipeline.stage.stalled and ask.value in tables.STALL_OPTIONS


def _offered(pipeline: Pipeline) -> str:
    point = pipeline.checkpoint
    if point is None:
        stalled = bool(pipeline.current) and pipeline.stage.stalled
        return f"Offered: {', '.join(tables.STALL_OPTIONS)}" if stalled else ""
    values = [each.value for each in checkpoints.options(pipeline, point.stage)]
    return f"Offered: {', '.join(values)}" if values else ""


def names_a_mode(pipeline: Pipeline, ask: Ask, facts: Facts) -> None:
    """A switch says to what."""
    if ask.value == tables.SWITCH_MODE and ask.mode is None and _eases(pipeline, ask):
        raise refused(
            "usage", "switch-mode needs --mode", "baton pipeline choose switch-mode --mode full"
        )


def fits_its_mode(pipeline: Pipeline, ask: Ask, facts: Facts) -> None:
    """A stage runs in the modes that it has, and switches by the rules for that."""
    if ask.mode is None:
        return
    stage, planned = routes.mode_of(pipeline, ask)
    verdict, reason = modes.switch(stage, planned, ask.mode, routes.has_draft(pipeline))
    if verdict == modes.PROHIBITED:
        raise refused("mode-refused", f"mode {clean.quoted(ask.mode, 40)} is prohibited: {reason}")
    if verdict == modes.ASKS and planned is not None and not ask.yes:
        raise refused(
            "needs-mode-yes",
            f"mode {clean.quoted(ask.mode, 40)} for stage {stage}: {reason}. Is it meant?",
            "the same command with --yes",
        )


def is_void(pipeline: Pipeline, facts: Facts) -> bool:
    """Say whether the check that the pipeline stands behind is worth nothing: its draft has changed."""
    if pipeline.current not in tables.INTEGRITY:
        return False
    stage = pipeline.stage
    return stage.verdict == VERIFIED and stage.draft is not None and facts.changed(stage.draft)


def is_valid(pipeline: Pipeline, ask: Ask, facts: Facts) -> None:
    """What was checked is what goes on."""
    if is_void(pipeline, facts):
        draft = pipeline.stage.draft
        assert draft is not None
        became = "is gone" if facts.gone(draft) else "has changed"
        raise refused(
            "integrity-void",
            f"{clean.line(draft.path, 120)} {became} since it passed stage {pipeline.current}: "
            "the check is STALE",
            passing(pipeline),
        )


def is_stocked(pipeline: Pipeline, ask: Ask, facts: Facts) -> None:
    """What the next stage requires is there, or goes at a person's risk."""
    has_what_it_needs(pipeline, routes.wants(pipeline, ask), ask.risk, facts)


def has_what_it_needs(pipeline: Pipeline, to: str, risk_taken: bool, facts: Facts) -> None:
    """Raise `missing-material` where what `to` (a stage, or END) requires is not there.

    risk_taken: whether a person goes on without, which no integrity material allows.
    """
    missing = [gap for gap in materials.gaps(pipeline, to, facts) if gap.required]
    if not missing or (risk_taken and not any(gap.integrity for gap in missing)):
        return
    told = ", ".join(_gap(gap) for gap in missing)
    place = "the delivery" if to == tables.END else f"stage {to}"
    risk = "" if any(gap.integrity for gap in missing) else " (or --accept-risk, a person's act)"
    name = missing[0].name.partition(" or ")[0]
    raise refused(
        "missing-material",
        f"{place} needs {told}{risk}",
        f"baton pipeline material {shlex.quote(name)} FILE",
    )


def _gap(gap: materials.Gap) -> str:
    counted = f" {gap.got}/{gap.wanted}" if gap.wanted > 1 else ""
    made = f" (stage {gap.made} makes it)" if gap.made else ""
    return f"{gap.name}{counted}{made}"


def may_be_skipped(pipeline: Pipeline, ask: Ask, facts: Facts) -> None:
    """Three stages may be skipped, each under its condition; no integrity check ever."""
    stage = routes.skipped_stage(pipeline, ask)
    row = next((each for each in tables.SKIPS if each.stage == stage), None)
    if row is None:
        raise refused(
            "cannot-skip",
            f"stage {stage} cannot be skipped; stages that can: "
            + ", ".join(f"{each.stage} ({each.reason})" for each in tables.SKIPS),
        )
    if not routes.is_due(pipeline, row):
        raise refused(
            "cannot-skip", f"stage {stage} is not due: the pipeline stands at {pipeline.current}"
        )
    if row.when and pipeline.decision not in row.when:
        raise refused(
            "cannot-skip",
            f"stage {stage} is skipped only where {row.reason}; the decision is {pipeline.decision or 'not known'}",
        )
    if row.needs and not materials.there(pipeline, row.needs, facts):
        raise refused(
            "missing-material",
            f"stage {stage} is skipped only where {row.reason}: {row.needs} is not recorded",
            f"baton pipeline material {shlex.quote(row.needs)} FILE",
        )


def is_a_material(pipeline: Pipeline, ask: Ask, facts: Facts) -> None:
    """Materials have names; those of an integrity check are made by the check."""
    row = tables.BY_NAME.get(ask.value)
    if row is None:
        raise refused(
            "usage",
            f"no material is called {clean.quoted(ask.value, 60)}; there are {', '.join(tables.BY_NAME)}",
            "baton pipeline material 'Paper Draft' FILE",
        )
    if row.integrity and pipeline.current:
        raise refused(
            "illegal-transition",
            f"{row.name} is made by the integrity check itself",
            passing(pipeline),
        )


def is_paused(pipeline: Pipeline, ask: Ask, facts: Facts) -> None:
    """Only what was paused is resumed."""
    if pipeline.now != PAUSED:
        raise refused("illegal-transition", f"the pipeline is not paused: it is {pipeline.now}")


def way_on(pipeline: Pipeline) -> str:
    """Give the command that answers the checkpoint where the pipeline stands."""
    point = pipeline.checkpoint
    assert point is not None
    if point.closed and not awaits_a_yes(pipeline):
        return f"resume_from_passport={point.hash}"
    if point.to:
        return "baton pipeline confirm"
    values = [each.value for each in checkpoints.options(pipeline, point.stage)]
    return f"baton pipeline choose {'|'.join(values)}"
