"""The overlay: where the chain's content stands while a changed file would block the user's git.

During a merge, a rebase or the like, and on a detached HEAD, git wants to write a tracked chain
itself: `--continue`, `--abort` and checkout refuse to touch a file that was changed. So writes go
to the state directory, readers prefer it, and the first write or flush after the operation puts it
in place (design pages chain, persist).
"""

import os
import time

from baton.hot import chain as chains
from baton.hot import digits, files, moments
from baton.hot.chain import MAX_BYTES, as_written, revision
from baton.hot.git import head as heads
from baton.hot.git import operation
from baton.hot.git.checkout import Checkout
from baton.hot.project import CHAIN, Project
from baton.hot.state import OVERLAY, WRITTEN, State

_SECONDS = 2.0
# Whose versions of the chain git may yet want to write: what HEAD, index and the operation know, and
# the branch that was left for a commit without one.
_NAMES = (
    *("HEAD", "ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD"),
    "@{-1}",
)
_NOTED_COMMITS = (
    *("rebase-merge/orig-head", "rebase-merge/onto", "rebase-apply/orig-head"),
    *("rebase-apply/onto", "sequencer/head", "BISECT_START"),
)
_TODO = ("rebase-merge/git-rebase-todo", "sequencer/todo")
_STAGES = (":0:", ":1:", ":2:", ":3:")
_TODO_MOST = 200
# Whatever the user's configuration hides; git never writes a file that it ignores.
_STATUS = ("status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignored")
_AUTHORED = ("--literal-pathspecs", "log", "-1", "--format=%at")
_OBJECTS = ("-c", "core.fsmonitor=false", "cat-file", "--batch-check=%(objectname)")


def stands(state: State) -> bool:
    """Whether the chain's content stands in the overlay."""
    return os.path.lexists(state.path(OVERLAY))


def chain_path(project: Project, state: State) -> str:
    """Give the path of the file that holds the chain's content now: the overlay or the file."""
    return state.path(OVERLAY) if stands(state) else project.path(CHAIN)


def content(project: Project, state: State) -> bytes | None:
    """Give the chain's document as it is now, None when there is none. Raises OSError.

    From the overlay while that stands. In the middle of an operation git may have put an older
    version into the file; then it is what baton wrote last.
    """
    standing = stands(state)
    data = files.read(state.path(OVERLAY) if standing else project.path(CHAIN), MAX_BYTES)
    if standing or over(project):
        return data
    last = state.read(WRITTEN)
    return last if last and last != data and not edited(project, state, data) else data


def under_way(project: Project) -> str:
    """Say which operation keeps the chain's file from being written, "" when none does."""
    checkout = project.checkout
    return operation.moves_files(checkout, heads.read(checkout)) if checkout else ""


def over(project: Project) -> bool:
    """Whether no operation keeps the chain's file from being written."""
    return not under_way(project)


def wanted(project: Project) -> bool:
    """Whether a write must go to the overlay: an operation is on, and git may want to write the
    chain's file in the course of it."""
    return not over(project) and project.checkout is not None and _known(project, project.checkout)


def settle(project: Project, state: State) -> str:
    """Put the overlay's content in the file's place, after the operation.

    The caller holds the state directory's lock. What stood in the file and is in no commit is kept
    beside it. Gives that file's name, "" when nothing had to be kept. Raises OSError; the overlay
    stays then.
    """
    data = files.read(state.path(OVERLAY), MAX_BYTES) or b""
    path = project.path(CHAIN)
    if not lies_inside(project):
        raise OSError(0, "leads out of the project", path)
    there = files.read(path, MAX_BYTES)
    kept = ""
    if there is not None and there not in (data, state.read(WRITTEN)):
        kept = "" if is_clean(project, there) else keep_aside(project, there)
    files.make_folder(os.path.dirname(path))
    files.replace(path, data)
    os.unlink(state.path(OVERLAY))
    # After a power cut it must not stand again, older than what is written next.
    files.sync_folder(state.folder)
    return kept


def adopt(project: Project, state: State) -> None:
    """Note what somebody made of the chain with an editor, once it is kept, as what was written last.

    Not an older version that somebody put back, nor what stands there in the middle of an
    operation. A note that cannot be written costs no flush.
    """
    if not over(project):
        return
    try:
        there, last = content(project, state), state.read(WRITTEN)
        # A hand's own header may name no time.
        if there and there != last and (_at(there) or _at(last)) >= _at(last):
            state.write(WRITTEN, there)
    except OSError:
        pass


def _at(document: bytes) -> float:
    return moments.seconds(chains.parse(document).updated)


def lies_inside(project: Project) -> bool:
    """Whether the chain's file is in the project itself, and not behind a link out of it."""
    path = project.path(CHAIN)
    folder = os.path.realpath(os.path.dirname(path))
    inside = (folder + os.sep).startswith(project.root.rstrip(os.sep) + os.sep)
    return inside and not os.path.islink(path)


def keep_aside(project: Project, document: bytes) -> str:
    """Put a document beside the chain, so that nobody's text is lost.

    Gives its path relative to the project; it is named by its content. Raises OSError.
    """
    name = f"{CHAIN}.refused-{revision(document)}"
    files.make_folder(os.path.dirname(project.path(CHAIN)))
    files.replace(project.path(name), document)
    return name


def _known(project: Project, checkout: Checkout) -> bool:
    """Whether any version that the operation knows holds the chain; yes when git cannot say."""
    # Only a write in the middle of an operation pays for git.
    from baton.hot.git.speaker import Failed, Git, Stuck

    path = project.in_git(CHAIN)
    if "\n" in path:
        # It cannot be asked of git, a line a name.
        return True
    names = [f"{name}:{path}" for name in (*_NAMES, *_noted(checkout), *_picks(checkout))]
    names += [stage + path for stage in _STAGES]
    asked = b"".join(os.fsencode(name) + b"\n" for name in names if "\n" not in name)
    try:
        with Git(checkout.top, time.monotonic() + _SECONDS) as git:
            answer = git.run("cat-file", "--batch-check=%(objecttype)", data=asked)
    except (Failed, Stuck, OSError):
        return True
    return b"blob" in answer.split(b"\n")


def _noted(checkout: Checkout) -> list[str]:
    """The commits and branches that an operation has noted to come back to."""
    texts = (_text(checkout, name) for name in _NOTED_COMMITS)
    return [text.split("\n", 1)[0].strip() for text in texts if text.strip()]


def _picks(checkout: Checkout) -> list[str]:
    """The commits that are still to be picked."""
    rows = [line.split() for name in _TODO for line in _text(checkout, name).split("\n")]
    picks = [row[1] for row in rows if len(row) > 1 and not row[0].startswith("#")]
    return picks[:_TODO_MOST]


def _text(checkout: Checkout, name: str) -> str:
    try:
        data = files.read(os.path.join(checkout.git_dir, *name.split("/")), 1 << 20)
    except OSError:
        return ""
    return os.fsdecode(data or b"")


def edited(project: Project, state: State, data: bytes | None) -> float:
    """Give when the chain's file was last changed by hand, 0.0 when it is as git put it there.

    data: what it holds, None when there is none. Where git cannot say it was a hand. Nothing that the
    repository names is run.
    """
    if data is None:
        return 0.0
    if project.checkout and _is_checked_out(project, project.checkout, data):
        return _committed(project, project.checkout, state, data)
    try:
        return os.stat(project.path(CHAIN)).st_mtime
    except OSError:
        return 0.0


def _committed(project: Project, checkout: Checkout, state: State, data: bytes) -> float:
    """When a hand's change of what baton wrote last was committed, before any flush saw it; else 0.0.

    data: what HEAD holds. An editor leaves the header's time as it is.
    """
    from baton.hot.git.speaker import Failed, Git, Stuck

    last = state.read(WRITTEN)
    if not last or last == data or _at(data) not in (0.0, _at(last)):
        return 0.0
    try:
        with Git(checkout.top, time.monotonic() + _SECONDS) as git:
            written = git.run(*_AUTHORED, "--", project.in_git(CHAIN)).strip()
        noted = os.stat(state.path(WRITTEN)).st_mtime
    except (Failed, Stuck, OSError):
        return 0.0
    moment = digits.whole(written)
    return float(moment) if moment > noted else 0.0


def _is_checked_out(project: Project, checkout: Checkout, data: bytes) -> bool:
    """Whether HEAD and index both hold these bytes as the chain's file."""
    from hashlib import sha1, sha256

    from baton.hot.git.speaker import Failed, Git, Stuck

    path = os.fsencode(project.in_git(CHAIN))
    try:
        with Git(checkout.top, time.monotonic() + _SECONDS) as git:
            asked = b"HEAD:%s\n:0:%s\n" % (path, path)
            held = git.run(*_OBJECTS, data=asked).split(b"\n")[:-1]
    except (Failed, Stuck, OSError):
        return False
    ours = {
        kind(b"blob %d\0%s" % (len(text), text)).hexdigest().encode()
        for text in (data, as_written(data))
        for kind in (sha1, sha256)
    }
    return ours.issuperset(held)


def is_clean(project: Project, data: bytes) -> bool:
    """Whether the chain's file is as git put it there, through the project's filters perhaps."""
    from baton.hot.git.speaker import Failed, Git, Stuck

    if project.checkout and _is_checked_out(project, project.checkout, data):
        return True
    try:
        with Git(project.root, time.monotonic() + _SECONDS) as git:
            return not git.run(*_STATUS, "--", CHAIN)
    except (Failed, Stuck, OSError):
        return False
