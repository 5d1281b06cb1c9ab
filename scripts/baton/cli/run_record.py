"""`baton run snapshot` and `baton run launched`: a run recorded by hand, before and right after its
launch; for the Workflow tool hooks do both (design page runs)."""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import shutil
import unicodedata
from collections.abc import Callable

from baton.cli.context import Context, warn
from baton.cli.run_places import given_file, given_json, given_text
from baton.core.errors import BatonError
from baton.core.runs import records
from baton.core.runs import script as scripts
from baton.edge.runs import adopting, folder
from baton.hot import clean
from baton.hot.lock import Locked
from baton.hot.runs import keep, layout, snapshot, word
from baton.hot.runs.layout import Place

_MUST_KEEP_TASKS, _MUST_KEEP_MINUTES = 3, 5.0
_PARTS = tuple(f"{part}.json" for part in layout.PARTS)
_KEPT = "results/<task>.json"


def configure(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Describe the two commands."""
    below = command(
        "snapshot",
        take,
        "record a run before it is launched: its tasks and its spec",
        "baton run snapshot 'review the docs' --tasks tasks.json --spec spec.md",
        named=False,
    )
    below.add_argument("purpose", metavar="PURPOSE", help="one line: what the run is for")
    below.add_argument(
        "--tasks",
        metavar="FILE",
        help='JSON: [{"id": …, "label": …, "args": …}], or a list of ids; else one id a line',
    )
    below.add_argument("--spec", metavar="FILE", help="what every task is told; no memory pack")
    below.add_argument("--script", metavar="FILE", help="the Workflow script, if it is one")
    below.add_argument("--args", metavar="FILE", help="JSON: the args of the launch")
    below.add_argument("--name", default="", help="the folder's name (default: from the purpose)")
    below.add_argument("--engine", default="", metavar="E", help="what will launch it")
    below.add_argument("--minutes", type=_minutes, metavar="M", help="how long it will take")
    below.add_argument(
        "--no-agent-files",
        action="store_true",
        help="a small run whose tasks leave no files of their own",
    )
    below = command(
        "launched", launched, "note a launch", "baton run launched review-the-docs --run-id pending"
    )
    below.add_argument(
        "--run-id",
        required=True,
        metavar="ID",
        help="the host's run id, or pending while it is not known",
    )


def _minutes(text: str) -> float:
    """Minutes, of which JSON has no `inf` and no `nan`."""
    try:
        minutes = float(text)
    except ValueError:
        minutes = -1.0
    if not 0 <= minutes < 1e9:
        raise argparse.ArgumentTypeError(f"not a number of minutes: {clean.quoted(text, 40)}")
    return minutes


def take(arguments: argparse.Namespace, context: Context) -> int:
    """Write the snapshot; refused where a run of that name is there."""
    tasks = _tasks(arguments.tasks)
    _must_keep_files(arguments, len(tasks))
    facts = _facts(arguments, context, tasks)
    script = _script(arguments.script) if arguments.script else ""
    spec = given_file("--spec", arguments.spec) if arguments.spec else None
    try:
        with layout.lock(context.state, float(context.config.lock_wait)):
            place = _new(arguments, context)
            told = _write(place, facts, script, spec)
    except Locked:
        raise _locked(context) from None
    except OSError as error:
        raise _unwritten(error) from error
    for each in filter(None, [*told, *_doubts(tasks)]):
        warn(each.removeprefix("baton: "))
    folder_ = f"{layout.RUNS}/{place.name}"
    lines = [
        f"run {place.name} is recorded in {folder_}",
        *(
            []
            if arguments.no_agent_files
            else [f"each task leaves its result in {folder_}/{_KEPT}"]
        ),
        f"right after the launch: baton run launched {place.name} --run-id ID",
    ]
    data: dict[str, object] = {"run": place.name, "folder": folder_, "tasks": [t.id for t in tasks]}
    context.answer("\n".join(lines), data)
    return 0


def _script(path: str) -> str:
    """The text of a script that the Workflow tool takes, as far as baton can tell."""
    text = given_text("--script", path)
    try:
        scripts.split(text)
    except scripts.NotAScript as error:
        message = f"--script {path}: not a workflow script: {error}; nothing was written"
        raise BatonError("usage", message, "baton run snapshot --help") from None
    return text


def _tasks(path: str | None) -> list[records.Task]:
    if path is None:
        return []
    text = given_text("--tasks", path)
    rows: object = (
        given_json("--tasks", path)
        if text.lstrip()[:1] in ("[", "{")
        else [line.strip() for line in text.split("\n") if line.strip()]
    )
    if isinstance(rows, dict):
        rows = rows.get("tasks")
    if not isinstance(rows, list):
        raise _bad_tasks(path, "expected a list of tasks")
    tasks = records.tasks({"tasks": [{"id": r} if isinstance(r, str) else r for r in rows]})
    if len(tasks) != len(rows):
        raise _bad_tasks(path, 'a task is {"id": TEXT, "label": TEXT, "args": …} or its id alone')
    if not tasks:
        raise _bad_tasks(path, "it names no task")
    ids = [task.id for task in tasks]
    odd = next((id_ for id_ in ids if not _names_a_file(id_)), None)
    if odd is not None:
        raise _bad_tasks(path, f"{clean.quoted(odd, 60)} cannot name the file of a task's result")
    twice = next((id_ for id_ in ids if ids.count(id_) > 1), None)
    if twice is not None:
        raise _bad_tasks(path, f"two tasks have the id {clean.quoted(twice, 60)}")
    return tasks


def _names_a_file(id_: str) -> bool:
    plain = id_ == clean.line(id_) and "/" not in id_ and "\\" not in id_
    return plain and id_[:1] not in ("", ".", "-") and len(id_.encode()) <= 200


def _bad_tasks(path: str, why: str) -> BatonError:
    return BatonError(
        "usage", f"--tasks {path}: {why}; nothing was written", "baton run snapshot --help"
    )


def _must_keep_files(arguments: argparse.Namespace, tasks: int) -> None:
    minutes = arguments.minutes or 0.0
    if arguments.no_agent_files and (tasks >= _MUST_KEEP_TASKS or minutes > _MUST_KEEP_MINUTES):
        raise BatonError(
            "usage",
            f"a run of {tasks} tasks and {minutes:g} minutes keeps a file for each agent: "
            f"from {_MUST_KEEP_TASKS} tasks or over {_MUST_KEEP_MINUTES:g} minutes nothing else survives its "
            "death; nothing was written",
            "the same command without --no-agent-files",
        )


def _facts(
    arguments: argparse.Namespace, context: Context, tasks: list[records.Task]
) -> dict[str, object]:
    purpose = clean.line(" ".join(arguments.purpose.split()), 200)
    if not purpose:
        raise BatonError(
            "usage", "the purpose is empty; nothing was written", "baton run snapshot --help"
        )
    rows: list[object] = [{"id": t.id, "label": t.label, "args": t.args} for t in tasks]
    return {
        "engine": arguments.engine or ("workflow" if arguments.script else "other"),
        "purpose": purpose,
        "session": context.session,
        "name": None,
        "path": None,
        "args_given": arguments.args is not None,
        "args": given_json("--args", arguments.args) if arguments.args else None,
        "tasks": rows or None,
        "children": {},
        "estimate": arguments.minutes,
    }


def _new(arguments: argparse.Namespace, context: Context) -> Place:
    name = arguments.name or _slug(arguments.purpose)
    if not layout.valid(name):
        message = f"--name {clean.quoted(name, 80)}: a run's name is up to 80 ASCII letters, digits, `._-`"
        raise BatonError("usage", f"{message}; nothing was written", "baton run snapshot --help")
    place = Place(context.project, context.state, name)
    if arguments.name and place.exists:
        message = f"run {name} is there already; nothing was written"
        raise BatonError("run-exists", message, f"baton run show {name}")
    number = 2
    while place.exists:
        place = Place(context.project, context.state, f"{name}-{number}")
        number += 1
    return place


def _slug(purpose: str) -> str:
    # Signs without a mark of their own in ASCII: a name that is typed has no accents.
    bare = unicodedata.normalize("NFKD", purpose.lower().replace("\u0111", "d"))
    plain = "".join(sign for sign in bare if not unicodedata.combining(sign))
    words = "".join(s if s.isascii() and s.isalnum() else " " for s in plain).split()
    return "-".join(words)[:60].strip("-") or "run"


def _write(place: Place, facts: dict[str, object], script: str, spec: bytes | None) -> list[str]:
    """Spec and script first: no snapshot speaks of what is not there."""
    digests: dict[str, object] = {}
    told = []
    try:
        if spec is not None:
            kept = keep.store(place, layout.SPEC, spec, spec.decode("utf-8", "replace"))
            digests[layout.SPEC] = layout.digest(spec)
            told.append(keep.telling(place, [kept]))
        told.append(snapshot.write(place, facts, script, {"digests": digests}))
    except OSError:
        _take_back(place)
        raise
    return told


def _take_back(place: Place) -> None:
    """A run that came to nothing leaves no folder that would be listed."""
    shutil.rmtree(place.folder, ignore_errors=True)
    for name in (layout.SPEC, layout.SCRIPT, layout.SNAPSHOT, *_PARTS):
        with contextlib.suppress(OSError):
            place.remove(name)


def _unwritten(error: OSError) -> BatonError:
    where = error.filename or layout.RUNS
    message = f"{where}: {error.strerror}; nothing was written"
    return BatonError("io", message, f"ls -la {shlex.quote(os.path.dirname(where) or '.')}")


def _doubts(tasks: list[records.Task]) -> list[str]:
    labels = [task.label for task in tasks]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    return [
        f"{labels.count(label)} tasks have the label {clean.quoted(label, 60)}: "
        "what an agent of that label brings cannot be told to belong to one of them"
        for label in twice
    ]


def launched(arguments: argparse.Namespace, context: Context) -> int:
    """Add an attempt, or give the pending one its run id."""
    place = folder.find(context.project, context.state, arguments.name)
    run_id = arguments.run_id
    if not layout.valid(run_id):
        message = f"--run-id {clean.quoted(run_id, 80)}: not a run id; nothing was written"
        raise BatonError("usage", message, f"baton run launched {place.name} --run-id pending")
    try:
        with layout.lock(context.state, float(context.config.lock_wait)):
            number = _note(place, run_id, context)
    except Locked:
        raise _locked(context) from None
    except OSError as error:
        raise folder.unreadable(place, error) from error
    lines = [f"run {place.name}: attempt {number}, {run_id}"]
    if word.has_chain(context.project, context.state):
        lines.append(f"put it into the chain: baton wal run {place.name}")
    data: dict[str, object] = {"run": place.name, "attempt": number, "run_id": run_id}
    context.answer("\n".join(lines), data)
    return 0


def _note(place: Place, run_id: str, context: Context) -> int:
    known = run_id != layout.PENDING
    if known:
        _adopt(place, run_id, context)
    launches, _ = layout.attempts(place)
    for attempt in launches:
        if known and attempt.get("run_id") == run_id:
            return layout.number_of(attempt)
    last = launches[-1] if launches else {}
    again = last.get("run_id") == layout.PENDING
    number = layout.number_of(last) + (0 if again else 1)
    place.remove(layout.HARVESTED)
    layout.add_attempt(place, _attempt(place, number, run_id, context))
    if known:
        layout.point(context.state, run_id, place.name)
    return number


def _adopt(place: Place, run_id: str, context: Context) -> None:
    """A hook may have recorded that launch by itself, in a folder named by its run id."""
    own = Place(context.project, context.state, run_id)
    owner = layout.find(context.project, context.state, run_id)
    if owner is not None and owner.name not in (place.name, own.name):
        message = f"{run_id} is a launch of run {owner.name}; nothing was written"
        raise BatonError("run-exists", message, f"baton run show {owner.name}")
    if own.exists and own.name != place.name:
        adopting.adopt(place, own)
        layout.point(context.state, run_id, place.name)


def _attempt(place: Place, number: int, run_id: str, context: Context) -> dict[str, object]:
    digests = layout.snapshot(place).get("digests")
    script = digests.get(layout.SCRIPT) if isinstance(digests, dict) else None
    return {
        "attempt": number,
        "run_id": run_id,
        "session": context.session or None,
        "transcripts": None,
        "cwd": os.getcwd(),
        "launched": layout.stamp(),
        "source": layout.COMMAND,
        "script": script,
        "relaunch": number > 1,
        "tool_use": None,
    }


def _locked(context: Context) -> BatonError:
    wait = context.config.lock_wait
    message = f"the runs are being changed by somebody else for {wait} s; nothing was written"
    return BatonError("locked", message, "the same command again")
