"""The host's journal of a run, read (design pages runs, host).

`journal.jsonl`, appended live: `launched`, `started` (agentId, label, phase), `result` (agentId,
result), `failed` (agentId). A `result` row whose result is not null is the only proof of success.
"""

from baton.hot.runs.layout import valid
from baton.hot.runs.transcript import Row, rows

_STARTED = b'{"type":"started"'


class Journal:
    """One journal.

    started: agent ids in the order of their `started` rows; one asked again stands there twice.
    labels, phases, keys: by agent id, where the row has one; a key is one call of the script.
    results: agent id → (place among the result rows, value), null ones left out. failed: agent id →
    how many result rows stood before; null results count as failed. bad: lines that could not be
    read.
    """

    __slots__ = ("bad", "failed", "keys", "labels", "phases", "results", "started")

    def __init__(self) -> None:
        self.started: list[str] = []
        self.labels: dict[str, str] = {}
        self.phases: dict[str, str] = {}
        self.keys: dict[str, str] = {}
        self.results: dict[str, tuple[int, object]] = {}
        self.failed: dict[str, int] = {}
        self.bad = 0

    def missing(self) -> list[str]:
        """Give the agents that began and have no result, in their order."""
        return [agent for agent in dict.fromkeys(self.started) if agent not in self.results]


def read(data: bytes) -> Journal:
    """Give the journal that a file's bytes hold. Never raises; rows of other kinds are passed over, and
    those of an agent whose id is no plain file name: files are named by it.
    """
    found, bad = rows(data)
    journal = Journal()
    journal.bad = bad
    number = 0
    for row in found:
        agent = row.get("agentId")
        if isinstance(agent, str):
            if valid(agent):
                _take(journal, row, agent, number)
            number += row.get("type") == "result"
    return journal


def _take(journal: Journal, row: Row, agent: str, number: int) -> None:
    kind = row.get("type")
    if kind == "started":
        journal.started.append(agent)
        by_name = (("label", journal.labels), ("phase", journal.phases), ("key", journal.keys))
        for key, texts in by_name:
            value = row.get(key)
            if isinstance(value, str):
                texts[agent] = value
    elif kind == "result" and row.get("result") is not None:
        journal.results[agent] = (number, row["result"])
    elif kind in ("result", "failed"):
        journal.failed[agent] = number


def started_place(data: bytes, agent: str) -> int | None:
    """Give the place of an agent's newest `started` row among all of them, without reading the rest.

    None where there is none. For hooks: results make a journal large.
    """
    begun = (line for line in data.split(b"\n") if line.startswith(_STARTED))
    places = [place for place, line in enumerate(begun) if f'"{agent}"'.encode() in line]
    return places[-1] if places else None
