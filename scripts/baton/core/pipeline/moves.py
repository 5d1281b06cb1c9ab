"""What may come next, and whether one stage may follow another: out of the tables, for people and
models."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from baton.core.errors import BatonError
from baton.core.pipeline import checkpoints, guards, machine, tables
from baton.core.pipeline.asking import Ask, Facts
from baton.core.pipeline.event import File
from baton.core.pipeline.state import PAUSED, Pipeline

_ANY_FILE = File("", 1, "")


@dataclass(frozen=True, slots=True)
class Legal:
    """A command that would be done now. to: where it leads, "" where nothing moves. told: what it does.
    person: whether a person must say so."""

    command: str
    to: str
    told: str
    person: bool


def legal(pipeline: Pipeline, facts: Facts) -> list[Legal]:
    """Give the commands that would not be refused now, the likeliest first.

    What they need beside the command itself (a file that is not recorded yet) may still be missing.
    """
    found = _in_a_fresh_session(pipeline)
    for ask, command, to, told in _candidates(pipeline):
        try:
            person = bool(machine.step(pipeline, ask, facts).act)
        except BatonError as error:
            # What can still be brought along does not make the way illegal.
            if error.code != "missing-material":
                continue
            person = _is_a_persons(pipeline, ask)
        found.append(Legal(command, to, told, person))
    return found


def _is_a_persons(pipeline: Pipeline, ask: Ask) -> bool:
    """Whether a command will need a person, once what it wants is there."""
    if ask.command != "confirm":
        return ask.command in ("choose", "skip")
    point = pipeline.checkpoint
    return point.mandatory if point else pipeline.entry != "1"


def _candidates(pipeline: Pipeline) -> Iterator[tuple[Ask, str, str, str]]:
    point = pipeline.checkpoint
    if pipeline.now == PAUSED:
        yield Ask("resume"), "baton pipeline resume", pipeline.current, "go on where it was"
    to = point.to if point else pipeline.entry
    yield Ask("confirm"), "baton pipeline confirm", to, f"go on with {_place(to)}"
    if point is not None:
        for each in checkpoints.options(pipeline, point.stage):
            command = f"baton pipeline choose {each.value}"
            yield Ask("choose", each.value), command, each.to, each.told
    else:
        for value, told in tables.STALL_OPTIONS.items():
            mode = "full" if value == tables.SWITCH_MODE else None
            more = " --mode M" if mode else ""
            command = f"baton pipeline choose {value}{more}"
            yield Ask("choose", value, mode, yes=True), command, "", told
    yield from _endings(pipeline)
    for row in tables.SKIPS:
        command = f"baton pipeline skip {row.stage}"
        yield Ask("skip", row.stage), command, row.to, f"skip it: {row.reason}"


def _in_a_fresh_session(pipeline: Pipeline) -> list[Legal]:
    point = pipeline.checkpoint
    if point is None or not point.closed or pipeline.now == PAUSED:
        return []
    told = "in a fresh session"
    return [Legal(f"resume_from_passport={point.hash}", point.to, told, False)]


def _endings(pipeline: Pipeline) -> Iterator[tuple[Ask, str, str, str]]:
    check = Ask("integrity", tables.PASS, report=_ANY_FILE, draft=_ANY_FILE, issues=0)
    yield check, guards.passing(pipeline), "", "it passed"
    failed = Ask("integrity", "fail", report=_ANY_FILE, draft=_ANY_FILE)
    yield failed, "baton pipeline integrity fail --report FILE --draft FILE", "", "it failed"
    for decision in tables.DECISIONS.get(pipeline.current, ()):
        to = tables.following(pipeline.current, decision)
        told = f"the review's decision; leads to {_place(to)}" if to else "the review's decision"
        yield Ask("decide", decision), f"baton pipeline decide {decision}", to, told
    to = tables.following(pipeline.current, "") if pipeline.current else ""
    yield Ask("complete"), "baton pipeline complete", to, f"end stage {pipeline.current}"


def _place(to: str) -> str:
    return "the delivery of the paper" if to == tables.END else f"stage {to}"


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether one place may follow another. reason: the row that says so, or why not."""

    yes: bool
    reason: str


def can(frm: str, to: str, pipeline: Pipeline | None = None, facts: Facts | None = None) -> Answer:
    """Say whether `to` may follow `frm` by the tables and, where the pipeline stands at `frm`, now.

    frm, to: stages, or INIT, END, ABORT, PAUSED, or a state of a stage.
    """
    prohibited = tables.prohibition(frm, to)
    if prohibited:
        return Answer(False, prohibited.reason)
    rows = [move for move in (*tables.NORMAL, *tables.SPECIAL) if _is_between(move, frm, to)]
    skips = [
        row
        for row in tables.SKIPS
        if (row.after, row.to) == (frm, to) or (frm, to) == (row.stage, row.to)
    ]
    if (frm, to) == ("5", tables.END):
        return Answer(
            True, "stage 5 is complete, the Final Paper is there, and the person confirms"
        )
    if not rows and not skips:
        return Answer(False, f"no rule leads from {frm} to {to}")
    needs = [row.needs for row in rows] + [f"{row.stage} is skipped: {row.reason}" for row in skips]
    if pipeline is not None and facts is not None and pipeline.current == frm:
        return _now(pipeline, facts, to, needs)
    return Answer(True, "; or ".join(dict.fromkeys(needs)))


def _is_between(move: tables.Move, frm: str, to: str) -> bool:
    source = move.after or move.frm
    return (source, move.to) == (frm, to) or (
        (move.frm, frm) == (tables.ANY, frm) and move.to == to
    )


def _now(pipeline: Pipeline, facts: Facts, to: str, needs: list[str]) -> Answer:
    """The pipeline stands there: what would refuse the step now is the reason."""
    told = "; or ".join(dict.fromkeys(needs))
    if pipeline.over:
        return Answer(False, f"the pipeline is {pipeline.now}")
    if to == tables.PAUSED:
        return Answer(True, told)
    point = pipeline.checkpoint
    if point is None:
        now = pipeline.stage.state.replace("_", " ")
        why = f"stage {pipeline.current} is {now}: its checkpoint comes first, then {told}"
        return Answer(False, why)
    asks = [Ask("confirm")] if point.to == to else []
    asks += [
        Ask("choose", each.value)
        for each in checkpoints.options(pipeline, point.stage)
        if each.to == to
    ]
    asks += [Ask("skip", row.stage) for row in tables.SKIPS if row.to == to]
    why = f"the checkpoint of stage {point.stage} leads to {point.to or 'what a person chooses'}"
    for ask in asks:
        try:
            machine.step(pipeline, ask, facts)
            return Answer(True, told)
        except BatonError as error:
            why = error.message.removesuffix("; nothing was recorded")
    return Answer(False, why)
