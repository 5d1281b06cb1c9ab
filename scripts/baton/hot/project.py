"""Which project a hook or a command is about: one rule for all of them (design page cli)."""

import os

from baton.hot.git import checkout as checkouts

CHAIN = ".claude/WAL.md"
CONFIG = ".claude/baton.toml"
RUNS = ".claude/workflows/runs"
PIPELINES = ".claude/pipelines"
# How the subject of every commit of baton's own begins.
OWN = "wal:"


class Project:
    """The folder that holds `.claude/`, and the work tree it lies in.

    root: absolute, resolved. checkout: None outside git. prefix: the root relative to the work
    tree's top, "" at the top.
    """

    __slots__ = ("checkout", "prefix", "root")

    def __init__(self, root: str, checkout: checkouts.Checkout | None) -> None:
        self.root = root
        self.checkout = checkout
        self.prefix = "" if checkout is None else _below(root, checkout.top)

    def path(self, relative: str) -> str:
        """Give the absolute path of something inside the project."""
        return os.path.join(self.root, *relative.split("/"))

    def in_git(self, relative: str) -> str:
        """Give the name of something inside the project as git has it, from the work tree's top."""
        return f"{self.prefix}/{relative}" if self.prefix else relative

    def from_git(self, name: str) -> str:
        """Give the project's own name of what git names `name`."""
        return name.removeprefix(self.in_git(""))


def locate(environ: dict[str, str], named: str = "", cwd: str = "") -> Project | None:
    """Give the project, or None when no folder that was offered exists.

    named: what `--project` says; it is taken as it is. Otherwise the search starts in the work tree
    of `cwd` when that is a linked work tree of CLAUDE_PROJECT_DIR's repository, else in
    CLAUDE_PROJECT_DIR, else in `cwd`; and the project is the nearest folder from there upwards that
    holds a chain or a baton.toml, else the work tree's root, else the start itself.
    """
    if named:
        return _exactly(named)
    here = _folder(cwd)
    told = _folder(environ.get("CLAUDE_PROJECT_DIR", ""))
    if not told:
        return _nearest(here, environ) if here else None
    if here and here != told and _same_repository_other_tree(here, told):
        return _nearest(here, environ)
    return _nearest(told, environ)


def _exactly(named: str) -> Project | None:
    root = _folder(named)
    return Project(root, checkouts.find(root)) if root else None


def _folder(path: str) -> str:
    if not path or not os.path.isabs(path):
        return ""
    resolved = os.path.realpath(path)
    return resolved if os.path.isdir(resolved) else ""


def _same_repository_other_tree(one: str, other: str) -> bool:
    first, second = checkouts.find(one), checkouts.find(other)
    if first is None or not first.linked or (second and first.top == second.top):
        return False
    common = second.common_dir if second else checkouts.bare_at(other)
    return bool(common) and os.path.realpath(first.common_dir) == os.path.realpath(common)


def _nearest(start: str, environ: dict[str, str]) -> Project:
    found = checkouts.find(start)
    holder = _holder(start, found, environ)
    if holder:
        return Project(
            holder, found if found and _inside(holder, found.top) else checkouts.find(holder)
        )
    return Project(found.top if found else start, found)


def _holder(start: str, found: checkouts.Checkout | None, environ: dict[str, str]) -> str:
    """The nearest folder upwards with a chain or a configuration.

    Never above the work tree, but for a submodule, whose chain may be its superproject's; and never
    the home folder, whose `.claude` is Claude Code's own, unless that is where the search starts.
    """
    home = os.path.realpath(environ.get("HOME") or os.sep)
    folder = start
    while True:
        if (folder == start or folder != home) and _holds(folder):
            return folder
        if found and folder == found.top:
            if not found.submodule:
                return ""
            found = checkouts.find(os.path.dirname(folder))
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent


def _holds(folder: str) -> bool:
    return any(os.path.lexists(os.path.join(folder, name)) for name in (CHAIN, CONFIG))


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _below(root: str, top: str) -> str:
    return os.path.relpath(root, top).replace(os.sep, "/") if root != top else ""
