"""baton.edge.git: nothing that a repository, its configuration or the environment names is run."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from baton.core.chain import native as meanings
from baton.edge import git, native
from baton.edge import process as processes
from support import git as real_git


@pytest.fixture
def trapped(repo: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A repository whose settings name a program wherever they can, and the file that it would make."""
    mark = tmp_path / "RAN"
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\necho \"$0 $*\" >>'{mark}'\ncat 2>/dev/null || true\n")
    trap.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "reference-transaction", "pre-auto-gc"):
        (hooks / name).symlink_to(trap)
        (repo / ".git/hooks" / name).symlink_to(trap)
    (repo / "a.txt").write_text("one\n")
    (repo / ".gitattributes").write_text("*.txt diff=trap\n")
    real_git("add", ".", cwd=repo)
    real_git("commit", "-q", "-m", "all", cwd=repo)
    for key in (
        "core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "diff.external",
        "diff.trap.textconv", "diff.trap.command", "gpg.program", "interactive.diffFilter", "pager.log",
        "pager.status", "pager.diff",
    ):  # fmt: skip
        real_git("config", key, str(trap), cwd=repo)
    real_git("config", "core.hooksPath", str(hooks), cwd=repo)
    real_git("config", "log.showSignature", "true", cwd=repo)
    mark.unlink(missing_ok=True)
    (repo / "a.txt").write_text("two\n")
    os.utime(repo / "README.md", (5, 5))
    return repo, mark


COMMANDS = (
    "git status --porcelain",
    "git diff --quiet",
    "git diff --quiet HEAD -- a.txt",
    "git log -1 --format=%s",
    "git log -1",
    "git rev-parse HEAD",
    "git cat-file -t HEAD",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_runs_and_nothing_is_written(command: str, trapped: tuple[Path, Path]) -> None:
    repo, mark = trapped
    index = (repo / ".git/index").read_bytes()
    staged = real_git("-c", "core.fsmonitor=false", "ls-files", "--stage", cwd=repo)
    meaning = meanings.recognise(command)
    assert meaning is not None
    result = native.evaluate(meaning, str(repo))
    assert result is not None
    assert result.exit == (1 if "diff" in command else 0)
    assert not mark.exists(), mark.read_text()
    if "diff" not in command:
        assert (repo / ".git/index").read_bytes() == index
    assert real_git("-c", "core.fsmonitor=false", "ls-files", "--stage", cwd=repo) == staged


def test_the_environment_points_git_nowhere_else(
    trapped: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, mark = trapped
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(tmp_path / "trap"))
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "trace"))
    assert git.read(str(repo), "log", "-1", "--format=%s").output == b"all\n"
    assert not mark.exists()
    assert not (tmp_path / "trace").exists()


def test_a_diff_of_words_ignores_drivers_too(trapped: tuple[Path, Path]) -> None:
    repo, mark = trapped
    shown = git.read(str(repo), "diff", "HEAD", "--", "a.txt").output
    assert b"-one\n+two\n" in shown
    assert not mark.exists()


_OLD_GIT = """#!/bin/sh
case " $* " in *" worktree list "*" -z "*) echo 'error: unknown switch z' >&2; exit 129;; esac
exec '{real}' "$@"
"""


@pytest.mark.parametrize("old", [False, True], ids=["as it is", "before 2.36"])
def test_the_work_trees(
    old: bool, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare, one, two = tmp_path / "of all.git", tmp_path / "one of them", tmp_path / "two"
    real_git("clone", "--quiet", "--bare", str(repo), str(bare), cwd=tmp_path)
    real_git("worktree", "add", "--quiet", "-b", "a/b", str(one), cwd=bare)
    real_git("worktree", "add", "--quiet", "--detach", str(two), cwd=bare)
    if old:
        shim = tmp_path / "bin/git"
        shim.parent.mkdir()
        shim.write_text(_OLD_GIT.format(real=shutil.which("git")))
        shim.chmod(0o755)
        monkeypatch.setenv("PATH", f"{shim.parent}{os.pathsep}{os.environ['PATH']}")
        told = git.read(str(repo), "worktree", "list", "--porcelain", "-z")
        assert (told.exit, told.output) == (129, b"")
    first, *others = git.work_trees(str(one)) or []
    assert first == git.WorkTree(str(bare), "", True)
    assert sorted(others) == [
        git.WorkTree(str(one), "a/b", False),
        git.WorkTree(str(two), "", False),
    ]
    assert git.work_trees(str(repo)) == [git.WorkTree(str(repo), "main", False)]


def test_the_work_trees_where_git_does_not_say(tmp_path: Path) -> None:
    assert git.work_trees(str(tmp_path)) is None


def test_a_git_that_hangs(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stuck = tmp_path / "git"
    stuck.write_text("#!/bin/sh\nexec sleep 300\n")
    stuck.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(git, "_SECONDS", 0.2)
    began = time.monotonic()
    assert git.read(str(repo), "status") == processes.Completed(None, b"", b"", True, False)
    assert time.monotonic() - began < 100


ENDS = {
    "in time": ((128, b"fatal: bad\nsecond\n", False), "git log: bad; nothing was written"),
    "without a word": ((1, b"", False), "git log: exit code 1; nothing was written"),
    "late": ((None, b"", True), "git log: no answer in time; nothing was written"),
    "never begun": ((None, b"git: No such file", False), "git: No such file; nothing was written"),
}


@pytest.mark.parametrize(("end", "message"), ENDS.values(), ids=ENDS)
def test_a_failure_in_gits_words(end: tuple[int | None, bytes, bool], message: str) -> None:
    code, errors, late = end
    done = processes.Completed(code, b"", errors, late, False)
    error = git.failed("log", done, "nothing was written")
    hint = "baton doctor" if code is None and not late else "git status"
    assert (error.code, error.message, error.hint) == ("git-failed", message, hint)
    assert git.failed("log", done).message == message.removesuffix("; nothing was written")
