"""What a hand-over costs: `passport resume` against bare Python, and how `passport verify` grows."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from baton.core.passport.chain_hash import Chain
from baton.core.passport.entry import Boundary, Entry
from paired import BARE, BATON, Row, environment, git, ratio
from passport_samples import BOUNDARY, passport
from passports import NAME, RESUME, give_packages

_SIZES = (1_000, 10_000)
_TOP = "verification_status: VERIFIED\n"
# A process begins with the peak of the one that started it: a small one measures.
_MEASURE = """
import os, sys, time
begun = time.perf_counter()
null = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1)]
pid = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=null)
_, status, usage = os.wait4(pid, 0)
print((time.perf_counter() - begun) * 1000, usage.ru_maxrss / 1024)
sys.exit(status != 0)
"""


def rows(folder: Path, rounds: int) -> Iterator[Row]:
    """Take one hand-over of a ledger of 50 entries in each round; verify ledgers of two sizes."""
    stage = _Stage(folder)
    entries = _ledger(50, waiting=min(rounds, 24))
    stage.lay(entries)
    hashes = [each.hash for each in entries if isinstance(each, Boundary)][-min(rounds, 24) :]
    stage.run(*BARE)
    pairs = [(stage.run(*BARE)[0], stage.passport("resume", hash_)[0]) for hash_ in hashes]
    times = dict(zip(("bare", "resume"), zip(*pairs, strict=True), strict=True))
    what = "`passport resume`, 50 entries, against bare Python"
    yield ratio(what, times, "resume", "bare", 15.0)
    yield from _growth(stage)


def _growth(stage: _Stage) -> Iterator[Row]:
    """Small and large in turn; the memory is that of the large one."""
    took: dict[int, list[float]] = {size: [] for size in _SIZES}
    memory, size_on_disk = 0.0, 0.0
    for _ in range(5):
        for size in _SIZES:
            stage.lay(_ledger(size, waiting=1))
            milliseconds, memory = stage.passport("verify", NAME)
            took[size].append(milliseconds)
            size_on_disk = stage.path.stat().st_size / 2**20
    small, large = (statistics.median(took[size]) for size in _SIZES)
    told = f"{large:.0f} / {small:.0f} ms"
    yield Row("`passport verify`, ten times the entries (10,000)", large / small, 11.0, "×", told)
    told = f"{memory:.0f} / {size_on_disk:.2f} MiB"
    yield Row("its memory against the file", memory / size_on_disk, 40.0, "×", told)


def _ledger(size: int, waiting: int) -> list[Entry]:
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
            break
    return entries


class _Stage:
    """A repository with a passport in it, in a home of its own."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.path = self.project / NAME
        self.path.parent.mkdir(parents=True)
        self.env = environment(folder / "home")
        give_packages(folder / "home")
        git(self.project, self.env, "init", "--quiet")

    def lay(self, entries: list[Entry]) -> None:
        """Write a passport of its own and commit it: what was noted of another goes."""
        shutil.rmtree(self.project / ".git/baton", ignore_errors=True)
        self.path.write_text(passport(entries, _TOP), encoding="utf-8")
        git(self.project, self.env, "add", NAME)
        git(self.project, self.env, "commit", "--quiet", "--message", "a passport")

    def passport(self, *words: str) -> tuple[float, float]:
        """One passport command: milliseconds and MiB."""
        return self.run(BATON, "--project", str(self.project), "passport", *words)

    def run(self, *command: str) -> tuple[float, float]:
        """Milliseconds, and MiB at most, of a process."""
        done = subprocess.run(
            [*BARE[:-1], _MEASURE, *command], env=self.env, capture_output=True, text=True
        )
        if done.returncode:
            sys.exit(f"{' '.join(command)}: {done.stderr}")
        milliseconds, mebibytes = map(float, done.stdout.split())
        return milliseconds, mebibytes
