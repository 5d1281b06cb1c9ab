"""baton doctor beside the real Claude Code: what it has people type works there, and what it sees is so."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pytest

from .claude import ALLOW_ALL, Home, binary
from .conftest import MakeHome, OpenScreen
from .model_server import ModelServer, Text
from .session import START, bash


@pytest.fixture
def home(claude_home: MakeHome, plugin: Path) -> Home:
    """A home whose owner has `claude` and `baton` on the PATH of a terminal."""
    made = claude_home("one")
    (made.bin / "claude").symlink_to(binary())
    (made.bin / "baton").symlink_to(plugin / "bin/baton")
    return made


def doctor(home: Home, work: Path, model: ModelServer) -> dict[str, tuple[str, str, str]]:
    """Run it at a terminal; give check → (state, message, fix)."""
    done = type_(home, work, model, "baton doctor --json; test $? -le 1")
    rows = json.loads(done)["checks"]
    return {row["check"]: (row["state"], row["message"], row["fix"]) for row in rows}


def type_(home: Home, work: Path, model: ModelServer, command: str) -> str:
    """What a person types at a terminal; it must succeed."""
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=work,
        env=home.environment(model),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def test_from_a_fresh_machine_to_hooks_that_fired(
    home: Home, work: Path, model: ModelServer, plugin: Path, screen: OpenScreen
) -> None:
    told = doctor(home, work, model)
    state, message, fix = told["hooks"]
    assert (state, message) == ("wrong", "nothing registers baton's hooks: nothing is saved")
    assert told["claude-code"][0] == "ok"
    type_(home, work, model, fix)
    told = doctor(home, work, model)
    assert told["hooks"] == ("ok", "registered by the plugin baton@baton (user)", "")
    assert told["version"][0] == "ok"
    assert told["fired"][0] == "unknown"

    model.play([bash(START), bash("baton doctor --json > said.json || true"), Text("Begun.")])
    terminal = screen(home, extra_args=ALLOW_ALL)
    terminal.submit("begin")
    terminal.wait_for("Begun.")
    told = until_flushed(home, work, model)
    assert told["fired"][0] == "ok", told["fired"]
    assert told["fired"][1].startswith("the Stop hook ran ")
    inside = {row["check"]: row for row in json.loads((work / "said.json").read_text())["checks"]}
    assert inside["command"]["state"] == "ok"
    assert inside["hooks"]["message"].startswith("registered by the plugin baton@baton (user)")
    assert inside["fired"]["state"] == "unknown"

    type_(home, work, model, "claude plugin disable baton@baton")
    state, message, fix = doctor(home, work, model)["hooks"]
    assert (state, message) == ("wrong", "the plugin baton@baton is installed and switched off")
    type_(home, work, model, fix)
    assert doctor(home, work, model)["hooks"][0] == "ok"


def until_flushed(home: Home, work: Path, model: ModelServer) -> dict[str, tuple[str, str, str]]:
    """The Stop hook runs, and then flushes, when the answer is on the screen already."""
    until = time.monotonic() + 120
    told = doctor(home, work, model)
    while told["last-flush"][0] != "ok" and time.monotonic() < until:
        time.sleep(0.2)
        told = doctor(home, work, model)
    assert told["last-flush"][0] == "ok", told["last-flush"]
    return told


def test_the_rules_that_setup_writes_are_those_that_doctor_misses(
    home: Home, work: Path, model: ModelServer
) -> None:
    state, _, fix = doctor(home, work, model)["permission"]
    assert state == "wrong"
    type_(home, work, model, fix)
    assert doctor(home, work, model)["permission"][0] == "ok"
