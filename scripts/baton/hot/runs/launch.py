"""A workflow run is launched: what it was, on disk before anything of it can be lost (design pages
runs, host).

Before the tool runs its input is noted in the state directory; after it, with the run id that only
the answer has, the run's folder is made. A script of `baton run relaunch`, and the host's own
resume, are further attempts of the run that they belong to.
"""

from __future__ import annotations

import os
import time

from baton.hot import clean, door, files
from baton.hot.project import Project
from baton.hot.runs import children, layout, snapshot
from baton.hot.runs.layout import Place
from baton.hot.state import State

_LAUNCHING = "runs/.launching"
_FORGET_SECONDS = 7 * 86400
_LOCK_SECONDS = 1.0
# Twice the host's own bound.
_SCRIPT_LIMIT = 1 << 20


class Launch:
    """One call of the Workflow tool, as a hook's event tells of it.

    script: "" where the call only names one that cannot be found. path: the scriptPath or name that
    was given, "" for an inline script. children: `children.scripts`.
    """

    __slots__ = (
        "args", "args_given", "children", "cwd", "name", "path", "script", "session", "summary",
        "tool_use", "transcripts",
    )  # fmt: skip

    def __init__(self, event: dict[str, object]) -> None:
        given = _object(event, "tool_input")
        answer = _object(event, "tool_response")
        self.session = door.text(event, "session_id")
        self.cwd = door.text(event, "cwd")
        self.tool_use = door.text(event, "tool_use_id")
        self.path = door.text(given, "scriptPath") or door.text(given, "name")
        self.script = door.text(given, "script")
        self.args_given = "args" in given
        self.args = given.get("args")
        self.name = door.text(answer, "workflowName")
        self.summary = door.text(answer, "summary")
        self.transcripts = door.text(answer, "transcriptDir")
        self.children: dict[str, str] = {}


class Made:
    """A launch on record. told: what a person is told about it, "" for nothing."""

    __slots__ = ("attempt", "place", "told")

    def __init__(self, place: Place, attempt: int, told: str) -> None:
        self.place = place
        self.attempt = attempt
        self.told = told


def before(project: Project, state: State, event: dict[str, object]) -> None:
    """Note what is about to be launched. Raises OSError."""
    launch = Launch(event)
    if not launch.script and launch.path:
        launch.script = _file(os.path.join(launch.cwd, launch.path))
    _find_children(launch, project, event)
    _forget_old(state)
    record = _facts(launch)
    record.update({"cwd": launch.cwd, "script": launch.script, "tool_use": launch.tool_use})
    state.write(_note(launch), layout.render(record))


def after(project: Project, state: State, event: dict[str, object]) -> Made | None:
    """Make the folder of a run that was launched, or add an attempt to the one that it belongs to.

    None where nothing was launched. Raises OSError and Locked.
    """
    launch = Launch(event)
    answer = _object(event, "tool_response")
    run_id = door.text(answer, "runId")
    if answer.get("error") or not layout.valid(run_id):
        _remove(state.path(_note(launch)))
        return None
    _find_children(launch, project, event)
    with layout.lock(state, _LOCK_SECONDS):
        place = _belongs(project, state, launch, run_id)
        made = _record(place, launch, run_id)
        layout.point(state, run_id, place.name)
        _adopt(Place(project, state, run_id), made)
    _remove(state.path(_note(launch)))
    return made


def recover(project: Project, state: State, session: str, run_id: str, transcripts: str) -> Place:
    """Give the run of an agent whose launch was not recorded: a hook was killed, or baton came later.

    Where exactly one launch of that session was noted and never answered, it was that one. Raises
    OSError and Locked.
    """
    place = Place(project, state, run_id)
    pending = [name for name, record in _pending(state) if record.get("session") == session]
    if len(pending) == 1:
        launch = _noted(state.record(pending[0]), transcripts)
        with layout.lock(state, _LOCK_SECONDS):
            if not place.has(layout.ATTEMPTS):
                _record(place, launch, run_id)
        _remove(state.path(pending[0]))
    return place


def _belongs(project: Project, state: State, launch: Launch, run_id: str) -> Place:
    marked = layout.marked(launch.script)
    if marked and Place(project, state, marked).has(layout.SNAPSHOT):
        return Place(project, state, marked)
    known = layout.find(project, state, run_id)
    if known is not None:
        return known
    return _prepared(project, state, launch) or Place(project, state, run_id)


def _prepared(project: Project, state: State, launch: Launch) -> Place | None:
    """The run that `baton run snapshot` made of this very script and that was not launched yet."""
    digest = layout.digest(launch.script)
    for name in layout.names(project):
        place = Place(project, state, name)
        if not place.has(layout.ATTEMPTS) and not name.startswith("wf_"):
            digests = layout.parse(place.read(layout.SNAPSHOT) or b"").get("digests")
            if isinstance(digests, dict) and digests.get(layout.SCRIPT) == digest:
                return place
    return None


def _record(place: Place, launch: Launch, run_id: str) -> Made:
    """Write snapshot and attempt; the caller holds the lock."""
    known = layout.parse(place.read(layout.SNAPSHOT) or b"")
    digests = known.get("digests")
    original = digests.get(layout.SCRIPT) if isinstance(digests, dict) else None
    relaunch = bool(known) and layout.marked(launch.script) == place.name
    digest = layout.digest(launch.script) if launch.script else None
    told = ""
    if not known or (not relaunch and digest != original):
        told = snapshot.write(place, _facts(launch), launch.script, known)
    done, _ = layout.attempts(place)
    number = _attempt(done, launch, run_id)
    place.remove(layout.HARVESTED)
    layout.add_attempt(
        place,
        {
            "attempt": number,
            "run_id": run_id,
            "session": launch.session,
            "transcripts": launch.transcripts or None,
            "cwd": launch.cwd,
            "launched": layout.stamp(),
            "source": layout.HOOK,
            "script": original if relaunch else digest,
            "relaunch": relaunch,
            "tool_use": launch.tool_use or None,
        },
    )
    return Made(place, number, told)


def _facts(launch: Launch) -> dict[str, object]:
    """What a snapshot holds of a launch, by the snapshot's keys."""
    what = launch.name or os.path.basename(launch.path) or "workflow"
    more = launch.summary if launch.summary != what else ""
    return {
        "purpose": clean.line(f"{what}: {more}" if more else what, 200),
        "session": launch.session,
        "name": launch.name or None,
        "path": launch.path or None,
        "args_given": launch.args_given,
        "args": launch.args,
        "children": dict(launch.children),
    }


def _noted(record: dict[str, object], transcripts: str) -> Launch:
    """The launch that was noted before the tool ran."""
    launch = Launch({"session_id": record.get("session"), "cwd": record.get("cwd")})
    launch.script = door.text(record, "script")
    launch.path = door.text(record, "path")
    launch.args_given = record.get("args_given") is True
    launch.args = record.get("args")
    launch.tool_use = door.text(record, "tool_use")
    launch.children = {
        name: text
        for name, text in _object(record, "children").items()
        if isinstance(name, str) and isinstance(text, str)
    }
    launch.transcripts = transcripts
    return launch


def _find_children(launch: Launch, project: Project, event: dict[str, object]) -> None:
    # <config>/projects/<slug>/<session>.jsonl
    transcript = door.text(event, "transcript_path")
    config = os.path.dirname(os.path.dirname(os.path.dirname(transcript)))
    folders = list(dict.fromkeys((project.root, launch.cwd or project.root)))
    launch.children = children.scripts(launch.script, config, folders, launch.cwd)


def _attempt(done: list[dict[str, object]], launch: Launch, run_id: str) -> int:
    """The number of a launch; the same again for an event that comes a second time."""
    if not done:
        return 1
    last = done[-1]
    again = launch.tool_use and last.get("tool_use") == launch.tool_use
    return _number(last) + (0 if again and last.get("run_id") == run_id else 1)


def _adopt(orphan: Place, made: Made) -> None:
    """Bring home what agents left under the run id before its launch was known to be a relaunch."""
    if orphan.name == made.place.name or orphan.has(layout.SNAPSHOT):
        return
    for name, record in layout.results(orphan)[0]:
        path = f"{layout.RESULTS}/{name}"
        private = os.path.isfile(os.path.join(orphan.private, path))
        record.update({"run": made.place.name, "attempt": made.attempt})
        made.place.write(path, layout.render(record), private=private)
        orphan.remove(path)
    _remove_empty(orphan)


def _remove_empty(place: Place) -> None:
    for folder in (place.folder, place.private):
        for path in (os.path.join(folder, layout.RESULTS), folder):
            try:
                os.rmdir(path)
            except OSError:
                pass


def _number(attempt: dict[str, object]) -> int:
    number = attempt.get("attempt")
    return number if isinstance(number, int) else 0


def _note(launch: Launch) -> str:
    name = "".join(sign for sign in launch.tool_use if sign.isalnum() or sign in "_-")
    return f"{_LAUNCHING}/{name[:80] or 'unknown'}"


def _pending(state: State) -> list[tuple[str, dict[str, object]]]:
    folder = state.path(_LAUNCHING)
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [(f"{_LAUNCHING}/{name}", state.record(f"{_LAUNCHING}/{name}")) for name in names]


def _forget_old(state: State) -> None:
    """A launch that was never answered was refused, or its session died long ago."""
    folder = state.path(_LAUNCHING)
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        path = os.path.join(folder, name)
        try:
            if time.time() - os.stat(path).st_mtime > _FORGET_SECONDS:
                os.unlink(path)
        except FileNotFoundError:
            pass


def _file(path: str) -> str:
    try:
        data = files.read(path, _SCRIPT_LIMIT) or b""
    except OSError:
        return ""
    return data.decode("utf-8", "replace") if len(data) <= _SCRIPT_LIMIT else ""


def _object(event: dict[str, object], key: str) -> dict[str, object]:
    value = event.get(key)
    return value if isinstance(value, dict) else {}


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except (FileNotFoundError, NotADirectoryError):
        pass
