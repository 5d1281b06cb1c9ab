"""Power that goes at any moment of the nine operations: whatever the disk then holds, the next command
finds the old or the new whole, and the new one once the operation had reported its end.

`BATON_POWER_STATES=0 scripts/check tests/crash` opens every state; by default so many of each, by a fixed seed.
The next commands run in this process wherever their start is all that a process of their own would add.
"""

from __future__ import annotations

import os
import pickle
import random
import subprocess
import sys
import time
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
    flush_to_a_new_ref,
    setup_for_a_team,
)  # fmt: skip
from crash.recorder import Step

EVERYDAY, MOST = 4, int(os.environ.get("BATON_POWER_STATES", "80"))
"""States that are opened, of all that there are."""
FORGOTTEN = 40
# A disk with all of baton on it takes a second to open.
DEAR: dict[Callable[[Stage], Scene], int] = {setup_for_a_team: 8}
CUT = (*OPERATIONS, setup_for_a_team)
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
    began = time.monotonic()
    wrong, told = _opened(scene, model, most, out)
    assert not wrong, f"{len(wrong)}: {wrong[:4]}"
    return f"{told}, {time.monotonic() - began:.0f} s"


def _opened(
    scene: Scene, model: str, most: int, out: Path, forgotten: str = ""
) -> tuple[list[object], str]:
    """Open so many states; give those that are wrong, and what was tried. forgotten: a call that is left out,
    as if baton and git had never made it."""
    roots = [str(root) for root in scene.roots]
    before = disk.found(roots)
    times = Times(before)
    steps = _recorded(scene, out)
    times.after(disk.found(roots))
    steps = [step for step in steps if step.what != forgotten]
    found = list(disk.states(steps, Disk(model, before, scene.elsewhere), SAMPLE, model))
    ended = [each for each in found if each[1]]
    chosen = found
    if most and len(found) > most:
        chance = random.Random(model)
        chosen = chance.sample(found, most - len(ended[: most // 3])) + ended[: most // 3]
    wrong: list[object] = []
    for laid, reported in chosen:
        disk.lay(laid, roots, times)
        try:
            scene.look(reported)
        except AssertionError as error:
            wrong.append((reported, str(error)[:2000], sorted(_difference(laid, before))))
    done = sum(step.what != "name" for step in steps)
    told = f"{done} calls, cut before each and after the last, {len(chosen)} of {len(found)} disks opened"
    return wrong, told


def _difference(laid: disk.Laid, before: disk.Laid) -> list[str]:
    names = laid.keys() | before.keys()
    return [name for name in names if laid.get(name, 0) != before.get(name, 0)]


@pytest.mark.parametrize(
    ("operation", "model"),
    [(chain_write, POSIX), (append, POSIX), (flush_to_a_new_ref, JOURNAL)],
    ids=lambda each: getattr(each, "__name__", each),
)
def test_power_that_goes_at_some_moments(
    operation: Callable[[Stage], Scene], model: str, stage: Stage, tmp_path: Path
) -> None:
    _cut(operation(stage), model, EVERYDAY, tmp_path / "steps")


def test_a_sync_that_is_forgotten_is_found_out(stage: Stage, tmp_path: Path) -> None:
    wrong, _ = _opened(chain_write(stage), POSIX, 12, tmp_path / "steps", "sync")
    assert wrong


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("model", [JOURNAL, OWN_NAMES, POSIX])
@pytest.mark.parametrize("operation", CUT, ids=lambda each: each.__name__)
def test_power_that_goes_at_any_moment(
    operation: Callable[[Stage], Scene], model: str, stage: Stage, tmp_path: Path
) -> None:
    told = _cut(operation(stage), model, MOST // DEAR.get(operation, 1), tmp_path / "steps")
    print(f"tried: power cut, {operation.__name__}, {model}: {told}")


@pytest.mark.slow
@pytest.mark.parametrize("call", ["sync", "sync_folder"])
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.__name__)
def test_what_is_forgotten_is_found_out(
    operation: Callable[[Stage], Scene], call: str, stage: Stage, tmp_path: Path
) -> None:
    wrong, told = _opened(operation(stage), POSIX, FORGOTTEN, tmp_path / "steps", call)
    print(
        f"tried: power cut, {operation.__name__} without {call}: {told}, {len(wrong)} of them wrong"
    )
    assert wrong
