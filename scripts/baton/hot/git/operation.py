"""Whether moving HEAD is safe, seen without starting git (design page persist)."""

import os
import time

from baton.hot import files
from baton.hot.git import checkout as checkouts
from baton.hot.git import head as heads
from baton.hot.git.checkout import Checkout
from baton.hot.git.head import Head

# In git's folder of the work tree → what is going on. A rebase would swallow a commit, an abort
# would lose it.
MARKS = (
    ("MERGE_HEAD", "a merge is in progress"),
    ("rebase-merge", "a rebase is in progress"),
    ("rebase-apply", "a rebase or am is in progress"),
    ("CHERRY_PICK_HEAD", "a cherry-pick is in progress"),
    ("REVERT_HEAD", "a revert is in progress"),
    # Between two picks of a series, after a commit by hand, neither of the two above is there.
    ("sequencer", "a cherry-pick or revert is in progress"),
    ("BISECT_LOG", "a bisect is in progress"),
)
DETACHED = "HEAD is detached"
_LOOKS, _LOOK_SECONDS = 8, 0.03
REFTABLE = "this repository keeps its refs in reftables"
# Subcommands that fail, or worse, when HEAD moves under them. A pager may stay open for hours:
# no log, no diff.
_MOVERS = frozenset(
    b"commit merge pull rebase am cherry-pick revert reset checkout switch stash bisect"
    b" filter-branch fast-import citool".split()
)
_TAKE_A_VALUE = frozenset(
    b"-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source".split()
)


def under_way(checkout: Checkout, head: Head) -> str:
    """Say which state of the repository keeps HEAD from being moved, "" when none does.

    It lasts until the user ends it.
    """
    return _marked(checkout) or (
        REFTABLE if heads.reftable(checkout) else "" if head.on_branch else DETACHED
    )


def moves_files(checkout: Checkout, head: Head) -> str:
    """Say which state of the repository git ends by writing tracked files anew, "" when none."""
    detached = not head.on_branch and not heads.reftable(checkout)
    return _marked(checkout) or (DETACHED if detached else "")


def interrupted(checkout: Checkout) -> str:
    """Give the branch to which HEAD comes back after the operation that is on, "" when none is known."""
    for name in ("rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"):
        branch = _noted(os.path.join(checkout.git_dir, *name.split("/")))
        # A bisect notes a short name, or the commit that HEAD stood on.
        ref = branch if branch.startswith(heads.BRANCHES) else heads.BRANCHES + branch
        if branch and heads.resolve(checkout, ref):
            return ref.removeprefix(heads.BRANCHES)
    return ""


def _noted(path: str) -> str:
    try:
        return os.fsdecode(files.read(path, 8192) or b"").strip()
    except OSError:
        return ""


def _marked(checkout: Checkout) -> str:
    for mark, words in MARKS:
        if os.path.lexists(os.path.join(checkout.git_dir, mark)):
            return words
    return ""


def busy(checkout: Checkout, head: Head) -> str:
    """Say which lock or running git keeps HEAD from being moved, "" when none does.

    It may be over in a moment.
    """
    there = [path for path in locks(checkout, head) if os.path.lexists(path)]
    if there:
        are = "are" if len(there) > 1 else "is"
        return f"{' and '.join(there)} {are} present: another git is at work, or was killed"
    running = foreign_git(checkout)
    return f"git {running} is running in this work tree" if running else ""


def in_the_way(checkout: Checkout) -> str:
    """Say what keeps HEAD from being moved, "" when nothing does.

    A lock or a running git is given a quarter of a second to go.
    """
    for look in range(_LOOKS):
        if look:
            time.sleep(_LOOK_SECONDS)
        head = heads.read(checkout)
        why = under_way(checkout, head)
        if why:
            return why
        why = busy(checkout, head)
        if not why:
            return ""
    return why


def locks(checkout: Checkout, head: Head) -> list[str]:
    """Give the lock files that keep HEAD's branch and the index from being moved, there or not."""
    own = [os.path.join(checkout.git_dir, name) for name in ("index.lock", "HEAD.lock")]
    return [*own, os.path.join(checkout.common_dir, *head.name.split("/")) + ".lock"]


def foreign_git(checkout: Checkout, processes: str = "/proc") -> str:
    """Give the subcommand of a running git of this work tree that moves HEAD, "" when none is seen.

    A plain `git commit` in a slow pre-commit hook leaves no other trace. Systems that do not show
    processes show none.
    """
    try:
        numbers = [name for name in os.listdir(processes) if name.isdecimal()]
    except OSError:
        return ""
    for number in numbers:
        mover = _mover(os.path.join(processes, number), checkout)
        if mover:
            return mover
    return ""


def _mover(process: str, checkout: Checkout) -> str:
    try:
        with open(f"{process}/comm", "rb", buffering=0) as file:
            if file.read(64) != b"git\n":
                return ""
        with open(f"{process}/cmdline", "rb", buffering=0) as file:
            word = subcommand(file.read(4096).split(b"\0"))
        # git changes to the top of its work tree, also with -C, --git-dir or from a subfolder.
        if word in _MOVERS and _is_of(checkout, os.readlink(f"{process}/cwd")):
            return word.decode()
    except OSError:
        # It has ended, or is another user's.
        pass
    return ""


def subcommand(words: list[bytes]) -> bytes:
    """Give the subcommand of a git command line, b"" when it has none."""
    rest = iter(words[1:])
    for word in rest:
        if word in _TAKE_A_VALUE:
            next(rest, None)
        elif not word.startswith(b"-"):
            return word
    return b""


def _is_of(checkout: Checkout, folder: str) -> bool:
    found = checkouts.find(folder)
    return found is not None and found.git_dir == checkout.git_dir
