"""The real index brought up to date for the state files alone, `index.lock` held for microseconds.

The next index is made aside, from a hard link to the real one, and moved in with link and rename:
git replaces an index, it never writes into one. A lock that a kill left behind is provably ours (it
is that very file) and is removed.
"""

import os
import time

from baton.hot.git.checkout import Checkout
from baton.hot.git.speaker import Failed, Git, Talk
from baton.hot.git.trees import NOTHING, Entry
from baton.hot.state import State

# What begins so in the state directory is an index in the making; `sweep` removes it after a kill.
ASIDE = "index.new."
_UPDATE = (
    "update-index",
    "-z",
    "--add",
    "--remove",
    "--replace",
    "--ignore-skip-worktree-entries",
    "--stdin",
)
_RETRY_SECONDS = 0.03
_RETRIES = 20
_HELD = "assume-unchanged"
_UNMERGED = "unmerged in the index"
_SPARSE = "skip-worktree"


class Listing:
    """What the index says about some paths.

    entries: path → entry, NOTHING while unmerged. bars: path → why it is not ours to update.
    """

    __slots__ = ("_talk", "bars", "entries")

    def __init__(self, git: Git, paths: list[bytes]) -> None:
        names = [os.fsdecode(path) for path in paths]
        options = ("--literal-pathspecs", "-c", "core.fsmonitor=false")
        self._talk = git.start(*options, "ls-files", "-z", "-s", "-v", "--", *names)
        self.entries: dict[bytes, Entry] = {}
        self.bars: dict[bytes, str] = {}

    def wait(self) -> None:
        """Read the answer. Raises Failed."""
        for row in self._talk.finish().split(b"\0")[:-1]:
            facts, _, path = row.partition(b"\t")
            tag, mode, oid, stage = facts.split(b" ")
            self.entries[path] = (mode, oid) if stage == b"0" else NOTHING
            bar = _bar(tag, stage)
            if bar:
                self.bars[path] = bar


def _bar(tag: bytes, stage: bytes) -> str:
    if stage != b"0":
        return _UNMERGED
    if tag in (b"S", b"s"):
        return _SPARSE
    return _HELD if tag.islower() else ""


class Aside:
    """The next index in the making: `paths` as they are on disk, the rest as it was."""

    __slots__ = ("_index", "_new", "_seen", "_talk", "paths")

    def __init__(self, git: Git, checkout: Checkout, state: State, paths: list[bytes]) -> None:
        self.paths = paths
        self._index = os.path.join(checkout.git_dir, "index")
        # The git of a flush that was killed may still be at work under another name.
        self._new = state.path(f"{ASIDE}{os.getpid()}")
        self._talk: Talk | None = None
        self._seen = _identity(self._index)
        if self._copy():
            self._talk = git.start(*_UPDATE, env={"GIT_INDEX_FILE": self._new})
            self._talk.say_all(b"\0".join(paths) + b"\0")

    def _copy(self) -> bool:
        forget(self._new)
        if self._seen is None:
            return True
        try:
            os.link(self._index, self._new)
        except OSError:
            # No hard links here, or the index is another user's: git updates it in place, and
            # holds its lock longer.
            return False
        return True

    def wait(self) -> bool:
        """Wait until it is ready; False when the index must be updated in place."""
        if self._talk is None:
            return False
        try:
            self._talk.finish()
        except Failed:
            return False
        return True

    def move_in(self) -> bool:
        """Make it the index. False when the real one has moved on meanwhile."""
        if _identity(self._new) == self._seen:
            return True
        lock = self._index + ".lock"
        if not _take(self._new, lock):
            return False
        if _identity(self._index) != self._seen:
            os.unlink(lock)
            return False
        os.replace(lock, self._index)
        return True

    def drop(self) -> None:
        """Remove it, once git has written it."""
        self.wait()
        forget(self._new)


def update_in_place(git: Git, paths: list[bytes]) -> bool:
    """Let git update the real index, also when it is held for a while; False when it stays held."""
    for attempt in range(_RETRIES):
        if attempt:
            time.sleep(_RETRY_SECONDS)
        try:
            git.run(*_UPDATE, data=b"\0".join(paths) + b"\0")
        except Failed:
            continue
        return True
    return False


def sweep(checkout: Checkout, state: State) -> None:
    """Remove what a flush left when it was killed. Call it under the state directory's lock.

    An `index.lock` is ours when it is the very file made aside, by inode.
    """
    lock = os.path.join(checkout.git_dir, "index.lock")
    for name in os.listdir(state.folder):
        if name.startswith(ASIDE):
            path = state.path(name)
            if _identity(path) == _identity(lock):
                forget(lock)
            forget(path)


def _take(new: str, lock: str) -> bool:
    for attempt in range(_RETRIES):
        if attempt:
            time.sleep(_RETRY_SECONDS)
        try:
            os.link(new, lock)
        except FileExistsError:
            continue
        return True
    return False


def _identity(path: str) -> tuple[int, int, int, int] | None:
    try:
        st = os.lstat(path)
    except OSError:
        return None
    return (st.st_dev, st.st_ino, st.st_size, st.st_mtime_ns)


def forget(path: str) -> None:
    """Remove a file that may not be there."""
    try:
        os.unlink(path)
    except OSError:
        pass
