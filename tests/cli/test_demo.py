"""`baton demo`: the README's first command tells the whole story, and nothing in it is made up."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from baton.cli.app import main
from support import ROOT, git


def demo(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", str(ROOT / "bin/baton"), "demo", *words], capture_output=True, text=True, timeout=280
    )


def test_the_story_is_told_and_its_hashes_are_in_the_repository(tmp_path: Path) -> None:
    done = demo("--keep", str(tmp_path / "here"))
    assert (done.returncode, done.stderr) == (0, "")
    project = tmp_path / "here/project"
    printed = re.findall(r"^   \| ([0-9a-f]{7}) (.*)$", done.stdout, re.MULTILINE)
    assert [subject.split(" 2")[0] for _, subject in printed] == [
        "wal: flush",
        "wal: pause",
        "wal: flush",
        "begin",
    ]
    for short, subject in printed:
        assert git("log", "-1", "--format=%s", short, cwd=project).strip() == subject
    kept = re.search(r"committed on main \(([0-9a-f]{8})\)", done.stdout)
    assert kept and git("rev-parse", "HEAD", cwd=project).startswith(kept[1])
    assert git("show", "--format=", "--name-only", "HEAD~1", cwd=project).split() == [
        ".claude/WAL.md"
    ]


@pytest.mark.parametrize(
    "line",
    [
        "Unfinished work: 1/3 done · ",
        "newer than the flush at ",
        "MISMATCH: correct the chain first, say so, then go on",
        "correct it: baton wal mark 2 done",
        "TO RUN with your own Bash tool",
        "baton tiep: 0 mismatches, next: run parser.py, then announce it",
        "⏸ Safe to leave · 2/3 done",
    ],
)
def test_every_turn_of_the_story_is_there(line: str, told: str) -> None:
    assert line in told


@pytest.fixture(scope="module")
def told() -> str:
    return demo().stdout


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    done = demo()
    assert (done.returncode, f"All of it in {tmp_path}" in done.stdout) == (0, True)
    assert os.listdir(tmp_path) == []


def test_a_folder_with_something_in_it_is_left_alone(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").write_text("x", encoding="utf-8")
    assert main(["demo", "--keep", str(tmp_path)]) == 2
    assert capfd.readouterr().err == (
        f"baton: {tmp_path} is not empty; nothing was written\ntry: baton demo --keep NEW-DIR\n"
    )
    assert os.listdir(tmp_path) == ["mine"]


def test_a_folder_that_cannot_be_made(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    assert main(["demo", "--keep", str(tmp_path / "file/below")]) == 2
    assert "Not a directory" in capfd.readouterr().err


def test_without_git_there_is_no_demo(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["demo"]) == 5
    told = "baton: the demo's own git does not run: git: No such file or directory"
    assert capfd.readouterr().err == f"{told}\ntry: baton doctor\n"


def test_a_step_that_fails_ends_the_demo_with_its_words(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "bin"
    broken.mkdir()
    (broken / "git").write_text("#!/bin/sh\necho 'no disk' >&2\nexit 3\n", encoding="utf-8")
    (broken / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{broken}{os.pathsep}{os.environ['PATH']}")
    assert main(["demo", "--keep", str(tmp_path / "new")]) == 5
    assert "the demo's own git ended with 3: no disk\ntry: baton doctor\n" in capfd.readouterr().err
