"""`baton pipeline …`: the research pipeline, whose gates cannot be skipped (design page pipeline)."""

from __future__ import annotations

import argparse

from baton.cli import late
from baton.cli.late import Add
from baton.cli.passport import filled
from baton.core.passport.modes import STAGES, stage_of
from baton.core.pipeline import tables

_PERSON = " (a person's act)"
_PLACES = (
    *STAGES,
    tables.INIT,
    tables.END,
    tables.ABORT,
    tables.PAUSED,
    "completed",
    "in_progress",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the group's commands."""
    parser.epilog = "example: baton pipeline status"
    add = late.commands(parser, "pipeline")

    def command(name: str, run: str, line: str, example: str) -> argparse.ArgumentParser:
        below = add(name, run, line, example)
        below.add_argument(
            "--name", type=filled, default="main", metavar="N", help="which one (default: main)"
        )
        return below

    _configure_start(command)
    _configure_ends(command)
    _configure_gates(command)
    _configure_pauses(command)
    _configure_looking(command)
    add("list", "look.list_", "one line for each pipeline", "baton pipeline list")


def _configure_start(command: Add) -> None:
    below = command(
        "start",
        "start.start",
        "set a pipeline up; where it begins in the middle, confirm follows",
        "baton pipeline start --entry 1 --mode socratic",
    )
    below.add_argument(
        "--entry",
        required=True,
        type=_entry,
        metavar="S",
        help=f"the stage to begin with: {', '.join(tables.ENTRIES)}",
    )
    below.add_argument(
        "--passport", type=filled, metavar="FILE", help="the passport that it hands over in"
    )
    below.add_argument("--mode", type=filled, metavar="M", help="the mode of the first stage")
    below = command(
        "material",
        "act.material",
        "record all files of a material, with size and digest",
        "baton pipeline material 'Paper Draft' draft.md",
    )
    below.add_argument(
        "material", type=filled, metavar="NAME", help="the material, as status has it"
    )
    below.add_argument(
        "files", nargs="+", type=filled, metavar="FILE", help="its files, all of them"
    )


def _configure_ends(command: Add) -> None:
    below = command("complete", "act.complete", "end the stage at work", "baton pipeline complete")
    _add_unresolved(below)
    _add_risk(below)
    below = command(
        "integrity",
        "act.integrity",
        "record an integrity check: its report, and the draft that was checked",
        "baton pipeline integrity pass --report report.md --draft draft.md --issues 0",
    )
    below.add_argument("verdict", choices=("pass", "fail"), help="what it came to")
    below.add_argument("--report", required=True, type=filled, metavar="FILE", help="its report")
    below.add_argument(
        "--draft", required=True, type=filled, metavar="FILE", help="what was checked"
    )
    below.add_argument("--issues", type=_count, metavar="N", help="how many it found")
    below.add_argument(
        "--item",
        action="append",
        default=[],
        type=filled,
        metavar="TEXT",
        help="something that could not be verified; once for each",
    )
    below = command(
        "decide", "act.decide", "end a review with its decision", "baton pipeline decide major"
    )
    below.add_argument(
        "decision", choices=("accept", "minor", "major", "reject"), help="the decision"
    )
    _add_unresolved(below)
    _add_risk(below)


def _configure_gates(command: Add) -> None:
    below = command(
        "confirm",
        "act.confirm",
        "say yes at a checkpoint; where it is MANDATORY a person does",
        "baton pipeline confirm",
    )
    _add_leading(below)
    below = command(
        "choose",
        "act.choose",
        f"answer what a checkpoint or a stalled stage asks{_PERSON}",
        "baton pipeline choose revise",
    )
    below.add_argument("value", type=filled, metavar="VALUE", help="one of what status offers")
    _add_leading(below)
    below = command(
        "skip",
        "act.skip",
        f"pass over stage 1, 3' or 4' where that may be{_PERSON}",
        "baton pipeline skip 1",
    )
    below.add_argument(
        "stage", nargs="?", type=_stage, metavar="STAGE", help="default: the one at work, or next"
    )
    below = command(
        "mode",
        "act.mode",
        "let the stage at work go on in another mode",
        "baton pipeline mode full",
    )
    below.add_argument("mode", type=filled, metavar="M", help="the mode")
    _add_yes(below)


def _configure_pauses(command: Add) -> None:
    below = command(
        "pause", "act.pause", "stop where it is; resume goes on there", "baton pipeline pause"
    )
    below.add_argument("reason", nargs="*", metavar="REASON", help="kept in the log")
    below.add_argument("--every", action="store_true", help="every pipeline that is not over")
    command(
        "resume",
        "act.resume",
        "go on after a pause; names materials that changed meanwhile",
        "baton pipeline resume",
    )
    below = command(
        "stall",
        "act.stall",
        f"mark the stage at work as stalled, as after {tables.SOCRATIC_ROUNDS} rounds of dialogue",
        "baton pipeline stall no convergence after 15 rounds",
    )
    below.add_argument("reason", nargs="*", metavar="REASON", help="kept in the log")
    below = command(
        "abort",
        "act.abort",
        f"give the pipeline up for good{_PERSON}",
        "baton pipeline abort",
    )
    below.add_argument("reason", nargs="*", metavar="REASON", help="kept in the log")


def _configure_looking(command: Add) -> None:
    below = command(
        "status",
        "look.status",
        "the dashboard: where it stands and what may come next",
        "baton pipeline status --json",
    )
    below.add_argument(
        "--words", action="store_true", help="take the pipeline's name from stdin, as typed"
    )
    below = command(
        "can",
        "look.can",
        "whether B may follow A, and by which rule (exit 0 yes, 3 no)",
        "baton pipeline can 4 5",
    )
    below.add_argument("frm", type=_place, metavar="A", help="a stage, or INIT")
    below.add_argument("to", type=_place, metavar="B", help="a stage, or END, ABORT, PAUSED")
    command("graph", "look.graph", "the rules as a Mermaid flowchart", "baton pipeline graph")
    command("log", "look.log", "all that happened, oldest first", "baton pipeline log")


def _add_unresolved(below: argparse.ArgumentParser) -> None:
    below.add_argument(
        "--unresolved",
        action="append",
        default=[],
        type=filled,
        metavar="TEXT",
        help="what stays open, a limitation of the paper; once for each",
    )


def _add_risk(below: argparse.ArgumentParser) -> None:
    below.add_argument(
        "--accept-risk",
        action="store_true",
        help=f"go on without required materials{_PERSON}",
    )


def _add_yes(below: argparse.ArgumentParser) -> None:
    below.add_argument("--yes", action="store_true", help=f"the switch of mode is meant{_PERSON}")


def _add_leading(below: argparse.ArgumentParser) -> None:
    below.add_argument("--mode", type=filled, metavar="M", help="the mode of the next stage")
    _add_risk(below)
    _add_yes(below)


def _stage(text: str) -> str:
    stage = stage_of(text)
    if stage is None:
        raise argparse.ArgumentTypeError(f"must be one of {', '.join(STAGES)}; it is {text!r}")
    return stage


def _entry(text: str) -> str:
    stage = _stage(text)
    if stage not in tables.ENTRIES:
        known = ", ".join(tables.ENTRIES)
        raise argparse.ArgumentTypeError(f"a pipeline begins with one of {known}; it is {text!r}")
    return stage


def _place(text: str) -> str:
    by_name = {place.lower(): place for place in _PLACES}
    place = stage_of(text) or by_name.get(text.lower())
    if place is None:
        raise argparse.ArgumentTypeError(f"must be one of {', '.join(_PLACES)}; it is {text!r}")
    return place


def _count(text: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise argparse.ArgumentTypeError(f"must be a number from 0; it is {text!r}")
    return int(text)
