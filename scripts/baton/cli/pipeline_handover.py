"""The pipeline's checkpoints and its passport: two files that tell one truth (design page pipeline).

The log is locked first, the ledger within; the ledger is written first, the log after it. What a killed
command left between the two is completed by the next one, never done twice.
"""

from __future__ import annotations

from baton.cli.passport_desk import Desk
from baton.cli.passport_write import MANDATORY
from baton.core.errors import BatonError
from baton.core.passport.chain_hash import PLACEHOLDER, sealed
from baton.core.passport.document import Document
from baton.core.passport.entry import Boundary, Entry
from baton.core.passport.ledger import Ledger
from baton.core.passport.tag import Tag, announcement
from baton.core.passport.version_label import FIRST, bumped, for_stage
from baton.core.pipeline import checkpoints, handover, machine, telling
from baton.core.pipeline.asking import Facts
from baton.core.pipeline.event import Event, Reached
from baton.core.pipeline.handover import Draft
from baton.core.pipeline.state import Pipeline
from baton.edge import clock
from baton.edge.passport_file import PassportFile
from baton.edge.pipeline.log_file import Held


class _Adopted(Exception):
    """The ledger holds the boundary already."""

    def __init__(self, event: Reached) -> None:
        super().__init__()
        self.event = event


def passport_of(desk: Desk, pipeline: Pipeline) -> PassportFile:
    """Give the passport that the pipeline is bound to, from wherever it is asked. Raises `bad-path` for one
    outside the project: the log may be somebody else's."""
    assert pipeline.passport is not None
    return desk.named(desk.context.project.path(pipeline.passport))


def settle(desk: Desk, held: Held, facts: Facts, said: list[str]) -> None:
    """Take into the log what the ledger knows and it does not, and complete what a killed command left.

    said: gets a line for each thing that was done. Raises BatonError where the passport cannot be read.
    """
    while (pipeline := held.pipeline) is not None and _is_open(pipeline):
        event = _due(desk, pipeline, facts)
        if event is None and not machine.is_ending(pipeline):
            break
        if event is not None:
            held.append(event)
            said += telling.happened(pipeline, held.standing, [event])
        else:
            said.append(f"the end of stage {pipeline.current}, which was cut short, is completed")
            said += reach(desk, held, facts)


def _is_open(pipeline: Pipeline) -> bool:
    """Whether the ledger may know more than the log, or the log itself was cut short."""
    point = pipeline.checkpoint
    handed_over = pipeline.reset and point is not None and point.closed
    return machine.is_ending(pipeline) or (handed_over and not pipeline.over)


def _due(desk: Desk, pipeline: Pipeline, facts: Facts) -> Event | None:
    if not pipeline.reset:
        return None
    return handover.due(pipeline, passport_of(desk, pipeline).read().ledger, facts)


def reach(desk: Desk, held: Held, facts: Facts) -> list[str]:
    """Reach the checkpoint of the stage whose work is over: leave its boundary in the passport where one
    is due, then note it in the log. Gives what to say: the hand-over is in it exactly once."""
    pipeline = held.standing
    if handover.needs_boundary(pipeline):
        event, boundary = _left(desk, pipeline, facts)
    else:
        label = pipeline.stage.version
        event, boundary = machine.reached(pipeline, bumped(label) if label else FIRST, None), None
    held.append(event)
    said = telling.happened(pipeline, held.standing, [event])
    return [*said, *(_announced(pipeline, boundary) if boundary else [])]


def _left(desk: Desk, pipeline: Pipeline, facts: Facts) -> tuple[Reached, Boundary]:
    """Leave a boundary, unless the ledger, once it is locked, holds it already."""
    draft = handover.draft(pipeline, facts)
    moment = clock.exact_stamp()

    def step(document: Document, ledger: Ledger) -> Entry:
        known = handover.due(pipeline, ledger, facts)
        if isinstance(known, Reached):
            raise _Adopted(known)
        label = for_stage(ledger.entries, draft.stage, None, document.version_label)
        if label == pipeline.stage.version:
            # It went to a checkpoint that left no boundary.
            label = bumped(label)
        return sealed(ledger.entries, _boundary(draft, label, moment, desk.session))

    file = passport_of(desk, pipeline)
    try:
        boundary = file.append(step)
    except _Adopted as adopted:
        held = file.read().ledger.boundaries
        return adopted.event, next(each for each in held if each.hash == adopted.event.hash)
    assert isinstance(boundary, Boundary)
    return machine.reached(pipeline, boundary.version_label, boundary.hash), boundary


def _boundary(draft: Draft, label: str, moment: str, session: str) -> Boundary:
    return Boundary(
        PLACEHOLDER,
        draft.stage,
        draft.next,
        moment,
        session,
        label,
        draft.mode,
        draft.status,
        None,
        draft.decision,
    )


def _announced(pipeline: Pipeline, boundary: Boundary) -> list[str]:
    tag = Tag(boundary.hash, boundary.stage, boundary.next)
    lines = ["", announcement(tag, pipeline.passport or "")]
    mandatory = checkpoints.is_mandatory(boundary.stage)
    return lines + ([MANDATORY] if mandatory and boundary.pending_decision is None else [])


def pending(desk: Desk, pipeline: Pipeline, facts: Facts) -> list[str]:
    """Give what the next command that writes will complete, one line each; nothing is changed."""
    if not _is_open(pipeline):
        return []
    try:
        event = _due(desk, pipeline, facts)
    except BatonError as error:
        return [f"the passport could not be looked at: {error.message}"]
    if event is not None:
        return ["the passport knows more than the log: the next command takes it in"]
    if machine.is_ending(pipeline):
        return [f"the end of stage {pipeline.current} was cut short: the next command completes it"]
    return []
