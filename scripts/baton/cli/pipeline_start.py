"""`baton pipeline start`: a new pipeline, and what it is bound to."""

from __future__ import annotations

import argparse

from baton.cli.context import Context
from baton.cli.passport import FLAG
from baton.cli.pipeline_bound import working
from baton.cli.pipeline_desk import PipelineDesk
from baton.core.errors import BatonError
from baton.core.passport import modes
from baton.core.pipeline import event as events
from baton.core.pipeline import telling
from baton.edge.passport_file import PassportFile

_AGAIN = "baton pipeline start --name NAME --entry S"


def start(arguments: argparse.Namespace, context: Context) -> int:
    """Set a pipeline up; one that begins with stage 1 is at work at once."""
    desk = PipelineDesk(arguments, context)
    reset = _flag(context)
    mode = _mode(arguments.entry, arguments.mode)
    file = _passport(desk, arguments, reset)
    entries = len(file.whole()[0].ledger.entries) if file else 0
    name = file.place.name if file else None
    started = events.Started(arguments.entry, mode, name, entries, reset)
    begun: list[events.Event] = [started]
    if arguments.entry == "1":
        begun.append(events.Entered("1", mode))
    with desk.file.hold(make=True) as held:
        if held.pipeline is not None:
            raise _there(desk.name, held.pipeline.now)
        if reset and file:
            _require_free(context, file)
        held.append(*begun)
        pipeline = held.standing
    desk.answer(pipeline, telling.happened(None, pipeline, begun))
    return 0


def _flag(context: Context) -> bool:
    value = context.environ.get(FLAG, "")
    if value not in ("", "0", "1"):
        message = f"{FLAG} must be 0 or 1; it is {value!r}; nothing was recorded"
        raise BatonError("bad-config", message, f"{FLAG}=1 baton pipeline start --entry 1")
    return value == "1"


def _mode(entry: str, mode: str | None) -> str | None:
    known = modes.MODES[entry]
    if mode is not None and mode not in known:
        message = f"stage {entry} has no such mode; it has {', '.join(known)}; nothing was recorded"
        raise BatonError("mode-refused", message, f"baton pipeline start --entry {entry}")
    return mode


def _passport(
    desk: PipelineDesk, arguments: argparse.Namespace, reset: bool
) -> PassportFile | None:
    """The passport that is named; with the flag on, where none is, the project's only one."""
    if not reset and not arguments.passport:
        return None
    return desk.desk.only(arguments.passport or "", "the same command with --passport")


def _require_free(context: Context, file: PassportFile) -> None:
    other = working(context, file.place.name)
    if other is not None:
        message = (
            f"{file.place.name} belongs to pipeline {other.name}, which is {other.pipeline.now}; "
            "nothing was recorded"
        )
        raise BatonError(
            "illegal-transition", message, f"baton pipeline status --name {other.name}"
        )


def _there(name: str, now: str) -> BatonError:
    message = f"pipeline {name} is there already: it is {now}; nothing was recorded"
    return BatonError("illegal-transition", message, _AGAIN)
