"""A run's own folder, read whole (the layout is `hot.runs.layout`'s)."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from baton.core.errors import BatonError
from baton.core.runs import records as values
from baton.core.runs import standing
from baton.core.runs.records import Attempt, Record
from baton.core.runs.standing import Standing
from baton.hot.project import Project
from baton.hot.runs import journal, layout
from baton.hot.runs.layout import Place
from baton.hot.state import State


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
    def standing(self) -> Standing:
        """Where it stands."""
        return standing.stand(values.tasks(self.snapshot), self.attempts, self.records)

    @property
    def purpose(self) -> str:
        """What it is for, "" where nobody said."""
        purpose = self.snapshot.get("purpose")
        return purpose if isinstance(purpose, str) else ""


def find(project: Project, state: State, name: str) -> Place:
    """Give the run of a name, a run id or a path as typed. Raises no-run."""
    base = os.path.basename(name.rstrip("/"))
    if layout.valid(base):
        place = Place(project, state, base)
        if place.exists:
            return place
        found = layout.find(project, state, base)
        if found is not None:
            return found
    known = layout.names(project)
    those = f"the runs here are {', '.join(known[:8])}" if known else "there is none here yet"
    more = f" and {len(known) - 8} more" if len(known) > 8 else ""
    raise BatonError("no-run", f"no run {name}; {those}{more}", "baton run list --all")


def load(place: Place) -> Run:
    """Give all that a run's folder holds. Raises io."""
    try:
        snapshot = layout.snapshot(place)
        launches, bad = _launches(place)
        results, broken = layout.results(place)
        attempts = [_attempt(place, launch) for launch in launches]
    except OSError as error:
        raise unreadable(place, error) from error
    damaged = [f"{bad} lines of {layout.ATTEMPTS}"] if bad else []
    damaged += [f"{layout.RESULTS}/{name}" for name in broken]
    if not snapshot:
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
    if not launches and place.name.startswith("wf_"):
        return [{"attempt": 1, "run_id": place.name}], bad
    last = {run_id_of(launch): launch for launch in launches if run_id_of(launch) != layout.PENDING}
    return [each for each in launches if last.get(run_id_of(each), each) is each], bad


def run_id_of(launch: dict[str, object]) -> str:
    """Give a launch's run id, "pending" while it has none."""
    run_id = launch.get("run_id")
    return run_id if isinstance(run_id, str) and layout.valid(run_id) else layout.PENDING


def _attempt(place: Place, launch: dict[str, object]) -> Attempt:
    number, run_id = launch["attempt"], run_id_of(launch)
    assert isinstance(number, int)
    data = place.read(own_copy(run_id))
    return Attempt(number, run_id, journal.read(data or b""), data is not None)


def own_copy(run_id: str) -> str:
    """Give the name, inside the run, of our copy of a launch's journal."""
    return f"{layout.JOURNAL}/{run_id}.jsonl"


def unreadable(place: Place, error: OSError) -> BatonError:
    """Give what is said when a run's files cannot be read or written."""
    where = error.filename or place.folder
    return BatonError("io", f"{where}: {error.strerror}", f"ls -la {place.folder}")
