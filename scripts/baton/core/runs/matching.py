"""Which saved results a relaunch may hand out, and to which calls (design page runs).

- A result of a run whose script is unchanged goes by its label alone where no other call has that
  label, whatever its prompt: a memory pack that was derived afresh changes prompts.
- But not where an earlier call had come to nothing before it began: once that one is filled the
  prompt may differ for that very reason, and then it is asked again.
- Everything else goes by prompt and label (the prelude does that, first in first out).
- A result whose prompt is not known, and which may not go by label, is not used: it is reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from baton.core.runs.calls import unique_labels
from baton.core.runs.records import Attempt, Record, in_finish_order
from baton.core.runs.relaunch import Saved
from baton.core.runs.standing import Unmatched

_CHILD = "▸ "


@dataclass(frozen=True)
class Plan:
    """saved: to hand out, in the order of their start. unused: finished, but not to be used."""

    saved: list[Saved]
    unused: list[Unmatched]


def plan(
    attempts: Sequence[Attempt],
    records: Sequence[Record],
    children: Collection[str],
    *,
    strict: bool = False,
    edited: bool = False,
) -> Plan:
    """Give what a relaunch may use.

    children: what the host shows for each child that can be run inside the script. strict: prompts must be
    equal everywhere. edited: the script is not what was launched.
    """
    complete = in_finish_order([record for record in records if record.complete and record.agent])
    order = {record.agent: place for place, record in enumerate(complete)}
    unique = unique_labels(attempts, records) if not (strict or edited) else set()
    prompts = _prompts(attempts, records) if edited else None
    nulls = {attempt.number: _Nulls(attempt, records) for attempt in attempts}
    saved, unused = [], []
    for record in sorted(complete, key=_start):
        by_label = record.label in unique and not nulls[record.attempt].touched(record)
        child = _child(record.phase)
        if child is not None and child not in children:
            unused.append(_unused(record, f"the script of its workflow {child} is not known"))
        elif record.prompt is None and not by_label:
            unused.append(
                _unused(record, "what it was asked is not known, and its label is not enough")
            )
        else:
            solo = prompts is not None and prompts[record.prompt] == 1
            saved.append(_saved(record, by_label, solo, order[record.agent]))
    return Plan(saved, unused)


def _saved(record: Record, by_label: bool, solo: bool, order: int) -> Saved:
    return Saved(
        prompt=record.prompt,
        label=record.label,
        by_label=by_label,
        solo=solo,
        value=record.value,
        model=record.model,
        # Without the agent's own notes nobody knows what it was called with.
        any_model=record.agent_type is None,
        agent_type=record.agent_type,
        worktree=record.worktree,
        order=order,
    )


def _unused(record: Record, reason: str) -> Unmatched:
    return Unmatched(record.agent, record.label, reason)


def _start(record: Record) -> tuple[int, bool, int, int]:
    known = record.started is not None
    return record.attempt, not known, record.started or 0, record.ended


class _Nulls:
    """The agents of one launch that came to nothing, and what of its results they may have touched.

    The host writes a failure down only before the next result, so it counts from where it stands;
    of one that only a hook saw, the time counts.
    """

    def __init__(self, attempt: Attempt, records: Sequence[Record]) -> None:
        journal = attempt.journal
        self.rows = journal.results
        self.begun = {agent: at for at, agent in enumerate(dict.fromkeys(journal.started))}
        # (its place among those that were started, how many results stood before it failed)
        self.failed = [
            (self.begun.get(agent, -1), before)
            for agent, before in journal.failed.items()
            if agent not in journal.results
        ]
        self.died = [
            record.ended
            for record in records
            if record.attempt == attempt.number
            and record.error
            and not record.complete
            and record.agent not in journal.failed
        ]

    def touched(self, record: Record) -> bool:
        """Whether the script may have gone on without some other agent's result before it began."""
        row = self.rows.get(record.agent)
        mine = self.begun.get(record.agent, len(self.begun))
        in_journal = any(
            begun < mine and (row is None or before <= row[0]) for begun, before in self.failed
        )
        return in_journal or any(ended < record.ended for ended in self.died)


def _prompts(attempts: Sequence[Attempt], records: Sequence[Record]) -> Counter[str | None]:
    """How many calls were asked each prompt; none counts as alone while one of them is unknown."""
    asked = [record.prompt for record in records]
    asked += [prompt for attempt in attempts for prompt in attempt.asked.values()]
    return Counter() if None in asked else Counter(asked)


def _child(phase: str | None) -> str | None:
    """The child workflow that a phase names (`▸ name`, `▸ name #2`), None when it names none."""
    if not phase or not phase.startswith(_CHILD):
        return None
    name, hash_, number = phase[len(_CHILD) :].rpartition(" #")
    return name if hash_ and number.isdecimal() else phase[len(_CHILD) :]
