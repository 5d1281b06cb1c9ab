"""`baton run …`: workflow runs, recorded, collected and gone on with (design page runs)."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable

from baton.cli import run_line, run_record, run_relaunch
from baton.cli.busy import busy
from baton.cli.context import Context
from baton.cli.run_places import run_of, where
from baton.core.errors import BatonError
from baton.core.runs import records, standing, telling
from baton.edge.runs import folder, harvest, traces
from baton.edge.runs.folder import Run
from baton.edge.runs.harvest import Outcome
from baton.hot import clean
from baton.hot.runs import layout
from baton.hot.runs.layout import Place

_WIDTH, _PURPOSE = 80, 16
_MANY = 10
# What `run list --json` says of a run that cannot be read.
_UNREAD: dict[str, object] = dict.fromkeys(
    ("purpose", "attempts", "run_id", "session", "launched", "created", "done", "total", "total_known")
) | {"harvested": "no"}  # fmt: skip

_GIVEN_UP = (
    "given up: nobody is reminded of it any more; to take it up again: baton run relaunch {}"
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the group's commands."""
    parser.epilog = "example: baton run list"
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def command(
        name: str, run: Callable[..., int], line: str, example: str = "", *, named: bool = True
    ) -> argparse.ArgumentParser:
        plain = f"baton run {name}" + (" wf_0b147f76-b4d" if named else "")
        epilog = f"example: {example or plain}"
        below = commands.add_parser(
            name, help=line, description=line, epilog=epilog, allow_abbrev=False
        )
        if named:
            below.add_argument("name", metavar="RUN", help="its name or run id, or how one begins")
        below.add_argument("--json", action="store_true", help="one JSON object on stdout")
        below.set_defaults(run=run)
        return below

    run_record.configure(command)
    below = command(
        "harvest",
        collect,
        "collect every result that is there, from the host's journal and transcripts",
        "baton run harvest wf_0b147f76-b4d",
    )
    below.add_argument(
        "--partial",
        action="store_true",
        help="keep the last words of agents that died too, marked as partial",
    )
    below.add_argument(
        "--abandon", action="store_true", help="nothing more is wanted of it: close it as it is"
    )
    _places(below)
    command("remaining", remaining, "say what is done and what is left")
    below = command(
        "relaunch",
        run_relaunch.run,
        "write the script that does only what is left, and print the one call to make",
        "baton run relaunch wf_0b147f76-b4d",
    )
    below.add_argument(
        "--strict", action="store_true", help="use a result only where the prompt is equal"
    )
    below.add_argument(
        "--edited", action="store_true", help="although script or spec were changed since"
    )
    below.add_argument(
        "--args", metavar="FILE", help="JSON: the args of this launch in place of the original's"
    )
    _places(below)
    below = command("list", list_runs, "list the runs that are not harvested", named=False)
    below.add_argument("--all", action="store_true", help="those that are harvested too")
    command("show", show, "print all that is known of a run")


def _places(below: argparse.ArgumentParser) -> None:
    below.add_argument(
        "--config-dir",
        action="append",
        default=[],
        metavar="DIR",
        help="another account's Claude Code folder to look through; once for each",
    )
    below.add_argument(
        "--cwd",
        action="append",
        default=[],
        metavar="DIR",
        help="where the project was when the run was launched, if it has moved",
    )


def collect(arguments: argparse.Namespace, context: Context) -> int:
    """Harvest; what kept a journal from being read is an error only where nothing is known of it."""
    place = run_of(arguments, context)
    at, wait = where(arguments, context), float(context.config.lock_wait)
    with busy(f"collecting the results of run {place.name}"):
        outcome = harvest.harvest(
            context.project, context.state, place, at, wait=wait, partial=arguments.partial
        )
    run = outcome.run
    if arguments.abandon and not run.harvested:
        _abandon(run)
    elif outcome.troubles and not run.records and not any(a.known for a in run.attempts):
        raise next(iter(outcome.troubles.values()))
    run_relaunch.said(outcome)
    changed = run_line.keep_in_step(context, run)
    stands = run.standing
    lines = telling.stands(run.place.name, run.purpose, stands)
    lines[0] = f"{outcome.fresh} new results; {lines[0]}"
    lines += _next(run, changed)
    context.answer("\n".join(lines), {**_data(run, context, outcome), "new": outcome.fresh})
    return 0


def _abandon(run: Run) -> None:
    try:
        harvest.close(run)
    except OSError as error:
        raise folder.unreadable(run.place, error) from error


def _next(run: Run, changed: bool) -> list[str]:
    name, lines = run.place.name, ["the chain's wf: line is in step"] if changed else []
    if run.given_up:
        return [*lines, _GIVEN_UP.format(name)]
    if run.harvested:
        return [*lines, "nothing is left of it"]
    return [
        *lines,
        *_going_on(run),
        f"to give it up: baton run harvest {name} --abandon",
    ]


def _going_on(run: Run) -> list[str]:
    name = run.place.name
    if run.engine == folder.WORKFLOW:
        return [f"to go on with it: baton run relaunch {name}"]
    return [
        f"to go on with it, launch what is left, then: baton run launched {name} --run-id pending"
    ]


def remaining(arguments: argparse.Namespace, context: Context) -> int:
    """Say what is left, from the run's folder alone."""
    run = folder.load(folder.find(context.project, context.state, arguments.name))
    found = _traces(run, context, set())
    lines = telling.stands(run.place.name, run.purpose, run.standing)
    lines += [f"  {line}" for line in telling.traces(found)]
    data = _data(run, context, None) | {"traces": found}
    context.answer("\n".join(lines), data)
    return 0


def _traces(run: Run, context: Context, trees: set[str]) -> list[dict[str, object]]:
    agents = {agent for attempt in run.attempts for agent in attempt.journal.started}
    agents |= {record.agent for record in run.records if record.agent}
    return traces.find(context.project, agents, trees)


def _data(run: Run, context: Context, outcome: Outcome | None) -> dict[str, object]:
    stands = run.standing
    tasks = records.tasks(run.snapshot)
    return {
        "run": run.place.name,
        "total": stands.total,
        "total_known": stands.fixed,
        "done": stands.done,
        "remaining": stands.remaining,
        "args": standing.trimmed_args(run.snapshot, tasks, stands.remaining),
        "lost_in_flight": stands.in_flight,
        "unmatched": [
            {"agent": each.agent, "label": each.label, "reason": each.reason}
            for each in stands.unmatched
        ],
        "traces": _traces(run, context, outcome.trees) if outcome else [],
        "harvested": run_line.harvested(run),
        "bad_lines": outcome.bad if outcome else 0,
        "unread": outcome.unread if outcome else [],
        "troubles": _troubles(outcome),
    }


def _troubles(outcome: Outcome | None) -> list[dict[str, object]]:
    return [
        {"run_id": run_id, "code": trouble.code, "message": trouble.message}
        for run_id, trouble in (outcome.troubles.items() if outcome else ())
    ]


def list_runs(arguments: argparse.Namespace, context: Context) -> int:
    """List runs, the newest launch first."""
    rows = []
    for name in folder.names(context.project):
        place = Place(context.project, context.state, name)
        if arguments.all or not place.has(layout.HARVESTED):
            rows.append(_row(place))
    rows.sort(key=lambda row: str(row["launched"] or row["created"]), reverse=True)
    none = "no runs here" if arguments.all else "no run waits to be harvested"
    lines = [*map(_line, rows), *_advice(rows, context)]
    context.answer("\n".join(lines) or none, {"runs": rows})
    return 0


def _advice(rows: list[dict[str, object]], context: Context) -> list[str]:
    """baton deletes no results; where many lie about, how a person does."""
    old = sum(row["harvested"] == "yes" for row in rows)
    if old < _MANY:
        return []
    both = f"{layout.RUNS}/RUN {shlex.quote(context.state.path('runs/RUN'))}"
    return [f"{old} are harvested and stay; to delete one with its results: rm -rf {both}"]


def _line(row: dict[str, object]) -> str:
    """One line of a terminal; the purpose takes what room is left."""
    if row["error"]:
        return f"{row['run']}: cannot be read: {_word(row['error'], 200)}"
    more = "" if row["total_known"] else "+"
    what = [f"{row['done']}/{row['total']}{more} done"] if row["launched"] or row["done"] else []
    what.append(_word(row["launched"] or "never launched", 20))
    if row["harvested"] == "yes":
        what.append("harvested" if row["done"] == row["total"] else "given up")
    line = f"{row['run']}: {', '.join(what)}"
    room = max(_WIDTH - len(line) - 4, _PURPOSE)
    return f"{line}, {clean.quoted(str(row['purpose']), room)}" if row["purpose"] else line


def _word(value: object, cap: int) -> str:
    """A text out of a file that stands there without quotes."""
    return clean.untagged(clean.line(str(value), cap))


def _row(place: Place) -> dict[str, object]:
    try:
        return _facts(folder.load(place))
    except BatonError as error:
        return _UNREAD | {"run": place.name, "error": error.message}


def _facts(run: Run) -> dict[str, object]:
    stands = run.standing
    last = run.launches[-1] if run.launches else {}
    return {
        "run": run.place.name,
        "purpose": run.purpose,
        "attempts": len(run.launches),
        "run_id": folder.run_id_of(last),
        "session": last.get("session"),
        "launched": last.get("launched") or "",
        "created": run.snapshot.get("created") or "",
        "done": len(stands.done),
        "total": stands.total,
        "total_known": stands.fixed,
        "harvested": run_line.harvested(run),
        "error": "",
    }


def show(arguments: argparse.Namespace, context: Context) -> int:
    """Print what is known of a run."""
    run = folder.load(folder.find(context.project, context.state, arguments.name))
    lines = telling.stands(run.place.name, run.purpose, run.standing)
    lines.append(f"  folder: {layout.RUNS}/{run.place.name}")
    for launch in run.launches:
        session = clean.quoted(str(launch.get("session") or "unknown"), 40)
        when = _word(launch.get("launched") or "time unknown", 40)
        run_id = folder.run_id_of(launch)
        lines.append(f"  attempt {launch['attempt']}: {run_id}, session {session}, {when}")
    for record in run.records:
        whose = record.task or record.label or record.agent
        state = record.status if record.complete else f"{record.error or 'partial'}, no result"
        file, shown = _word(record.file, 80), _word(state, 60)
        lines.append(f"  {layout.RESULTS}/{file}: {clean.quoted(whose, 80)}, {shown}")
    lines += [f"  damaged: {_word(what, 120)}" for what in run.damaged]
    lines += [f"  {_GIVEN_UP.format(run.place.name)}"] if run.given_up else []
    data = _data(run, context, None) | {
        "purpose": run.purpose,
        "snapshot": run.snapshot,
        "attempts": run.launches,
        "results": [
            {
                "file": r.file,
                "task": r.task,
                "label": r.label,
                "agent": r.agent,
                "complete": r.complete,
            }
            for r in run.records
        ],
        "damaged": run.damaged,
    }
    context.answer("\n".join(lines), data)
    return 0
