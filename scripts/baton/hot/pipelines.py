"""Research pipelines that are not over, as a new session, /pause and the status line are told of them.

Nothing is asked where there is no log; what a child with the packages said of the logs stands for as
long as they stay as they are.
"""

import os

from baton.hot import asked, clean
from baton.hot.project import PIPELINES, Project
from baton.hot.state import State

UNCHECKED = "pipelines could not be checked: "
_ENDING = ".jsonl"
_NOTE = "pipelines"
_MOST = 3
_OVER = ("completed", "aborted")


class Pipelines:
    """What was found. rows: as `baton pipeline list --json` gives them. faults: what could not be
    checked, one sentence each."""

    __slots__ = ("faults", "rows")

    def __init__(self) -> None:
        self.rows: list[dict[str, object]] = []
        self.faults: list[str] = []

    @property
    def waiting(self) -> list[dict[str, object]]:
        """Those that are neither completed nor aborted."""
        return [row for row in self.rows if row.get("global") not in _OVER]

    @property
    def lines(self) -> list[str]:
        """One line for each that waits, three at most and how many more."""
        told = [line(row) for row in self.waiting[:_MOST]]
        more = len(self.waiting) - _MOST
        return told + ([f"{more} more pipeline(s): `baton pipeline list`"] if more > 0 else [])


def look(project: Project, state: State) -> Pipelines:
    """Give what there is. Never raises; nothing is asked where no log is found."""
    found = Pipelines()
    try:
        key = signature(project)
        if not key:
            return found
        answer = asked.answer(project, state, _NOTE, key, ["pipeline", "list", "--json"])
    except asked.FAULTS as error:
        found.faults.append(f"{UNCHECKED}{asked.words_of(error)}")
        return found
    rows = asked.rows(answer, "pipelines")
    found.rows = [row for row in rows if "problem" not in row]
    wrong = [
        {"message": row.get("problem"), "hint": row.get("hint")} for row in rows if "problem" in row
    ]
    told = asked.problems({"problems": wrong, "error": answer.get("error")})
    found.faults = [f"{UNCHECKED}{each}" for each in told]
    return found


def exist(project: Project) -> bool:
    """Say whether there is a log, or one cannot tell."""
    try:
        return bool(signature(project))
    except OSError:
        return True


def signature(project: Project) -> str:
    """Give what changes when a log does, "" where there is none. Raises OSError."""
    try:
        names = sorted(os.listdir(project.path(PIPELINES)))
    except (FileNotFoundError, NotADirectoryError):
        return ""
    logs = [name for name in names if name.endswith(_ENDING)]
    return "\n".join(
        f"{name} {asked.signature(project.path(f'{PIPELINES}/{name}'))}" for name in logs
    )


def pause(project: Project) -> tuple[list[str], list[str]]:
    """Pause every pipeline that is not over, before a person leaves.

    Gives what was paused, and what could not be, one sentence each. Never raises; nothing is asked
    where no log is found.
    """
    try:
        if not signature(project):
            return [], []
        answer = asked.ask(project, ["pipeline", "pause", "--every", "--json"])
    except asked.FAULTS as error:
        return [], [f"pipelines were not paused: {asked.words_of(error)}"]
    paused = [
        f"pipeline {_cell(row, 'name')}: paused at stage {_cell(row, 'stage')}"
        for row in asked.rows(answer, "paused")
    ]
    return paused, [f"pipelines were not paused: {each}" for each in asked.problems(answer)]


def marks(project: Project, state: State) -> str:
    """Give what the status line says of pipelines, "" for nothing: out of what was answered last, as long
    as the logs are what they were."""
    try:
        key = signature(project)
    except OSError:
        return ""
    answer = asked.known(state, _NOTE, key) if key else None
    live = [row for row in asked.rows(answer or {}, "pipelines") if row.get("global") not in _OVER]
    said = [
        "UNVERIFIED" if any(row.get("unverified") for row in live) else "",
        "pipeline paused" if any(row.get("global") == "paused" for row in live) else "",
    ]
    return " · ".join(filter(None, said))


def line(row: dict[str, object]) -> str:
    """Give one pipeline in one line."""
    stage = f"stage {_cell(row, 'stage')} {_cell(row, 'stage_name')}".rstrip()
    notes = [
        ", stalled" if row.get("stalled") else "",
        ", UNVERIFIED" if row.get("unverified") else "",
    ]
    return f"pipeline {_cell(row, 'name')}: {_stands(row, stage)}{''.join(notes)}"


def _stands(row: dict[str, object], stage: str) -> str:
    now = asked.text(row, "global")
    if now in _OVER:
        return now
    if now == "initializing":
        return f"{stage} is not confirmed as its entry"
    if now == "awaiting_confirmation":
        return f"an answer is due behind {stage}"
    if now == "paused":
        return f"paused at {stage}"
    return f"{stage} {_cell(row, 'state').replace('_', ' ')}"


def _cell(row: dict[str, object], key: str) -> str:
    return clean.line(asked.text(row, key), 64)
