"""`baton status`: chain, last flush, awaiting boundaries, runs and pipelines on one screen (design page
cli)."""

from __future__ import annotations

import argparse

from baton.cli.context import Context
from baton.core import status as statuses
from baton.core.chain import show
from baton.core.doctor.finding import Unseen
from baton.core.status import Part, Row, Status
from baton.edge import others
from baton.edge.chain_file import NO_REVISION
from baton.hot import boundaries, left_out, overlay, pipelines, waiting
from baton.hot import chain as chains
from baton.hot import config as configs
from baton.hot.boundaries import Boundaries
from baton.hot.chain import Chain
from baton.hot.flush import outcome as outcomes
from baton.hot.moments import clock
from baton.hot.runs import waiting as waiting_runs
from baton.hot.state import OUTCOME
from baton.hot.waiting import Waiting


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.epilog = "example: baton status --all"
    parser.add_argument(
        "--all", action="store_true", help="the repository's other work trees and branches, too"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Show it."""
    found = waiting.look(context.project, context.state, configs.load(context.project))
    status = _status(found, context, _others(context) if arguments.all else None)
    context.answer(statuses.text(status), _data(status, found, context))
    return 0


def _status(found: Waiting, context: Context, beside: list[Row] | Unseen | None) -> Status:
    chain = found.chain or Chain()
    waits = boundaries.look(context.project, context.state)
    return Status(
        _state(found),
        chain,
        _written(found),
        _elsewhere(found),
        _flush(found, context),
        _awaiting(waits),
        _runs(context),
        _pipelines(context),
        _session(found),
        beside,
        waits.taken,
        [fault for fault in found.faults if not fault.startswith(waiting.UNREAD)],
    )


def _state(found: Waiting) -> str:
    if found.chain is None:
        return chains.UNREADABLE if _unread(found) else chains.ABSENT
    return found.chain.state


def _unread(found: Waiting) -> str:
    """Why the chain could not be read, "" when it could."""
    faults = [fault for fault in found.faults if fault.startswith(waiting.UNREAD)]
    return faults[0].removeprefix(waiting.UNREAD) if faults else ""


def _revision(found: Waiting, context: Context) -> str:
    try:
        data = found.place.data if found.place else overlay.content(context.project, context.state)
    except OSError:
        data = None
    return chains.revision(data) if data is not None else NO_REVISION


def _written(found: Waiting) -> str:
    return f" · written {clock(found.written)}" if found.written else _unread(found)


def _elsewhere(found: Waiting) -> list[str]:
    if found.place is None:
        return [f"it came with the repository: {found.owner}"] if found.owner else []
    return [
        f"not in the work tree, but in {found.place.words}",
        f"to bring it: {found.place.bring}",
    ]


def _flush(found: Waiting, context: Context) -> list[str]:
    note = context.state.record(OUTCOME)
    kept_at, kind, reason = note.get("kept_at"), note.get("kind"), note.get("reason")
    lines = []
    if isinstance(kept_at, int):
        newer = "; newer on disk" if found.behind else ""
        commit = str(note.get("commit", ""))[:8]
        lines.append(f"kept {clock(kept_at)} on {note.get('kept_where')} {commit}".rstrip() + newer)
    if kind in (outcomes.DEFERRED, outcomes.FAILED):
        lines.append(f"not saved ({kind}): {reason}")
    return lines + [f"left out {path}: {why}" for path, why in left_out.rows(note)[:2]]


def _awaiting(found: Boundaries) -> Part:
    unseen = Unseen(found.faults[0].removeprefix(boundaries.UNCHECKED)) if found.faults else None
    return Part(found.lines, found.awaiting, unseen)


def _runs(context: Context) -> Part:
    try:
        names = waiting_runs.names(context.project)
    except OSError as error:
        return Part(unseen=Unseen(str(error.strerror)))
    rows = waiting_runs.lines(context.project, context.state, len(names))
    return Part(rows, [{"run": name} for name in names])


def _pipelines(context: Context) -> Part:
    found = pipelines.look(context.project, context.state)
    faults = [fault.removeprefix(pipelines.UNCHECKED) for fault in found.faults]
    unseen = Unseen("; ".join(faults)) if faults else None
    rows = [pipelines.line(row).removeprefix("pipeline ") for row in found.rows]
    return Part(rows, found.rows, unseen)


def _session(found: Waiting) -> list[str]:
    lines = [f"the last one stopped: {found.death}"] if found.death else []
    if found.tasks:
        lines.append(f"{found.tasks} task(s) still ran at the last stop")
    return lines


def _others(context: Context) -> list[Row] | Unseen:
    found = others.look(context.project, context.environ)
    if isinstance(found, Unseen):
        return found
    return [
        Row(
            other.tree,
            other.branch,
            other.here,
            other.state,
            other.chain.done if other.chain else 0,
            other.chain.total if other.chain else 0,
            other.chain.goal if other.chain else "",
            other.fault,
        )
        for other in found
    ]


def _data(status: Status, found: Waiting, context: Context) -> dict[str, object]:
    parts = {"awaiting": status.awaiting, "runs": status.runs, "pipelines": status.pipelines}
    unchecked = {name: part.unseen.reason for name, part in parts.items() if part.unseen}
    data: dict[str, object] = {
        "chain": show.data(status.state, status.chain, _revision(found, context)),
        "place": found.place.words if found.place else "",
        "last_flush": context.state.record(OUTCOME) or None,
        "death": found.death,
        "tasks": found.tasks,
        **{name: list(part.data) for name, part in parts.items()},
        "unfinished": list(status.unfinished),
        "unchecked": unchecked,
    }
    if status.others is not None:
        data["others"] = (
            None if isinstance(status.others, Unseen) else [row.data() for row in status.others]
        )
    return data
