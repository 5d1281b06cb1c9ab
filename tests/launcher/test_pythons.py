"""The real doors under every Python of this machine that baton says it works with."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import baton
import measured
from support import git, run_hook

ASK = "import os, sys; print(*sys.version_info[:2], os.path.realpath(sys.executable))"


def _candidates() -> Iterator[str]:
    yield measured.base_interpreter()
    for minor in range(11, 20):
        if found := shutil.which(f"python3.{minor}"):
            yield found
    versions = Path(os.environ.get("PYENV_ROOT", "/none")) / "versions"
    yield from map(str, sorted(versions.glob("3.*/bin/python3")))


def _pythons() -> dict[str, str]:
    """One interpreter for each version, 3.11 or newer."""
    found: dict[str, str] = {}
    for candidate in _candidates():
        command = [candidate, "-I", "-S", "-c", ASK]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        major, minor, path = (done.stdout.strip() or "0 0 x").split(" ", 2)
        if (int(major), int(minor)) >= (3, 11):
            found.setdefault(f"{major}.{minor}", path)
    return found


PYTHONS = _pythons()


@pytest.mark.parametrize("python", PYTHONS.values(), ids=list(PYTHONS))
def test_a_turn_is_flushed(python: str, repo: Path, home: Path) -> None:
    memory = home / f".local/share/baton/{baton.__version__}/python"
    memory.write_text(f"{python}\n", encoding="utf-8")
    chain = repo / ".claude/WAL.md"
    chain.parent.mkdir()
    chain.write_text("goal: try each Python\n", encoding="utf-8")
    event = {"hook_event_name": "Stop", "cwd": str(repo), "session_id": "s"}
    done = run_hook("flush", event, cwd=repo)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"internal error" not in done.stdout
    assert git("log", "--format=%s", "-1", cwd=repo).startswith("wal: flush ")


@pytest.mark.parametrize("python", PYTHONS.values(), ids=list(PYTHONS))
@pytest.mark.parametrize("door", ["session_start", "prompt"])
def test_a_door_opens(door: str, python: str, repo: Path, home: Path) -> None:
    memory = home / f".local/share/baton/{baton.__version__}/python"
    memory.write_text(f"{python}\n", encoding="utf-8")
    event = {"hook_event_name": "SessionStart", "source": "startup", "cwd": str(repo)}
    done = run_hook(door, event, cwd=repo)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"internal error" not in done.stdout
