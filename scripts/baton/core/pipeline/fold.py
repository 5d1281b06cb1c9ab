"""From events to where the pipeline stands: one function for each kind, none of which can refuse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from baton.core.pipeline import event as events
from baton.core.pipeline import state as states
from baton.core.pipeline import tables
from baton.core.pipeline.event import Entry, File
from baton.core.pipeline.state import Checkpoint, Pipeline, Stage

_REVISIONS = ("4", "3'", "4'")
_BEFORE_THE_FIRST = (
    events.Entered,
    events.Recorded,
    events.Risked,
    events.Paused,
    events.Resumed,
    events.Aborted,
)


class Impossible(ValueError):
    """An event that cannot have happened where the pipeline stood; its text is a sentence."""


def applied(pipeline: Pipeline | None, entry: Entry) -> Pipeline:
    """Give where it stands after one more event. Raises Impossible."""
    event = entry.event
    if isinstance(event, events.Started):
        if pipeline is not None:
            raise Impossible("the pipeline is started a second time")
        return Pipeline(
            event.entry, event.mode, event.passport, event.entries, event.reset, entry.at
        )
    if pipeline is None:
        raise Impossible("its first event does not start a pipeline")
    _require_place(pipeline, event)
    return _APPLY[type(event)](pipeline, event, entry.at)


def _require_place(pipeline: Pipeline, event: events.Event) -> None:
    """Whoever makes a log by hand may put events where none of their kind can be."""
    name = events.kind_of(event)
    leaves = isinstance(event, events.Confirmed | events.Taken) or (
        isinstance(event, events.Chosen) and event.to
    )
    if leaves and pipeline.checkpoint is None:
        raise Impossible(f"{name} without a checkpoint")
    if not pipeline.current and not isinstance(event, _BEFORE_THE_FIRST):
        raise Impossible(f"{name} before the first stage")
    if isinstance(event, events.Resumed) and pipeline.now != states.PAUSED:
        raise Impossible("resumed without a pause")


def _entered(pipeline: Pipeline, event: events.Entered, at: str) -> Pipeline:
    return _begun(pipeline, event.stage, event.mode, at)


def _recorded(pipeline: Pipeline, event: events.Recorded, _: str) -> Pipeline:
    return _with_material(pipeline, event.material, event.files)


def _checked(pipeline: Pipeline, event: events.Checked, at: str) -> Pipeline:
    """A check of what had passed before takes the checkpoint that this had reached away."""
    stage = pipeline.stages[event.stage]
    passed = event.verdict == tables.PASS
    found = pipeline.with_stage(
        event.stage,
        state=states.COMPLETED if passed else states.BLOCKED,
        over=passed or event.limit,
        checks=stage.checks + 1,
        fails=stage.fails + (not passed),
        verdict=states.VERIFIED if passed else "",
        report=event.report,
        draft=event.draft,
        issues=event.issues,
        items=event.items,
        stalled=False,
        ended=at if passed else "",
    )
    found = replace(found, now=states.RUNNING, checkpoint=None, reason="")
    found = _with_material(found, tables.REPORT_OF[event.stage], (event.report,))
    if not passed:
        return found
    return _with_material(replace(found, passed_at=at), tables.VERIFIED_DRAFT, (event.draft,))


def _decided(pipeline: Pipeline, event: events.Decided, at: str) -> Pipeline:
    found = _over(pipeline, event.stage, event.unresolved, at)
    return found.with_stage(event.stage, decision=event.decision)


def _finished(pipeline: Pipeline, event: events.Finished, at: str) -> Pipeline:
    return _over(pipeline, event.stage, event.unresolved, at)


def _reached(pipeline: Pipeline, event: events.Reached, _: str) -> Pipeline:
    limit = pipeline.stages[event.stage].state == states.BLOCKED
    point = Checkpoint(
        event.stage,
        event.level,
        event.mandatory,
        event.hash,
        limit=limit,
        to=event.to,
        mode=event.mode,
    )
    # An end that a crash cut short is completed in a pause, too, and that is no end of the pause.
    paused = pipeline.now == states.PAUSED
    return replace(
        pipeline.with_stage(event.stage, over=False, version=event.version),
        now=states.PAUSED if paused else states.AWAITING,
        before=states.AWAITING if paused else "",
        checkpoint=point,
        reached=pipeline.reached + 1,
        known=pipeline.known + ((event.hash,) if event.hash else ()),
    )


def _confirmed(pipeline: Pipeline, event: events.Confirmed, at: str) -> Pipeline:
    counted = replace(pipeline, continues=pipeline.continues + 1)
    if event.to:
        return _gone(counted, event.to, event.mode, at)
    assert counted.checkpoint is not None
    return replace(counted, checkpoint=replace(counted.checkpoint, confirmed=True))


def _chosen(pipeline: Pipeline, event: events.Chosen, at: str) -> Pipeline:
    if event.to:
        return _answered(pipeline, event.value, event.to, event.mode, at)
    found = replace(pipeline.with_stage(event.stage, stalled=False), reason="")
    return found.with_stage(event.stage, mode=event.mode) if event.mode else found


def _taken(pipeline: Pipeline, event: events.Taken, at: str) -> Pipeline:
    assert pipeline.checkpoint is not None
    point = replace(pipeline.checkpoint, taken=True)
    if event.planned:
        point = replace(point, to=event.planned, mode=event.mode)
    found = replace(pipeline, checkpoint=point)
    if not event.to:
        return found
    if event.branch:
        found = _answered(found, event.branch, event.to, event.mode, at)
    else:
        found = _gone(found, event.to, event.mode, at)
    return found if found.over else replace(found, resumed_at=event.when)


def _skipped(pipeline: Pipeline, event: events.Skipped, at: str) -> Pipeline:
    found = pipeline.with_stage(event.stage, state=states.SKIPPED, ended=at, stalled=False)
    return _gone(replace(found, continues=0, reason=""), event.to, event.mode, at)


def _stalled(pipeline: Pipeline, event: events.Stalled, _: str) -> Pipeline:
    return replace(pipeline.with_stage(event.stage, stalled=True), reason=event.reason)


def _switched(pipeline: Pipeline, event: events.Switched, _: str) -> Pipeline:
    return pipeline.with_stage(event.stage, mode=event.mode)


def _risked(pipeline: Pipeline, event: events.Risked, _: str) -> Pipeline:
    return replace(pipeline, risks=pipeline.risks | {*event.materials})


def _paused(pipeline: Pipeline, event: events.Paused, _: str) -> Pipeline:
    """A pause at a checkpoint is an answer that is no plain yes."""
    counted = 0 if pipeline.now == states.AWAITING else pipeline.continues
    return replace(
        pipeline,
        now=states.PAUSED,
        before=pipeline.now,
        continues=counted,
        reason=event.reason,
    )


def _resumed(pipeline: Pipeline, _: events.Resumed, __: str) -> Pipeline:
    return replace(pipeline, now=pipeline.before, before="", reason="")


def _aborted(pipeline: Pipeline, event: events.Aborted, _: str) -> Pipeline:
    return replace(pipeline, now=states.ABORTED, checkpoint=None, before="", reason=event.reason)


def _begun(pipeline: Pipeline, name: str, mode: str | None, at: str) -> Pipeline:
    found = pipeline.with_stage(
        name,
        state=states.IN_PROGRESS,
        attempt=pipeline.stages[name].attempt + 1,
        mode=mode,
        begun=at,
        ended="",
    )
    return replace(
        found,
        now=states.RUNNING,
        before="",
        current=name,
        checkpoint=None,
        rerevised=pipeline.rerevised + (name == "4'"),
        resumed_at="",
    )


def _over(pipeline: Pipeline, name: str, unresolved: tuple[str, ...], at: str) -> Pipeline:
    found = pipeline.with_stage(name, state=states.COMPLETED, over=True, ended=at, stalled=False)
    return _with_limitations(replace(found, reason=""), unresolved)


def _answered(pipeline: Pipeline, value: str, to: str, mode: str | None, at: str) -> Pipeline:
    """What an answer to a checkpoint's choice makes of the pipeline."""
    found = replace(pipeline, continues=0)
    if value in (tables.BY_HAND, tables.REMOVE):
        # One more check of the same attempt: what is counted goes on.
        return replace(found, now=states.RUNNING, checkpoint=None)
    if value == tables.RESTRUCTURE:
        return _begun(_cleared(found), to, mode, at)
    if value in tables.FORMATS:
        found = replace(found, form=value)
    if value == tables.UNVERIFIED:
        items = found.stage.items
        found = found.with_stage(
            found.current, state=states.COMPLETED, verdict=states.UNVERIFIED, ended=at
        )
        found = _with_limitations(found, tuple(f"not verified: {item}" for item in items))
    return _gone(found, to, mode, at)


def _gone(pipeline: Pipeline, to: str, mode: str | None, at: str) -> Pipeline:
    if to in (tables.END, tables.ABORT):
        now = states.DONE if to == tables.END else states.ABORTED
        return replace(pipeline, now=now, before="", checkpoint=None, resumed_at="")
    if tables.is_back(pipeline.current, to):
        return _begun(_again(pipeline, to), to, mode, at)
    return _begun(_passed_over(pipeline, to), to, mode, at)


def _again(pipeline: Pipeline, to: str) -> Pipeline:
    """The stages from `to` on pend again; what was made, and all that is counted, is kept."""
    return _changed(pipeline, to, _pending)


def _pending(stage: Stage) -> Stage:
    return replace(
        stage,
        state=states.PENDING,
        over=False,
        ended="",
        verdict="",
        items=(),
        decision="",
        stalled=False,
    )


def _cleared(pipeline: Pipeline) -> Pipeline:
    """Stages 2 to 3 as if they had never been, but for the labels that are used up; what stage 1 made
    stays."""
    gone = {row.name for row in tables.MATERIALS if row.made in ("2", "2.5", "3")}
    kept = {name: made for name, made in pipeline.materials.items() if name not in gone}
    found = _changed(
        pipeline, "2", lambda stage: Stage(attempt=stage.attempt, version=stage.version)
    )
    return replace(found, materials=kept, risks=pipeline.risks - gone)


def _changed(pipeline: Pipeline, first: str, change: Callable[[Stage], Stage]) -> Pipeline:
    later = tables.ORDER[tables.ORDER.index(first) :]
    changed = {name: change(pipeline.stages[name]) for name in later}
    return replace(pipeline, stages={**pipeline.stages, **changed})


def _passed_over(pipeline: Pipeline, to: str) -> Pipeline:
    """No revision was wanted, or no second one: the stages for it are skipped."""
    here, there = tables.ORDER.index(pipeline.current), tables.ORDER.index(to)
    for name in tables.ORDER[here + 1 : there]:
        if name in _REVISIONS and pipeline.stages[name].state == states.PENDING:
            pipeline = pipeline.with_stage(name, state=states.SKIPPED)
    return pipeline


def _with_material(pipeline: Pipeline, name: str, made: tuple[File, ...]) -> Pipeline:
    return replace(
        pipeline,
        materials={**pipeline.materials, name: made},
        risks=pipeline.risks - {name},
    )


def _with_limitations(pipeline: Pipeline, more: tuple[str, ...]) -> Pipeline:
    fresh = tuple(each for each in dict.fromkeys(more) if each not in pipeline.limitations)
    return replace(pipeline, limitations=pipeline.limitations + fresh)


_APPLY: dict[type, Callable[[Pipeline, Any, str], Pipeline]] = {
    events.Entered: _entered,
    events.Recorded: _recorded,
    events.Checked: _checked,
    events.Decided: _decided,
    events.Finished: _finished,
    events.Reached: _reached,
    events.Confirmed: _confirmed,
    events.Chosen: _chosen,
    events.Taken: _taken,
    events.Skipped: _skipped,
    events.Stalled: _stalled,
    events.Switched: _switched,
    events.Risked: _risked,
    events.Paused: _paused,
    events.Resumed: _resumed,
    events.Aborted: _aborted,
}
