"""`baton pipeline status|list|can|graph|log`: where a pipeline stands; nothing is written and nothing
waits for a lock."""

from __future__ import annotations

import argparse
import sys

from baton.cli.context import Context
from baton.cli.pipeline_bound import all_logs
from baton.cli.pipeline_desk import PipelineDesk
from baton.core.errors import BatonError
from baton.core.passport.modes import STAGES
from baton.core.pipeline import event as events
from baton.core.pipeline import graph as graphs
from baton.core.pipeline import log as logs
from baton.core.pipeline import moves
from baton.core.pipeline.state import Pipeline
from baton.edge.pipeline.log_file import LogFile

_NO = 3
_WORDS_LIMIT = 4096


def status(arguments: argparse.Namespace, context: Context) -> int:
    """Show the dashboard."""
    if arguments.words:
        words = sys.stdin.buffer.read(_WORDS_LIMIT).decode("utf-8", "replace").split()
        arguments.name = words[0] if words else arguments.name
    desk = PipelineDesk(arguments, context, writes=False)
    desk.show(desk.read())
    return 0


def list_(_: argparse.Namespace, context: Context) -> int:
    """List the project's pipelines; one that cannot be read is named with the reason."""
    rows = [_row(file.name, _read(file)) for file in all_logs(context)]
    context.answer("\n".join(map(_line, rows)) or "no pipeline here", {"pipelines": rows})
    return 0


def _read(file: LogFile) -> Pipeline | BatonError | None:
    try:
        return file.read().pipeline
    except BatonError as error:
        return error


def _row(name: str, found: Pipeline | BatonError | None) -> dict[str, object]:
    if isinstance(found, BatonError):
        return {"name": name, "problem": found.message, "hint": found.hint}
    if found is None:
        message = f"pipeline {name} was never started: its log holds no event"
        return {
            "name": name,
            "problem": message,
            "hint": f"baton pipeline start --name {name} --entry 1",
        }
    stage = found.current or found.entry
    return {
        "name": name,
        "global": found.now,
        "stage": stage,
        "stage_name": STAGES[stage],
        "state": found.stages[stage].state,
        "stalled": found.stages[stage].stalled,
        "resumed_at": found.resumed_at or None,
        "unverified": list(found.unverified),
        "passport": found.passport,
    }


def _line(row: dict[str, object]) -> str:
    if "problem" in row:
        return f"{row['name']}: {row['problem']}"
    return (
        f"{row['name']}: {row['global']} · stage {row['stage']} {row['stage_name']} {row['state']}"
    )


def can(arguments: argparse.Namespace, context: Context) -> int:
    """Say whether one stage may follow another, and by which rule."""
    desk = PipelineDesk(arguments, context, writes=False)
    pipeline = desk.file.read().pipeline
    facts = desk.facts(pipeline) if pipeline else None
    answer = moves.can(arguments.frm, arguments.to, pipeline, facts)
    told = f"{'yes' if answer.yes else 'no'}: {answer.reason}"
    data: dict[str, object] = {
        "from": arguments.frm,
        "to": arguments.to,
        "can": answer.yes,
        "reason": answer.reason,
    }
    context.answer(told, data)
    return 0 if answer.yes else _NO


def graph(arguments: argparse.Namespace, context: Context) -> int:
    """Print the pipeline's rules as a Mermaid flowchart, coloured by where it stands."""
    pipeline = PipelineDesk(arguments, context, writes=False).file.read().pipeline
    drawn = graphs.mermaid(pipeline)
    context.answer(drawn, {"mermaid": drawn})
    return 0


def log(arguments: argparse.Namespace, context: Context) -> int:
    """Print the events of a pipeline, oldest first."""
    desk = PipelineDesk(arguments, context, writes=False)
    found = desk.file.read()
    if found.pipeline is None:
        raise desk.file.unknown()
    rows = [
        {
            "n": number,
            "at": entry.at,
            "session": entry.session,
            "event": events.kind_of(entry.event),
        }
        | events.to_mapping(entry.event)
        for number, entry in enumerate(found.entries, 1)
    ]
    context.answer("\n".join(logs.first_words(found.entries)), {"events": rows})
    return 0
