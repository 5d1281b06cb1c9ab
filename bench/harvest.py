"""What an agent's slot pays: SubagentStop with its harvest against bare Python, and whether all is kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from paired import BARE, DOOR, Row, environment, git, ratio, timed
from workflow_host import RUN_ID, Host, asked, said, text

AGENTS, RESULT, SLOTS = 50, 4_000, 8
"""Agents of the run, bytes of a result, and how many end at the same time."""


def rows(folder: Path) -> Iterator[Row]:
    """End 50 agents one by one, beside as many bare Pythons; then 50 others, eight at a time."""
    stage = _Stage(folder)
    pairs = [(stage.run(BARE), stage.hook(event)) for event in stage.agents("a")]
    times = dict(zip(("bare", "harvest"), zip(*pairs, strict=True), strict=True))
    what = f"SubagentStop with harvest, {AGENTS} agents, against bare Python"
    yield ratio(what, times, "harvest", "bare", 6.0)
    with ThreadPoolExecutor(SLOTS) as pool:
        list(pool.map(stage.hook, stage.agents("b")))
    lost = 2 * AGENTS - len(stage.kept())
    yield Row("results lost of these and of 50 more, 8 at once", lost, 0, "", f"{2 * AGENTS} ended")


class _Stage:
    """A repository with a run in it, in a home of its own."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.project.mkdir(parents=True)
        self.env = environment(folder / "home") | {"CLAUDE_PROJECT_DIR": str(self.project)}
        git(self.project, self.env, "init", "--quiet")
        self.host = Host(folder / "config", self.project)
        self.hook(self.host.after())

    def agents(self, name: str) -> list[dict[str, Any]]:
        """Write the agents' files; give their events. Each one's row is in the journal of the next."""
        events = []
        for number in range(AGENTS):
            answer = "word " * (RESULT // 5)
            rows = (asked(f"task {name}{number}"), said(text(answer)))
            events.append(self.host.agent(f"{name}{number}", *rows))
            self.host.result(f"{name}{number}", answer)
        return events

    def hook(self, event: dict[str, Any]) -> float:
        """Milliseconds of the hook on one event."""
        return self.run((*DOOR, "run_events"), json.dumps(event).encode() + b"\n")

    def run(self, command: tuple[str, ...], line: bytes = b"") -> float:
        """Milliseconds of a process."""
        return timed(command, self.project, self.env, line)

    def kept(self) -> list[Path]:
        """The results on disk."""
        return list((self.project / ".claude/workflows/runs" / RUN_ID / "results").iterdir())
