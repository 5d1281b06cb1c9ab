"""What waits in a project.

The facts that a new session's notice is made of, without starting git where that can be helped.
"""

import os
import time

from baton.hot import chain as chains
from baton.hot import clean, overlay, passports, places
from baton.hot.chain import Chain
from baton.hot.config import Config
from baton.hot.moments import clock
from baton.hot.places import Place
from baton.hot.project import CHAIN, PIPELINES, RUNS, Project
from baton.hot.state import DEATH, OUTCOME, WRITTEN, State

UNREAD = f"{CHAIN} cannot be read: "
_OWNER_SECONDS = 1.0
_CAUSES = {
    "rate_limit": "a usage limit",
    "overloaded": "an overloaded service",
    "authentication_failed": "a sign-in that failed",
    "billing_error": "a billing error",
    "server_error": "a server error",
    "max_output_tokens": "the output limit",
}


class Waiting:
    """What waits.

    chain: the newest, None when there is none. place: where it is when it is not in the work tree,
    else None. written: the file's time, epoch seconds. owner: "" when the chain is this checkout's
    own, else who committed it and when. behind: the time of the
    last flush when the chain on disk is newer than it, else 0. death: why the last session stopped,
    and when. tasks: how many background tasks ran at its last stop. faults: what keeps baton from
    working as set up. runs: a line for each workflow run that is not harvested. boundaries: a line
    for each passport hand-over that waits. pipelines: one for each that is not over. unchecked: why
    passports or pipelines could not be looked at.
    """

    __slots__ = (
        "behind",
        "boundaries",
        "chain",
        "death",
        "faults",
        "owner",
        "pipelines",
        "place",
        "runs",
        "tasks",
        "unchecked",
        "written",
    )

    def __init__(self) -> None:
        self.chain: Chain | None = None
        self.place: Place | None = None
        self.written = 0
        self.owner = ""
        self.behind = 0
        self.death = ""
        self.tasks = 0
        self.faults: list[str] = []
        self.runs: list[str] = []
        self.boundaries: list[str] = []
        self.pipelines: list[str] = []
        self.unchecked: list[str] = []

    @property
    def anything(self) -> bool:
        """Whether `/tiep` has something to go on with: the chain, a run, a hand-over or a pipeline."""
        return self.unfinished or bool(self.runs or self.boundaries or self.pipelines)

    @property
    def unfinished(self) -> bool:
        """Whether the chain is; it is not finished while tasks still run."""
        state = chains.EMPTY if self.chain is None else self.chain.state
        running = state == chains.FINISHED and self.tasks > 0
        return running or state in (chains.UNFINISHED, chains.UNREADABLE)


def look(project: Project, state: State, config: Config) -> Waiting:
    """Give what waits in a project. Never raises."""
    found = Waiting()
    found.faults = [clean.line(problem, 200) for problem in config.problems]
    found.runs = _runs(project, state)
    _look_at_passports(found, project, state)
    _look_at_pipelines(found, project, state)
    if found.runs:
        found.death = _death(state)
    try:
        data = overlay.content(project, state)
    except OSError as error:
        found.faults.append(f"{UNREAD}{error.strerror}")
        return found
    found.place = places.newer(project, state, data)
    if found.place is not None:
        found.chain = found.place.chain
    elif data is not None:
        found.chain = chains.parse(data)
    found.tasks = state.tasks
    if found.unfinished:
        found.death = _death(state)
        if found.place is None:
            found.owner = _owner(project, state, data or b"")
            _compare(found, project, state)
    return found


def _runs(project: Project, state: State) -> list[str]:
    if not os.path.isdir(project.path(RUNS)):
        return []
    from baton.hot.runs import waiting as runs

    return runs.lines(project, state)


def _look_at_passports(found: Waiting, project: Project, state: State) -> None:
    if not passports.candidates(project, state):
        return
    from baton.hot import boundaries

    seen = boundaries.look(project, state)
    found.boundaries, found.unchecked = seen.lines, seen.faults


def _look_at_pipelines(found: Waiting, project: Project, state: State) -> None:
    if not os.path.isdir(project.path(PIPELINES)):
        return
    from baton.hot import pipelines

    seen = pipelines.look(project, state)
    found.pipelines = seen.lines
    found.unchecked += seen.faults


def _compare(found: Waiting, project: Project, state: State) -> None:
    """Note when the chain on disk was written, and the flush that it is newer than."""
    try:
        now = os.lstat(overlay.chain_path(project, state))
    except OSError:
        return
    found.written = int(now.st_mtime)
    found.behind = _behind(state, now)


def _owner(project: Project, state: State, data: bytes) -> str:
    """Who wrote a chain that came with git.

    "" when it was last written in this checkout, is not committed, or is by this user.
    """
    if project.checkout is None or _written_here(state, data):
        return ""
    # Only a chain that somebody else may have written pays for these.
    from baton.hot.git.speaker import Failed, Stuck

    try:
        return _stranger(project, project.checkout.top)
    except (Failed, Stuck, OSError):
        return ""


def _written_here(state: State, data: bytes) -> bool:
    return bool(data) and state.read(WRITTEN) == data


def _stranger(project: Project, top: str) -> str:
    """The author and date of the commit that last touched the chain, "" when there is none or it is
    this user's."""
    from baton.hot.flush.commits import NEUTRAL_ADDRESS
    from baton.hot.git.speaker import Git

    path = project.in_git(CHAIN)
    with Git(top, time.monotonic() + _OWNER_SECONDS) as git:
        last = git.run("log", "-1", "--format=%ae%x00%an, %ad", "--date=short", "--", path)
        mine = git.run("config", "user.email", good=(0, 1))
    address, _, who = os.fsdecode(last.strip()).partition("\0")
    # Who has no address flushes under the neutral one.
    own = os.fsdecode(mine.strip()) or NEUTRAL_ADDRESS
    return "" if not who or address == own else clean.line(who, 60)


def _behind(state: State, now: os.stat_result) -> int:
    """The last flush's time when the chain on disk is not what it kept."""
    outcome = state.record(OUTCOME)
    kept_at, chain = outcome.get("kept_at"), outcome.get("chain")
    if not isinstance(kept_at, int) or not isinstance(chain, list):
        return 0
    return kept_at if chain != [now.st_size, now.st_mtime_ns] else 0


def _death(state: State) -> str:
    death = state.record(DEATH)
    error, when = death.get("error"), death.get("time")
    if not isinstance(error, str) or not isinstance(when, int):
        return ""
    return f"{_CAUSES.get(error, clean.line(error, 40) or 'an error')} at {clock(when)}"
