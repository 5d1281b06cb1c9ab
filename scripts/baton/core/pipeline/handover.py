"""The pipeline and its passport: what a boundary says of a checkpoint, and what a ledger's entries make
of the log (design page pipeline, "With the passport").

Two files, one truth: the ledger is written first, and the log takes in what it does not know yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from baton.core.passport.entry import Boundary, Decision, Option, Resume
from baton.core.passport.ledger import Ledger
from baton.core.passport.modes import stage_of
from baton.core.pipeline import checkpoints, guards, machine, routes, tables
from baton.core.pipeline.asking import Ask, Facts
from baton.core.pipeline.event import Event, Taken
from baton.core.pipeline.state import FULL, STALE, UNVERIFIED, VERIFIED, Pipeline
from baton.hot import clean


@dataclass(frozen=True, slots=True)
class Draft:
    """What a boundary says of the stage whose work is over. next None: nothing follows, or a person
    must choose."""

    stage: str
    next: str | None
    mode: str | None
    status: str | None
    decision: Decision | None


def needs_boundary(pipeline: Pipeline) -> bool:
    """Say whether the checkpoint that is due is handed over to a fresh session."""
    return pipeline.reset and checkpoints.level(pipeline, pipeline.current) == FULL


def draft(pipeline: Pipeline, facts: Facts) -> Draft:
    """Give what the boundary of the stage says whose work is over."""
    stage = pipeline.current
    to, _ = checkpoints.leads_to(pipeline, stage)
    limit = checkpoints.standing(pipeline, stage) == tables.LIMIT
    following = stage if limit else None if to in ("", tables.END) else to
    return Draft(
        stage, following, pipeline.stage.mode, status(pipeline, facts), decision(pipeline, stage)
    )


def decision(pipeline: Pipeline, stage: str) -> Decision | None:
    """Give what must be decided at the checkpoint behind `stage`, None where nothing is."""
    options = checkpoints.options(pipeline, stage)
    if not options:
        return None
    offered = tuple(
        Option(each.value, None if each.to == tables.ABORT else each.to, each.mode)
        for each in options
    )
    return Decision(checkpoints.question(pipeline, stage), offered)


def status(pipeline: Pipeline, facts: Facts) -> str | None:
    """Give the verification status of what was made so far, None while no check speaks of it.

    A check speaks for its own stage and, as long as nobody revised the paper since, for the one
    behind it. What a person went on with unverified stays so.
    """
    speaks = {"2.5": "2.5", "3": "2.5", "4.5": "4.5", "5": "4.5"}.get(pipeline.current)
    if speaks is None:
        return UNVERIFIED if pipeline.unverified else None
    verdict = pipeline.stages[speaks].verdict
    if speaks == pipeline.current and not verdict:
        return UNVERIFIED
    if guards.is_void(pipeline, facts):
        return STALE
    if verdict == VERIFIED and pipeline.unverified:
        return UNVERIFIED
    return verdict or None


def due(pipeline: Pipeline, ledger: Ledger, facts: Facts) -> Event | None:
    """Give the first event that the ledger knows of and the log does not; None when there is none.

    A boundary is taken for the pipeline's own only where the work of its stage is over by the log: a
    boundary that somebody else appended passes no gate.
    """
    point = pipeline.checkpoint
    if machine.is_ending(pipeline):
        boundary = _unknown(pipeline, ledger)
        if boundary is None or not needs_boundary(pipeline):
            return None
        return machine.reached(pipeline, boundary.version_label, boundary.hash)
    if point is None or point.hash is None or point.taken:
        return None
    resume = ledger.consumer(point.hash)
    if resume is None:
        return None
    boundary = next(each for each in ledger.boundaries if each.hash == point.hash)
    return taken(pipeline, boundary, resume, facts)


def _unknown(pipeline: Pipeline, ledger: Ledger) -> Boundary | None:
    later = ledger.entries[pipeline.entries :]
    found = (each for each in later if isinstance(each, Boundary))
    return next(
        (
            each
            for each in found
            if each.hash not in pipeline.known and stage_of(each.stage) == pipeline.current
        ),
        None,
    )


def taken(pipeline: Pipeline, boundary: Boundary, resume: Resume, facts: Facts) -> Taken:
    """Give what a resume in the ledger makes of the pipeline, which stands at that boundary's checkpoint.

    It may have been written where no log was at hand: a gate that is not passed stays shut.
    """
    point = pipeline.checkpoint
    assert point is not None
    branch = resume.chosen_branch or ""
    to, named = route(boundary, resume)
    objection = routes.objection(pipeline, to, branch)
    override = resume.user_override is not None and resume.user_override.stage is not None
    chosen = routes.choice(pipeline, branch) if branch else None
    counts = branch if chosen is not None and chosen.to == to else ""
    again = override and to != point.to and routes.runs_again(pipeline, to)
    # Who goes back passes no gate.
    yes = again or _passes(pipeline, bool(counts), facts)
    mode = routes.first_mode(pipeline, to, named) if to in tables.ORDER else None
    return Taken(
        hash=boundary.hash,
        by=resume.session_marker,
        when=resume.generated_at,
        branch="" if objection else counts,
        to=to if yes and not objection else "",
        planned="" if objection else to,
        mode=None if objection else mode,
        rerun=again and not objection,
        refused=to if objection else "",
    )


def _passes(pipeline: Pipeline, chosen: bool, facts: Facts) -> bool:
    """Whether the checkpoint lets on who takes its hand-over."""
    point = pipeline.checkpoint
    assert point is not None
    agreed = chosen or point.confirmed or not point.mandatory
    return agreed and not guards.is_void(pipeline, facts)


def route(boundary: Boundary, resume: Resume) -> tuple[str, str | None]:
    """Give where a resume leads, a stage, END or ABORT, and the mode of that stage."""
    decision_ = boundary.pending_decision
    branch = resume.chosen_branch
    option = decision_.option(branch) if decision_ and branch is not None else None
    stage = option.next_stage if option else boundary.next
    mode_ = option.next_mode if option else None
    override = resume.user_override
    if override is not None:
        stage = stage if override.stage is None else override.stage
        mode_ = mode_ if override.mode is None else override.mode
    if stage is None:
        return (tables.ABORT if option else tables.END), None
    return stage_of(stage) or stage, mode_


def objection(pipeline: Pipeline, boundary: Boundary, resume: Resume, facts: Facts) -> None:
    """Return when a boundary may be taken in that way, before anything is written to the ledger.

    Raises BatonError: `illegal-transition` with the reason, `integrity-void`, `missing-material`.
    """
    point = pipeline.checkpoint
    hint = guards.STATUS
    if boundary.hash not in pipeline.known:
        return
    guards.is_alive(pipeline, _NOTHING, facts)
    if point is None or point.hash != boundary.hash:
        at = f"stage {pipeline.current} is {pipeline.stage.state}"
        raise guards.refused(
            "illegal-transition",
            f"boundary {boundary.hash} is not the one that the pipeline stands at ({at})",
            hint,
        )
    branch = resume.chosen_branch or ""
    to, _ = route(boundary, resume)
    why = routes.objection(pipeline, to, branch)
    if why:
        raise guards.refused(
            "illegal-transition",
            f"stage {point.stage} cannot lead to {to}: {why}",
            f"baton pipeline can {point.stage} {to}",
        )
    if not routes.runs_again(pipeline, to):
        guards.is_valid(pipeline, _NOTHING, facts)
        guards.has_what_it_needs(pipeline, to, False, facts)


def rerun(pipeline: Pipeline, boundary: Boundary, resume: Resume) -> str:
    """Say what it means that a stage runs again where a resume leads to one that ran before; "" where it
    does not."""
    point = pipeline.checkpoint
    to, _ = route(boundary, resume)
    override = resume.user_override
    if point is None or override is None or override.stage is None or to == point.to:
        return ""
    if point.hash != boundary.hash or not routes.runs_again(pipeline, to):
        return ""
    later = tables.ORDER[tables.ORDER.index(to) : tables.ORDER.index(pipeline.current) + 1]
    stage = pipeline.stages[to]
    return (
        f"Stage {to} runs again (attempt {stage.attempt + 1}, after version {stage.version}): "
        f"{', '.join(later)} pend again. Materials are kept, and so is what is counted: "
        f"rounds of correction {_rounds(pipeline)}, re-revisions {pipeline.rerevised}/{tables.RE_REVISIONS}"
    )


def _rounds(pipeline: Pipeline) -> str:
    return ", ".join(
        f"{min(pipeline.stages[name].rounds, tables.CORRECTIONS)}/{tables.CORRECTIONS} at {name}"
        for name in tables.INTEGRITY
    )


def still_at_work(pipelines: Sequence[Pipeline], resume: Resume, stage: str) -> bool:
    """Say whether the stage that a resume led to has not ended, as far as the pipelines that are bound to
    its passport know of it; it has not where none does."""
    knowing = [each for each in pipelines if resume.consumes_hash in each.known]
    if not knowing:
        return True
    pipeline = knowing[-1]
    point = pipeline.checkpoint
    if point is not None and point.hash == resume.consumes_hash and not point.taken:
        return not pipeline.over
    at_work = pipeline.current == (stage_of(stage) or stage) and point is None
    return at_work and not pipeline.over


def artefacts(pipeline: Pipeline) -> list[str]:
    """Give what the pipeline recorded, as references, one line each."""
    return [
        f"{name}: {clean.line(file.path, 120)} (sha256 {file.digest[:12]})"
        for name, recorded in pipeline.materials.items()
        for file in recorded
    ]


_NOTHING = Ask("resume")
