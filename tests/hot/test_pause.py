"""baton.hot.pause: "safe" is said only of what is kept, and where (design page chain)."""

from __future__ import annotations

import os
import time
import unicodedata
from pathlib import Path

import pytest

from baton.hot import config, pause, project
from baton.hot.flush.flush import Outcome
from baton.hot.state import State
from pause_cases import PAUSES, STANDS, Case, write
from support import git


def _pause(root: Path, words: str = "", include: tuple[str, ...] = ()) -> pause.Paused:
    found = project.locate({"HOME": os.environ["HOME"]}, str(root))
    assert found is not None
    return pause.pause(found, State(found, dict(os.environ)), config.load(found), words, include)


@pytest.mark.parametrize("case", PAUSES.values(), ids=PAUSES)
def test_report(case: Case, repo: Path) -> None:
    case.make(repo)
    paused = _pause(repo)
    assert (paused.lines, paused.safe) == (case.expected(repo), case.safe)
    for line in paused.lines:
        wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in line)
        assert len(line) + wide <= 75


def test_twice(repo: Path) -> None:
    write(repo)
    _pause(repo)
    assert _pause(repo).lines[-1] == "already kept (branch main), nothing pushed"
    git("switch", "-q", "--detach", cwd=repo)
    write(repo, b"# WAL\n")
    _pause(repo)
    assert _pause(repo).lines[-1] == "already kept (refs/baton/wal/main), nothing pushed"


def test_what_is_left_out_is_said_again(repo: Path) -> None:
    """Though the second time nothing has changed."""
    PAUSES["something left out"].make(repo)
    first, second = (_pause(repo) for _ in range(2))
    assert (first.safe, second.safe) == (False, False)
    assert second.lines == [*first.lines[:-1], "already kept (branch main), nothing pushed"]


def test_words_are_kept_even_when_nothing_changed(repo: Path) -> None:
    write(repo)
    _pause(repo)
    _pause(repo, "one half\nof the \x1b[1mgrammar")
    body = git("log", "-1", "--format=%B", cwd=repo)
    assert body == "wal: pause\n\none half\nof the \ufffd[1mgrammar\n\n"


def test_included_files_are_committed_by_name(repo: Path) -> None:
    write(repo)
    for name in ("README.md", "other.txt"):
        (repo / name).write_text("half\n")
    paused = _pause(repo, include=("README.md",))
    assert paused.safe
    assert sorted(paused.outcome.paths) == [".claude/WAL.md", "README.md"]
    assert git("status", "--porcelain", cwd=repo) == "?? other.txt\n"


# What flush may come to that no state above brings about at will.
OUTCOMES = {
    "deferred": (
        ("deferred", "another baton held its lock for 5 s", "", ""),
        "⏸ NOT safe to leave · 1/4 done\n"
        f"not kept in git yet: another baton held its lock for 5 s\n{STANDS}".rstrip("\n"),
    ),
    "failed": (
        ("failed", "git was not found on PATH", "", ""),
        "⏸ NOT safe to leave · 1/4 done\n"
        f"the flush failed: git was not found on PATH\n{STANDS}".rstrip("\n"),
    ),
    "failed, but parked": (
        ("failed", "git commit-tree: bad; kept on refs/x", "abc", "refs/x"),
        "⏸ NOT safe to leave · 1/4 done\n"
        f"the flush failed: git commit-tree: bad; kept on refs/x\n{STANDS}".rstrip("\n"),
    ),
}


@pytest.mark.parametrize(("facts", "report"), OUTCOMES.values(), ids=OUTCOMES)
def test_outcomes(
    facts: tuple[str, str, str, str], report: str, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = Outcome(*facts[:2])
    outcome.commit, outcome.ref = facts[2:]
    monkeypatch.setattr(pause, "flush", lambda *_, **__: outcome)
    write(repo)
    paused = _pause(repo)
    assert ("\n".join(paused.lines), paused.safe) == (report, False)


def test_no_git_on_path(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(repo)
    monkeypatch.setenv("PATH", str(repo))
    assert _pause(repo).lines == OUTCOMES["failed"][1].split("\n")


def test_unknown_place(repo: Path) -> None:
    """Nothing changed, and the note of where it is kept is lost."""
    write(repo)
    time.sleep(0.05)
    _pause(repo)
    (repo / ".git/baton/outcome").unlink()
    assert _pause(repo).lines[-1] == "already in git"
