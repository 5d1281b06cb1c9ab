"""Workflow runs in the real Claude Code: scripts to launch, a model that answers their agents, and the
kill -9 in the middle.

The model does what a test says and nothing unasked; each agent's requests are counted by the task
that its script computed.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from facts import wait_until

from .claude import ALLOW_ALL, Finished, Home, Running, run_print, start_print
from .model_server import Delay, Drop, Hang, ModelServer, Reply, Request, Text, ToolCall

RUNS = ".claude/workflows/runs"
_FRAME = "The computed task text follows:\n"
# The host brings transcripts to the disk a tenth of a second late; an agent takes longer than that.
_SECONDS = 0.25
CALL = re.compile(r'Workflow\(\{scriptPath: ("(?:[^"\\]|\\.)*")\}\)')

SURVEY = """\
export const meta = { name: 'survey', description: 'eight agents in two phases',
  phases: [{title: 'Read'}, {title: 'Judge'}] }
phase('Read')
const read = await parallel(args.names.map(n => () => agent(`${args.pack}\\nREAD ${n}`, {label: `read:${n}`})))
phase('Judge')
return await parallel(args.names.map((n, i) => () =>
  agent(`${args.pack}\\nJUDGE ${n} after ${read[i]}`, {label: `judge:${n}`})))
"""
NAMES = ["ash", "birch", "cedar", "elm"]
SURVEY_ARGS = {"names": NAMES, "pack": "memory of today"}
SURVEY_RESULT = [f"done: JUDGE {name} after done: READ {name}" for name in NAMES]


def task_of(request: Request) -> str:
    """The task that a workflow's script computed for the agent that asks."""
    lines = []
    for line in request.role_text("user").partition(_FRAME)[2].split("\n"):
        if not line.startswith("  "):
            break
        lines.append(line[2:])
    return "\n".join(lines)


def last_line(task: str, _: Request) -> Reply:
    """The usual answer of an agent: its task's last line, whatever memory stands before it."""
    return Text(f"done: {task.splitlines()[-1]}")


@dataclass
class Agents:
    """A scripted model: main turns by `main`, agents by `answer`.

    limit: after so many answers every further agent is left hanging. asked: requests by the last
    line of the task.
    """

    main: Callable[[Request], Reply]
    answer: Callable[[str, Request], Reply] = last_line
    limit: int = 1000
    asked: Counter[str] = field(default_factory=Counter)
    answered: int = 0
    _turn: Any = field(default_factory=threading.Lock)

    def __call__(self, request: Request) -> Reply:
        if request.kind != "agent":
            return self.main(request)
        task = task_of(request)
        with self._turn:
            self.asked[task.splitlines()[-1]] += 1
            if self.answered >= self.limit:
                return Hang(120)
            self.answered += 1
        return Delay(_SECONDS, self.answer(task, request))


def in_turn(*replies: Reply) -> Callable[[Request], Reply]:
    """Main turns: these replies, one after the other, then nothing more to do."""
    left = list(replies)
    return lambda _: left.pop(0) if left else Text("Nothing more to do.")


def obedient(**more: Any) -> Callable[[Request], Reply]:
    """Main turns that make the one call which the report gives, once, with `more` added to it."""
    made: list[str] = []

    def answer(request: Request) -> Reply:
        call = CALL.search(request.role_text("user"))
        if call is None or made:
            return Text("I did what was listed.")
        made.append(json.loads(call[1]))
        return ToolCall("Workflow", {"scriptPath": made[0], **more})

    return answer


@dataclass
class Stage:
    """A project, its plugin and the model: what the steps of a test share."""

    project: Path
    plugin: Path
    model: ModelServer

    @property
    def run(self) -> Path:
        """The folder of the project's only run."""
        [run] = (path for path in (self.project / RUNS).glob("*") if path.is_dir())
        return run

    def results(self) -> list[dict[str, Any]]:
        """What hooks and harvests have put down, in git or outside, without partial ones."""
        places = (self.project / RUNS, self.project / ".git/baton/runs")
        files = [path for place in places for path in place.glob("*/results/*.json")]
        found = [json.loads(path.read_text()) for path in files]
        return [record for record in found if record["status"] == "complete"]

    def killed(
        self, home: Home, agents: Agents, results: int, *, total: int = 8, prompt: str = "go"
    ) -> None:
        """A one-shot session that launches a run and dies of kill -9 once so many results are kept.

        If any of `total` is left, an agent has been left hanging by then.
        """
        running = self._launched(home, agents, prompt)
        wait_until(lambda: len(self.results()) >= results)
        wait_until(lambda: agents.answered < sum(agents.asked.values()) or results == total)
        running.kill()
        home.kill_processes()
        assert len(self.results()) == results

    def killed_soon(self, home: Home, agents: Agents, results: int, seconds: float) -> None:
        """The same, so long after so many results and with all at work; what hooks do dies with it."""
        running = self._launched(home, agents, "go")
        wait_until(lambda: len(self.results()) >= results)
        time.sleep(seconds)
        running.kill()
        home.kill_processes()

    def killed_untold(self, home: Home, agents: Agents) -> None:
        """The same once the host has written down that the run is completed, with no hook told of it."""
        running = self._launched(home, agents, "go")
        records = home.claude_folder / "projects"
        wait_until(lambda: any('"completed"' in p.read_text() for p in records.rglob("wf_*.json")))
        running.kill()
        home.kill_processes()
        (self.run / "harvested.json").unlink(missing_ok=True)

    def killed_unseen(self, home: Home, agents: Agents, results: int) -> str:
        """The same without baton; gives the run id."""
        self._play(home, agents)
        running = start_print(
            self.project, "go", home=home, server=self.model, extra_args=ALLOW_ALL, stream=False
        )
        journals = home.claude_folder / "projects"

        def rows() -> list[str]:
            found = [p.read_text() for p in journals.rglob("journal.jsonl")]
            return [row for text in found for row in text.splitlines() if '"result"' in row]

        wait_until(lambda: len(rows()) >= results)
        wait_until(lambda: agents.answered < sum(agents.asked.values()))
        [journal] = journals.rglob("journal.jsonl")
        # The host brings transcripts to the disk a little later: the session's own with the launch,
        # and those of the agents with their answers.
        [session] = journals.glob("*/*.jsonl")
        told = [journal.with_name(f"agent-{json.loads(row)['agentId']}.jsonl") for row in rows()]
        wait_until(lambda: f'"runId":"{journal.parent.name}"' in session.read_text())
        wait_until(lambda: all('"done: ' in path.read_text() for path in told))
        running.kill()
        home.kill_processes()
        return journal.parent.name

    def _launched(self, home: Home, agents: Agents, prompt: str) -> Running:
        before = len(self._attempts())
        self._play(home, agents)
        running = start_print(
            self.project,
            prompt,
            home=home,
            server=self.model,
            plugin_dirs=[self.plugin],
            extra_args=ALLOW_ALL,
            stream=False,
        )
        wait_until(lambda: len(self._attempts()) > before)
        return running

    def _play(self, home: Home, agents: Agents) -> None:
        """What a killed session of another account still had under way is not for these agents."""
        self.model.play(lambda asked: agents(asked) if asked.key == home.key else Drop())

    def _attempts(self) -> list[str]:
        found = (self.project / RUNS).glob("*/attempts.jsonl")
        return [line for path in found for line in path.read_text().splitlines()]

    def session(self, home: Home, prompt: str, agents: Agents, *more: str) -> Finished:
        """A one-shot session from start to end."""
        self._play(home, agents)
        done = run_print(
            self.project,
            prompt,
            home=home,
            server=self.model,
            plugin_dirs=[self.plugin],
            extra_args=[*ALLOW_ALL, *more],
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    def attempt(self) -> dict[str, Any]:
        """The run's newest launch."""
        newest: dict[str, Any] = json.loads(self._attempts()[-1])
        return newest

    def finished(self) -> set[str]:
        """The last lines of the tasks that have their result."""
        return {record["prompt"].splitlines()[-1] for record in self.results()}

    def outcome(self) -> Any:
        """What the newest run returned, as the host tells the model."""
        told = self.model.last().all_text()
        found = re.findall(r"<result>(.*?)</result>", told, re.DOTALL)
        assert found, told[-2000:]
        return json.loads(found[-1])
