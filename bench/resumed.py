"""What a session that goes on reads: notice and report together, whatever the length of what died."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

from paired import BATON, DOOR, Row, environment, git
from passports import give_packages
from workflow_host import Host

_BUDGET = 8_000
_LENGTHS = (100_000, 50_000_000)
"""Bytes of the dead session's transcript."""


def rows(folder: Path) -> Iterator[Row]:
    """Let as much wait as can: a chain at its limit, runs, hand-overs, pipelines, a reason of death."""
    for length in _LENGTHS:
        stage = _Stage(folder / str(length))
        stage.fill()
        stage.die(length)
        notice, report = stage.notice(), stage.baton("tiep")
        told = f"notice {len(notice):,}, report {len(report):,}"
        what = f"characters that a resumed session reads, transcript of {length:,} bytes"
        yield Row(what, len(notice) + len(report), _BUDGET, "", told)


class _Stage:
    """A repository in which everything waits, in a home of its own."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.project.mkdir(parents=True)
        self.env = environment(folder / "home")
        give_packages(folder / "home")
        self.host = Host(folder / "home/.claude", self.project)
        git(self.project, self.env, "init", "--quiet")
        git(self.project, self.env, "commit", "--quiet", "--allow-empty", "--message", "begin")

    def fill(self) -> None:
        """Lay what waits."""
        items = [f"--item=[ ] {'step ' * 30}{number} — ls nothing{number}" for number in range(24)]
        proofs = [f"--verify=test -e nothing{number}" for number in range(6)]
        self.baton("wal", "start", "goal " * 30, *items, *proofs, "--next", "next " * 30)
        for number in range(4):
            self.hook("run_events", self.host.after(f"wf_{number:08x}-aaa"))
            self.hand_over(f"passports/paper{number}.yaml")
        for number in range(4):
            self.baton("pipeline", "start", "--name", f"paper{number}", "--entry", "1")

    def hand_over(self, passport: str) -> None:
        """Let a hand-over wait in a passport of its own."""
        self.baton("passport", "init", passport)
        stages = ("--stage", "1", "--next", "2", "--session", passport)
        self.baton("passport", "boundary", "--passport", passport, *stages, flag="1")

    def die(self, length: int) -> None:
        """End the session that did all this at a limit, with a transcript of so many bytes."""
        row = json.dumps({"type": "user", "cwd": str(self.project), "text": "word " * 200}) + "\n"
        path = Path(f"{self.host.base}.jsonl")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(row * (length // len(row)), encoding="utf-8")
        self.hook("flush", self.host.event("StopFailure", error="rate_limit"))

    def notice(self) -> str:
        """What the next session is told, on the screen and in its context."""
        event = self.host.event("SessionStart", source="startup") | {"session_id": "another"}
        answer = json.loads(self.hook("session_start", event))
        context = answer["hookSpecificOutput"]["additionalContext"]
        return f"{answer['systemMessage']}{context}"

    def hook(self, door: str, event: dict[str, object]) -> str:
        """Run a hook; give what it prints."""
        env = {**self.env, "CLAUDE_PROJECT_DIR": str(self.project)}
        return self._run([*DOOR, door], env, json.dumps(event) + "\n")

    def baton(self, *words: str, flag: str = "0") -> str:
        """Run a command line; give what it prints. flag: whether stages end in hand-overs."""
        return self._run([BATON, *words], {**self.env, "ARS_PASSPORT_RESET": flag})

    def _run(self, command: list[str], env: dict[str, str], line: str = "") -> str:
        done = subprocess.run(
            command, cwd=self.project, env=env, input=line, capture_output=True, text=True
        )
        if done.returncode not in (0, 1):
            raise SystemExit(f"{command}: exit {done.returncode}: {done.stderr}")
        return done.stdout
