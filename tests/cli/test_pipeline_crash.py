"""A pipeline's command ended, or refused by the disk, at each call that changes a file.

Whatever the moment: after the next command ledger and log tell one truth, old or new exactly; what was
reported as done is done, and done once.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping

import pytest

import syscalls
from baton.core.pipeline import log as logs
from measured import base_interpreter
from passports import NAME, ON, Shelf
from pipelines import PipelineDesk
from support import SCRIPTS

MODES = ("kill", "enospc", "eio", "full")
EVERYDAY_STEP = 23
# What the tracer ends with once it has killed all.
KILLED = 99

pytestmark = pytest.mark.skipif(not syscalls.SUPPORTED, reason="ptrace on Linux x86-64 only")


class Scene:
    """A project in which one command is interfered with, again and again from the same start."""

    def __init__(self, pipeline: PipelineDesk, shelf: Shelf) -> None:
        self.pipeline = pipeline
        self.shelf = shelf
        self.kept = shelf.root.with_name("kept")

    def keep(self) -> None:
        """Remember the project as it is, baton's notes in its `.git` included."""
        shutil.copytree(self.shelf.root, self.kept, symlinks=True)

    def bring_back(self) -> None:
        """The project as it was."""
        shutil.rmtree(self.shelf.root)
        shutil.copytree(self.kept, self.shelf.root, symlinks=True)
        os.chdir(self.shelf.root)

    def traced(self, mode: str, at: int, args: tuple[str, ...]) -> tuple[int, int, str]:
        """Run baton and interfere at one call; give how many there were, its exit code, what it said."""
        command = [
            base_interpreter(), "-I", "-S", "-B", str(SCRIPTS / "baton/__main__.py"),
            "--project", str(self.shelf.root), *args,
        ]  # fmt: skip
        tracer = [sys.executable, syscalls.__file__, mode, str(at), *command]
        done = subprocess.run(
            tracer, env=dict(os.environ), capture_output=True, text=True, timeout=60
        )
        assert "Traceback" not in done.stderr
        assert "a bug in baton" not in done.stderr
        return int(done.stderr.rpartition("calls: ")[2]), done.returncode, done.stderr

    def counts(self) -> tuple[int, int, int, int]:
        """Boundaries and resumes in the ledger, checkpoints and take-overs in the log."""
        ledger = self.shelf.path.read_text(encoding="utf-8") if self.shelf.path.exists() else ""
        kinds = self.pipeline.events
        return (
            len(re.findall('kind: "boundary"', ledger)),
            len(re.findall('kind: "resume"', ledger)),
            kinds.count("reached"),
            kinds.count("taken"),
        )


@pytest.fixture
def scene(pipeline: PipelineDesk, shelf: Shelf) -> Scene:
    """A pipeline at its first stage, handing over in a passport."""
    shelf.lay(top="verification_status: VERIFIED\n")
    pipeline.ok("start", "--entry", "1", **ON)
    return Scene(pipeline, shelf)


def _started(scene: Scene) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The very first events, in a file and folders that are not there yet."""
    shutil.rmtree(scene.shelf.root / ".claude")
    scene.shelf.path.unlink()
    return ("pipeline", "start", "--entry", "1"), (0, 0, 0, 0)


def _completed(scene: Scene) -> tuple[tuple[str, ...], tuple[int, ...]]:
    return ("pipeline", "complete"), (1, 0, 1, 0)


def _resumed(scene: Scene) -> tuple[tuple[str, ...], tuple[int, ...]]:
    scene.pipeline.ok("complete")
    hash_ = json.loads(scene.shelf("awaiting", "--json").out)["awaiting"][0]["hash"]
    return ("passport", "resume", hash_, "--session", "sess-b"), (1, 1, 1, 1)


def _recorded(scene: Scene) -> tuple[tuple[str, ...], tuple[int, ...]]:
    return ("pipeline", "material", "Bibliography", "draft.md"), (0, 0, 0, 0)


CASES: dict[str, Callable[[Scene], tuple[tuple[str, ...], tuple[int, ...]]]] = {
    "start": _started,
    "complete": _completed,
    "resume": _resumed,
    "material": _recorded,
}


def _walk(scene: Scene, case: str, step: int) -> Mapping[str, int]:
    args, end = CASES[case](scene)
    scene.keep()
    before = scene.pipeline.log.read_bytes() if scene.pipeline.log.exists() else b""
    total, code, said = scene.traced("count", 0, args)
    assert code == 0, said
    found = {"old": 0, "new": 0}
    killed = 0
    for mode in MODES:
        for at in range(1, total + 1, step):
            scene.bring_back()
            _, code, said = scene.traced(mode, at, args)
            killed += code == KILLED
            _settle(scene, args, code, before)
            found["new" if code == 0 else "old"] += 1
            assert scene.counts() == end, (case, mode, at, said)
    told = f"{total} calls × {len(MODES)} ways, every {step}., {killed} killed: {found}"
    print(f"tried: pipeline {case}: {told}")
    assert killed == len(range(1, total + 1, step))
    return found


def _settle(scene: Scene, args: tuple[str, ...], code: int, before: bytes) -> None:
    """Run the next commands: whatever was left, ledger and log end where one whole run leads."""
    again = scene.shelf.baton(*args)
    wanted = (0,) if code else (0, 3)
    assert again.code in (*wanted, 3), again
    kinds = scene.pipeline.events
    scene.pipeline.ok("pause")
    scene.pipeline.ok("resume")
    data = scene.pipeline.log.read_bytes()
    assert data.startswith(before)
    assert logs.read(data).torn == b""
    assert kinds.count("started") == 1
    if NAME in args or scene.shelf.path.exists():
        assert scene.shelf("verify", NAME).code == 0
    folder = scene.shelf.root / ".claude/pipelines"
    assert [each.name for each in folder.iterdir()] == ["main.jsonl"]


@pytest.mark.parametrize("case", CASES)
def test_some_calls_are_the_last_one(scene: Scene, case: str) -> None:
    assert _walk(scene, case, EVERYDAY_STEP)["old"]


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("case", CASES)
def test_each_call_is_the_last_one(scene: Scene, case: str) -> None:
    found = _walk(scene, case, 1)
    assert found["old"] >= 4
