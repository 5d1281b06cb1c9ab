"""HEAD and refs, read from git's files: no process, a few microseconds."""

import os

from baton.hot import files
from baton.hot.git.checkout import Checkout

BRANCHES = "refs/heads/"
PARKING = "refs/baton/wal/"
_MAIN, _LINKED = "main", ".linked"
_LINKS = 5
# More than any list of packed refs.
_LIMIT = 1 << 28


class Head:
    """Where HEAD points.

    name: the branch's full ref name, "" when detached. oid: the commit, "" on an unborn branch.

    Two reads of an unmoved HEAD are equal in both.
    """

    __slots__ = ("name", "oid")

    def __init__(self, name: str, oid: str) -> None:
        self.name = name
        self.oid = oid

    @property
    def on_branch(self) -> bool:
        """Whether a commit on HEAD would land on a branch."""
        return self.name.startswith(BRANCHES)

    @property
    def branch(self) -> str:
        """The branch's name as people say it, "" when HEAD is on none."""
        return self.name.removeprefix(BRANCHES) if self.on_branch else ""


def read(checkout: Checkout) -> Head:
    """Give where HEAD points; an unreadable HEAD counts as detached, on no commit."""
    path = os.path.join(checkout.git_dir, "HEAD")
    text = f"ref: {os.readlink(path)}" if os.path.islink(path) else _read(path)
    if not text.startswith("ref: "):
        return Head("", text)
    name, oid = _follow(checkout, text[len("ref: ") :].strip())
    return Head(name, oid)


def resolve(checkout: Checkout, name: str) -> str:
    """Give the object that a full ref name stands for, "" when there is no such ref."""
    return _follow(checkout, name)[1]


def parking_ref(checkout: Checkout) -> str:
    """Give the full name of baton's own ref for a work tree.

    `main` for the main one, git's id for a linked one.
    """
    return _ref_of(os.path.basename(checkout.git_dir)) if checkout.linked else PARKING + _MAIN


def is_left_behind(checkout: Checkout, ref: str) -> bool:
    """Whether a parking ref is that of a linked work tree that was removed."""
    try:
        names = os.listdir(os.path.join(checkout.common_dir, "worktrees"))
    except OSError:
        names = []
    return ref not in (PARKING + _MAIN, *map(_ref_of, names))


def _ref_of(name: str) -> str:
    root = name
    while root.endswith(_LINKED):
        root = root[: -len(_LINKED)]
    # A linked work tree may be called main, too.
    return PARKING + (name + _LINKED if root == _MAIN else name)


def reftable(checkout: Checkout) -> bool:
    """Whether git alone can read this repository's refs."""
    return os.path.isdir(os.path.join(checkout.common_dir, "reftable"))


def _follow(checkout: Checkout, name: str) -> tuple[str, str]:
    for _ in range(_LINKS):
        text = _read(os.path.join(checkout.common_dir, *name.split("/"))) or _packed(checkout, name)
        if not text.startswith("ref: "):
            return name, text
        name = text[len("ref: ") :].strip()
    return name, ""


def _packed(checkout: Checkout, name: str) -> str:
    refs = "\n" + _read(os.path.join(checkout.common_dir, "packed-refs")) + "\n"
    end = refs.find(f" {name}\n")
    return refs[refs.rfind("\n", 0, end) + 1 : end] if end >= 0 else ""


def _read(path: str) -> str:
    try:
        return os.fsdecode(files.read(path, _LIMIT) or b"").strip()
    except OSError:
        return ""
