"""Accounts that are set up in another way: a strict umask, no home, a home or a temporary folder that cannot
be written. A turn is kept all the same, and the command line works."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from commands import BATON
from desk import CHAIN, Desk
from measured import base_interpreter
from support import LAUNCHER

NOT_WRITABLE = "/proc"
"""Nobody writes there, whatever account the tests run as."""
ACCOUNTS: dict[str, tuple[int, dict[str, str | None]]] = {
    "strict umask": (0o077, {}),
    "no home": (0o022, {"HOME": None}),
    "a home that is not there": (0o022, {"HOME": "/nonexistent"}),
    "a home for reading alone": (0o022, {"HOME": NOT_WRITABLE}),
    "no temporary folder": (0o022, {"TMPDIR": "/nonexistent"}),
    "a temporary folder for reading alone": (0o022, {"TMPDIR": NOT_WRITABLE}),
    "the C locale": (0o022, {"LC_ALL": "C", "LANG": "C"}),
}


def _run(
    command: list[str], desk: Desk, account: str, given: Mapping[str, object] | None = None
) -> subprocess.CompletedProcess[bytes]:
    mask, changes = ACCOUNTS[account]
    # Where the home remembers no interpreter, it is found on PATH.
    path = f"{os.path.dirname(base_interpreter())}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "CLAUDE_PROJECT_DIR": str(desk.root)}
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        env.pop(name)
    for name, value in changes.items():
        env.pop(name, None)
        if value is not None:
            env[name] = value
    line = json.dumps(given or {}).encode() + b"\n"
    return subprocess.run(
        command, cwd=desk.root, env=env, input=line, capture_output=True, umask=mask, timeout=60
    )


@pytest.mark.parametrize("account", ACCOUNTS)
def test_a_turn_and_the_command_line(account: str, repo: Path) -> None:
    desk = Desk(repo)
    started = ["wal", "start", "Ship ü", "--item", "one", "--next", "go on", "--verify", "ls"]
    done = _run([str(BATON), *started], desk, account)
    assert (done.returncode, done.stderr) == (0, b"")
    for event in ("session_start", "prompt", "flush"):
        done = _run(["sh", str(LAUNCHER), event], desk, account)
        assert (done.returncode, done.stderr) == (0, b""), event
    assert "Ship ü" in desk.at("HEAD")
    done = _run([str(BATON), "status", "--json"], desk, account)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["chain"]["goal"] == "Ship ü"
    desk.fsck()


def test_a_strict_umask_is_kept_where_a_file_is_new(repo: Path) -> None:
    desk = Desk(repo)
    words = ["wal", "start", "x", "--item", "one", "--next", "y", "--verify", "ls"]
    _run([str(BATON), *words], desk, "strict umask")
    assert stat.S_IMODE((repo / CHAIN).stat().st_mode) == 0o600
    (repo / CHAIN).chmod(0o640)
    _run([str(BATON), "wal", "next", "z"], desk, "strict umask")
    assert stat.S_IMODE((repo / CHAIN).stat().st_mode) == 0o640
