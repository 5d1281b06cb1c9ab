"""`baton pipeline complete|integrity|decide|confirm|…`: the commands that move a pipeline."""

from __future__ import annotations

import argparse

from baton.cli.context import Context
from baton.cli.passport_desk import text
from baton.cli.pipeline_bound import all_logs
from baton.cli.pipeline_desk import PipelineDesk
from baton.core.errors import BatonError
from baton.core.pipeline import machine, tables
from baton.core.pipeline.asking import Ask, Facts
from baton.edge.pipeline import recorded
from baton.edge.pipeline.log_file import LogFile


def complete(arguments: argparse.Namespace, context: Context) -> int:
    """End an ordinary stage."""
    items = _texts(arguments.unresolved, "--unresolved")
    ask = Ask("complete", items=items, risk=arguments.accept_risk)
    return PipelineDesk(arguments, context).do(ask, ["complete", *_risk(arguments)])


def integrity(arguments: argparse.Namespace, context: Context) -> int:
    """Record an integrity check with its report and the draft that was checked."""
    desk = PipelineDesk(arguments, context)
    report = recorded.record(context.project, arguments.report, "--report")
    draft = recorded.record(context.project, arguments.draft, "--draft")
    if report.path == draft.path:
        message = "--report and --draft name the same file; nothing was recorded"
        raise BatonError("usage", message, "baton pipeline integrity --help")
    items = _texts(arguments.item, "--item")
    ask = Ask(
        "integrity",
        arguments.verdict,
        report=report,
        draft=draft,
        issues=arguments.issues,
        items=items,
    )
    return desk.do(ask)


def decide(arguments: argparse.Namespace, context: Context) -> int:
    """End a review with its decision."""
    items = _texts(arguments.unresolved, "--unresolved")
    ask = Ask("decide", arguments.decision, items=items, risk=arguments.accept_risk)
    typed = ["decide", arguments.decision, *_risk(arguments)]
    return PipelineDesk(arguments, context).do(ask, typed)


def confirm(arguments: argparse.Namespace, context: Context) -> int:
    """Say yes at an entry or a checkpoint."""
    ask = Ask("confirm", mode=_mode(arguments), risk=arguments.accept_risk, yes=arguments.yes)
    return PipelineDesk(arguments, context).do(ask, ["confirm", *_options(arguments)])


def choose(arguments: argparse.Namespace, context: Context) -> int:
    """Answer a choice."""
    value = text(arguments.value, "VALUE")
    ask = Ask("choose", value, _mode(arguments), risk=arguments.accept_risk, yes=arguments.yes)
    return PipelineDesk(arguments, context).do(ask, ["choose", value, *_options(arguments)])


def material(arguments: argparse.Namespace, context: Context) -> int:
    """Record the files of a material."""
    name = _material_name(text(arguments.material, "NAME"))
    files = tuple(recorded.record(context.project, path, "FILE") for path in arguments.files)
    if len({file.path for file in files}) < len(files):
        message = f"{name}: a file is named twice; nothing was recorded"
        raise BatonError("usage", message, "baton pipeline material NAME FILE…")
    return PipelineDesk(arguments, context).do(Ask("material", name, files=files))


def _material_name(typed: str) -> str:
    """The material that is meant, however its letters are written."""
    known = {name.lower(): name for name in tables.BY_NAME}
    return known.get(typed.lower(), typed)


def pause(arguments: argparse.Namespace, context: Context) -> int:
    """Stop a pipeline where it is; with --every all that are not over."""
    reason = text(" ".join(arguments.reason), "REASON")
    if arguments.every:
        return _pause_every(context, reason)
    return PipelineDesk(arguments, context).do(Ask("pause", reason))


def _pause_every(context: Context, reason: str) -> int:
    """Pause all that are not over: a person leaves, whether or not a session has a name."""
    paused, problems = [], []
    for file in all_logs(context, context.session):
        try:
            stage = _paused(file, reason)
        except BatonError as error:
            problems.append({"name": file.name, "message": error.message, "hint": error.hint})
        else:
            paused += [{"name": file.name, "stage": stage}] if stage else []
    lines = [f"pipeline {each['name']}: paused at stage {each['stage']}" for each in paused]
    lines += [f"pipeline {each['name']} is not paused: {each['message']}" for each in problems]
    data: dict[str, object] = {"paused": paused, "problems": problems}
    context.answer("\n".join(lines or ["no pipeline to pause"]), data)
    return 1 if problems else 0


def _paused(file: LogFile, reason: str) -> str:
    """Pause one pipeline; give the stage that it stands at, "" where there is nothing to pause."""
    with file.hold() as held:
        pipeline = held.pipeline
        if pipeline is None or pipeline.over:
            return ""
        outcome = machine.step(pipeline, Ask("pause", reason), Facts())
        if outcome.events:
            held.append(*outcome.events)
        return pipeline.current or pipeline.entry


def resume(arguments: argparse.Namespace, context: Context) -> int:
    """Go on where a pause left it, and say which materials changed meanwhile."""
    return PipelineDesk(arguments, context).do(Ask("resume"))


def skip(arguments: argparse.Namespace, context: Context) -> int:
    """Pass over a stage that may be."""
    stage = arguments.stage or ""
    return PipelineDesk(arguments, context).do(Ask("skip", stage), ["skip", *filter(None, [stage])])


def stall(arguments: argparse.Namespace, context: Context) -> int:
    """Mark the stage at work as stalled."""
    reason = text(" ".join(arguments.reason), "REASON")
    return PipelineDesk(arguments, context).do(Ask("stall", reason))


def mode(arguments: argparse.Namespace, context: Context) -> int:
    """Switch the mode of the stage at work."""
    ask = Ask("mode", mode=arguments.mode, yes=arguments.yes)
    yes = ["--yes"] if arguments.yes else []
    return PipelineDesk(arguments, context).do(ask, ["mode", arguments.mode, *yes])


def abort(arguments: argparse.Namespace, context: Context) -> int:
    """Give a pipeline up for good."""
    reason = text(" ".join(arguments.reason), "REASON")
    return PipelineDesk(arguments, context).do(Ask("abort", reason), ["abort", *arguments.reason])


def _texts(given: list[str], option: str) -> tuple[str, ...]:
    return tuple(text(each, option) for each in given)


def _mode(arguments: argparse.Namespace) -> str | None:
    return None if arguments.mode is None else text(arguments.mode, "--mode")


def _risk(arguments: argparse.Namespace) -> list[str]:
    return ["--accept-risk"] if arguments.accept_risk else []


def _options(arguments: argparse.Namespace) -> list[str]:
    mode_ = ["--mode", arguments.mode] if arguments.mode is not None else []
    return [*mode_, *_risk(arguments), *(["--yes"] if arguments.yes else [])]
