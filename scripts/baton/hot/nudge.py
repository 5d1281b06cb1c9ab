"""The nudge: files change, prompt after prompt, but the chain does not (design page notice)."""

import os
import time

from baton.hot import chain as chains
from baton.hot import digits, files
from baton.hot.git.speaker import Failed, Git, Stuck
from baton.hot.lock import Locked
from baton.hot.project import CHAIN, OWN, Project
from baton.hot.state import State

_SECONDS = 1.0
_NS = 10**9
_KEEP = (
    "baton: {count} prompts have gone by in which files changed but the work chain did not. If this work is the "
    "chain's, bring it up to date now: `baton wal mark N doing|done --evidence CMD`, `baton wal add TEXT`, `baton wal "
    "next TEXT`."
)
_START = (
    "baton: {count} prompts have gone by in which files changed and no work chain is kept. If this work is not nearly "
    "done, start one: `baton wal start GOAL --item TEXT… --next TEXT --verify CMD`."
)


def look(found: Project, state: State, name: str, count: int) -> str:
    """Give the nudge if files changed since the chain did, "" otherwise.

    name: the note that counts prompts. It is begun anew, so that the next look is as many prompts
    away. Two hooks of one prompt give it once. Never raises.
    """
    try:
        with state.lock(0.0):
            st = os.lstat(found.path(CHAIN))
            words = state.read(name).split()
            due = len(words) == 3 and digits.whole(words[0]) >= count
            changed = due and _changed(found, st.st_mtime_ns)
            told = b"%d" % time.time_ns() if changed else words[2] if due else b"0"
            state.write(name, b"0 %d.%d %s" % (st.st_mtime_ns, st.st_size, told))
            return _words(found).format(count=count) if changed else ""
    except (Locked, OSError):
        return ""


def _words(found: Project) -> str:
    chain = chains.parse(files.read(found.path(CHAIN), chains.MAX_BYTES) or b"")
    return _KEEP if chain.state in (chains.UNFINISHED, chains.UNREADABLE) else _START


def _changed(found: Project, since: int) -> bool:
    """Whether a file or a commit of the user's is newer than `since` (ns); no when git cannot say."""
    if found.checkout is None:
        return False
    status = ("--no-optional-locks", "status", "--porcelain=v1", "-z", "--no-renames")
    try:
        with Git(found.checkout.top, time.monotonic() + _SECONDS) as git:
            last = git.run(
                "log", "-1", "--format=%ct", "--invert-grep", f"--grep=^{OWN}", good=(0, 128)
            )
            if int(last or 0) * _NS > since:
                return True
            rows = git.run(*status, "--untracked-files=normal").split(b"\0")
    except (Failed, Stuck, OSError, ValueError):
        return False
    return any(_is_newer(found.checkout.top, row, since) for row in rows if row)


def _is_newer(top: str, row: bytes, since: int) -> bool:
    name = os.fsdecode(row[3:])
    if "/.claude/" in f"/{name}":
        return False
    try:
        return os.lstat(os.path.join(top, name)).st_mtime_ns > since
    except OSError:
        # Deleted: that is a change, too.
        return True
