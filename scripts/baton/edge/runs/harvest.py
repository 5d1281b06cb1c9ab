"""Collects what a run's agents have brought, from the host's journals and transcripts, into its own
folder (design page runs).

Idempotent, and harmless when it is cut off anywhere or runs twice at once: every file is replaced
whole, and a result that is there is never replaced by less.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from baton.core.errors import BatonError
from baton.core.runs.records import Attempt
from baton.edge.runs import folder as folders
from baton.edge.runs import journals, launches
from baton.edge.runs.agents import Launch, take
from baton.edge.runs.folder import Run
from baton.edge.runs.journals import Found, Search
from baton.edge.runs.trouble import trouble
from baton.hot.lock import Locked
from baton.hot.project import Project
from baton.hot.runs import journal, keep, layout
from baton.hot.runs.journal import Journal
from baton.hot.runs.keep import Kept
from baton.hot.runs.layout import Place
from baton.hot.state import State

COMPLETED = "completed"


@dataclass(frozen=True)
class Where:
    """Where the host's journals are looked for, and whose they may be."""

    configs: Sequence[str]
    places: Sequence[str]


@dataclass
class Outcome:
    """What a harvest came to.

    run: the folder as it is now. fresh: results that were not there before. bad: journal lines that
    could not be read. troubles: by run id, why the host's journal gave nothing. told: what a person
    is told about files that are kept outside git. trees: work trees that its agents had. unread:
    transcripts that could not be read, and why.
    quiet: seconds since the host last wrote into the last launch's journal, None where that is not
    known or it came to an end.
    """

    run: Run
    fresh: int = 0
    bad: int = 0
    troubles: dict[str, BatonError] = field(default_factory=dict)
    told: str = ""
    trees: set[str] = field(default_factory=set)
    quiet: float | None = None
    unread: list[str] = field(default_factory=list)


@dataclass
class _Work:
    place: Place
    partial: bool
    fresh: int = 0
    bad: int = 0
    kept: list[Kept] = field(default_factory=list)
    asked: dict[int, dict[str, str | None]] = field(default_factory=dict)
    ended: dict[int, str] = field(default_factory=dict)
    trees: set[str] = field(default_factory=set)
    quiet: float | None = None
    unread: list[str] = field(default_factory=list)


def harvest(
    project: Project, state: State, place: Place, where: Where, *, wait: float, partial: bool
) -> Outcome:
    """Collect everything that can be had.

    wait: seconds for the lock. partial: keep the last words of agents that died, marked as such.
    A launch that was not recorded is, and may turn out to be one more of another run. Raises
    locked, io.
    """
    try:
        place = _with_its_launch(project, state, place, where, wait)
        with layout.lock(state, wait):
            return _harvest(project, place, where, partial)
    except Locked:
        raise _locked(place, wait) from None
    except OSError as error:
        raise folders.unreadable(place, error) from error


def _locked(place: Place, wait: float) -> BatonError:
    message = (
        f"run {place.name} is being harvested by somebody else for {wait:g} s; nothing was written"
    )
    return BatonError("locked", message, f"baton run harvest {place.name}")


def _with_its_launch(
    project: Project, state: State, place: Place, where: Where, wait: float
) -> Place:
    """The run with its script, if one of its sessions tells of it."""
    if place.has(layout.SCRIPT):
        return place
    for each in reversed(folders.load(place).launches):
        run_id = folders.run_id_of(each)
        if run_id.startswith(folders.HOSTS):
            made = launches.bring(project, state, run_id, where.configs, where.places, wait)
            if made is not None:
                return made.place
    return place


def unrecorded(
    project: Project, state: State, run_id: str, where: Where, *, wait: float
) -> Place | None:
    """Record a run of which nothing is known here, if a session of this project launched it.

    Raises locked, io.
    """
    place = Place(project, state, run_id)
    try:
        made = launches.bring(project, state, run_id, where.configs, where.places, wait)
    except Locked:
        raise _locked(place, wait) from None
    except OSError as error:
        raise folders.unreadable(place, error) from error
    return made.place if made else None


def _harvest(project: Project, place: Place, where: Where, partial: bool) -> Outcome:
    work = _Work(place, partial)
    troubles = {}
    run = folders.load(place)
    for launch in run.launches:
        trouble = _take_launch(work, launch, where, [project.root, *where.places])
        if trouble is not None and _is_the_hosts(run, launch):
            troubles[folders.run_id_of(launch)] = trouble
    _sort_out(work, folders.load(place))
    run = _with_asked(folders.load(place), work.asked)
    _close(run, work.ended)
    told = keep.telling(place, work.kept)
    return Outcome(run, work.fresh, work.bad, troubles, told, work.trees, work.quiet, work.unread)


def _is_the_hosts(run: Run, launch: dict[str, object]) -> bool:
    """Whether there must be a journal of a launch: other engines have none."""
    return run.engine == folders.WORKFLOW or folders.run_id_of(launch).startswith(folders.HOSTS)


def _with_asked(run: Run, asked: Mapping[int, dict[str, str | None]]) -> Run:
    run.attempts = [
        Attempt(a.number, a.run_id, a.journal, a.known, asked.get(a.number, {}))
        for a in run.attempts
    ]
    return run


def _take_launch(
    work: _Work, launch: dict[str, object], where: Where, places: Sequence[str]
) -> BatonError | None:
    """Collect one launch; give why its journal could not be had from the host."""
    run_id, number = folders.run_id_of(launch), launch["attempt"]
    assert isinstance(number, int)
    if run_id == layout.PENDING:
        return trouble(work.place.name, run_id, Search())
    noted = [str(launch["transcripts"])] if launch.get("transcripts") else []
    cwd = [str(launch["cwd"])] if launch.get("cwd") else []
    search = journals.search(run_id, where.configs, noted, [*places, *cwd])
    found, work.quiet = search.best, None
    if found is not None:
        _keep_copy(work, run_id, found)
        ended = work.ended[number] = journals.status(found.folder, run_id)
        work.quiet = None if ended else journals.quiet(found.folder)
    data = work.place.read(folders.own_copy(run_id)) or b""
    own = journal.read(data)
    work.bad += own.bad
    at = [each.folder for each in search.found] or noted
    session = str(launch.get("session") or "")
    taken = take(work.place, Launch(number, run_id, session, own, at), partial=work.partial)
    work.fresh += taken.fresh
    work.kept += taken.kept
    work.asked[number] = taken.asked
    work.trees |= taken.trees
    work.unread += taken.unread
    return None if found is not None else trouble(work.place.name, run_id, search)


def _keep_copy(work: _Work, run_id: str, found: Found) -> None:
    """Our copy, unless the one that is there holds more."""
    name = folders.own_copy(run_id)
    kept = work.place.read(name)
    if kept is None or (kept != found.data and _more(found.journal, journal.read(kept))):
        text = found.data.decode("utf-8", "replace")
        work.kept.append(keep.store(work.place, name, found.data, text))


def _more(new: Journal, old: Journal) -> bool:
    return (len(new.results), len(new.started)) >= (len(old.results), len(old.started))


def _sort_out(work: _Work, run: Run) -> None:
    """A result that belongs to nothing known gets a name that says so, and loses it again."""
    strangers = {each.agent for each in run.standing.unmatched}
    for record in run.records:
        if not record.agent:
            continue
        stem = "unmatched" if record.agent in strangers else "agent"
        name = f"{stem}-{record.agent}.json"
        if record.file != name:
            data = work.place.read(f"{layout.RESULTS}/{record.file}") or b""
            private = not os.path.isfile(
                os.path.join(work.place.folder, layout.RESULTS, record.file)
            )
            work.place.write(f"{layout.RESULTS}/{name}", data, private=private)
            work.place.remove(f"{layout.RESULTS}/{record.file}")


def _close(run: Run, ended: Mapping[int, str]) -> None:
    """Note that nothing is left, where that is certain: every task has its result, or the host says
    that the last launch came to its end and every call that was made has one."""
    standing = run.standing
    last = ended.get(run.attempts[-1].number, "") if run.attempts else ""
    over = standing.fixed or last == COMPLETED
    if standing.done and not standing.remaining and over and not run.harvested:
        close(run)


def close(run: Run) -> None:
    """Note that nothing is left of a run, or nothing that is wanted. Raises OSError."""
    done, attempts = len(run.standing.done), len(run.attempts)
    layout.close(run.place, done=done, attempts=attempts, by=layout.COMMAND)
