"""What a turn costs: the hooks against bare Python, and the Stop hook against a reference, run by run.

    python bench/bench_hooks.py [--reference HOOK] [--files N...] [--rounds N]

Each round runs every contender once, in turn, so that a machine that grows slower grows slower for
all; printed are medians, first quartiles, and the ratios of the medians with their budgets. HOOK is
the path of a shell hook that commits `.claude/WAL.md` and is silent when nothing has changed.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EVENT = b'{"session_id":"8500ed5f","transcript_path":"/x.jsonl","cwd":"%s","hook_event_name":'
STOP = EVENT + (
    b'"Stop","stop_hook_active":false,"last_assistant_message":"done","background_tasks":[]}\n'
)
PROMPT = EVENT + b'"UserPromptSubmit","prompt":"now the parser, please"}\n'
START = EVENT + b'"SessionStart","source":"startup"}\n'
BUDGETS = {  # contender → (yardstick, files → the ratio that it may have)
    "unchanged": [("bare python", {2000: 1.6, 50000: 1.6}), ("ref unchanged", {2000: 1.2, 50000: 0.35})],
    "prompt": [("bare python", {2000: 1.4, 50000: 1.4})],
    "session start": [("bare python", {2000: 2.5, 50000: 2.5})],
    "changed": [("ref changed", {2000: 1.5, 50000: 0.4})],
}  # fmt: skip


class Bench:
    """Two like repositories in a home of their own, one in which nothing waits, and what is run there."""

    def __init__(self, folder: Path, files: int, reference: str) -> None:
        self.reference = reference
        self.env = _environment(folder / "home")
        self.ours = _repository(folder / "ours", files, self.env)
        self.theirs = _repository(folder / "theirs", files, self.env)
        self.quiet = _repository(folder / "quiet", files, self.env)
        reset = [str(ROOT / "bin/baton"), "wal", "reset"]
        subprocess.run(reset, cwd=self.quiet, env=self.env, check=True, stdout=subprocess.DEVNULL)
        self.count = 0

    def contenders(self) -> dict[str, Callable[[], float]]:
        """Give what is measured, by name, in the order of a round."""
        found = {
            "bare python": self.bare,
            "unchanged": lambda: self.stop(self.ours),
            "changed": lambda: self.stop(self.change(self.ours)),
            "prompt": lambda: self.hook("prompt", PROMPT, self.ours),
            "session start": lambda: self.hook("session_start", START, self.quiet),
        }
        if self.reference:
            found["ref unchanged"] = lambda: self.shell(self.theirs)
            found["ref changed"] = lambda: self.shell(self.change(self.theirs))
        return found

    def bare(self) -> float:
        return self.timed([_interpreter(), "-I", "-S", "-c", "pass"], STOP, self.ours)

    def stop(self, project: Path) -> float:
        return self.hook("flush", STOP, project)

    def hook(self, door: str, event: bytes, project: Path) -> float:
        return self.timed(["sh", str(ROOT / "hooks/run"), door], event, project)

    def shell(self, project: Path) -> float:
        return self.timed(["bash", self.reference], STOP, project)

    def change(self, project: Path) -> Path:
        """Write the chain anew, as a turn does, and let the clock of the file system move on."""
        self.count += 1
        chain = project / ".claude/WAL.md"
        chain.write_text(f"goal: count\n\nchain:\n[!] step {self.count} — ls\n", encoding="utf-8")
        time.sleep(0.02)
        return project

    def timed(self, command: list[str], event: bytes, project: Path) -> float:
        env = {**self.env, "CLAUDE_PROJECT_DIR": str(project)}
        line = event % os.fsencode(project)
        start = time.perf_counter()
        done = subprocess.run(command, cwd=project, env=env, input=line, capture_output=True)
        took = time.perf_counter() - start
        if done.returncode or done.stderr:
            sys.exit(f"{command}: exit {done.returncode}: {done.stderr.decode()}")
        return took * 1000


def _environment(home: Path) -> dict[str, str]:
    home.mkdir(parents=True)
    memory = home / ".local/share/baton" / _version()
    memory.mkdir(parents=True)
    (memory / "python").write_text(_interpreter() + "\n", encoding="utf-8")
    return {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}


def _version() -> str:
    sys.path.insert(0, str(ROOT / "scripts"))
    import baton

    return baton.__version__


def _interpreter() -> str:
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


def _repository(folder: Path, files: int, env: dict[str, str]) -> Path:
    for number in range(files):
        path = folder / f"src/{number // 100:03d}/{number % 100:02d}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{number}\n", encoding="utf-8")
    (folder / ".claude/agent-memory").mkdir(parents=True)
    (folder / ".claude/agent-memory/notes.md").write_text("notes\n", encoding="utf-8")
    (folder / ".claude/WAL.md").write_text("goal: count\n", encoding="utf-8")
    commands = (
        ["init", "-q", "-b", "main"], ["config", "user.name", "Ada Example"],
        ["config", "user.email", "ada@example.org"], ["config", "gc.auto", "0"],
        ["add", "."], ["commit", "-q", "-m", "begin"],
    )  # fmt: skip
    for command in commands:
        subprocess.run(["git", *command], cwd=folder, env=env, check=True)
    return folder


def _measure(bench: Bench, rounds: int) -> dict[str, list[float]]:
    contenders = bench.contenders()
    for run in contenders.values():
        run()
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, run in contenders.items():
            times[name].append(run())
    return times


def _report(files: int, times: dict[str, list[float]]) -> bool:
    """Print one table; False when a budget is exceeded."""
    print(f"\n{files:,} files, {len(times['unchanged'])} rounds{'':8}median      p25   (ms)")
    for name, values in times.items():
        print(f"  {name:26}{statistics.median(values):8.1f} {statistics.quantiles(values)[0]:8.1f}")
    kept = True
    for name, yardsticks in BUDGETS.items():
        for yardstick, budgets in yardsticks:
            if yardstick in times:
                ratio = statistics.median(times[name]) / statistics.median(times[yardstick])
                budget = budgets.get(files)
                within = budget is None or ratio <= budget
                kept = kept and within
                print(
                    f"  {name} / {yardstick}: {ratio:.2f}×"
                    f"  (budget {budget or '–'}: {'kept' if within else 'EXCEEDED'})"
                )
    return kept


def main() -> int:
    """Measure and print; exit code 1 when a budget is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--reference", default="", help="path of the shell hook to compare with")
    parser.add_argument("--files", type=int, nargs="+", default=[2000, 50000])
    parser.add_argument("--rounds", type=int, default=40)
    args = parser.parse_args()
    kept = True
    for files in args.files:
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(Path(folder).resolve(), files, args.reference)
            kept = _report(files, _measure(bench, args.rounds)) and kept
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
