"""baton.hot.project: one rule, the same for hooks and commands (design page cli, case G12)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from baton.hot import project
from commands import run_baton
from support import git, make_repository, run_hook


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """Projects of every kind, with a chain where the name says so.

    plain/: no git. repo/: a repository, chain at its root, one more in chained/. tree/: linked to
    it. bare/: a repository without a chain. sub/: a submodule of repo.
    """
    base = Path(os.path.realpath(tmp_path))
    for folder in ("plain/a/b", "plain/chained/c", "link-target/d"):
        (base / folder).mkdir(parents=True)
    repo = make_repository(base / "repo")
    for folder in ("a/b", "chained/c", "configured/c"):
        (repo / folder).mkdir(parents=True)
    _chain(repo)
    _chain(repo / "chained")
    (repo / "configured/.claude").mkdir()
    (repo / "configured/.claude/baton.toml").write_text("")
    _chain(base / "plain/chained")
    make_repository(base / "bare")
    (base / "bare/a").mkdir()
    inner = make_repository(base / "inner")
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "sub", cwd=repo)
    git("worktree", "add", "-q", base / "tree", cwd=repo)
    (base / "tree/a").mkdir()
    (base / "way").symlink_to(base / "repo/a")
    git("clone", "-q", "--bare", base / "inner", base / "trees/.bare", cwd=base)
    (base / "trees/.git").write_text("gitdir: ./.bare\n")
    git("worktree", "add", "-q", base / "trees/one", "main", cwd=base / "trees")
    return base


def _chain(folder: Path) -> None:
    (folder / ".claude").mkdir()
    (folder / ".claude/WAL.md").write_bytes(b"")


# CLAUDE_PROJECT_DIR, cwd → root, prefix. "": not set.
LOCATED = {
    "told: the root": ("repo", "repo", "repo", ""),
    "told: the root, cwd below": ("repo", "repo/a/b", "repo", ""),
    "told: the root, cwd in a project of its own": ("repo", "repo/chained/c", "repo", ""),
    "told: a folder below": ("repo/a/b", "repo/a/b", "repo", ""),
    "told: below another chain": ("repo/chained/c", "repo", "repo/chained", "chained"),
    "told: below a configuration": ("repo/configured/c", "repo", "repo/configured", "configured"),
    "told: without a chain": ("bare/a", "bare/a", "bare", ""),
    "told: outside git": ("plain/a/b", "plain/a/b", "plain/a/b", ""),
    "told: outside git, below a chain": ("plain/chained/c", "plain", "plain/chained", ""),
    "told: by a symlink": ("way", "way", "repo", ""),
    "told: cwd in a linked work tree of it": ("repo", "tree/a", "tree", ""),
    "told: the linked work tree, cwd in the main one": ("tree", "repo/a", "tree", ""),
    "told: work trees of a bare one, cwd in one": ("trees", "trees/one", "trees/one", ""),
    "told: work trees of a bare one": ("trees", "trees", "trees", ""),
    "told: another repository, cwd in such a one": ("repo", "trees/one", "repo", ""),
    "told: cwd in another repository": ("repo", "bare/a", "repo", ""),
    "told: cwd outside git": ("repo", "plain/a", "repo", ""),
    "told: cwd is gone": ("repo", "gone", "repo", ""),
    "told: a submodule": ("repo/sub", "repo/sub", "repo", ""),
    "told: a folder that is gone": ("gone", "repo/a", "repo", ""),
    "not told: cwd": ("", "repo/a/b", "repo", ""),
    "not told: cwd outside git": ("", "plain/a/b", "plain/a/b", ""),
}


@pytest.mark.parametrize(("told", "cwd", "root", "prefix"), LOCATED.values(), ids=LOCATED)
def test_located(told: str, cwd: str, root: str, prefix: str, world: Path, home: Path) -> None:
    environ = {"HOME": str(home)}
    if told:
        environ["CLAUDE_PROJECT_DIR"] = str(world / told)
    found = project.locate(environ, "", str(world / cwd))
    assert found is not None
    assert (found.root, found.prefix) == (str(world / root), prefix)
    assert (found.checkout is None) == (root.startswith("plain") or root == "trees")


@pytest.mark.parametrize(
    ("told", "cwd"), [("", ""), ("gone", "gone"), ("repo/a", "")], ids=["none", "gone", "relative"]
)
def test_no_folder_at_all(told: str, cwd: str, world: Path) -> None:
    environ = {"CLAUDE_PROJECT_DIR": told}
    assert project.locate(environ, "", str(world / cwd) if cwd else "") is None


def test_named_is_taken_as_it_is(world: Path) -> None:
    told = {"CLAUDE_PROJECT_DIR": str(world / "plain")}
    found = project.locate(told, str(world / "repo/a"), str(world / "repo"))
    assert found is not None
    assert (found.root, found.prefix) == (str(world / "repo/a"), "a")
    assert found.path(project.CHAIN) == str(world / "repo/a/.claude/WAL.md")
    assert project.locate(told, str(world / "gone"), str(world / "repo")) is None
    assert project.locate(told, "repo", str(world)) is None


HOMES = {
    "a chain in the home is not found from below": ("home/work", "home/work"),
    "unless the search starts there": ("home", "home"),
}


@pytest.mark.parametrize("spelling", ["home", "home/", "home-link"])
@pytest.mark.parametrize(("cwd", "root"), HOMES.values(), ids=HOMES)
def test_the_home_folder(cwd: str, root: str, spelling: str, world: Path) -> None:
    (world / "home/work").mkdir(parents=True)
    _chain(world / "home")
    (world / "home-link").symlink_to(world / "home")
    environ = {"HOME": f"{world}/{spelling}"}
    found = project.locate(environ, "", str(world / cwd))
    assert found is not None
    assert found.root == str(world / root)


PLACES = {
    "root": ("repo", "repo"),
    "subfolder": ("repo", "repo/a/b"),
    "linked work tree": ("repo", "tree/a"),
    "outside": ("repo", "plain/a"),
}


@pytest.mark.parametrize(("told", "cwd"), PLACES.values(), ids=PLACES)
def test_hook_and_command_mean_the_same_file(told: str, cwd: str, world: Path) -> None:
    """Case G12: a command that writes, then the hook that reads, from the same place."""
    environ = {"CLAUDE_PROJECT_DIR": str(world / told)}
    start = ["wal", "start", "Ship", "--item", "write it", "--next", "write", "--verify", "true"]
    said = run_baton(*start, cwd=world / cwd, env=environ)
    assert (said.code, said.err) == (0, "")
    event = {"hook_event_name": "SessionStart", "source": "startup", "cwd": str(world / cwd)}
    done = run_hook("session_start", event, cwd=world / cwd, env=environ)
    assert b'goal: \\"Ship\\"' in done.stdout
    written = [path for path in world.rglob(".claude/WAL.md") if b"goal: Ship" in path.read_bytes()]
    root = "tree" if cwd == "tree/a" else "repo"
    assert written == [world / root / ".claude/WAL.md"]
