"""The README's commands, run as they stand there: a stranger types nothing else."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from support import ROOT, git, make_repository

from .claude import binary
from .conftest import MakeHome
from .model_server import ModelServer

README = ROOT / "README.md"
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", README.read_text(encoding="utf-8"), re.M | re.S)
COMMANDS = [line for block in BLOCKS for line in block.splitlines()]
PLACEHOLDER = "PATH-OR-ADDRESS-OF-THIS-REPOSITORY"
# It would run itself; that it is what runs the tests is asserted below.
TESTS = "scripts/check"


@pytest.fixture
def stranger(
    tmp_path: Path, plugin: Path, claude_home: MakeHome, model: ModelServer
) -> dict[str, str]:
    """A fresh machine: an empty home, a clone of baton, `claude` and the clone's `baton` on PATH."""
    home = claude_home("stranger")
    (home.bin / "claude").symlink_to(binary())
    environ = home.environment(model)
    return {**environ, "PATH": f"{plugin / 'bin'}{os.pathsep}{environ['PATH']}"}


def test_what_a_stranger_is_told_to_type(
    tmp_path: Path, plugin: Path, stranger: dict[str, str]
) -> None:
    project = make_repository(tmp_path / "a project")
    ran = []
    for line in COMMANDS:
        if line != TESTS:
            place = plugin if line.startswith("bin/") else project
            words = line.replace(PLACEHOLDER, f"'{plugin}'")
            done = subprocess.run(
                ["sh", "-c", words], cwd=place, env=stranger, capture_output=True, text=True
            )
            assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
            ran.append(line)
    assert len(ran) >= 6
    assert (project / ".claude/WAL.md").is_file()
    assert (project / ".claude/baton/hooks/run").is_file()
    assert 'persist = "ref"' in (project / ".claude/baton.toml").read_text(encoding="utf-8")
    listed = subprocess.run(
        ["claude", "plugin", "list"], cwd=project, env=stranger, capture_output=True, text=True
    )
    assert "baton@baton" in listed.stdout


def test_the_tests_are_one_command() -> None:
    assert TESTS in COMMANDS
    assert os.access(ROOT / TESTS, os.X_OK)
    assert TESTS in (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert git("ls-files", "--", TESTS, cwd=ROOT).strip() == TESTS
