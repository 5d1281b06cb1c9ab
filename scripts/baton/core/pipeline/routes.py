"""Where a command leads from where a pipeline stands."""

from __future__ import annotations

from baton.core.passport import modes
from baton.core.pipeline import checkpoints, tables
from baton.core.pipeline.asking import Ask
from baton.core.pipeline.state import SKIPPED, Pipeline
from baton.core.pipeline.tables import Choice, Skip


def choice(pipeline: Pipeline, value: str) -> Choice | None:
    """Give what a person chooses with that word at the checkpoint, None where it is not offered."""
    point = pipeline.checkpoint
    if point is None:
        return None
    offered = checkpoints.options(pipeline, point.stage)
    return next((each for each in offered if each.value == value), None)


def wants(pipeline: Pipeline, ask: Ask) -> str:
    """Give the stage (or END) whose materials a command must find, "" when it leads to none."""
    if not pipeline.current:
        return pipeline.entry
    if ask.command == "choose":
        chosen = choice(pipeline, ask.value)
        return chosen.to if chosen and chosen.to != pipeline.current else ""
    if ask.command == "confirm":
        return pipeline.checkpoint.to if pipeline.checkpoint else ""
    if ask.command == "decide":
        if (pipeline.current, ask.value) == ("3'", tables.MAJOR) and _is_spent(pipeline):
            return "4.5"
        return tables.following(pipeline.current, ask.value)
    return tables.following(pipeline.current, "")


def _is_spent(pipeline: Pipeline) -> bool:
    return pipeline.rerevised >= tables.RE_REVISIONS


def mode_of(pipeline: Pipeline, ask: Ask) -> tuple[str, str | None]:
    """Give the stage that a command names a mode for, and the mode that is planned for it."""
    if ask.command in ("mode", "choose") and pipeline.checkpoint is None and pipeline.current:
        return pipeline.current, pipeline.stage.mode
    if not pipeline.current:
        return pipeline.entry, pipeline.mode
    chosen = choice(pipeline, ask.value) if ask.command == "choose" else None
    point = pipeline.checkpoint
    to = chosen.to if chosen else point.to if point else pipeline.current
    named = chosen.mode if chosen else point.mode if point else None
    return to, modes.planned_mode(to, named, pipeline.mode)


def first_mode(pipeline: Pipeline, to: str, *named: str | None) -> str | None:
    """Give the mode that a stage begins in: the first named one that it has, its only one, or None."""
    return modes.planned_mode(to, *named, pipeline.mode)


def has_draft(pipeline: Pipeline) -> bool:
    """Say whether a draft of the paper is written."""
    drafts = ("Paper Draft", tables.VERIFIED_DRAFT, "Revised Draft", "Re-Revised Draft")
    return any(pipeline.materials.get(name) for name in drafts)


def skipped_stage(pipeline: Pipeline, ask: Ask) -> str:
    """Give the stage that is to be skipped: the one that is named, else the one at work or, at a
    checkpoint, the next."""
    if ask.value:
        return ask.value
    point = pipeline.checkpoint
    return point.to if point and point.to else pipeline.current


def is_due(pipeline: Pipeline, row: Skip) -> bool:
    """Say whether a stage that may be skipped is at work, or comes next at an open checkpoint."""
    if pipeline.checkpoint is None:
        return pipeline.current == row.stage
    return pipeline.current == row.after and not pipeline.checkpoint.closed


def runs_again(pipeline: Pipeline, to: str) -> bool:
    """Say whether `to` is a stage that ran before, the one at its checkpoint included."""
    return (
        to in tables.ORDER
        and pipeline.stages[to].attempt > 0
        and tables.is_back(pipeline.current, to)
    )


def objection(pipeline: Pipeline, to: str, branch: str) -> str:
    """Say why the hand-over of the checkpoint cannot lead to `to`, "" when it can.

    to: a stage, END or ABORT. branch: what was chosen, "" for nothing.
    """
    point = pipeline.checkpoint
    assert point is not None
    chosen = choice(pipeline, branch) if branch else None
    if to in (point.to, chosen.to if chosen else point.to):
        return ""
    prohibited = tables.prohibition(point.stage, to)
    if prohibited:
        return prohibited.reason
    if point.stage == "5":
        return "there is no way back from the final paper"
    if to == "3'" and pipeline.stages["4'"].attempt and pipeline.stages["4'"].state != SKIPPED:
        return tables.NO_SECOND_LOOK
    if runs_again(pipeline, to):
        return "" if to != "4'" else "there is one re-revision, and it is used up"
    if to not in tables.ORDER:
        return f"stage {point.stage} does not end the pipeline"
    return f"no rule leads from stage {point.stage} to stage {to}"
