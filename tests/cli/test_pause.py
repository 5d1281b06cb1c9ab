"""baton.cli.pause: the report of baton.hot.pause, its exit codes, and the files named with --include."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import Here, Said, refused, run_baton
from pause_cases import PAUSES, Case, write
from support import git


@pytest.mark.parametrize("name", PAUSES)
def test_report(name: str, baton: Here, repo: Path) -> None:
    case: Case = PAUSES[name]
    case.make(repo)
    said = baton("pause")
    assert said == Said(int(not case.safe), "\n".join(case.expected(repo)) + "\n", "")


@pytest.mark.parametrize("name", ["a changed chain", "detached HEAD", "an unreadable chain"])
def test_report_in_a_process(name: str, repo: Path) -> None:
    case = PAUSES[name]
    case.make(repo)
    said = run_baton("pause", cwd=repo)
    assert said == Said(int(not case.safe), "\n".join(case.expected(repo)) + "\n", "")


def test_data(baton: Here, repo: Path) -> None:
    write(repo)
    said = baton("pause", "-m", "half of the grammar is in", "--json")
    head = git("rev-parse", "HEAD", cwd=repo).strip()
    assert json.loads(said.out) == {
        "safe": True,
        "report": PAUSES["a changed chain"].expected(repo),
        "outcome": "committed",
        "commit": head,
        "ref": "refs/heads/main",
        "paths": [".claude/WAL.md"],
        "refused": [],
        "reason": "",
    }
    assert (
        git("log", "-1", "--format=%B", cwd=repo) == "wal: pause\n\nhalf of the grammar is in\n\n"
    )


def test_a_flush_that_fails_has_its_own_exit(
    baton: Here, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(repo)
    monkeypatch.setenv("PATH", str(repo))
    said = baton("pause")
    assert (said.code, said.out.splitlines()[:2]) == (
        5,
        ["⏸ NOT safe to leave · 1/4 done", "the flush failed: git was not found on PATH"],
    )


def test_included_files(baton: Here, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Named as typed, from where one stands; nothing else goes with them."""
    write(repo)
    (repo / "src").mkdir()
    for name in ("src/a b.py", "src/ổ.py", "src/other.py", "README.md"):
        (repo / name).write_text("half\n")
    monkeypatch.chdir(repo / "src")
    said = baton(
        "pause", "--include", "a b.py", "--include", "ổ.py", "--include", str(repo / "README.md")
    )
    assert said.code == 0
    assert git(
        "-c", "core.quotePath=off", "show", "--format=", "--name-only", cwd=repo
    ).splitlines() == [
        ".claude/WAL.md",
        "README.md",
        "src/a b.py",
        "src/ổ.py",
    ]
    assert git("status", "--porcelain", cwd=repo) == "?? src/other.py\n"


BAD = {
    "outside": ("/etc/passwd", "outside the project {repo}"),
    "above": ("../x", "outside the project {repo}"),
    "not there": ("gone", "no regular file; name files one by one"),
    "the project itself": (".", "no regular file; name files one by one"),
    "a folder": ("src", "no regular file; name files one by one"),
    "a symlink": ("link", "no regular file; name files one by one"),
    "behind a symlink out": ("away/passwd", "outside the project {repo}"),
}


@pytest.mark.parametrize(("path", "fault"), BAD.values(), ids=BAD)
def test_files_that_cannot_be_included(path: str, fault: str, baton: Here, repo: Path) -> None:
    write(repo)
    (repo / "src").mkdir()
    (repo / "link").symlink_to("README.md")
    (repo / "away").symlink_to("/etc")
    expected = refused(
        2,
        f"--include {path}: {fault.replace('{repo}', str(repo))}; nothing was committed",
        "baton pause --include PATH",
    )
    assert baton("pause", "--include", path) == expected
    assert run_baton("pause", "--include", path, cwd=repo) == expected
    assert git("log", "--format=%s", cwd=repo) == "begin\n"


def test_a_project_that_is_the_root_of_all(baton: Here, repo: Path) -> None:
    """What is inside is then every path; nothing is committed here."""
    said = baton("--project", "/", "pause", "--include", "/no/such/file")
    assert "no regular file" in said.err
