"""Passport hand-overs that wait, as a new session is told of them (design pages notice, passport).

Looked for by name and by their key's bytes; only where those are found is YAML read, by a child with
the packages, bounded in time. What it said stands for as long as the files stay as they are.
"""

import os

from baton.hot import asked, clean, files, passports, pipelines
from baton.hot.asked import rows, text
from baton.hot.project import Project
from baton.hot.state import State

UNCHECKED = "passports could not be checked: "
_KEY = b"reset_boundary"
_LIMIT = 16 << 20
_NOTE = "boundaries"
_MOST = 3


class Boundaries:
    """What was found. awaiting, taken: rows as `baton passport awaiting --json` gives them, of the
    hand-overs that wait and of those whose stage never ended. faults: what could not be checked, one
    sentence each."""

    __slots__ = ("awaiting", "faults", "taken")

    def __init__(self) -> None:
        self.awaiting: list[dict[str, object]] = []
        self.taken: list[dict[str, object]] = []
        self.faults: list[str] = []

    @property
    def lines(self) -> list[str]:
        """One line for each that waits, the newest first, three at most and how many more."""
        told = [_awaiting_line(row) for row in self.awaiting[:_MOST]]
        more = len(self.awaiting) - _MOST
        told += [f"{more} more hand-over(s): `baton passport awaiting`"] if more > 0 else []
        return told + [_taken_line(row) for row in self.taken[:_MOST]]


def look(project: Project, state: State) -> Boundaries:
    """Give what waits. Never raises; nothing is read where no passport is found."""
    found = Boundaries()
    names = [name for name in passports.candidates(project, state) if _has_key(project.path(name))]
    if not names:
        return found
    try:
        key = _key(project, names)
        _take(found, asked.answer(project, state, _NOTE, key, ["passport", "awaiting", "--json"]))
    except asked.FAULTS as error:
        found.faults.append(f"{UNCHECKED}{asked.words_of(error)}")
    return found


def _has_key(path: str) -> bool:
    try:
        return _KEY in (files.read(path, _LIMIT) or b"")
    except OSError:
        # The child says what is wrong with it.
        return True


def _key(project: Project, names: list[str]) -> str:
    """What changes when a passport, a half-done append to it, or a pipeline that it belongs to does."""
    signed = [f"{name} {_signature(project.path(name))}" for name in names]
    return "\n".join([*signed, _consumed(project), pipelines.signature(project)])


def _signature(path: str) -> str:
    folder, name = os.path.split(path)
    undo = os.path.lexists(os.path.join(folder, f".{name}.baton-undo"))
    return f"{asked.signature(path)} {int(undo)}"


def _consumed(project: Project) -> str:
    """What changes when a hand-over is taken in another work tree of the repository."""
    if project.checkout is None:
        return ""
    try:
        return str(
            os.stat(os.path.join(project.checkout.common_dir, "baton", "consumed")).st_mtime_ns
        )
    except OSError:
        return ""


def _take(found: Boundaries, answer: dict[str, object]) -> None:
    # One that was resumed on another branch or in another work tree waits no more, nor does one of a
    # pipeline that is over.
    found.awaiting = [row for row in rows(answer, "awaiting") if not _is_settled(row)]
    found.taken = rows(answer, "unfinished")
    found.faults += [f"{UNCHECKED}{each}" for each in asked.problems(answer)]


def _is_settled(row: dict[str, object]) -> bool:
    return bool(row.get("consumed_elsewhere") or row.get("pipeline_over"))


def _awaiting_line(row: dict[str, object]) -> str:
    leads = clean.quoted(text(row, "next"), 20) if row.get("next") is not None else "the end"
    notes = (", superseded" if row.get("superseded") else "") + (
        ", a decision is pending" if row.get("pending_decision") else ""
    )
    stage = clean.quoted(text(row, "stage"), 20)
    return (
        f"resume_from_passport={clean.line(text(row, 'hash'), 12)} (stage {stage} → {leads}{notes})"
    )


def _taken_line(row: dict[str, object]) -> str:
    moment, stage = clean.line(text(row, "resumed_at"), 40), clean.quoted(text(row, "stage"), 20)
    return f"resumed at {moment}, stage {stage} not finished: {clean.line(text(row, 'path'), 60)}"
