"""baton.hot.git.checkout against git itself, which is asked the same."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from baton.hot.git import checkout, head
from support import git, make_repository


def _agree(start: Path) -> checkout.Checkout:
    """Find the checkout, and have git confirm every field."""
    found = checkout.find(str(start))
    assert found is not None
    told = git(
        "rev-parse", "--path-format=absolute",
        "--show-toplevel", "--git-dir", "--git-common-dir",
        cwd=start,
    )  # fmt: skip
    assert [found.top, *map(os.path.realpath, (found.git_dir, found.common_dir))] == (
        told.splitlines()
    )
    return found


def test_top_and_below(repo: Path) -> None:
    (repo / "a/b").mkdir(parents=True)
    for folder in (repo, repo / "a/b"):
        found = _agree(folder)
        assert (found.linked, found.submodule) == (False, False)


def test_linked_work_tree(repo: Path, tmp_path: Path) -> None:
    git("worktree", "add", "-q", "-b", "topic", tmp_path / "other tree", cwd=repo)
    found = _agree(tmp_path / "other tree")
    assert (found.linked, found.submodule) == (True, False)
    assert head.read(found).branch == "topic"


def test_submodule(repo: Path, tmp_path: Path) -> None:
    inner = make_repository(tmp_path / "inner")
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "sub", cwd=repo)
    found = _agree(repo / "sub")
    assert (found.linked, found.submodule) == (False, True)


def test_separate_git_directory(repo: Path, tmp_path: Path) -> None:
    git("init", "-q", "--separate-git-dir", tmp_path / "elsewhere", cwd=repo)
    assert _agree(repo).git_dir == str(tmp_path / "elsewhere")


def test_a_head_that_is_a_link_to_a_packed_branch(repo: Path) -> None:
    """As old gits wrote it: it leads to no file."""
    git("pack-refs", "--all", "--prune", cwd=repo)
    (repo / ".git/HEAD").unlink()
    os.symlink("refs/heads/main", repo / ".git/HEAD")
    assert head.read(_agree(repo)).branch == "main"


LOOK_ALIKES = {
    "a folder without HEAD": None,
    "a file that points nowhere": "gitdir: nowhere\n",
    "a file of words": "hello\n",
}


@pytest.mark.parametrize("content", LOOK_ALIKES.values(), ids=LOOK_ALIKES)
def test_what_only_looks_like_a_checkout_is_passed_over(content: str | None, repo: Path) -> None:
    dot_git = repo / "below/.git"
    dot_git.parent.mkdir()
    if content is None:
        dot_git.mkdir()
    else:
        dot_git.write_text(content)
    assert checkout.at(str(repo / "below")) is None
    found = checkout.find(str(repo / "below"))
    assert found is not None
    assert found.top == str(repo)


def _pointer(folder: Path, other: Path) -> None:
    (folder / ".git").write_text(f"gitdir: {other}/.git\n")


def _link(folder: Path, other: Path) -> None:
    os.symlink(other / ".git", folder / ".git")


def _copy_of_a_linked_one(folder: Path, other: Path) -> None:
    git("worktree", "add", "-q", "-b", "topic", other.parent / "linked", cwd=other)
    shutil.copy(other.parent / "linked/.git", folder)


@pytest.mark.parametrize(
    "lead", [_pointer, _link, _copy_of_a_linked_one], ids=lambda f: f.__name__[1:]
)
def test_what_leads_to_another_folders_own_repository_is_none(
    lead: Callable[[Path, Path], None], repo: Path, tmp_path: Path
) -> None:
    other = make_repository(tmp_path / "other")
    folder = repo / "below"
    folder.mkdir()
    lead(folder, other)
    assert checkout.at(str(folder)) is None
    assert checkout.find(str(folder)) is None


BARE = {
    "a pointer beside it": (".bare", "[core]\n\tbare = true\n", True),
    "in .git itself": (".git", "[core]\n\tbare = true\n", True),
    "in one line": (".git", "[Core] BARE=Yes\n", True),
    "without a value": (".git", "[core]\n\tbare\n", True),
    "another section's": (".git", '[core]\n[core "x"]\n\tbare = true\n', False),
    "the last word counts": (".git", "[core]\nbare = true\nbare = false\n", False),
}


@pytest.mark.parametrize(("name", "settings", "bare"), BARE.values(), ids=BARE)
def test_a_repository_without_a_work_tree(
    name: str, settings: str, bare: bool, repo: Path, tmp_path: Path
) -> None:
    """Linked work trees often stand beside it, and a flush there would move their branch."""
    folder = repo / "below"
    git("clone", "-q", "--bare", repo, folder / name, cwd=tmp_path)
    (folder / name / "config").write_text(settings)
    if name != ".git":
        (folder / ".git").write_text(f"gitdir: ./{name}\n")
    assert (checkout.find(str(folder)) is None) == bare
    assert checkout.bare_at(str(folder)) == (str(folder / name) if bare else "")
    assert checkout.bare_at(str(tmp_path)) == ""
    git("worktree", "add", "-q", "-b", "topic", folder / "tree", cwd=folder / name)
    assert _agree(folder / "tree").linked


def test_settings_that_cannot_be_read_say_nothing(repo: Path) -> None:
    (repo / ".git/config").unlink()
    os.mkfifo(repo / ".git/config")
    assert checkout.find(str(repo)) is not None


def test_a_linked_work_tree_that_was_moved_by_hand(repo: Path, tmp_path: Path) -> None:
    git("worktree", "add", "-q", "-b", "topic", tmp_path / "before", cwd=repo)
    (tmp_path / "before").rename(tmp_path / "after")
    assert _agree(tmp_path / "after").linked


def test_a_pipe_in_gits_place_is_not_waited_for(repo: Path) -> None:
    (repo / "below").mkdir()
    os.mkfifo(repo / "below/.git")
    found = checkout.find(str(repo / "below"))
    assert found is not None and found.top == str(repo)
    (repo / ".git/HEAD").unlink()
    os.mkfifo(repo / ".git/HEAD")
    assert head.read(found).oid == ""


def test_outside(tmp_path: Path) -> None:
    assert checkout.find(str(tmp_path)) is None
    assert checkout.find(str(tmp_path / "absent")) is None
    assert checkout.find("/") is None


class _Stat:
    """A stat result of another device, or none at all for the folders above."""

    def __init__(self, root: Path, error: bool) -> None:
        self._stat = os.stat
        self._above = str(root.parent)
        self._error = error

    def __call__(self, path: str) -> os.stat_result:
        result = self._stat(path)
        if path != self._above:
            return result
        if self._error:
            raise PermissionError
        return os.stat_result((*result[:2], result.st_dev + 1, *result[3:10]))


@pytest.mark.parametrize("error", [False, True], ids=["another device", "not readable"])
def test_the_search_stops(
    error: bool, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = repo / "mount/a"
    folder.mkdir(parents=True)
    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", _Stat(folder, error))
        assert checkout.find(str(folder)) is None


BRANCHES = {
    "a branch": (["switch", "-q", "-c", "topic/x"], "topic/x"),
    "in Vietnamese": (["switch", "-q", "-c", "nhánh"], "nhánh"),
    "detached": (["switch", "-q", "--detach"], ""),
    "unborn": (["switch", "-q", "--orphan", "fresh"], "fresh"),
}


@pytest.mark.parametrize(("words", "expected"), BRANCHES.values(), ids=BRANCHES)
def test_branch(words: list[str], expected: str, repo: Path) -> None:
    git(*words, cwd=repo)
    assert head.read(_agree(repo)).branch == expected


def test_branch_of_an_unreadable_head(repo: Path) -> None:
    found = _agree(repo)
    (repo / ".git/HEAD").unlink()
    assert head.read(found).branch == ""
