"""baton.edge.runs.traces: what agents left outside their run's folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from baton.edge.runs import traces
from baton.hot import project
from runs_desk import Desk, asked, said, text
from support import git

AGENT = "a182a5c03a204c83c"


def _tree(repo: Path, path: Path, branch: str) -> Path:
    git("worktree", "add", "--quiet", "-b", branch, str(path), cwd=repo)
    return path


def test_work_trees_and_branches_of_its_agents(desk: Desk) -> None:
    tree = _tree(desk.repo, desk.repo / f".claude/worktrees/agent-{AGENT}", "some-branch")
    (tree / "new.txt").write_text("x")
    git("commit", "--quiet", "--allow-empty", "-m", "work", cwd=tree)
    git("branch", f"worktree-agent-{AGENT}", cwd=desk.repo)
    git("branch", "of-nobody", cwd=desk.repo)
    _tree(desk.repo, desk.repo / ".claude/worktrees/other", "other")
    assert traces.find(desk.project, {AGENT}, set()) == [
        {"kind": "worktree", "path": str(tree), "branch": "some-branch", "changes": 1, "ahead": 1},
        {
            "kind": "branch",
            "path": "",
            "branch": f"worktree-agent-{AGENT}",
            "changes": None,
            "ahead": 0,
        },
    ]


def test_a_tree_that_a_transcript_names(desk: Desk, tmp_path: Path) -> None:
    tree = _tree(desk.repo, tmp_path / "elsewhere", "b")
    git("switch", "--quiet", "--detach", cwd=tree)
    desk.prepare()
    desk.launch()
    desk.cwd(desk.repo)
    row = asked("x") | {"cwd": str(tree)}
    desk.host.agent("a1", row, said(text("y")), spawnedWithWorktree=True)
    outcome = desk.harvest()
    assert outcome.trees == {str(tree)}
    assert traces.find(desk.project, set(), outcome.trees) == [
        {"kind": "worktree", "path": str(tree), "branch": "", "changes": 0, "ahead": None}
    ]


def test_a_tree_that_is_gone(desk: Desk, tmp_path: Path) -> None:
    tree = _tree(desk.repo, tmp_path / f"agent-{AGENT}", "b")
    (tree / ".git").unlink()
    found = traces.find(desk.project, {AGENT}, set())
    assert [trace["changes"] for trace in found] == [None]


def test_short_ids_name_nothing(desk: Desk) -> None:
    git("branch", "a1-feature", cwd=desk.repo)
    assert traces.find(desk.project, {"a1"}, set()) == []
    assert traces.find(desk.project, set(), set()) == []


def test_outside_git(tmp_path: Path) -> None:
    here = project.locate({}, str(tmp_path))
    assert here is not None
    assert traces.find(here, {AGENT}, set()) == []


def test_without_git(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert traces.find(desk.project, {AGENT}, set()) == [
        {"kind": "unknown", "path": "", "branch": "", "changes": None, "ahead": None}
    ]
