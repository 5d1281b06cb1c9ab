"""A workflow run is launched: what it was, on disk before anything of it can be lost (design pages
runs, host).

Before the tool runs its input is noted in the state directory; after it, with the run id that only
the answer has, the run's folder is made. A script of `baton run relaunch`, and the host's own
resume, are further attempts of the run that they belong to.
"""

import os

from baton.hot.project import Project
from baton.hot.runs import call, layout, pending, snapshot, spent
from baton.hot.runs.call import Launch
from baton.hot.runs.layout import Place
from baton.hot.state import State

_LOCK_SECONDS = 1.0


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
    call.complete(launch, project, event)
    pending.note(state, launch)


def after(project: Project, state: State, event: dict[str, object]) -> Made | None:
    """Make the folder of a run that was launched, or add an attempt to the one that it belongs to.

    None where nothing was launched, or what stands in the place of a launched relaunch. Raises OSError and Locked.
    """
    launch = Launch(event)
    call.complete(launch, project, event)
    if launch.refused or not layout.valid(launch.run_id) or spent.is_one(launch.script):
        pending.drop(state, launch)
        return None
    return record(project, state, launch, _LOCK_SECONDS)


def record(project: Project, state: State, launch: Launch, wait: float) -> Made:
    """Do the same for a launch of which all is known. Raises OSError and Locked."""
    run_id = launch.run_id
    with layout.lock(state, wait):
        place = _belongs(project, state, launch, run_id)
        made = _record(place, launch, run_id)
        layout.point(state, run_id, place.name)
        _adopt(Place(project, state, run_id), made)
    pending.drop(state, launch)
    return made


def recover(project: Project, state: State, session: str, run_id: str, transcripts: str) -> Place:
    """Give the run of an agent whose launch was not recorded: a hook was killed, or baton came later.

    Where exactly one launch of that session was noted and never answered, it was that one. Raises
    OSError and Locked.
    """
    place = Place(project, state, run_id)
    launch = pending.only(state, session)
    if launch is not None:
        launch.transcripts = transcripts
        with layout.lock(state, _LOCK_SECONDS):
            if not place.has(layout.ATTEMPTS):
                _record(place, launch, run_id)
        pending.drop(state, launch)
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
        told = snapshot.write(place, call.facts(launch), launch.script, known)
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
            "launched": launch.launched or layout.stamp(),
            "source": launch.source,
            "script": original if relaunch else digest,
            "relaunch": relaunch,
            "tool_use": launch.tool_use or None,
        },
    )
    if relaunch:
        spent.put(place, number, run_id)
    return Made(place, number, told)


def _attempt(done: list[dict[str, object]], launch: Launch, run_id: str) -> int:
    """The number of a launch; the same again for an event that comes a second time."""
    if not done:
        return 1
    last = done[-1]
    again = launch.tool_use and last.get("tool_use") == launch.tool_use
    # Noted by hand, or by nobody but a session's transcript, in which it is found now.
    again = again or (launch.source != layout.HOOK and not last.get("tool_use"))
    return layout.number_of(last) + (0 if again and last.get("run_id") == run_id else 1)


def _adopt(orphan: Place, made: Made) -> None:
    """Bring home what agents left under the run id before its launch was known to be a relaunch."""
    if orphan.name == made.place.name or orphan.has(layout.SNAPSHOT):
        return
    for name, record in layout.results(orphan)[0]:
        path = f"{layout.RESULTS}/{name}"
        private = orphan.hides(path)
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
