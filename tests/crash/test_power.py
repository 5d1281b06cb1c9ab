"""Power that goes at any moment of the nine operations: whatever the disk then holds, the next command
finds the old or the new whole, and the new one once the operation had reported its end.

`BATON_POWER_STATES=0 scripts/check tests/crash` opens every state; by default so many of each.
"""

from __future__ import annotations

import os
import pickle
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import syscalls
from crash import disk
from crash.disk import JOURNAL, OWN_NAMES, POSIX, Disk, Times
from crash.operations import (
    OPERATIONS,
    Scene,
    Stage,
    append,
    chain_write,
    claim,
    close,
    flush_to_the_branch,
    flush_to_the_ref,
)  # fmt: skip
from crash.recorder import Step

EVERYDAY, MOST = 6, int(os.environ.get("BATON_POWER_STATES", "120"))
"""States that are opened, of all that there are."""
SAMPLE = 4

pytestmark = pytest.mark.skipif(not syscalls.SUPPORTED, reason="ptrace on Linux x86-64 only")


def _recorded(scene: Scene, out: Path) -> list[Step]:
    """Let the operation run to its end, and give what it did to the disk."""
    roots = ":".join(map(str, scene.roots))
    recorder = str(Path(__file__).with_name("recorder.py"))
    command = [sys.executable, recorder, str(out), roots, *scene.command]
    env = {**os.environ, "CLAUDE_PROJECT_DIR": str(scene.roots[0])}
    done = subprocess.run(command, env=env, input=scene.line, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return [Step(*fields) for fields in pickle.loads(out.read_bytes())]


def _cut(scene: Scene, model: str, most: int, out: Path) -> str:
    """Open so many states of the disk; give what was tried."""
    roots = [str(root) for root in scene.roots]
    before = disk.found(roots)
    times = Times(before)
    steps = _recorded(scene, out)
    times.after(disk.found(roots))
    found = list(disk.states(steps, Disk(model, before, scene.elsewhere), SAMPLE, model))
    ended = [each for each in found if each[1]]
    chosen = found
    if most and len(found) > most:
        chance = random.Random(model)
        chosen = chance.sample(found, most - len(ended[: most // 3])) + ended[: most // 3]
    wrong = []
    for laid, reported in chosen:
        disk.lay(laid, roots, times)
        try:
            scene.look(reported)
        except AssertionError as error:
            wrong.append((reported, str(error)[:2000], sorted(_difference(laid, before))))
    done = sum(step.what != "name" for step in steps)
    assert not wrong, f"{len(wrong)} of {len(chosen)}: {wrong[:4]}"
    return f"{done} steps, {len(chosen)} of {len(found)} disks opened"


def _difference(laid: disk.Laid, before: disk.Laid) -> list[str]:
    names = laid.keys() | before.keys()
    return [name for name in names if laid.get(name, 0) != before.get(name, 0)]


# Git syncs no folder, and baton the ref's own: names of objects are safe where the fsync of a file keeps
# them, as all file systems with a journal do.
BY_GIT = (flush_to_the_branch, flush_to_the_ref, close, claim)


@pytest.mark.parametrize("operation", [chain_write, append, flush_to_the_ref])
def test_power_that_goes_at_some_moments(
    operation: Callable[[Stage], Scene], stage: Stage, tmp_path: Path
) -> None:
    _cut(operation(stage), OWN_NAMES, EVERYDAY, tmp_path / "steps")


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("operation", "model"),
    [
        pytest.param(operation, model, id=f"{operation.__name__}-{model}")
        for operation in OPERATIONS
        for model in (JOURNAL, OWN_NAMES if operation in BY_GIT else POSIX)
    ],
)
def test_power_that_goes_at_any_moment(
    operation: Callable[[Stage], Scene], model: str, stage: Stage, tmp_path: Path
) -> None:
    told = _cut(operation(stage), model, MOST, tmp_path / "steps")
    print(f"tried: power cut, {operation.__name__}, {model}: {told}")
