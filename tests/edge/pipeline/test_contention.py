"""Many processes that append to one log at the same moment: one chain, nothing lost, nothing forked."""

from __future__ import annotations

import fcntl
import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from baton.core.pipeline import event as events
from baton.core.pipeline import log as logs
from baton.edge.pipeline.log_file import LogFile
from baton.hot import project as projects
from measured import base_interpreter
from passports import give_packages
from support import SCRIPTS

APPENDS = 12
# Says that it is ready, waits for its line, then appends; says on stderr when it had to wait.
APPENDER = """\
import sys
sys.path[:0] = [sys.argv[1]]
sys.path.append(sys.argv[2])
import filelock
from baton.core.pipeline import event as events
from baton.edge.pipeline.log_file import LogFile
from baton.hot import project as projects
project = projects.locate({}, sys.argv[3])
waits = []
file = LogFile("main", project, sys.argv[4], 60.0, waits.append)
sys.stdout.write("ready\\n"); sys.stdout.flush()
sys.stdin.readline()
for number in range(int(sys.argv[5])):
    with file.hold() as held:
        held.append(events.Stalled("1", f"{sys.argv[4]} {number}"))
sys.stdout.write(f"waited {len(waits)}\\n"); sys.stdout.flush()
"""


def _race(repo: Path, home: Path, count: int) -> int:
    """Let so many processes append; give how often one had to wait for another."""
    project = projects.locate({}, str(repo))
    assert project is not None
    packages = give_packages(home)
    file = LogFile("main", project, "sess-a", 1.0, print)
    with file.hold(make=True) as held:
        held.append(events.Started("1", None, None, 0, False), events.Entered("1", None))
    command = [
        base_interpreter(),
        "-I",
        "-S",
        "-c",
        APPENDER,
        str(SCRIPTS),
        str(packages),
        str(repo),
    ]
    racers = [
        subprocess.Popen(
            [*command, f"racer-{number}", str(APPENDS)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict(os.environ),
        )
        for number in range(count)
    ]  # fmt: skip
    with open(file.path, "r+", encoding="utf-8") as barrier:
        fcntl.flock(barrier, fcntl.LOCK_EX)
        for racer in racers:
            assert racer.stdout is not None and racer.stdin is not None
            assert racer.stdout.readline() == "ready\n"
            racer.stdin.write("go\n")
            racer.stdin.flush()
    waits = 0
    for racer in racers:
        out, _ = racer.communicate(timeout=120)
        assert racer.returncode == 0
        waits += int(out.removeprefix("waited "))
    return waits


def _is_whole(repo: Path, count: int) -> None:
    data = (repo / ".claude/pipelines/main.jsonl").read_bytes()
    found = logs.read(data)
    assert (len(found.entries), found.torn) == (2 + count * APPENDS, b"")
    assert Counter(each.session for each in found.entries[2:]) == {
        f"racer-{number}": APPENDS for number in range(count)
    }


def test_two_writers_never_fork_the_log(repo: Path, home: Path) -> None:
    _race(repo, home, 2)
    _is_whole(repo, 2)


@pytest.mark.slow
def test_sixteen_writers_never_fork_the_log(repo: Path, home: Path) -> None:
    waits = _race(repo, home, 16)
    print(f"tried: pipeline log: 16 processes × {APPENDS} events, {waits} waits for the lock")
    assert waits >= 16
    _is_whole(repo, 16)
