"""Contenders that run in turn, and what becomes of their times: rows of the table of budgets."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BATON = str(ROOT / "bin/baton")
DOOR = ("sh", str(ROOT / "hooks/run"))
PYTHON = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
BARE = (PYTHON, "-I", "-S", "-c", "pass")
"""An interpreter that starts and ends: what every hook pays whatever it does."""


@dataclass(frozen=True)
class Row:
    """One line of the table. value, budget: in `unit`. value is None where it could not be measured;
    `told` then says why, else what the value was made of."""

    what: str
    value: float | None
    budget: float
    unit: str
    told: str

    @property
    def kept(self) -> bool:
        """Whether the budget was measured and is kept."""
        return self.value is not None and self.value <= self.budget

    def __str__(self) -> str:
        """The row in Markdown."""
        if self.value is None:
            return f"| {self.what} | not measured | ≤ {self._sized(self.budget)} | {self.told} |"
        mark = "" if self.kept else " **missed**"
        return f"| {self.what} | {self._sized(self.value)}{mark} | ≤ {self._sized(self.budget)} | {self.told} |"

    def _sized(self, number: float) -> str:
        plain = f"{number:.2f}" if self.unit == "×" else f"{number:,.0f}"
        return f"{plain}{self.unit}"


def in_turn(contenders: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """Give each contender's times. One round runs every contender once, so that a machine which grows
    slower grows slower for all; a first round is not counted."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds + 1):
        for name, run in contenders.items():
            times[name].append(run())
    return {name: values[1:] for name, values in times.items()}


def ratio(
    what: str, times: Mapping[str, Sequence[float]], name: str, yardstick: str, budget: float
) -> Row:
    """Give the row of one contender against another: the ratio of their medians."""
    ours, theirs = statistics.median(times[name]), statistics.median(times[yardstick])
    return Row(what, ours / theirs, budget, "×", f"{ours:.1f} / {theirs:.1f} ms")


def timed(command: Sequence[str], folder: Path, env: Mapping[str, str], line: bytes = b"") -> float:
    """Give the milliseconds of a whole process. It must end well and complain of nothing."""
    begun = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=env, input=line, capture_output=True)
    took = time.perf_counter() - begun
    if done.returncode or done.stderr:
        sys.exit(f"{command}: exit {done.returncode}: {done.stderr.decode()}")
    return took * 1000


def environment(home: Path) -> dict[str, str]:
    """Make a home in which the launcher remembers this interpreter; give what a process of it sees."""
    memory = home / ".local/share/baton" / _version()
    memory.mkdir(parents=True)
    (memory / "python").write_text(f"{PYTHON}\n", encoding="utf-8")
    identity = {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "Ada Example"), ("EMAIL", "ada@example.org"))
    }
    return {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", **identity}


def _version() -> str:
    import baton

    return baton.__version__


def git(folder: Path, env: Mapping[str, str], *words: str) -> None:
    """Run git; it must succeed."""
    subprocess.run(["git", *words], cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL)
