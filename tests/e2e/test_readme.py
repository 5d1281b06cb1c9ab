"""The README's commands, run as they stand there: a stranger types nothing else."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from support import ROOT, git, make_repository

from .claude import binary
from .conftest import MakeHome, OpenScreen
from .model_server import ModelServer

README = ROOT / "README.md"
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", README.read_text(encoding="utf-8"), re.M | re.S)
COMMANDS = [line for block in BLOCKS for line in block.splitlines()]
PLACEHOLDERS = {"PATH-OR-ADDRESS-OF-THIS-REPOSITORY": '"$CLONE"', "PATH-OF-A-CLONE": "$CLONE"}
# It would run itself; that it is what runs the tests is asserted below.
TESTS = "scripts/check"


@pytest.fixture
def stranger(
    tmp_path: Path, plugin: Path, claude_home: MakeHome, model: ModelServer
) -> dict[str, str]:
    """A fresh machine: an empty home, a clone of baton, and `claude` on PATH."""
    home = claude_home("stranger")
    (home.bin / "claude").symlink_to(binary())
    return home.environment(model)


def test_what_a_stranger_is_told_to_type(
    tmp_path: Path, plugin: Path, stranger: dict[str, str]
) -> None:
    project = make_repository(tmp_path / "a project")
    lines = [line for line in COMMANDS if line != TESTS]
    assert len(lines) >= 7
    typed = "\n".join(f'(cd "$CLONE" && {line})' if line[:4] == "bin/" else line for line in lines)
    for placeholder, variable in PLACEHOLDERS.items():
        assert placeholder in typed
        typed = typed.replace(placeholder, variable)
    # One shell, as at one terminal: what a line needs, the lines above it must have brought.
    done = subprocess.run(
        ["sh", "-ex"],
        input=typed,
        cwd=project,
        env={**stranger, "CLONE": str(plugin)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (project / ".claude/WAL.md").is_file()
    assert (project / ".claude/baton/hooks/run").is_file()
    assert 'persist = "ref"' in (project / ".claude/baton.toml").read_text(encoding="utf-8")
    listed = subprocess.run(
        ["claude", "plugin", "list"], cwd=project, env=stranger, capture_output=True, text=True
    )
    assert "baton@baton" in listed.stdout


def test_it_is_set_up_from_inside_a_session(
    work: Path, claude_home: MakeHome, screen: OpenScreen, plugin: Path
) -> None:
    assert "`!baton setup`" in README.read_text(encoding="utf-8")
    shown = screen(claude_home("first"), plugin_dirs=[plugin])
    shown.wait_ready()
    shown.send("!baton setup")
    shown.wait_for(r"! baton setup\n")
    shown.keys("Enter")
    shown.wait_for(r"next: `baton doctor`")
    assert (work / ".claude/WAL.md").is_file()


def test_the_tests_are_one_command() -> None:
    assert TESTS in COMMANDS
    assert os.access(ROOT / TESTS, os.X_OK)
    assert TESTS in (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert git("ls-files", "--", TESTS, cwd=ROOT).strip() == TESTS
