"""What is known of one agent or task, and of one launch: results files and journals as values
(design page runs; the keys are those of `hot.runs.layout`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from baton.core.runs.answers import is_limit_message
from baton.hot.runs import layout
from baton.hot.runs.journal import Journal


@dataclass(frozen=True)
class Record:
    """One results file. file: its name below `results/`; the rest as in the layout."""

    file: str
    attempt: int
    run_id: str
    agent: str
    task: str | None
    label: str | None
    phase: str | None
    prompt: str | None
    model: str | None
    agent_type: str | None
    worktree: bool
    started: int | None
    ended: int
    row: int | None
    value: object
    status: str
    error: str | None

    @property
    def complete(self) -> bool:
        """Whether it holds a result; a partial one is what a dead agent left."""
        held = self.status == layout.COMPLETE and self.value is not None
        return held and not is_limit_message(self.value)


@dataclass(frozen=True)
class Attempt:
    """One launch. journal: as far as it is known. known: whether there is a journal at all.

    asked: the prompts of its agents without a result, by agent id, None where unknown.
    """

    number: int
    run_id: str
    journal: Journal = field(default_factory=Journal)
    known: bool = False
    asked: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Task:
    """One task of a run whose tasks are known from the start."""

    id: str
    label: str
    args: object


def record(file: str, data: Mapping[str, object], numbers: Mapping[str, int]) -> Record:
    """Give the record that a results file holds; keys that are absent or odd count as unknown, and so
    does an agent's id that is no plain file name: files are named by it.

    A task's file may say no more than `result`. numbers: the attempt that a run id belongs to.
    """
    status = data.get("status", layout.COMPLETE)
    run_id = _text(data, "run_id") or ""
    agent = _text(data, "agent") or ""
    agent = agent if layout.valid(agent) else ""
    return Record(
        file=file,
        attempt=numbers.get(run_id) or _number(data, "attempt") or 1,
        run_id=run_id,
        agent=agent,
        task=_text(data, "task") or (None if agent else file.removesuffix(".json")),
        label=_text(data, "label"),
        phase=_text(data, "phase"),
        prompt=_text(data, "prompt"),
        model=_text(data, "model"),
        agent_type=_text(data, "agent_type"),
        worktree=data.get("worktree") is True,
        started=_number(data, "started"),
        ended=_number(data, "ended") or 0,
        row=_number(data, "row"),
        value=data.get("result"),
        status=status if isinstance(status, str) else layout.PARTIAL,
        error=_text(data, "error"),
    )


def in_finish_order(records: list[Record]) -> list[Record]:
    """By attempt, then those with a row by row, then the others by the time they ended."""
    return sorted(
        records,
        key=lambda r: (r.attempt, r.row is None, r.ended if r.row is None else r.row, r.agent),
    )


def tasks(snapshot: Mapping[str, object]) -> list[Task]:
    """Give the tasks that a snapshot names, [] when it names none.

    A task without a label goes by its id.
    """
    rows = snapshot.get("tasks")
    found = []
    for row in rows if isinstance(rows, list) else []:
        id_ = _text(row, "id") if isinstance(row, dict) else None
        if id_ is not None:
            found.append(Task(id_, _text(row, "label") or id_, row.get("args")))
    return found


def _text(data: Mapping[str, object], key: str) -> str | None:
    value = data.get(key)
    return value if isinstance(value, str) else None


def _number(data: Mapping[str, object], key: str) -> int | None:
    value = data.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
