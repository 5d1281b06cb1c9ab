"""Where a hook or a command is started does not matter: one rule, the same file for all (cases G11, G12,
H6)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from desk import CHAIN, Desk
from support import LAUNCHER, git, make_repository

from .twins import baton, wal

START = ("--item", "do it", "--next", "go on", "--verify", "test -e README.md")
# Working folder → whose chain it is about, while CLAUDE_PROJECT_DIR is the project's root.
PLACES = {
    ".": "root",
    "sub/deep": "root",
    ".claude": "root",
    "../outside": "root",
    "../other": "root",
    "../linked": "linked",
    "../linked/sub/deep": "linked",
    ".trees/inner": "inner",
    ".trees/inner/sub/deep": "inner",
}


@pytest.fixture
def desks(repo: Path, tmp_path: Path) -> dict[str, Desk]:
    """A project, two linked work trees of it, one inside; each with a chain named for it."""
    (repo / "sub/deep").mkdir(parents=True)
    (repo / "sub/deep/x").write_text("x\n")
    Desk(repo).write(".trees/\n", ".git/info/exclude")
    git("add", "sub", cwd=repo)
    git("commit", "--quiet", "-m", "sub", cwd=repo)
    git("worktree", "add", "--quiet", "-b", "linked", str(tmp_path / "linked"), cwd=repo)
    git("worktree", "add", "--quiet", "-b", "inner", ".trees/inner", cwd=repo)
    (tmp_path / "outside").mkdir()
    make_repository(tmp_path / "other")
    roots = {"root": repo, "linked": tmp_path / "linked", "inner": repo / ".trees/inner"}
    desks = {name: Desk(root) for name, root in roots.items()}
    for name, desk in desks.items():
        wal(desk, "start", name, *START)
    return desks


def _hook(door: str, event: dict[str, object], root: Path, cwd: Path) -> str:
    line = json.dumps({"session_id": os.urandom(8).hex(), **event, "cwd": str(cwd)}) + "\n"
    environment = {**os.environ, "CLAUDE_PROJECT_DIR": str(root)}
    done = subprocess.run(
        ["sh", str(LAUNCHER), door],
        cwd=cwd,
        env=environment,
        input=line.encode(),
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


@pytest.mark.parametrize("place", PLACES)
def test_every_hook_and_command_is_about_the_same_chain(desks: dict[str, Desk], place: str) -> None:
    root, name = desks["root"], PLACES[place]
    cwd, env = (root.root / place).resolve(), {"CLAUDE_PROJECT_DIR": str(root.root)}
    shown = json.loads(baton(root, "wal", "show", "--json", cwd=cwd, **env).out)
    report = json.loads(baton(root, "tiep", "--json", cwd=cwd, **env).out)
    begun = _hook("session_start", {"source": "startup"}, root.root, cwd)
    assert (shown["goal"], report["chain"]["goal"]) == (name, name)
    assert f'goal: \\"{name}\\"' in begun
    _hook("flush", {"hook_event_name": "Stop"}, root.root, cwd)
    kept = {
        desk_name: f"goal: {desk_name}\n" in desk.at("HEAD") for desk_name, desk in desks.items()
    }
    assert kept == {desk_name: desk_name == name for desk_name in desks}


@pytest.mark.parametrize(
    ("place", "name"),
    [("sub/deep", "root"), ("../linked", "linked"), (".trees/inner/sub", "inner")],
)
def test_at_a_terminal_the_folder_decides(desks: dict[str, Desk], place: str, name: str) -> None:
    cwd = (desks["root"].root / place).resolve()
    said = baton(desks["root"], "wal", "show", "--json", cwd=cwd, CLAUDE_PROJECT_DIR="")
    assert json.loads(said.out)["goal"] == name


def test_the_sessions_folder_was_deleted(desks: dict[str, Desk], tmp_path: Path) -> None:
    """The hook falls back to the project; the command says what is wrong, or does its work."""
    root = desks["root"]
    gone = tmp_path / "gone"
    gone.mkdir()
    inside = f"cd '{gone}' && rmdir '{gone}' && exec "
    environment = {**os.environ, "CLAUDE_PROJECT_DIR": str(root.root), "CLAUDECODE": "1"}
    event = json.dumps({"hook_event_name": "Stop", "cwd": str(gone)}) + "\n"
    done = subprocess.run(
        ["sh", "-c", f"{inside} sh '{LAUNCHER}' flush"],
        env=environment,
        input=event.encode(),
        capture_output=True,
    )
    assert (done.returncode, done.stdout) == (0, b"")
    # A shell may say on its own that its folder is gone.
    assert all(line.startswith(b"sh: 0: getcwd() failed") for line in done.stderr.splitlines())
    assert "goal: root" in root.at("HEAD")
    gone.mkdir()
    command = f"{inside} '{LAUNCHER.parent.parent}/bin/baton' wal show"
    shown = subprocess.run(["sh", "-c", command], env=environment, capture_output=True, text=True)
    assert shown.returncode == 0 and "root" in shown.stdout
    assert "baton:" not in shown.stderr and "Traceback" not in shown.stderr


def test_the_work_trees_own_folder_was_deleted(desks: dict[str, Desk]) -> None:
    """A linked work tree is gone when its turn ends: the project that is still there is flushed."""
    root, linked = desks["root"], desks["linked"]
    shutil.rmtree(linked.root)
    event = json.dumps({"hook_event_name": "Stop", "cwd": str(linked.root)}) + "\n"
    environment = {**os.environ, "CLAUDE_PROJECT_DIR": str(root.root)}
    command = ["sh", str(LAUNCHER), "flush"]
    done = subprocess.run(
        command, cwd=root.root, env=environment, input=event.encode(), capture_output=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert "goal: root" in root.at("HEAD")


@pytest.mark.parametrize("link", [".claude", CHAIN])
def test_what_leads_out_of_the_project_is_refused_and_said(
    repo: Path, tmp_path: Path, link: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    text = "goal: somebody's\n\nchain:\n[ ] a\n\nnext: b\nverify: ls\n"
    (outside / "WAL.md").write_text(text)
    target = outside if link == ".claude" else outside / "WAL.md"
    (repo / link).parent.mkdir(exist_ok=True)
    os.symlink(target, repo / link)
    desk = Desk(repo)
    refused = baton(desk, "wal", "next", "mine")
    assert (refused.code, refused.out) == (2, "")
    assert "leads out of the project; nothing was written" in refused.err
    said = _hook("flush", {"hook_event_name": "Stop"}, repo, repo)
    assert "symbolic link" in said
    assert _hook("flush", {"hook_event_name": "Stop"}, repo, repo) == ""
    assert (outside / "WAL.md").read_text() == text
    assert [path.name for path in outside.iterdir()] == ["WAL.md"]
    assert desk.tree_of("HEAD") == ["README.md"]
    assert not baton(desk, "pause").out.startswith("⏸ Safe")
