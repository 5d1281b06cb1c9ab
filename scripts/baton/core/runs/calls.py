"""The calls that a run's script made, over all its launches (design page runs).

The host gives each call of a launch a key; a relaunch asks only what has no result, so that a call
of it with the label of an open one is the same call once more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from baton.core.runs.records import Attempt, Record


@dataclass
class Call:
    """One call. agents: those that were started for it, the newest last. result: None while it has
    none. dead: whether its newest agent came to nothing, and the script went on without it."""

    label: str | None
    agents: list[str]
    result: Record | None = None
    dead: bool = False


def calls(attempts: Sequence[Attempt], records: Sequence[Record]) -> list[Call]:
    """Give every call that is known, in the order in which they were first started."""
    found: list[Call] = []
    for attempt in attempts:
        mine = [record for record in records if record.attempt == attempt.number and record.agent]
        open_before = [call for call in found if call.result is None]
        for call in _of_attempt(attempt, mine):
            same = next((old for old in open_before if old.label == call.label), None)
            if same is None:
                found.append(call)
                continue
            open_before.remove(same)
            same.agents += call.agents
            same.result, same.dead = call.result, call.dead
    return found


def _of_attempt(attempt: Attempt, records: Sequence[Record]) -> list[Call]:
    journal = attempt.journal
    by_agent = {record.agent: record for record in records}
    by_key: dict[str, Call] = {}
    for agent in dict.fromkeys([*journal.started, *by_agent]):
        record = by_agent.get(agent)
        label = journal.labels.get(agent, record.label if record else None)
        call = by_key.setdefault(journal.keys.get(agent, agent), Call(label, []))
        call.agents.append(agent)
        if record and record.complete:
            call.result = record
        call.dead = agent in journal.failed or bool(record and record.error)
    return list(by_key.values())


def unique_labels(attempts: Sequence[Attempt], records: Sequence[Record]) -> set[str]:
    """Give the labels that one call alone has, as far as every launch's journal is known.

    Where a journal is missing, an agent in flight may have had any label: then none is unique. Nor
    is that of a result whose launch is not known.
    """
    if not all(attempt.known for attempt in attempts):
        return set()
    numbers = {attempt.number for attempt in attempts}
    strays = {record.label for record in records if record.attempt not in numbers}
    counts = Counter(call.label for call in calls(attempts, records))
    return {label for label, count in counts.items() if label and count == 1} - strays
