"""Where a run stands: which of its tasks have their result, which are left (design page runs).

A task is done by a result of its own name, or by the result of an agent that has the task's label.
What more than one task could claim belongs to none of them: it is reported, never guessed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from baton.core.runs.calls import calls
from baton.core.runs.records import Attempt, Record, Task


@dataclass(frozen=True)
class Unmatched:
    """A result that belongs to nothing known. reason: why, a phrase."""

    agent: str
    label: str | None
    reason: str


@dataclass(frozen=True)
class Standing:
    """done, remaining, in_flight: ids of tasks, or of calls where no tasks are known.

    in_flight: the ones of `remaining` whose agents were at work when the launch ended (or are now).
    fixed: whether the total is known; a script may still make calls that nobody has seen.
    """

    done: list[str]
    remaining: list[str]
    in_flight: list[str]
    unmatched: list[Unmatched]
    fixed: bool

    @property
    def total(self) -> int:
        """How many tasks or calls are known."""
        return len(self.done) + len(self.remaining)


def stand(
    tasks: Sequence[Task], attempts: Sequence[Attempt], records: Sequence[Record]
) -> Standing:
    """Give where a run stands. tasks: [] where none are known; then calls count as tasks."""
    return _of_tasks(tasks, attempts, records) if tasks else _of_calls(attempts, records)


def _of_tasks(
    tasks: Sequence[Task], attempts: Sequence[Attempt], records: Sequence[Record]
) -> Standing:
    ids = {task.id for task in tasks}
    by_label: dict[str, list[str]] = {}
    for task in tasks:
        by_label.setdefault(task.label, []).append(task.id)
    done, unmatched = set(), []
    for record in records:
        owners = [record.task] if record.task in ids else by_label.get(record.label or "", [])
        if not record.complete:
            continue
        if len(owners) == 1:
            done.add(owners[0])
        else:
            reason = (
                f"ambiguous: tasks {' and '.join(map(str, owners))} have this label"
                if owners
                else "no task has this label"
            )
            unmatched.append(Unmatched(record.agent or str(record.task), record.label, reason))
    busy = {call.label for call in calls(attempts, records) if _in_flight(call.result, call.dead)}
    return Standing(
        [task.id for task in tasks if task.id in done],
        [task.id for task in tasks if task.id not in done],
        [task.id for task in tasks if task.id not in done and task.label in busy],
        unmatched,
        True,
    )


def _in_flight(result: Record | None, dead: bool) -> bool:
    return result is None and not dead


def _of_calls(attempts: Sequence[Attempt], records: Sequence[Record]) -> Standing:
    known = calls(attempts, records)
    counts = Counter(call.label for call in known)
    seen: Counter[str | None] = Counter()
    done, remaining, in_flight, unmatched = [], [], [], []
    for call in known:
        seen[call.label] += 1
        several = counts[call.label] > 1
        name = call.label or call.agents[0]
        id_ = f"{name} #{seen[call.label]}" if several and call.label else name
        if call.result is not None and call.result.prompt is None and several:
            reason = f"ambiguous: {counts[call.label]} agents have this label, and what it was asked is not known"
            unmatched.append(Unmatched(call.result.agent, call.label, reason))
            remaining.append(id_)
        elif call.result is not None:
            done.append(id_)
        else:
            remaining.append(id_)
            if not call.dead:
                in_flight.append(id_)
    return Standing(done, remaining, in_flight, unmatched, False)


def trimmed_args(
    snapshot: Mapping[str, object], tasks: Sequence[Task], remaining: Sequence[str]
) -> object:
    """Give the args for what remains: one for one where args or tasks allow it, else all as given."""
    left = [n for n, task in enumerate(tasks) if task.id in remaining]
    args = snapshot.get("args")
    if isinstance(args, list) and len(args) == len(tasks) > 0:
        return [args[n] for n in left]
    if not snapshot.get("args_given") and any(task.args is not None for task in tasks):
        return [tasks[n].args for n in left]
    return args
