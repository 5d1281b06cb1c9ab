"""What a command has come to, in lines for a person and a model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from baton.core.passport.modes import STAGES
from baton.core.pipeline import checkpoints, tables
from baton.core.pipeline import event as events
from baton.core.pipeline import state as states
from baton.core.pipeline.event import Event
from baton.core.pipeline.moves import Legal
from baton.core.pipeline.state import Pipeline
from baton.hot import clean

_NEXT = 4


def happened(before: Pipeline | None, after: Pipeline, done: Sequence[Event]) -> list[str]:
    """Give what happened, one line each. before: where it stood, None for a pipeline that was just
    started."""
    lines = [line for event in done for line in _lines(before, after, event)]
    return lines or ["nothing to do: it is so already"]


def named(stage: str) -> str:
    """Give a stage with its name, in words for where it is none."""
    if stage in STAGES:
        return f"stage {stage} {STAGES[stage]}"
    return "the delivery of the paper" if stage == tables.END else stage


def _lines(before: Pipeline | None, after: Pipeline, event: Event) -> Iterable[str]:
    match event:
        case events.Started():
            yield f"the pipeline is set up to begin with {named(event.entry)}"
        case events.Recorded():
            paths = ", ".join(clean.line(file.path, 60) for file in event.files[:5])
            yield f"{event.material}: {len(event.files)} file(s) recorded: {paths}"
        case events.Checked():
            yield from _checked(after, event)
        case events.Decided():
            yield f"{named(event.stage)}: the decision is {event.decision}"
        case events.Finished():
            yield f"{named(event.stage)} is complete"
        case events.Reached():
            yield from _reached(after, event)
        case events.Stalled():
            yield f"{named(event.stage)} is marked as stalled"
        case events.Switched():
            yield f"{named(event.stage)} goes on in mode {event.mode}"
        case events.Risked():
            yield f"at your own risk, without {', '.join(event.materials)}"
        case events.Paused():
            yield f"paused {_where(after)}"
        case events.Resumed():
            yield f"resumed {_where(after)}"
        case events.Aborted():
            yield "the pipeline is aborted; everything that was made stays where it is"
        case _:
            yield from _went(before, after, event)


def _where(pipeline: Pipeline) -> str:
    return f"at {named(pipeline.current)}" if pipeline.current else "before its first stage"


def _checked(after: Pipeline, event: events.Checked) -> Iterable[str]:
    if event.verdict == tables.PASS:
        yield f"{named(event.stage)}: PASS"
        return
    stage = after.stages[event.stage]
    left = tables.CORRECTIONS + 1 - stage.fails
    items = "; ".join(clean.quoted(item, 80) for item in event.items)
    if event.limit:
        listed = items or f"they stand in {clean.line(event.report.path, 80)}"
        yield f"{named(event.stage)}: FAIL, and all {tables.CORRECTIONS} rounds of correction are used up"
        yield f"what cannot be verified: {listed}"
        return
    yield f"{named(event.stage)}: FAIL; {left} round(s) of correction left"
    yield f"Action: {tables.row(event.stage, event.stage).action}"


def _reached(after: Pipeline, event: events.Reached) -> Iterable[str]:
    mandatory = ", MANDATORY" if event.mandatory else ""
    yield f"checkpoint behind {named(event.stage)} ({event.level}{mandatory}), version {clean.line(event.version, 40)}"
    told = checkpoints.awareness(after)
    if told:
        yield told
    if event.hash is None:
        yield f"Action: {tables.row('1', tables.CHECKPOINT).action}"


def _went(before: Pipeline | None, after: Pipeline, event: Event) -> Iterable[str]:
    """A confirmation, a choice, a skip, an entry or a hand-over that was taken."""
    if isinstance(event, events.Skipped):
        yield f"{named(event.stage)} is skipped"
    if isinstance(event, events.Chosen):
        yield f"chosen: {event.value}"
    if isinstance(event, events.Confirmed) and not event.to:
        yield f"confirmed; {named(event.stage)} goes on in the session that takes the hand-over"
        return
    if isinstance(event, events.Taken):
        yield f"boundary {event.hash} was taken by session {clean.quoted(event.by, 40)} at {event.when}"
        if event.refused:
            yield (
                f"it cannot lead to {clean.quoted(event.refused, 40)}: the checkpoint of {named(after.current)} "
                "still waits for an answer"
            )
            return
        if not event.to:
            yield f"the checkpoint of {named(after.current)} still needs a person's confirmation"
            return
    if after.now == states.DONE:
        yield "the pipeline is completed: the final paper is there"
    elif after.now == states.ABORTED:
        yield "the pipeline is aborted; everything that was made stays where it is"
    elif getattr(event, "to", after.current):
        yield from _begins(before, after)


def _begins(before: Pipeline | None, after: Pipeline) -> Iterable[str]:
    stage = after.stage
    mode = f" in mode {stage.mode}" if stage.mode else ""
    again = f", attempt {stage.attempt}" if stage.attempt > 1 else ""
    if before is not None and before.current == after.current and stage.state == states.BLOCKED:
        yield f"{named(after.current)} is checked once more"
        return
    yield f"{named(after.current)} begins{mode}{again}"
    action = action_of(before.current if before else "", after.current)
    if action:
        yield f"Action: {action}"


def action_of(frm: str, to: str) -> str:
    """Give what is handed to whom where one stage follows another, "" where no row says it. frm: ""
    for the entry."""
    for move in (*tables.NORMAL, *tables.SPECIAL):
        source = move.after or move.frm
        if (source, move.to) == (frm or tables.INIT, to) and frm != to:
            return move.action
    return ""


def offered(legal: Sequence[Legal]) -> list[str]:
    """Give what may come next, one line each."""
    lines = [
        f"next: {each.command}{' (a person)' if each.person else ''}" for each in legal[:_NEXT]
    ]
    more = len(legal) - _NEXT
    return [*lines, *([f"and {more} more: baton pipeline status"] if more > 0 else [])]
