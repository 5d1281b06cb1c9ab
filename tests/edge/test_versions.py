"""baton.edge.versions: what git keeps of the chain, on the branch and on baton's own ref."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from baton.core.errors import BatonError
from baton.edge import versions
from baton.hot import project
from baton.hot.chain import MAX_BYTES
from baton.hot.state import State
from chain_cases import EMPTY, EXAMPLE, changed
from support import git

PARKING = "refs/baton/wal/main"


def _project(root: Path) -> project.Project:
    found = project.locate({"HOME": os.environ["HOME"]}, str(root))
    assert found is not None
    return found


def _commit(root: Path, data: bytes | None, when: int, monkeypatch: pytest.MonkeyPatch) -> str:
    path = root / ".claude/WAL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    if data is None:
        path.unlink()
    else:
        path.write_bytes(data)
    with monkeypatch.context() as patch:
        patch.setenv("GIT_COMMITTER_DATE", f"@{when} +0000")
        git("add", ".", cwd=root)
        git("commit", "-q", "-m", f"wal: flush {when}", cwd=root)
    return git("rev-parse", "HEAD", cwd=root).strip()


DONE = changed(("[ ] draft the announcement", "[x] draft — ls NEWS.md"))


def _park(root: Path, data: bytes, when: int, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make a commit on baton's ref, in a side branch of its own that goes again."""
    git("switch", "-q", "--orphan", "side", cwd=root)
    commit = _commit(root, data, when, monkeypatch)
    git("update-ref", PARKING, commit, cwd=root)
    git("switch", "-q", "main", cwd=root)
    return commit


def test_kept(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = _commit(repo, EXAMPLE, 1000, monkeypatch)
    parked = _park(repo, DONE, 1500, monkeypatch)
    second = _commit(repo, EMPTY, 2000, monkeypatch)
    _commit(repo, None, 3000, monkeypatch)
    found = [
        (kept.id, kept.place, kept.time, kept.subject, kept.chain.done, kept.data)
        for kept in versions.kept(_project(repo))
    ]
    assert found == [
        (second[:12], "HEAD", 2000, "wal: flush 2000", 0, EMPTY),
        (parked[:12], PARKING, 1500, "wal: flush 1500", 2, DONE),
        (first[:12], "HEAD", 1000, "wal: flush 1000", 1, EXAMPLE),
    ]
    assert len(versions.kept(_project(repo), 1)) == 1


def test_a_project_below_the_root(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _commit(repo, EMPTY, 900, monkeypatch)
    commit = _commit(repo / "sub", EXAMPLE, 1000, monkeypatch)
    (kept,) = versions.kept(_project(repo / "sub"))
    assert (kept.id, kept.data) == (commit[:12], EXAMPLE)


def test_a_history_that_cannot_be_read(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tip is there, what it stands on is not."""
    first = _commit(repo, EXAMPLE, 1000, monkeypatch)
    _commit(repo, EMPTY, 2000, monkeypatch)
    (repo / ".git/objects" / first[:2] / first[2:]).unlink()
    with pytest.raises(BatonError) as caught:
        versions.kept(_project(repo))
    assert (caught.value.code, caught.value.message) == (
        "git-failed",
        f"git log: Could not read {first}",
    )


def test_branches_that_git_does_not_tell(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _commit(repo, EXAMPLE, 1000, monkeypatch)
    refusing = tmp_path / "bin/git"
    refusing.parent.mkdir()
    refusing.write_text(
        f'#!/bin/sh\ncase "$*" in *for-each-ref*) echo "fatal: no" >&2; exit 1 ;; esac\n'
        f'exec {shutil.which("git")} "$@"\n'
    )
    refusing.chmod(0o755)
    monkeypatch.setenv("PATH", f"{refusing.parent}{os.pathsep}{os.environ['PATH']}")
    found = _project(repo)
    with pytest.raises(BatonError) as caught:
        versions.everywhere(found, State(found, dict(os.environ)))
    assert (caught.value.code, caught.value.message) == (
        "git-failed",
        "git for-each-ref: no",
    )


def test_nothing(repo: Path, tmp_path: Path) -> None:
    assert versions.kept(_project(repo)) == []
    outside = tmp_path / "outside"
    outside.mkdir()
    assert versions.kept(_project(outside)) == []
    git("init", "-q", outside, cwd=tmp_path)
    assert versions.kept(_project(outside)) == []


def test_newest_readable(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert versions.newest_readable(_project(repo)) is None
    good = _commit(repo, EXAMPLE, 1000, monkeypatch)
    _commit(repo, b"hello\n", 2000, monkeypatch)
    _commit(repo, b"x" * (2 * MAX_BYTES), 3000, monkeypatch)
    newest = versions.newest_readable(_project(repo))
    assert newest is not None
    assert newest.id == good[:12]
    assert [kept.chain.problems[0].code for kept in versions.kept(_project(repo))[:2]] == [
        "too-big",
        "unknown-line",
    ]


def test_a_subject_with_odd_signs(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _commit(repo, EXAMPLE, 1000, monkeypatch)
    git("commit", "-q", "--amend", "-m", "odd \x85 \u2028 \x1c subject", cwd=repo)
    (kept,) = versions.kept(_project(repo))
    assert kept.subject == "odd \x85 \u2028 \x1c subject"
