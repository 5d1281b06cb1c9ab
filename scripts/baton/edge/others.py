"""The chains of a repository's other work trees and branches."""

from __future__ import annotations

import os
from dataclasses import dataclass

from baton.core.doctor.finding import Unseen
from baton.edge import git
from baton.hot import chain as chains
from baton.hot import overlay
from baton.hot.chain import Chain
from baton.hot.git import checkout as checkouts
from baton.hot.git.head import BRANCHES, PARKING, is_left_behind
from baton.hot.places import blobs
from baton.hot.project import CHAIN, Project
from baton.hot.state import State

_MOST_REFS = 200
_CAP = 16 << 20


@dataclass(frozen=True, slots=True)
class Other:
    """One place with a chain, or without.

    tree: the work tree's folder, "" for a branch that is checked out nowhere. branch: "" when
    detached, baton's whole ref for what a work tree left there that was removed. here: whether it is
    the work tree that asks. chain: None when there is none. fault: why its chain could not be read,
    "" else.
    """

    tree: str
    branch: str
    here: bool
    chain: Chain | None
    fault: str = ""

    @property
    def state(self) -> str:
        """The chain's state: absent, empty, unfinished, finished or unreadable."""
        if self.fault:
            return chains.UNREADABLE
        return chains.ABSENT if self.chain is None else self.chain.state


def look(project: Project, environ: dict[str, str]) -> list[Other] | Unseen:
    """Give every work tree of the repository, then every branch that none of them has and what removed
    ones left; [] outside git."""
    if project.checkout is None:
        return []
    listed = git.work_trees(project.root)
    named = git.read(
        project.root, "for-each-ref", f"--count={_MOST_REFS}", "--sort=-committerdate",
        "--format=%(refname)", BRANCHES, PARKING,
    )  # fmt: skip
    if listed is None or named.exit != 0:
        return Unseen("git could not name the work trees and branches")
    trees = [
        _tree(project, environ, tree.folder, tree.branch)
        for tree in listed
        if not tree.bare and os.path.isdir(tree.folder)
    ]
    taken = {tree.branch for tree in trees}
    refs = [
        ref
        for ref in os.fsdecode(named.output).split("\n")[:-1]
        if ref.removeprefix(BRANCHES) not in taken
        and (ref.startswith(BRANCHES) or is_left_behind(project.checkout, ref))
    ]
    return trees + _refs(project, refs)


def _tree(project: Project, environ: dict[str, str], top: str, branch: str) -> Other:
    top = os.path.realpath(top)
    there = Project(os.path.join(top, project.prefix).rstrip(os.sep), checkouts.at(top))
    here = there.root == project.root
    try:
        data = overlay.content(there, State(there, environ))
    except OSError as error:
        return Other(top, branch, here, None, error.strerror or "it cannot be read")
    return Other(top, branch, here, None if data is None else chains.parse(data))


def _refs(project: Project, refs: list[str]) -> list[Other]:
    names = [ref.removeprefix(BRANCHES) for ref in refs]
    asked = "".join(f"{ref}:{project.in_git(CHAIN)}\n" for ref in refs)
    done = git.read(project.root, "cat-file", "--batch", stdin=os.fsencode(asked), cap=_CAP)
    if done.exit != 0 or done.truncated:
        return [Other("", name, False, None, "git could not read it") for name in names]
    contents = blobs(done.output)
    return [
        Other("", name, False, None if data is None else chains.parse(data))
        for name, data in zip(names, contents, strict=False)
    ]
