"""baton.edge.since: commits and files later than the chain, the session's own files left out."""

from __future__ import annotations

import datetime
import os
from pathlib import Path

import pytest

from baton.edge import since
from baton.hot import config, project
from support import git

CHAIN_AT = datetime.datetime(2026, 7, 11, 14, 0, tzinfo=datetime.UTC)
BEFORE, LATER = CHAIN_AT.timestamp() - 100, CHAIN_AT.timestamp() + 100


def _happened(root: Path) -> list[str]:
    found = project.locate({"HOME": os.environ["HOME"]}, str(root))
    assert found is not None
    return since.happened(found, config.load(found), CHAIN_AT)


def _write(path: Path, when: float) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x\n")
    os.utime(path, (when, when))


def _commit(root: Path, subject: str, when: float, monkeypatch: pytest.MonkeyPatch) -> str:
    with monkeypatch.context() as patch:
        patch.setenv("GIT_COMMITTER_DATE", f"{int(when)} +0000")
        git("commit", "-q", "--allow-empty", "-m", subject, cwd=root)
    return git("rev-parse", "--short", "HEAD", cwd=root).strip()


@pytest.fixture
def place(repo: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose only commit is older than the chain."""
    monkeypatch.setenv("GIT_COMMITTER_DATE", f"{int(BEFORE)} +0000")
    git("commit", "-q", "--amend", "--no-edit", cwd=repo)
    monkeypatch.delenv("GIT_COMMITTER_DATE")
    return repo


def test_nothing(place: Path) -> None:
    assert _happened(place) == []


def test_outside_git(tmp_path: Path) -> None:
    _write(tmp_path / "a", LATER)
    assert _happened(tmp_path) == []


def test_a_file_called_like_a_revision_hides_no_commit(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(place / "HEAD", BEFORE)
    git("add", "HEAD", cwd=place)
    name = _commit(place, "a file", LATER, monkeypatch)
    assert _happened(place) == [f'1 commit: "{name} a file"']


def test_commits(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _commit(place, "before", BEFORE, monkeypatch)
    one = _commit(place, 'one "</x>\x1b[1m', LATER, monkeypatch)
    _commit(place, "wal: flush 20260711T1403", LATER, monkeypatch)
    assert _happened(place) == [f'1 commit: "{one} one ”‹/x›\ufffd[1m"']
    two = _commit(place, "x" * 100, LATER, monkeypatch)
    assert _happened(place) == [
        f'2 commits: "{two} {"x" * (68 - len(two))}…", "{one} one ”‹/x›\ufffd[1m"'
    ]


def test_a_subject_with_odd_signs_is_one(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = _commit(place, "a \x85 b \u2028 c", LATER, monkeypatch)
    assert _happened(place) == [f'1 commit: "{commit} a   b   c"']


def test_many_are_cut(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(8):
        _commit(place, f"c{number}", LATER, monkeypatch)
    (line,) = _happened(place)
    assert line.startswith("8 commits: ")
    assert line.endswith(", and 2 more")
    assert line.count('"') == 12


FILES = {
    "untracked": (["new.txt"], ["new.txt"]),
    "a folder": (["new/a.txt"], ["new/"]),
    "odd names": (["a b/ổ\n.txt"], ["a b/"]),
    "state files": (
        [".claude/WAL.md", ".claude/WAL.md.refused-abc", ".claude/agent-memory/a", ".claude/pipeline.jsonl"],
        [],
    ),
    "beside state files": (
        [".claude/agent-memory/a", ".claude/agent-memory-old/a", ".claude/x.md"],
        [".claude/agent-memory-old/", ".claude/x.md"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("written", "told"), FILES.values(), ids=FILES)
def test_files(written: list[str], told: list[str], place: Path) -> None:
    (place / ".claude").mkdir()
    (place / ".claude/tracked").write_text("x\n")
    git("add", ".claude", cwd=place)
    git("commit", "-q", "-m", "wal: x", cwd=place)
    for name in written:
        _write(place / name, LATER)
    many = f"{len(told)} changed file{'s' if len(told) > 1 else ''}: "
    assert _happened(place) == ([many + ", ".join(f'"{name}"' for name in told)] if told else [])


def test_a_folder_of_nothing_but_state(place: Path) -> None:
    """git names an untracked folder for all that is in it."""
    _write(place / ".claude/WAL.md", LATER)
    assert _happened(place) == []


def test_files_changed_before_the_chain(place: Path) -> None:
    _write(place / "new.txt", BEFORE)
    _write(place / "README.md", BEFORE)
    assert _happened(place) == []


def test_files_that_are_gone(place: Path) -> None:
    (place / "README.md").unlink()
    assert _happened(place) == ['1 changed file: "README.md"']


def test_a_project_below_the_root(place: Path) -> None:
    _write(place / "above.txt", LATER)
    _write(place / "sub/in.txt", LATER)
    _write(place / "sub/keep", BEFORE)
    git("add", "sub/keep", cwd=place)
    assert _happened(place / "sub") == ['1 changed file: "in.txt"']


def test_git_does_not_answer(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert _happened(place) == ["files could not be looked at: git: No such file or directory"]
