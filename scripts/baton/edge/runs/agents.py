"""The agents of one launch: what the run has of each, what the host has, and what is written of that
(design page runs, "what is a result")."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from baton.core.runs.answers import is_limit_message
from baton.hot.runs import capture, layout, transcript
from baton.hot.runs.capture import Agent
from baton.hot.runs.journal import Journal
from baton.hot.runs.keep import Kept
from baton.hot.runs.layout import Place
from baton.hot.runs.transcript import Answer


@dataclass(frozen=True)
class Launch:
    """One launch. journal: our copy of it. at: the host's folders with its agents' transcripts."""

    number: int
    run_id: str
    session: str
    journal: Journal
    at: Sequence[str]


@dataclass
class Taken:
    """fresh: results that were not there before. asked: the prompts of agents without one, by id,
    None where unknown. trees: the work trees that agents had of their own. unread: the transcripts
    that could not be read, and why."""

    fresh: int = 0
    trees: set[str] = field(default_factory=set)
    kept: list[Kept] = field(default_factory=list)
    asked: dict[str, str | None] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)


def take(place: Place, launch: Launch, *, partial: bool) -> Taken:
    """Write a results file for each agent that has a result and whose file is not right yet.

    partial: also for one that died and left words, marked as partial. Raises OSError.
    """
    taken = Taken()
    own = launch.journal
    places = {agent: at for at, agent in enumerate(own.started)}
    for agent in dict.fromkeys([*own.started, *own.results, *_transcribed(launch.at)]):
        one = _One(place, launch, agent, places.get(agent), taken)
        if not one.settle(partial):
            taken.asked[agent] = transcript.prompt(one.rows())
        taken.trees |= one.trees()
    return taken


def _transcribed(at: Sequence[str]) -> list[str]:
    """The agents whose transcripts are there."""
    names: set[str] = set()
    for folder in at:
        # One that is gone or cannot be listed was told of when its journal was looked for.
        with contextlib.suppress(OSError, ValueError):
            names.update(os.listdir(folder))
    agents = [
        name.removeprefix("agent-").removesuffix(".jsonl")
        for name in names
        if name.startswith("agent-") and name.endswith(".jsonl")
    ]
    return sorted(agent for agent in agents if layout.valid(agent))


class _One:
    """One agent. started: its place among the journal's `started` rows, None where it has none."""

    def __init__(
        self, place: Place, launch: Launch, agent: str, started: int | None, taken: Taken
    ) -> None:
        self.place = place
        self.started = started
        self.launch = launch
        self.own = launch.journal
        self.taken = taken
        self.agent = Agent(self._home(agent), agent, launch.session)
        self.agent.run_id = launch.run_id
        self.name, self.known = self._known()
        self._read: list[transcript.Row] | None = None

    def _home(self, agent: str) -> str:
        """The folder with the agent's transcript; where there is none, one that holds none."""
        held = (
            f for f in self.launch.at if os.path.exists(os.path.join(f, f"agent-{agent}.jsonl"))
        )
        return next(held, os.path.join(self.place.folder, layout.JOURNAL))

    def _known(self) -> tuple[str, dict[str, object]]:
        own = layout.result_file(self.agent.agent)
        for name in (own, unmatched_file(self.agent.agent)):
            record = layout.parse(self.place.read(name) or b"")
            if record:
                return name, record
        return own, {}

    def settle(self, partial: bool) -> bool:
        """Write what is new; tell whether the agent has a result."""
        row = self.own.results.get(self.agent.agent)
        if row is not None and not is_limit_message(row[1]):
            self._from_journal(*row)
            return True
        complete = self.known.get("status") == layout.COMPLETE
        if complete and not is_limit_message(self.known.get("result")):
            self._put_started()
            return True
        if row is None and self.agent.agent not in self.own.failed:
            answer = transcript.answer(self.rows(), ended=False)
            if answer is not None and not is_limit_message(answer.value):
                self._put(self._facts() | _outcome(answer, None, layout.FROM_TRANSCRIPT))
                return True
        if partial and not self.known:
            left = transcript.last_text(self.rows())
            if left is not None:
                self._put(self._facts() | _outcome(None, left, layout.FROM_TRANSCRIPT))
        return False

    def _from_journal(self, row: int, value: object) -> None:
        """The host's own words count: it alters results that hold its own tags."""
        known = self.known
        same = known.get("row") == row and known.get("digest") == layout.value_digest(value)
        if not (same and known.get("status") == layout.COMPLETE and known.get("prompt")):
            record = self._facts() | _outcome(Answer(value), None, layout.FROM_JOURNAL)
            record["row"] = row
            if known != record:
                self._put(record)

    def _put_started(self) -> None:
        """A hook cannot always know where in the journal its agent was started."""
        if self.started is not None and self.known.get("started") != self.started:
            self._put(self.known | {"started": self.started})

    def _facts(self) -> dict[str, object]:
        facts = capture.facts(self.place, self.agent, self.rows(), self.launch.number)
        facts["label"] = self.own.labels.get(self.agent.agent) or facts["label"]
        facts["phase"] = self.own.phases.get(self.agent.agent) or facts["phase"]
        for key, value in facts.items():
            # What a hook saw of the agent may be gone from the host's folder by now.
            if key in self.known and (value in (None, "") or value is False or key == "ended"):
                facts[key] = self.known[key]
        return facts if self.started is None else facts | {"started": self.started}

    def _put(self, record: dict[str, object]) -> None:
        was = self.known.get("status") == layout.COMPLETE
        self.taken.kept.append(capture.put(self.place, self.name, record))
        self.taken.fresh += record["status"] == layout.COMPLETE and not was
        self.known = record

    def trees(self) -> set[str]:
        """Where it worked, if that was a work tree of its own."""
        if not (self.known or self._facts()).get("worktree"):
            return set()
        return {cwd for row in self.rows() if isinstance(cwd := row.get("cwd"), str)}

    def rows(self) -> list[transcript.Row]:
        """The rows of its transcript, [] where there is none."""
        if self._read is None:
            try:
                self._read = capture.read(self.agent.path(".jsonl"))
            except FileNotFoundError:
                self._read = []
            except OSError as error:
                self.taken.unread.append(f"{self.agent.path('.jsonl')}: {error.strerror}")
                self._read = []
        return self._read


def unmatched_file(agent: str) -> str:
    """Give the name, inside the run, of the file of a result that belongs to nothing known."""
    return f"{layout.RESULTS}/unmatched-{agent}.json"


def _outcome(answer: Answer | None, left: str | None, source: str) -> dict[str, object]:
    return capture.outcome(answer, left, source, "")
