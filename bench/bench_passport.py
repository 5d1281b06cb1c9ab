"""What a hand-over costs: `baton passport resume` on 50 entries against bare Python, run by run, and
`baton passport verify` on 1,000 and 10,000 entries: time and memory.

    python bench/bench_passport.py [--rounds N]

Printed are medians and their ratios with the budgets. The packages are those of the interpreter that
runs this.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests")]

from baton.core.passport.chain_hash import Chain  # noqa: E402
from baton.core.passport.entry import Entry  # noqa: E402
from passport_samples import BOUNDARY, passport  # noqa: E402
from passports import NAME, RESUME, give_packages  # noqa: E402

RESUME_BUDGET, LINEAR_BUDGET, MEMORY_BUDGET = 15.0, 11.0, 40.0
TOP = "verification_status: VERIFIED\n"


def ledger(size: int, waiting: int) -> list[Entry]:
    """So many entries, the last boundaries of them not yet resumed."""
    chain, entries = Chain(), list[Entry]()
    for number in range(size):
        made = replace(BOUNDARY, version_label=f"v{number}")
        made = replace(made, hash=chain.hash_of(made))
        chain.add(made)
        entries.append(made)
        if len(entries) < size - waiting:
            entries.append(replace(RESUME, consumes_hash=made.hash))
        if len(entries) >= size:
            return entries
    return entries


class Bench:
    """A repository with a passport in it, in a home of its own."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.path = self.project / NAME
        self.path.parent.mkdir(parents=True)
        self.python = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
        give_packages(folder / "home")
        self.env = {"PATH": f"{os.path.dirname(self.python)}:{os.environ['PATH']}"}
        self.env |= {"HOME": str(folder / "home"), "GIT_CONFIG_NOSYSTEM": "1"}
        self.git("init", "--quiet")

    def git(self, *words: str) -> None:
        """Run git with an identity."""
        identity = ("-c", "user.name=a", "-c", "user.email=a@b.example")
        subprocess.run(["git", *identity, *words], cwd=self.project, env=self.env, check=True)

    def lay(self, entries: list[Entry]) -> None:
        """Write a passport of its own and commit it: what was noted of another goes."""
        shutil.rmtree(self.project / ".git/baton", ignore_errors=True)
        self.path.write_text(passport(entries, TOP), encoding="utf-8")
        self.git("add", NAME)
        self.git("commit", "--quiet", "--message", "a passport")

    def run(self, *command: str) -> tuple[float, float]:
        """Milliseconds, and MiB at most, of a process."""
        start = time.perf_counter()
        null = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
        pid = os.posix_spawn(command[0], command, self.env, file_actions=null)
        _, status, usage = os.wait4(pid, 0)
        if status:
            sys.exit(f"{' '.join(command)}: status {status}")
        return (time.perf_counter() - start) * 1000, usage.ru_maxrss / 1024

    def bare(self) -> tuple[float, float]:
        """An interpreter that does nothing."""
        return self.run(self.python, "-I", "-S", "-c", "pass")

    def baton(self, *words: str) -> tuple[float, float]:
        """One passport command."""
        head = (str(ROOT / "bin/baton"), "--project", str(self.project), "passport")
        return self.run(*head, *words)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])  # type: ignore[union-attr]
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        entries = ledger(50, rounds)
        bench.lay(entries)
        hashes = [each.hash for each in entries[-rounds:]]  # type: ignore[union-attr]
        bench.bare()
        pairs = [(bench.bare()[0], bench.baton("resume", hash_)[0]) for hash_ in hashes]
        bare, resume = (statistics.median(column) for column in zip(*pairs, strict=True))
        told = f"resume on 50 entries: {resume:.0f} ms, bare Python {bare:.1f} ms"
        print(f"{told}: {resume / bare:.1f}x (budget {RESUME_BUDGET:g}x)")
        times = {}
        for size in (1_000, 10_000):
            bench.lay(ledger(size, 1))
            runs = [bench.baton("verify", NAME) for _ in range(5)]
            times[size] = statistics.median(took for took, _ in runs)
            most = max(memory for _, memory in runs)
            mib = bench.path.stat().st_size / 2**20
            told = f"verify {size} entries ({mib:.2f} MiB): {times[size]:.0f} ms, {most:.0f} MiB"
            print(f"{told}: {most / mib:.0f}x the file (budget {MEMORY_BUDGET:g}x, a large file)")
        ratio = times[10_000] / times[1_000]
        print(f"ten times the entries: {ratio:.1f}x the time (budget {LINEAR_BUDGET:g}x)")


if __name__ == "__main__":
    main()
