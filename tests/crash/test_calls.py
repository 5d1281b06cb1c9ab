"""Each of the nine operations, interfered with in each way at each call that changes a file.

`BATON_CRASH_CALLS=0 scripts/check tests/crash` tries every call; by default at most so many of each, the
first and the last among them. What an operation's own crash test does at each call stands there.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable

import pytest

import syscalls
from crash import disk
from crash.disk import Times
from crash.operations import OPERATIONS, Scene, Stage, append, chain_write

MODES = "kill leader torn short enospc eio full readonly".split()
EVERYDAY, MOST = 3, int(os.environ.get("BATON_CRASH_CALLS", "8"))
"""Calls that are interfered with, of all that there are."""
# What the tracer ends with once it has killed all, or found the program killed.
KILLED = (99, 98)

pytestmark = pytest.mark.skipif(not syscalls.SUPPORTED, reason="ptrace on Linux x86-64 only")


def _traced(scene: Scene, mode: str, at: int) -> tuple[int, int, str]:
    """Run the operation and interfere; give how many calls there were, its exit code, what it said."""
    command = [sys.executable, syscalls.__file__, mode, str(at), *scene.command]
    env = {**os.environ, "CLAUDE_PROJECT_DIR": str(scene.roots[0])}
    done = subprocess.run(command, env=env, input=scene.line, capture_output=True, timeout=120)
    said = done.stderr.decode()
    assert "Traceback" not in said
    assert "a bug in baton" not in said
    return int(said.rpartition("calls: ")[2]), done.returncode, said


def _interfered(scene: Scene, mode: str, most: int) -> str:
    """Interfere at so many calls; give what was tried."""
    roots = [str(root) for root in scene.roots]
    before = disk.found(roots)
    times = Times(before)
    total, code, said = _traced(scene, "count", 0)
    assert code == 0, said
    scene.look(True)
    points = [*range(1, total + 1)]
    if most and total > most:
        chance = random.Random(mode)
        points = sorted({1, total, *chance.sample(points, most - 2)})
    wrong, killed, reached = [], 0, 0
    for at in points:
        disk.lay(before, roots, times)
        calls, code, said = _traced(scene, mode, at)
        killed += code in KILLED
        # Git looks again where it is waited for: not each run comes to as many calls.
        reached += calls >= at
        try:
            scene.look(code == 0 and (scene.tells or mode == "short"))
        except AssertionError as error:
            wrong.append((at, code, said[-300:], str(error)[:1500]))
    assert not wrong, f"{mode}: {len(wrong)} of {len(points)}: {wrong[:3]}"
    if mode in ("kill", "torn"):
        assert killed == reached
    assert len(points) - reached <= len(points) // 4
    return f"{total} calls, {reached} of them" + (f", {killed} killed" if killed else "")


@pytest.mark.parametrize("mode", ["kill", "torn", "short", "readonly"])
@pytest.mark.parametrize("operation", [chain_write, append], ids=lambda each: each.__name__)
def test_some_calls(operation: Callable[[Stage], Scene], mode: str, stage: Stage) -> None:
    _interfered(operation(stage), mode, EVERYDAY)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.__name__)
def test_interfered_with(operation: Callable[[Stage], Scene], mode: str, stage: Stage) -> None:
    told = _interfered(operation(stage), mode, MOST)
    print(f"tried: {mode}, {operation.__name__}: {told}")
