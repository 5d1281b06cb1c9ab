"""The whole space of a pipeline's states, walked breadth first from one entry.

Two states count as one where nothing that the rules look at differs: versions, files, times and words
are forgotten, counters stand still at their limits. Every command in every variant is asked of every
state, hand-overs are taken in every way; what is always required of materials is looked at beside it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from baton.core.errors import BatonError
from baton.core.passport.entry import Boundary, Override, Resume
from baton.core.pipeline import checkpoints, fold, handover, machine, moves, tables
from baton.core.pipeline import event as events
from baton.core.pipeline.asking import Ask, Facts
from baton.core.pipeline.event import Entry, Event
from baton.core.pipeline.state import Pipeline
from pipelines import CHANGED, DRAFT, MOMENT, NOTHING, REPORT, files

ALL = {row.name: files(row.count, row.name) for row in tables.MATERIALS}
HASH = "0123456789ab"
_INTEGRITY = {"report": REPORT, "draft": DRAFT}


def asks(facts: Facts) -> Iterator[Ask]:
    """Every command in every variant that the rules tell apart."""
    yield Ask("confirm")
    yield Ask("complete")
    for issues in (0, 1):
        yield Ask("integrity", "pass", issues=issues, **_INTEGRITY)  # type: ignore[arg-type]
    yield Ask("integrity", "fail", issues=1, **_INTEGRITY)  # type: ignore[arg-type]
    if facts is NOTHING:
        for decision in ("accept", "minor", "major", "reject"):
            yield Ask("decide", decision)
        for value in sorted({each.value for each in tables.CHOICES}):
            yield Ask("choose", value)
        yield Ask("choose", tables.NARROW)
        yield Ask("choose", tables.SWITCH_MODE, "full", yes=True)
        for stage in tables.ORDER:
            yield Ask("skip", stage)
        yield from (Ask("stall", "none"), Ask("pause"), Ask("resume"), Ask("abort"))


@dataclass(frozen=True)
class Edge:
    """A step. way: the ask, or the resume of a hand-over. act: whether a person was to be asked."""

    before: Pipeline
    after: Pipeline
    way: Ask | Resume
    done: tuple[Event, ...]
    facts: Facts
    act: bool


@dataclass
class Walk:
    """What was seen. fired: names of the rows of the tables."""

    states: dict[tuple[object, ...], Pipeline] = field(default_factory=dict)
    edges: int = 0
    refusals: int = 0
    fired: set[str] = field(default_factory=set)


def key(pipeline: Pipeline) -> tuple[object, ...]:
    """Give what the rules look at."""
    point = pipeline.checkpoint
    return (
        pipeline.now,
        pipeline.before,
        pipeline.current,
        pipeline.reset,
        pipeline.reached > 0,
        min(pipeline.continues, tables.SLIM_AFTER),
        min(pipeline.rerevised, tables.RE_REVISIONS + 1),
        point
        and (point.level, point.hash is None, point.taken, point.confirmed, point.limit, point.to),
        tuple(
            (
                each.state,
                each.attempt > 0,
                min(each.fails, tables.CORRECTIONS + 1),
                each.verdict,
                each.decision,
                each.stalled,
            )
            for each in pipeline.stages.values()
        ),
    )


def plain(pipeline: Pipeline) -> Pipeline:
    """Give a pipeline that has all it may need, and nothing that only grows."""
    return replace(
        pipeline,
        materials=ALL,
        risks=frozenset(),
        limitations=(),
        known=(HASH,) if pipeline.checkpoint and pipeline.checkpoint.hash else (),
        continues=min(pipeline.continues, tables.SLIM_AFTER),
    )


def put(pipeline: Pipeline, *done: Event) -> Pipeline:
    """Let events happen, and the checkpoint that they lead to be reached."""
    for event in done:
        pipeline = fold.applied(pipeline, Entry(MOMENT, "s", event))
    if machine.is_ending(pipeline):
        hash_ = HASH if handover.needs_boundary(pipeline) else None
        pipeline = put(pipeline, machine.reached(pipeline, "v1.0", hash_))
    return pipeline


def begun(entry: str, *, reset: bool) -> Pipeline:
    """Give a pipeline as `start` leaves it."""
    pipeline = fold.applied(
        None, Entry(MOMENT, "s", events.Started(entry, None, "p.yaml", 0, reset))
    )
    return plain(put(pipeline, events.Entered("1", None)) if entry == "1" else pipeline)


def steps(pipeline: Pipeline, walk: Walk) -> Iterator[Edge]:
    """Every step from a state; what is refused is counted."""
    for facts in (NOTHING, CHANGED):
        for ask in asks(facts):
            before = pipeline
            try:
                outcome = machine.step(pipeline, ask, facts)
            except BatonError:
                walk.refusals += 1
                assert pipeline == before
                continue
            after = put(pipeline, *outcome.events)
            yield Edge(pipeline, after, ask, outcome.events, facts, bool(outcome.act))
    yield from _taken(pipeline, walk)


def _taken(pipeline: Pipeline, walk: Walk) -> Iterator[Edge]:
    """The hand-over of a closed checkpoint, taken in every way, those too that baton would refuse."""
    point = pipeline.checkpoint
    if point is None or not point.closed:
        return
    draft = handover.draft(pipeline, NOTHING)
    boundary = Boundary(
        HASH, draft.stage, draft.next, MOMENT, "s", "v1.0", None, None, None, draft.decision
    )
    branches = [each.value for each in draft.decision.options] if draft.decision else [None]
    for branch in branches:
        for stage in (None, *tables.ORDER):
            override = Override(stage) if stage else None
            resume = Resume(HASH, MOMENT, "s", branch, override)
            try:
                handover.objection(pipeline, boundary, resume, NOTHING)
                refused = False
            except BatonError:
                walk.refusals += 1
                refused = True
            for facts in (NOTHING, CHANGED):
                event = handover.taken(pipeline, boundary, resume, facts)
                assert bool(event.refused) == refused
                after = put(pipeline, event)
                yield Edge(pipeline, after, resume, (event,), facts, branch is not None)


def walk(entry: str, *, reset: bool, checked: object) -> Walk:
    """Walk everything that can be reached. checked: called with each edge."""
    assert callable(checked)
    found = Walk()
    first = begun(entry, reset=reset)
    found.states[key(first)] = first
    if entry == "1":
        found.fired.add("INIT→1")
    queue = deque([first])
    while queue:
        pipeline = queue.popleft()
        live = moves.legal(pipeline, NOTHING)
        assert bool(live) == (not pipeline.over), pipeline
        for edge in steps(pipeline, found):
            found.edges += 1
            checked(edge)
            found.fired |= rows(edge)
            after = plain(edge.after)
            if key(after) not in found.states:
                found.states[key(after)] = after
                queue.append(after)
    return found


def rows(edge: Edge) -> set[str]:
    """Give the rows of the tables that a step is an instance of."""
    fired: set[str] = set()
    before, after = edge.before, edge.after
    here, there = before.current or tables.INIT, after.current
    for event in edge.done:
        match event:
            case events.Finished() | events.Decided():
                fired.add(f"{here}→checkpoint")
            case events.Checked():
                fired.add(f"{here}→{'checkpoint' if event.verdict == 'pass' else here}")
            case events.Entered():
                fired.add(f"INIT→{there}")
            case events.Skipped():
                fired.add(f"skip {event.stage}")
            case events.Paused():
                fired.add("any stage→PAUSED")
            case events.Resumed():
                fired.add("PAUSED→the stage before")
            case events.Confirmed() | events.Taken() if event.to:
                fired |= _went(before, event.to, getattr(event, "branch", ""))
            case events.Chosen() if event.to:
                fired |= _went(before, event.to, event.value)
            case _:
                pass
    return fired


def _went(before: Pipeline, to: str, value: str) -> set[str]:
    stage = before.current
    fired = {f"{stage}·checkpoint→{to}", f"{stage}→{to}"}
    on = checkpoints.standing(before, stage)
    return fired | ({f"choice {stage} {on} {value}"} if value else set())
