"""Writers of one chain, flushes and closes at the same moment: all wait for one lock, and nothing of any is
lost. Each round holds the lock until every process has said that it waits for it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from baton.hot.chain import parse
from chain_cases import EXAMPLE, finished
from desk import CHAIN, Desk
from measured import base_interpreter
from support import SCRIPTS

# Says when it has to wait for the lock, and how it ended.
RACER = """\
import sys
sys.path[:0] = [sys.argv[1]]
from baton.hot import lock
taken = lock._try
def told(fd):
    got = taken(fd)
    if not got and not waits:
        print("waits", flush=True)
    waits.append(not got)
    return got
waits = []
lock._try = told
from baton.cli.app import main
print("code", main(sys.argv[2:]), sum(waits))
"""


@pytest.fixture
def desk(repo: Path) -> Desk:
    """A project whose commands wait as long as it takes."""
    (repo / ".claude").mkdir()
    (repo / ".claude/baton.toml").write_text("lock_wait = 60\n")
    (repo / CHAIN).write_bytes(EXAMPLE)
    return Desk(repo)


def at_once(desk: Desk, commands: Sequence[Sequence[str]]) -> tuple[list[int], int]:
    """Run commands that all wait for the lock; give their exit codes and how often one found it taken."""
    racers = []
    with desk.state.lock(60):
        for words in commands:
            command = [base_interpreter(), "-I", "-S", "-B", "-c", RACER, str(SCRIPTS)]
            racers.append(
                subprocess.Popen(
                    [*command, "--project", str(desk.root), *words],
                    env=dict(os.environ),
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
            )
        for racer in racers:
            assert racer.stdout is not None
            assert racer.stdout.readline() == "waits\n"
    ended = [racer.communicate(timeout=120)[0].split("code ")[-1].split() for racer in racers]
    return [int(code) for code, _ in ended], sum(int(waits) for _, waits in ended)


def _writers(desk: Desk, count: int) -> int:
    """Each adds an item of its own; give the waits."""
    (desk.root / CHAIN).write_bytes(EXAMPLE)
    codes, waits = at_once(desk, [("wal", "add", f"item {number}") for number in range(count)])
    assert codes == [0] * count
    texts = [item.text for item in parse((desk.root / CHAIN).read_bytes()).items]
    assert sorted(texts[4:]) == sorted(f"item {number}" for number in range(count))
    return waits


def _flushes(desk: Desk, count: int) -> int:
    """All of one change: one commit of it; give the waits."""
    desk.flush()
    before = desk.head()
    desk.write(f"goal: after {before}\n")
    codes, waits = at_once(desk, [("wal", "flush")] * count)
    assert codes == [0] * count
    assert desk.git("rev-parse", "HEAD~1").strip() == before
    assert desk.at("HEAD") == f"goal: after {before}\n"
    desk.fsck()
    return waits


def _close_and_flushes(desk: Desk, count: int) -> int:
    """One closes what the others flush: whoever comes first, the chain is empty and its end is kept."""
    desk.write(finished().decode())
    desk.flush()
    closing = ("close", "-m", "Ship it")
    codes, waits = at_once(desk, [closing, *[("wal", "flush")] * (count - 1)])
    assert codes == [0] * count
    assert desk.flush().kind in ("committed", "unchanged")
    assert "Ship it" in desk.git("log", "--format=%s")
    assert parse(desk.at("HEAD").encode()).items == []
    assert desk.git("status", "--porcelain", ".claude/WAL.md") == ""
    desk.fsck()
    return waits


SCENES = {"writers": _writers, "flushes": _flushes, "a close and flushes": _close_and_flushes}


@pytest.mark.parametrize("scene", SCENES)
def test_a_few(scene: str, desk: Desk) -> None:
    assert SCENES[scene](desk, 4) >= 4


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("scene", SCENES)
def test_sixteen_round_after_round(scene: str, desk: Desk) -> None:
    rounds = int(os.environ.get("BATON_ROUNDS", "5"))
    waits = sum(SCENES[scene](desk, 16) for _ in range(rounds))
    assert waits >= 16 * rounds
    print(
        f"tried: {scene}: 16 processes, {rounds} rounds, nothing lost, {waits} waits for the lock"
    )
