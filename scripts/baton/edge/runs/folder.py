"""A run's own folder, read whole (the layout is `hot.runs.layout`'s)."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, field

from baton.core.errors import BatonError
from baton.core.runs import records as values
from baton.core.runs import standing
from baton.core.runs.records import Attempt, Record
from baton.core.runs.standing import Standing
from baton.hot import clean
from baton.hot.project import Project
from baton.hot.runs import journal, layout
from baton.hot.runs.layout import Place
from baton.hot.state import State

WORKFLOW = "workflow"
# How the host's run ids begin.
HOSTS = "wf_"


@dataclass
class Run:
    """What is known of a run from its folder alone.

    launches: the lines of attempts.jsonl. attempts: the same with our copies of their journals.
    damaged: what of it could not be read, a phrase each.
    """

    place: Place
    snapshot: dict[str, object]
    launches: list[dict[str, object]]
    attempts: list[Attempt]
    records: list[Record]
    damaged: list[str] = field(default_factory=list)

    @property
    def harvested(self) -> bool:
        """Whether nothing of it is left to collect or to do."""
        return self.place.has(layout.HARVESTED)

    @property
    def engine(self) -> str:
        """What launched it, or will: "workflow" where the snapshot or a run id of the host says so."""
        said = self.snapshot.get("engine")
        ids = [self.place.name, *map(run_id_of, self.launches)]
        hosts = said == WORKFLOW or any(run_id.startswith(HOSTS) for run_id in ids)
        return WORKFLOW if hosts or not isinstance(said, str) else said

    @property
    def given_up(self) -> bool:
        """Whether a person closed it with something left."""
        return self.harvested and bool(self.standing.remaining)

    @property
    def standing(self) -> Standing:
        """Where it stands."""
        return standing.stand(values.tasks(self.snapshot), self.attempts, self.records)

    @property
    def purpose(self) -> str:
        """What it is for, "" where nobody said."""
        purpose = self.snapshot.get("purpose")
        return purpose if isinstance(purpose, str) else ""


def find(project: Project, state: State, name: str) -> Place:
    """Give the run of a name, a run id or a path as typed, or of what one name alone begins with.

    Raises no-run, and io where the runs cannot be listed.
    """
    base = os.path.basename(name.rstrip("/"))
    known = names(project)
    if layout.valid(base):
        place = Place(project, state, base)
        if place.exists:
            return place
        found = layout.find(project, state, base)
        if found is not None:
            return found
    begun = [each for each in known if base and each.startswith(base)]
    if len(begun) == 1:
        return Place(project, state, begun[0])
    what = f"{len(begun)} runs begin with {base}: " if begun else "the runs here are "
    listed = begun or known
    more = f" and {len(listed) - 8} more" if len(listed) > 8 else ""
    those = f"{what}{', '.join(listed[:8])}{more}" if listed else "there is none here yet"
    raise BatonError("no-run", f"no run {clean.quoted(name, 80)}; {those}", "baton run list --all")


def names(project: Project) -> list[str]:
    """Give the name of every run of the project, sorted. Raises io."""
    try:
        return layout.names(project)
    except OSError as error:
        folder = project.path(layout.RUNS)
        message = f"the runs cannot be listed: {error.filename or folder}: {error.strerror}"
        raise BatonError("io", message, f"ls -la {shlex.quote(os.path.dirname(folder))}") from error


def load(place: Place) -> Run:
    """Give all that a run's folder holds. Raises io."""
    try:
        snapshot = layout.snapshot(place)
        launches, bad = _launches(place)
        results, broken = layout.results(place)
    except OSError as error:
        raise unreadable(place, error) from error
    damaged = [f"{bad} lines of {layout.ATTEMPTS}"] if bad else []
    attempts = [_attempt(place, launch, damaged) for launch in launches]
    damaged += [f"{layout.RESULTS}/{name}" for name in broken]
    if not snapshot and place.has(layout.SNAPSHOT):
        damaged.append(layout.SNAPSHOT)
    numbers = {attempt.run_id: attempt.number for attempt in attempts}
    records = [values.record(name, data, numbers) for name, data in results]
    return Run(place, snapshot, launches, attempts, records, damaged)


def _launches(place: Place) -> tuple[list[dict[str, object]], int]:
    """The launches, and how many lines could not be read.

    The host's own resume runs on in the same journal: of launches with one run id the last counts.
    A run that hooks met on its way has none; its name is the run id.
    """
    launches, bad = layout.attempts(place)
    if not launches and place.name.startswith(HOSTS):
        return [{"attempt": 1, "run_id": place.name}], bad
    last = {run_id_of(launch): launch for launch in launches if run_id_of(launch) != layout.PENDING}
    return [each for each in launches if last.get(run_id_of(each), each) is each], bad


def run_id_of(launch: dict[str, object]) -> str:
    """Give a launch's run id, "pending" while it has none."""
    run_id = launch.get("run_id")
    return run_id if isinstance(run_id, str) and layout.valid(run_id) else layout.PENDING


def _attempt(place: Place, launch: dict[str, object], damaged: list[str]) -> Attempt:
    number, run_id = launch["attempt"], run_id_of(launch)
    assert isinstance(number, int)
    try:
        data = place.read(own_copy(run_id))
    except OSError:
        damaged.append(own_copy(run_id))
        data = None
    return Attempt(number, run_id, journal.read(data or b""), data is not None)


def own_copy(run_id: str) -> str:
    """Give the name, inside the run, of our copy of a launch's journal."""
    return f"{layout.JOURNAL}/{run_id}.jsonl"


def unreadable(place: Place, error: OSError) -> BatonError:
    """Give what is said when a run's files cannot be read or written."""
    where = error.filename or place.folder
    folder = shlex.quote(os.path.dirname(where))
    return BatonError("io", f"{where}: {error.strerror}", f"ls -la {folder}")
