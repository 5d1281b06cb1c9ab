"""A project with workflow runs, and accounts of Claude Code that launched them: for tests of the
commands."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from baton.edge.runs import folder, harvest
from baton.edge.runs.folder import Run
from baton.edge.runs.harvest import Outcome, Where
from baton.hot import project
from baton.hot.runs import layout, snapshot
from baton.hot.runs.layout import Place
from baton.hot.state import State
from workflow_host import RUN_ID, SCRIPT, Host, asked, said, text

FOUR = (
    "export const meta = {name: 'demo', description: 'a demo'}\n"
    "return parallel(args.map(a => () => agent(`task of ${a}`, {label: `label ${a}`})))\n"
)

AT = "2026-11-30T20:58:15.653Z"


class Desk:
    """One project and one account."""

    def __init__(self, repo: Path, home: Path) -> None:
        here = project.locate({}, str(repo))
        assert here is not None
        self.repo = repo
        self.config = home / ".claude"
        self.project = here
        self.state = State(here, dict(os.environ))
        self.host = Host(self.config, repo, slug="-some-slug")

    def place(self, name: str = "r1") -> Place:
        """A run's folders."""
        return Place(self.project, self.state, name)

    def prepare(
        self,
        name: str = "r1",
        *,
        script: str = FOUR,
        args: Any = None,
        tasks: list[dict[str, Any]] | None = None,
        children: dict[str, str] | None = None,
    ) -> Place:
        """Record a run that is about to be launched."""
        facts: dict[str, object] = {
            "purpose": "review the docs",
            "session": "s1",
            "args_given": args is not None,
            "args": args,
            "tasks": tasks,
            "children": children or {},
        }
        place = self.place(name)
        snapshot.write(place, facts, script, {})
        return place

    def launch(
        self, name: str = "r1", run_id: str = RUN_ID, *, noted: bool = False, **more: Any
    ) -> None:
        """Note one more launch. noted: with the host's folder, as a hook does it."""
        place = self.place(name)
        done, _ = layout.attempts(place)
        record: dict[str, object] = {
            "attempt": len(done) + 1,
            "run_id": run_id,
            "session": self.host.session,
            "transcripts": str(self.host.folder(run_id)) if noted else None,
            "cwd": str(self.repo),
            "launched": "2026-11-30T17:00:00Z",
            "source": "hook",
            "script": None,
            "relaunch": bool(done),
            "tool_use": None,
        }
        layout.add_attempt(place, record | more)

    def cwd(self, cwd: Path | str, host: Host | None = None) -> None:
        """Let the session's transcript say where it worked."""
        base = (host or self.host).base
        base.parent.mkdir(parents=True, exist_ok=True)
        rows = [{"type": "summary"}, {"type": "user", "cwd": str(cwd)}]
        Path(f"{base}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def ran(self, *agents: str, left: tuple[str, ...] = (), run_id: str = RUN_ID) -> None:
        """Let agents end with a result, and others stay at work."""
        self.cwd(self.repo)
        for agent in agents:
            self.host.agent(agent, run_id=run_id)
            self.host.result(agent, f"result of {agent}", run_id)
        for agent in left:
            self.host.agent(agent, asked(f"task of {agent}"), run_id=run_id)
        self.age(run_id)

    def told(
        self,
        given: dict[str, Any],
        *,
        run_id: str = RUN_ID,
        script_path: str = "",
        at: str = AT,
        id: str = "toolu_9",
    ) -> None:
        """Let the session's transcript tell of a launch, as the real program writes it."""
        call = {"type": "tool_use", "id": id, "name": "Workflow", "input": given}
        back = {"type": "tool_result", "tool_use_id": id, "content": f"launched. Run ID: {run_id}"}
        common = {"cwd": str(self.repo), "sessionId": self.host.session, "timestamp": at}
        answer = {
            "status": "async_launched",
            "workflowName": "demo",
            "runId": run_id,
            "summary": "a demo",
            "transcriptDir": str(self.host.folder(run_id)),
            "scriptPath": script_path,
        }
        rows: list[dict[str, Any]] = [
            {"type": "user", "message": {"role": "user", "content": "use the Workflow tool"}},
            {"type": "assistant", "message": {"role": "assistant", "content": [call]}},
            {"type": "user", "message": {"content": [back]}, "toolUseResult": answer},
        ]
        with Path(f"{self.host.base}.jsonl").open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row | common) + "\n" for row in rows)

    def age(self, run_id: str = RUN_ID, seconds: float = 3600) -> None:
        """Let the host have written into a journal so long ago."""
        then = time.time() - seconds
        os.utime(self.host.folder(run_id) / "journal.jsonl", (then, then))

    def harvest(self, name: str = "r1", *, partial: bool = False, **where: Any) -> Outcome:
        """Harvest a run."""
        at = Where(where.get("configs", [str(self.config)]), where.get("places", []))
        return harvest.harvest(
            self.project, self.state, self.place(name), at, wait=5, partial=partial
        )

    def run(self, name: str = "r1") -> Run:
        """A run as its folder shows it."""
        return folder.load(self.place(name))

    def result(self, file: str, name: str = "r1") -> dict[str, Any]:
        """A results file."""
        data = self.place(name).read(f"results/{file}.json")
        assert data is not None, self.place(name).listing("results")
        return json.loads(data)  # type: ignore[no-any-return]


__all__ = ["AT", "FOUR", "RUN_ID", "SCRIPT", "Desk", "Host", "asked", "said", "text"]
