"""Where git keeps what belongs to a folder, found without starting git."""

import os

from baton.hot import files


class Checkout:
    """One work tree of a repository.

    top: the work tree's root. git_dir: what is this work tree's own (HEAD, index). common_dir: what
    all work trees of the repository share (refs, objects); equal to git_dir but in a linked work
    tree. Absolute paths without symlinks in `top`.
    """

    __slots__ = ("common_dir", "git_dir", "top")

    def __init__(self, top: str, git_dir: str, common_dir: str) -> None:
        self.top = top
        self.git_dir = git_dir
        self.common_dir = common_dir

    @property
    def linked(self) -> bool:
        """Whether this is a work tree made by `git worktree add`."""
        return self.git_dir != self.common_dir

    @property
    def submodule(self) -> bool:
        """Whether the repository is kept inside another one's git directory."""
        return not self.linked and f"{os.sep}modules{os.sep}" in self.git_dir


def find(start: str) -> Checkout | None:
    """Give the work tree that holds the folder `start` (absolute, resolved), or None outside git.

    Stops at the device's boundary, as git does, at a `.git` that leads to another folder's own, and
    at one that has no work tree.
    """
    try:
        device = os.stat(start).st_dev
    except OSError:
        return None
    folder = start
    while True:
        found = at(folder)
        parent = os.path.dirname(folder)
        if found or parent == folder or _leads_away(folder) or bare_at(folder):
            return found
        try:
            if os.stat(parent).st_dev != device:
                return None
        except OSError:
            return None
        folder = parent


def at(top: str) -> Checkout | None:
    """Give the work tree whose root is exactly `top`, or None.

    None also where its `.git` leads to one that is another folder's own, or has no work tree: what
    is kept there would move the branch under somebody else's.
    """
    git_dir = _git_dir(os.path.join(top, ".git"))
    if git_dir is None or not os.path.lexists(os.path.join(git_dir, "HEAD")) or _leads_away(top):
        return None
    common = _first_line(os.path.join(git_dir, "commondir"))
    common_dir = os.path.normpath(os.path.join(git_dir, common)) if common else git_dir
    found = Checkout(top, git_dir, common_dir)
    return found if found.linked or not _bare(git_dir) else None


def bare_at(folder: str) -> str:
    """Give the git directory that a folder's `.git` names and that has no work tree of its own, "" for none.

    So stand linked work trees beside the repository that they share.
    """
    git_dir = _git_dir(os.path.join(folder, ".git")) or ""
    return git_dir if git_dir and _bare(git_dir) else ""


def _bare(git_dir: str) -> bool:
    """Whether git's own settings say `core.bare`; the last word counts."""
    bare, section = False, b""
    for name in ("config", "config.worktree"):
        for line in _settings(os.path.join(git_dir, name)).lower().splitlines():
            setting = line.strip()
            if setting.startswith(b"["):
                section, _, setting = setting.partition(b"]")
            key, sign, value = setting.partition(b"=")
            if section == b"[core" and key.strip() == b"bare":
                bare = not sign or value.strip() in (b"true", b"yes", b"on", b"1")
    return bare


def _settings(path: str) -> bytes:
    try:
        return files.read(path, 1 << 20) or b""
    except OSError:
        return b""


def _git_dir(dot_git: str) -> str | None:
    if os.path.isdir(dot_git):
        return dot_git
    pointer = _first_line(dot_git)
    if not pointer.startswith("gitdir: "):
        return None
    return os.path.normpath(os.path.join(os.path.dirname(dot_git), pointer[len("gitdir: ") :]))


def _leads_away(top: str) -> bool:
    """Whether `.git` is a pointer or a link to the git directory of another folder.

    A linked work tree's names its own `.git`; one called `.git` belongs to the folder it is in.
    """
    dot_git = os.path.join(top, ".git")
    if not os.path.isfile(dot_git) and not os.path.islink(dot_git):
        return False
    git_dir = _git_dir(dot_git)
    if git_dir is None:
        return False
    back = _first_line(os.path.join(git_dir, "gitdir"))
    if back:
        # A work tree that was moved by hand still has its old place there, where nothing is now.
        owner = os.path.normpath(os.path.join(git_dir, back))
        return os.path.exists(owner) and not os.path.samefile(owner, dot_git)
    folder, name = os.path.split(os.path.realpath(git_dir))
    return name == ".git" and folder != os.path.realpath(top)


def _first_line(path: str) -> str:
    try:
        data = files.read(path, 8192)
    except OSError:
        return ""
    return os.fsdecode((data or b"").split(b"\n", 1)[0]).rstrip("\r")
