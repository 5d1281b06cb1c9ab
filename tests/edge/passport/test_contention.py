"""Many processes, one boundary, started at a barrier: one takes it, each other is told who did (case P3)."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from baton.core.passport.entry import Resume
from measured import base_interpreter
from passport_samples import read
from passports import NAME, Shelf, boundary, ledger
from support import SCRIPTS, git

# Loads all that a resume needs, says that it is ready, and starts when its line comes.
RACER = """\
import os, sys
sys.path[:0] = [sys.argv[1]]
sys.path.append(sys.argv[2])
import baton.cli.passport_consume, baton.edge.yaml_events, baton.edge.packages, filelock
from baton.cli.app import main
sys.stdout.write("ready\\n"); sys.stdout.flush()
for line in sys.stdin:
    os.write(2, b"begin\\n")
    os.write(1, b"begin\\n")
    code = main(["--project", sys.argv[3], "passport", "resume", line.strip(), "--json"])
    os.write(1, b"end %d\\n" % code)
"""
WAITED = b" is locked by process "


class Racers:
    """Processes that resume the same boundary at the same moment. waits: how often one said that it had
    to wait for the lock."""

    def __init__(self, shelf: Shelf, packages: Path, count: int, roots: list[Path]) -> None:
        self.waits = 0
        self._files = [root / NAME for root in roots]
        self.racers = [
            self._start(packages, roots[number % len(roots)], number) for number in range(count)
        ]
        for racer in self.racers:
            assert racer.stdout is not None
            assert racer.stdout.readline() == b"ready\n"

    @staticmethod
    def _start(packages: Path, root: Path, number: int) -> subprocess.Popen[bytes]:
        command = [
            base_interpreter(),
            "-I",
            "-S",
            "-c",
            RACER,
            str(SCRIPTS),
            str(packages),
            str(root),
        ]
        session = {"CLAUDE_CODE_SESSION_ID": f"racer-{number}", "CLAUDECODE": "1"}
        return subprocess.Popen(
            command,
            env={**os.environ, **session},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def race(self, hash_: str, *, held: bool = False) -> list[tuple[int, Mapping[str, object]]]:
        """Let all go for one boundary; give each one's exit code and answer.

        held: the files are locked until every one waits for its own.
        """
        with contextlib.ExitStack() as locks:
            for file in self._files if held else ():
                fcntl.flock(locks.enter_context(file.open("r+")), fcntl.LOCK_EX)
            for racer in self.racers:
                assert racer.stdin is not None
                racer.stdin.write(f"{hash_}\n".encode())
            for racer in self.racers:
                assert racer.stdin is not None
                racer.stdin.flush()
            for racer in self.racers:
                self._hear(racer, held)
        return [self._outcome(racer) for racer in self.racers]

    def _hear(self, racer: subprocess.Popen[bytes], held: bool) -> None:
        """Read what it said of the rounds before, and of this one that it waits."""
        assert racer.stderr is not None
        while (line := racer.stderr.readline()) != b"begin\n":
            self.waits += WAITED in line
        if held:
            assert WAITED in racer.stderr.readline()
            self.waits += 1

    @staticmethod
    def _outcome(racer: subprocess.Popen[bytes]) -> tuple[int, Mapping[str, object]]:
        assert racer.stdout is not None
        assert racer.stdout.readline() == b"begin\n"
        answer: Mapping[str, object] = json.loads(racer.stdout.readline())
        end = racer.stdout.readline()
        assert end.startswith(b"end ")
        return int(end.split()[1]), answer

    def finish(self) -> int:
        """End them; give how often one had to wait for the lock."""
        for racer in self.racers:
            _, errors = racer.communicate(timeout=280)
            self.waits += errors.count(WAITED)
        return self.waits


def _campaign(shelf: Shelf, packages: Path, processes: int, rounds: int, roots: list[Path]) -> int:
    hashes = shelf.lay(*ledger(*(boundary(str(number), "2") for number in range(rounds))))
    if len(roots) > 1:
        git("add", ".", cwd=shelf.root)
        git("commit", "-qm", "x", cwd=shelf.root)
        for root in roots[1:]:
            git("worktree", "add", "-q", "--detach", str(root), cwd=shelf.root)
    racers = Racers(shelf, packages, processes, roots)
    for number, hash_ in enumerate(hashes):
        # Every other round they meet for certain; in the others as the machine has it.
        outcomes = racers.race(hash_, held=number % 2 == 0)
        winners = [answer for code, answer in outcomes if code == 0]
        losers = [answer["error"] for code, answer in outcomes if code == 3]
        assert len(winners) == 1, outcomes
        assert len(losers) == processes - 1, outcomes
        entry = winners[0]["entry"]
        assert isinstance(entry, dict)
        for error in losers:
            assert isinstance(error, dict)
            assert error["code"] == "already-resumed"
            assert str(entry["session_marker"]) in error["message"]
    waits = racers.finish()
    # The second detector: what stands in the files, each boundary consumed in one of them, once.
    resumes = [
        entry.consumes_hash
        for root in roots
        for entry in read((root / NAME).read_bytes()).entries
        if isinstance(entry, Resume)
    ]
    assert sorted(resumes) == sorted(hashes)
    print(
        f"tried: passport resume: {processes} processes, {rounds} rounds, {len(roots)} work tree(s): "
        f"one winner each, {waits} waits for the lock"
    )
    return waits


def test_some_rounds(shelf: Shelf, packages: Path) -> None:
    assert _campaign(shelf, packages, 6, 8, [shelf.root]) >= 6 * 4


def test_two_work_trees_of_one_repository(shelf: Shelf, packages: Path) -> None:
    """Each has a file of its own, with a lock of its own: the set that they share decides."""
    roots = [shelf.root, shelf.root.with_name("linked")]
    _campaign(shelf, packages, 6, 8, roots)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_many_rounds(shelf: Shelf, packages: Path) -> None:
    assert _campaign(shelf, packages, 16, 200, [shelf.root]) >= 16 * 100


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_killed_in_the_middle_of_a_race(shelf: Shelf, packages: Path) -> None:
    """A third of the racers is killed at a moment of its own; whatever is left, nobody takes it twice,
    and the next command finds a whole ledger."""
    rounds = 40
    hashes = shelf.lay(*ledger(*(boundary(str(number), "2") for number in range(rounds))))
    for number, hash_ in enumerate(hashes):
        racers = Racers(shelf, packages, 6, [shelf.root])
        for racer in racers.racers:
            assert racer.stdin is not None
            racer.stdin.write(f"{hash_}\n".encode())
            racer.stdin.flush()
        time.sleep(0.003 * (number % 20))
        for racer in racers.racers[:2]:
            racer.kill()
        racers.finish()
        shelf("resume", hash_, session="last")
        assert shelf("verify", NAME).code == 0
        resumes = [
            e.consumes_hash for e in read(shelf.path.read_bytes()).entries if isinstance(e, Resume)
        ]
        assert resumes.count(hash_) == 1
