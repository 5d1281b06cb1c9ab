"""What a run's agents left outside its folder: work trees and branches (design page runs).

A finished agent's files are not made again by a relaunch, and a dead one's may be half made: they
are looked at before anything goes on. Read-only.
"""

from __future__ import annotations

import os
from collections.abc import Collection

from baton.edge import git
from baton.hot.git.head import BRANCHES
from baton.hot.project import Project

_MOST = 40


def find(
    project: Project, agents: Collection[str], folders: Collection[str]
) -> list[dict[str, object]]:
    """Give the work trees and branches that carry the name of one of these agents, or stand in one
    of these folders; [] outside git.

    Each: {"kind": "worktree" | "branch", "path", "branch", "changes": changed files, None where
    nobody knows, "ahead": commits that HEAD lacks, None where nobody knows}; or one of the kind
    "unknown" alone, where git cannot say what there is.
    """
    if project.checkout is None or not (agents or folders):
        return []
    trees, names = _trees(project), _branches(project)
    if trees is None or names is None:
        return [_trace("unknown", "", "", project)]
    found = [
        _trace("worktree", path, branch, project)
        for path, branch in trees
        if _names(os.path.basename(path), agents) or _names(branch, agents) or path in folders
    ]
    held = {branch for _, branch in trees}
    branches = [name for name in names if name not in held and _names(name, agents)]
    return [*found, *(_trace("branch", "", name, project) for name in branches)][:_MOST]


def _names(name: str, agents: Collection[str]) -> bool:
    return any(agent in name for agent in agents if len(agent) >= 8)


def _trees(project: Project) -> list[tuple[str, str]] | None:
    """(folder, branch) of every linked work tree; the branch "" when it has none."""
    found = git.work_trees(project.root)
    return None if found is None else [(tree.folder, tree.branch) for tree in found[1:]]


def _branches(project: Project) -> list[str] | None:
    done = git.read(project.root, "for-each-ref", "--format=%(refname:short)", BRANCHES)
    return os.fsdecode(done.output).split() if done.exit == 0 else None


def _trace(kind: str, path: str, branch: str, project: Project) -> dict[str, object]:
    return {
        "kind": kind,
        "path": path,
        "branch": branch,
        "changes": _changes(path) if path else None,
        "ahead": _ahead(project, branch) if branch else None,
    }


def _changes(path: str) -> int | None:
    done = git.read(path, "status", "--porcelain=v1", "-z", "--no-renames")
    return done.output.count(b"\0") if done.exit == 0 else None


def _ahead(project: Project, branch: str) -> int | None:
    done = git.read(project.root, "rev-list", "--count", f"HEAD..{BRANCHES}{branch}", "--")
    text = done.output.strip()
    return int(text) if done.exit == 0 and text.isdigit() else None
