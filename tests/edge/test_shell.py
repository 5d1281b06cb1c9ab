"""baton.edge.shell: case C5. A chain's command may do what it likes; the report comes all the same."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from baton.core.chain.checks import Result
from baton.edge import shell
from facts import alive, timed_from, wait_until

RESULTS = {
    "succeeds": ("echo out; echo err >&2", Result(0, "out\n", "err\n")),
    "fails": ("echo out; exit 3", Result(3, "out\n")),
    "is killed": ("kill -9 $$", Result(-9)),
    "runs in the project": ("cat here", Result(0, "here\n")),
    "reads standard input": ("cat; read x || echo none", Result(0, "none\n")),
    "does not exist": (
        "no-such-program --all",
        Result(None, "", "{sh}no-such-program: not found\n", "cannot be run here: {sh}no-such-program: not found"),
    ),
    "is not executable": (
        "./here",
        Result(None, "", "{sh}./here: Permission denied\n", "cannot be run here: {sh}./here: Permission denied"),
    ),
    "says nothing of why it cannot": ("exit 127", Result(None, reason="cannot be run here: not found")),
    "is no shell line": ("echo 'a", Result(2, "", "{sh}Syntax error: Unterminated quoted string\n")),
    "prints what is not text": ("printf '\\377\\033[1m'", Result(0, "\ufffd\x1b[1m")),
}  # fmt: skip


def _run(command: str, root: Path, seconds: float = 60.0) -> Result:
    return shell.run(command, str(root), seconds, shell.Budget())


@pytest.mark.parametrize(("command", "expected"), RESULTS.values(), ids=RESULTS)
def test_results(command: str, expected: Result, tmp_path: Path) -> None:
    (tmp_path / "here").write_text("here\n")
    result = _run(command, tmp_path)
    if os.path.basename(os.path.realpath("/bin/sh")) != "dash" and "{sh}" in expected.errors:
        assert result.exit == expected.exit
        return
    prefix = "sh: 1: "
    wanted = Result(
        expected.exit,
        expected.output,
        expected.errors.replace("{sh}", prefix),
        expected.reason.replace("{sh}", prefix),
    )
    assert result == wanted


def test_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    began = time.monotonic()
    timed_from(monkeypatch, (tmp_path / "begun").exists, "the command began", 0.2)
    result = _run("echo begun; touch begun; sleep 300", tmp_path, 1)
    assert result == Result(None, "begun\n", "", "still running after 1 s and stopped")
    assert time.monotonic() - began < 200


def test_prints_100_mb(tmp_path: Path) -> None:
    result = _run("head -c 100000000 /dev/zero | tr '\\0' x", tmp_path, 60)
    assert result == Result(0, "x" * 4000 + "\n[cut]")


def test_complains_100_mb(tmp_path: Path) -> None:
    result = _run("echo 1; head -c 100000000 /dev/zero | tr '\\0' x >&2", tmp_path, 60)
    assert result == Result(0, "1\n", "x" * 4000 + "\n[cut]")


def test_leaves_a_child_behind(tmp_path: Path) -> None:
    result = _run("sleep 300 & echo $! > child", tmp_path)
    child = int((tmp_path / "child").read_text())
    assert result.exit == 0
    wait_until(lambda: not alive(child), "the child is dead")


class _Left(shell.Budget):
    """A budget of which so much is left, however long everything took."""

    left = 0.3


def test_together_they_have_a_budget(tmp_path: Path) -> None:
    assert 0 < shell.Budget(60).left <= 60
    first = shell.run("sleep 300", str(tmp_path), 200, _Left())
    assert first.reason == "still running after 0.3 s and stopped"
    budget = shell.Budget(0.3)
    shell.run("sleep 300", str(tmp_path), 200, budget)
    assert budget.left == 0
    assert shell.run("echo a", str(tmp_path), 200, budget) == Result(
        None, reason="not run: the commands before it used up 120 s"
    )


def test_windows_has_bash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(os, "name", "nt")
        command = shell._shell("echo a")
    assert command == ["bash", "-c", "echo a"]
