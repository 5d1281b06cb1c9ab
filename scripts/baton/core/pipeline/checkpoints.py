"""Where a stage ends: how much a person is shown there, where it leads, and what they may choose."""

from __future__ import annotations

from baton.core.pipeline import tables
from baton.core.pipeline.state import BLOCKED, FULL, SLIM, Pipeline
from baton.core.pipeline.tables import Choice


def is_mandatory(stage: str) -> bool:
    """Say whether the checkpoint behind a stage needs a person's act."""
    return stage in tables.MANDATORY


def level(pipeline: Pipeline, stage: str) -> str:
    """Give the level of the checkpoint behind `stage`: FULL for the first one, for those that need a
    person's act and for the last, SLIM for ordinary ones after two plain confirmations in a row."""
    ordinary = not is_mandatory(stage) and stage != "5"
    often = pipeline.reached > 0 and pipeline.continues >= tables.SLIM_AFTER
    return SLIM if ordinary and often else FULL


def awareness(pipeline: Pipeline) -> str:
    """Give the line that reminds of many plain confirmations in a row, "" while they are few."""
    if pipeline.continues < tables.AWARE_AFTER:
        return ""
    return f"{pipeline.continues} checkpoints in a row were confirmed as they stood: look at this one before you do"


def standing(pipeline: Pipeline, stage: str) -> str:
    """Give what the checkpoint behind `stage` stands on: a decision, PASS, LIMIT or LAST."""
    if pipeline.stages[stage].state == BLOCKED:
        return tables.LIMIT
    if stage in tables.INTEGRITY:
        return tables.PASS
    decision = pipeline.stages[stage].decision
    spent = pipeline.rerevised >= tables.RE_REVISIONS
    return tables.LAST if (stage, decision) == ("3'", tables.MAJOR) and spent else decision


def options(pipeline: Pipeline, stage: str) -> tuple[Choice, ...]:
    """Give what a person may choose at the checkpoint behind `stage`, () where there is nothing to."""
    on = standing(pipeline, stage)
    return tuple(each for each in tables.CHOICES if each.stage == stage and on in each.on)


def leads_to(pipeline: Pipeline, stage: str) -> tuple[str, str | None]:
    """Give where a plain yes leads from the checkpoint behind `stage`, and the mode of that stage; "" when
    it must be chosen."""
    on = standing(pipeline, stage)
    if on == tables.LIMIT:
        return "", None
    to = "4.5" if on == tables.LAST else tables.following(stage, pipeline.stages[stage].decision)
    mode = next((each.mode for each in options(pipeline, stage) if each.to == to), None)
    return to, mode


def question(pipeline: Pipeline, stage: str) -> str:
    """Give the question that goes with the options of a checkpoint."""
    on = standing(pipeline, stage)
    if on == tables.LIMIT:
        items = pipeline.stages[stage].items
        listed = f": {'; '.join(items)}" if items else ""
        return (
            f"Stage {stage} did not pass after {tables.CORRECTIONS} rounds of correction{listed}. "
            "What is to be done with what cannot be verified?"
        )
    if on == tables.PASS:
        return "Which format is the final paper to have?"
    if on == tables.LAST:
        return "The re-review asks for one more major revision, and there is none left. What now?"
    words = {tables.REJECT: "The paper was rejected."}
    return f"{words.get(on, f'The review asks for a {on} revision.')} What now?"
