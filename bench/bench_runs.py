"""What an agent's slot pays: the SubagentStop hook with its harvest against bare Python, run by run.

    python bench/bench_runs.py [--agents N] [--result BYTES] [--slots N]

A workflow run of N agents is laid as Claude Code leaves it. Each agent's end is one round: bare
Python, an event that is none of ours, the capture of its result; printed are medians and their
ratios with the budget. Then all agents once more, `--slots` at a time as the host runs them, against
as many bare Pythons; and whether every result is on disk.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests")]

from workflow_host import RUN_ID, Host, asked, said, text  # noqa: E402

BUDGET = 6.0
FOREIGN = {"hook_event_name": "SubagentStop", "agent_transcript_path": "/x/subagents/agent-a.jsonl"}


class Bench:
    """A repository with a run in it, in a home of its own."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        (folder / "home").mkdir()
        self.project.mkdir()
        self.python = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
        self.env = {"PATH": os.environ["PATH"], "HOME": str(folder / "home")}
        self.env["CLAUDE_PROJECT_DIR"] = str(self.project)
        subprocess.run(["git", "init", "--quiet"], cwd=self.project, env=self.env, check=True)
        self.host = Host(folder / "config", self.project)
        self.hook(self.host.after())

    def lay(self, agents: int, size: int) -> list[dict[str, object]]:
        """Write the agents' files; give their events. Each one's row is in the journal of the next."""
        events = []
        for number in range(agents):
            rows = (asked(f"task {number}"), said(text("word " * (size // 5))))
            events.append(self.host.agent(f"a{number}", *rows))
            self.host.result(f"a{number}", "word " * (size // 5))
        return events

    def bare(self) -> float:
        """Milliseconds of an interpreter that does nothing."""
        return self._timed([self.python, "-I", "-S", "-c", "pass"], b"")

    def hook(self, event: dict[str, object]) -> float:
        """Milliseconds of the hook on one event."""
        command = ["sh", str(ROOT / "hooks/run"), "run_events"]
        return self._timed(command, json.dumps(event).encode() + b"\n")

    def _timed(self, command: list[str], line: bytes) -> float:
        start = time.perf_counter()
        done = subprocess.run(
            command, cwd=self.project, env=self.env, input=line, capture_output=True
        )
        took = (time.perf_counter() - start) * 1000
        if done.returncode or done.stderr:
            sys.exit(f"{command}: exit {done.returncode}: {done.stderr.decode()}")
        return took


def together(
    call: Callable[[dict[str, object]], float], events: list[dict[str, object]], slots: int
) -> float:
    """Milliseconds for all events, so many at a time."""
    start = time.perf_counter()
    with ThreadPoolExecutor(slots) as pool:
        list(pool.map(call, events))
    return (time.perf_counter() - start) * 1000


def main() -> int:
    """Measure and print; exit code 1 when the budget is exceeded or a result is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--agents", type=int, default=50)
    parser.add_argument("--result", type=int, default=4000, help="bytes of a result")
    parser.add_argument("--slots", type=int, default=2)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        events = bench.lay(arguments.agents, arguments.result)
        rounds = [(bench.bare(), bench.hook(FOREIGN), bench.hook(event)) for event in events]
        bare, foreign, capture = (statistics.median(column) for column in zip(*rounds, strict=True))
        print(f"{arguments.agents} agents, {arguments.result} bytes each; medians in ms")
        print(f"bare python            {bare:8.1f}")
        print(f"an agent of no run     {foreign:8.1f}   {foreign / bare:4.2f}×")
        print(f"SubagentStop, harvest  {capture:8.1f}   {capture / bare:4.2f}×  (budget {BUDGET}×)")
        both = together(bench.hook, events, arguments.slots)
        none = together(lambda _: bench.bare(), events, arguments.slots)
        print(
            f"all, {arguments.slots} at a time     {both:8.1f}   {both / none:4.2f}×  of bare python's {none:.1f}"
        )
        kept = list((bench.project / ".claude/workflows/runs" / RUN_ID / "results").iterdir())
        print(f"results on disk: {len(kept)} of {arguments.agents}")
    return 0 if capture / bare <= BUDGET and len(kept) == arguments.agents else 1


if __name__ == "__main__":
    sys.exit(main())
