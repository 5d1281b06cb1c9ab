"""The machine: a command, held to its guards, and what it then comes to (design page pipeline).

Pure: it is given where the pipeline stands, what is asked and what the recorded files are now. It
knows of no clock, no file and no session.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from baton.core.pipeline import checkpoints, guards, materials, routes, tables
from baton.core.pipeline import event as events
from baton.core.pipeline.asking import Ask, Facts, Outcome
from baton.core.pipeline.event import Event
from baton.core.pipeline.guards import Guard
from baton.core.pipeline.state import PAUSED, Pipeline

Deed = Callable[[Pipeline, Ask, Facts], Outcome]


@dataclass(frozen=True, slots=True)
class Command:
    """guards: in the order in which they are asked. does: what follows once none objects."""

    guards: tuple[Guard, ...]
    does: Deed


def step(pipeline: Pipeline, ask: Ask, facts: Facts) -> Outcome:
    """Give what a command comes to. Raises BatonError for one that is refused; then nothing changes."""
    command = COMMANDS[ask.command]
    for guard in command.guards:
        guard(pipeline, ask, facts)
    return command.does(pipeline, ask, facts)


def is_ending(pipeline: Pipeline | None) -> bool:
    """Say whether a stage's work is over and its checkpoint is still to be reached."""
    return bool(pipeline and pipeline.current and pipeline.stage.over and not pipeline.over)


def reached(pipeline: Pipeline, version: str, hash_: str | None) -> events.Reached:
    """Give the checkpoint of the stage whose work is over. hash_: of the boundary left for it."""
    stage = pipeline.current
    to, mode = checkpoints.leads_to(pipeline, stage)
    level = checkpoints.level(pipeline, stage)
    mandatory = checkpoints.is_mandatory(stage)
    return events.Reached(stage, level, mandatory, version, hash_, to, mode)


def _confirm(pipeline: Pipeline, ask: Ask, facts: Facts) -> Outcome:
    risked = _risked(pipeline, ask, facts)
    point = pipeline.checkpoint
    if point is None:
        entry = pipeline.entry
        mode = routes.first_mode(pipeline, entry, ask.mode)
        asks = f"shall the pipeline begin with stage {entry}, and pass over what comes before it?"
        return Outcome((*risked, events.Entered(entry, mode)), "" if entry == "1" else asks)
    asks = (
        f"stage {point.stage} is at its checkpoint; shall it go on with {_named(point.to)}?"
        if point.mandatory or ask.risk or ask.yes
        else ""
    )
    if point.closed:
        return Outcome((*risked, events.Confirmed(point.stage, "", None)), asks)
    mode = (
        None
        if point.to == tables.END
        else routes.first_mode(pipeline, point.to, ask.mode, point.mode)
    )
    return Outcome((*risked, events.Confirmed(point.stage, point.to, mode)), asks)


def _complete(pipeline: Pipeline, ask: Ask, facts: Facts) -> Outcome:
    finished = events.Finished(pipeline.current, ask.items)
    return Outcome((*_risked(pipeline, ask, facts), finished), _risk_act(ask))


def _integrity(pipeline: Pipeline, ask: Ask, facts: Facts) -> Outcome:
    assert ask.report is not None and ask.draft is not None
    stage = pipeline.stage
    # The first check is no correction yet.
    limit = ask.value != tables.PASS and stage.fails >= tables.CORRECTIONS
    checked = events.Checked(
        pipeline.current, ask.value, ask.report, ask.draft, ask.issues, ask.items, limit
    )
    return Outcome((checked,))


def _decide(pipeline: Pipeline, ask: Ask, facts: Facts) -> Outcome:
    decided = events.Decided(pipeline.current, ask.value, ask.items)
    return Outcome((*_risked(pipeline, ask, facts), decided), _risk_act(ask))


def _choose(pipeline: Pipeline, ask: Ask, facts: Facts) -> Outcome:
    chosen = routes.choice(pipeline, ask.value)
    if chosen is None:
        asks = f"stage {pipeline.current} stalled; shall it go on with {ask.value}?"
        return Outcome((events.Chosen(pipeline.current, ask.value, "", ask.mode),), asks)
    asks = f"at the checkpoint of stage {chosen.stage}: {chosen.value} ({chosen.told})?"
    mode = None
    if chosen.to != tables.ABORT:
        mode = routes.first_mode(pipeline, chosen.to, ask.mode, chosen.mode)
    event = events.Chosen(chosen.stage, chosen.value, chosen.to, mode)
    return Outcome((*_risked(pipeline, ask, facts), event), asks)


def _material(pipeline: Pipeline, ask: Ask, facts: Facts) -> Outcome:
    if pipeline.materials.get(ask.value) == ask.files:
        return Outcome(())
    return Outcome((events.Recorded(ask.value, ask.files),))


def _pause(pipeline: Pipeline, ask: Ask, facts: Facts) -> Outcome:
    return Outcome(() if pipeline.now == PAUSED else (events.Paused(ask.value),))


def _resume(pipeline: Pipeline, ask: Ask, facts: Facts) -> Outcome:
    return Outcome((events.Resumed(),))


def _skip(pipeline: Pipeline, ask: Ask, facts: Facts) -> Outcome:
    stage = routes.skipped_stage(pipeline, ask)
    row = next(each for each in tables.SKIPS if each.stage == stage)
    asks = f"shall stage {stage} be skipped, because {row.reason}?"
    mode = routes.first_mode(pipeline, row.to, ask.mode)
    return Outcome((events.Skipped(stage, row.to, mode),), asks)


def _stall(pipeline: Pipeline, ask: Ask, facts: Facts) -> Outcome:
    stalled = pipeline.stage.stalled and pipeline.reason == ask.value
    return Outcome(() if stalled else (events.Stalled(pipeline.current, ask.value),))


def _mode(pipeline: Pipeline, ask: Ask, facts: Facts) -> Outcome:
    assert ask.mode is not None
    if pipeline.stage.mode == ask.mode:
        return Outcome(())
    asks = f"shall stage {pipeline.current} go on in mode {ask.mode}?" if ask.yes else ""
    return Outcome((events.Switched(pipeline.current, ask.mode),), asks)


def _abort(pipeline: Pipeline, ask: Ask, facts: Facts) -> Outcome:
    return Outcome((events.Aborted(ask.value),), "shall the whole pipeline be given up?")


def _named(to: str) -> str:
    return "the delivery of the paper" if to == tables.END else f"stage {to}"


def _risked(pipeline: Pipeline, ask: Ask, facts: Facts) -> tuple[Event, ...]:
    if not ask.risk:
        return ()
    to = routes.wants(pipeline, ask)
    names = [gap.name for gap in materials.gaps(pipeline, to, facts) if gap.required]
    return (events.Risked(to, tuple(names)),) if names else ()


def _risk_act(ask: Ask) -> str:
    return "shall it go on without the required materials, at your own risk?" if ask.risk else ""


_LIVE = (guards.is_alive, guards.is_awake)
_AT_WORK = (*_LIVE, guards.is_begun, guards.is_at_work)
COMMANDS: dict[str, Command] = {
    "confirm": Command(
        (
            *_LIVE,
            guards.is_at_a_gate,
            guards.is_open,
            guards.is_decided,
            guards.is_valid,
            guards.fits_its_mode,
            guards.is_stocked,
        ),
        _confirm,
    ),
    "complete": Command((*_AT_WORK, guards.is_ordinary, guards.is_stocked), _complete),
    "integrity": Command(
        (
            *_LIVE,
            guards.is_begun,
            guards.is_integrity,
            guards.is_open_to_checks,
            guards.has_no_issues,
        ),
        _integrity,
    ),
    "decide": Command((*_AT_WORK, guards.is_review, guards.is_stocked), _decide),
    "choose": Command(
        (
            *_LIVE,
            guards.is_begun,
            guards.is_offered,
            guards.names_a_mode,
            guards.is_valid,
            guards.fits_its_mode,
            guards.is_stocked,
        ),
        _choose,
    ),
    "material": Command((*_LIVE, guards.is_a_material), _material),
    "pause": Command((guards.is_alive,), _pause),
    "resume": Command((guards.is_alive, guards.is_paused), _resume),
    "skip": Command((*_LIVE, guards.is_begun, guards.may_be_skipped), _skip),
    "stall": Command(_AT_WORK, _stall),
    "mode": Command((*_AT_WORK, guards.fits_its_mode), _mode),
    "abort": Command((guards.is_alive,), _abort),
}
"""Every command, what it is held to, and what it does."""
