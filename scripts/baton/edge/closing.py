"""`baton close` on the repository: its facts read, the branch set back under compare-and-swap.

Plumbing alone: HEAD moves, index and files stay as they are to the bit.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterator

from baton.core.close import Commit, Facts, Run
from baton.core.errors import BatonError
from baton.hot.flush import awaiting, commits, signature
from baton.hot.git import durable, ownership
from baton.hot.git import head as heads
from baton.hot.git.checkout import Checkout
from baton.hot.git.index import ASIDE, forget
from baton.hot.git.operation import busy, in_the_way, under_way
from baton.hot.git.speaker import Failed, Git, Stuck
from baton.hot.git.trees import FOLDER, NOTHING, SUBMODULE, Trees
from baton.hot.git.trees import Commit as Raw
from baton.hot.project import Project
from baton.hot.state import State

BACKUPS = "refs/baton/closed/"
_SECONDS = 30.0
# Refs that keep commits of a branch without being a branch, a tag or a remote's.
_NO_HOLDERS = ("refs/baton/", "refs/stash")
_HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg")
# Longer than any close lives.
_STALE_SECONDS = 60.0


@contextlib.contextmanager
def git_of(checkout: Checkout) -> Iterator[Git]:
    """Give a git for one look or one change, at most 30 s; raises git-failed with its own words."""
    try:
        with Git(checkout.top, time.monotonic() + _SECONDS) as git:
            ownership.check(git, checkout)
            yield git
    except Failed as error:
        raise BatonError("git-failed", f"{error.words}", "git status") from error
    except Stuck:
        message = f"git did not finish within {_SECONDS:g} s and was ended"
        raise BatonError("git-failed", message, "baton close") from None


def look(git: Git, project: Project, checkout: Checkout, paths: list[str]) -> Facts:
    """Give the facts of a repository; nothing is changed. paths: the state paths. Raises Failed."""
    head = heads.read(checkout)
    blocked = under_way(checkout, head)
    own: tuple[Commit, ...] = ()
    staged: tuple[str, ...] = ()
    below = None
    if head.oid and not blocked:
        own = _own(git, head.oid, head.name)
        below = _below(git, own, head.oid)
        staged = _staged(git, project, head.oid, paths)
    return Facts(
        branch=head.name,
        head=head.oid,
        blocked=blocked,
        busy="" if blocked else in_the_way(checkout),
        unmerged=bool(git.run("ls-files", "-z", "--unmerged", ":/")),
        own=own,
        below=below,
        staged=staged,
        guards=_guards(git, checkout),
        known=bool(git.run("var", "GIT_COMMITTER_IDENT", good=(0, 1, 128))),
    )


def _own(git: Git, head: str, branch: str) -> tuple[Commit, ...]:
    """The commits of HEAD's first-parent line that no other ref holds, newest first."""
    held = git.run("for-each-ref", "--format=%(objectname) %(refname)").decode().splitlines()
    others = [row.split(" ", 1) for row in held]
    names = [oid for oid, ref in others if ref != branch and not ref.startswith(_NO_HOLDERS)]
    asked = "".join(f"{name}\n" for name in [head, *(f"^{name}" for name in dict.fromkeys(names))])
    options = ("--no-replace-objects", "rev-list", "--first-parent", "--format=%H%x00%P%x00%s")
    told = git.run(*options, "--stdin", data=asked.encode()).decode("utf-8", "replace")
    rows = [row.split("\0") for row in told.split("\n") if "\0" in row]
    return tuple(Commit(row[0], tuple(row[1].split()), row[2]) for row in rows)


def _below(git: Git, own: tuple[Commit, ...], head: str) -> Commit | None:
    oid = (own[-1].parents or ("",))[0] if own else head
    if not oid:
        return None
    found: Raw = Trees(git).commit(oid)
    subject = found.message.split(b"\n", 1)[0].decode("utf-8", "replace")
    return Commit(oid, tuple(os.fsdecode(parent) for parent in found.parents), subject)


def _staged(git: Git, project: Project, head: str, paths: list[str]) -> tuple[str, ...]:
    told = git.run("diff-index", "--cached", "--name-only", "--no-renames", "-z", head)
    roots = signature.roots(project, paths)
    return tuple(
        os.fsdecode(path)
        for path in told.split(b"\0")[:-1]
        if not any(path == root or path.startswith(root + b"/") for root in roots)
    )


def _guards(git: Git, checkout: Checkout) -> tuple[str, ...]:
    """What `git commit` does here: hooks by name, signing."""
    told = git.run("config", "--type=path", "--get-all", "core.hooksPath", good=(0, 1))
    # The last one is our own, on the command line.
    configured = [os.fsdecode(row) for row in told.split(b"\n")[:-1]][:-1]
    folder = os.path.join(checkout.common_dir, "hooks")
    if configured:
        folder = os.path.join(checkout.top, configured[-1])
    found = [name for name in _HOOKS if os.access(os.path.join(folder, name), os.X_OK)]
    signs = git.run("config", "--type=bool", "commit.gpgSign", good=(0, 1)).strip() == b"true"
    return (*(f"the hook {name}" for name in found), *(("signing",) if signs else ()))


class Closed:
    """What was done.

    backup: the ref that keeps the run. commit: the closing commit's id. Both may be "": there was no
    run, or nothing to commit. waits: whether the index holds what HEAD does not.
    """

    def __init__(self, backup: str, commit: str, waits: bool) -> None:
        self.backup = backup
        self.commit = commit
        self.waits = waits


def squash(
    git: Git, checkout: Checkout, state: State, facts: Facts, run: Run, message: str | None
) -> Closed:
    """Set the branch back to the run's base, or to a closing commit of the index on top of it.

    The run is kept by a ref first. The caller holds the state directory's lock. Raises unsafe-state
    when HEAD is no longer what the facts say, Failed, OSError; the branch has not moved then, unless
    it is the disk that fails to confirm it.
    """
    waits = bool(run.base) and _differs(git, run.base)
    commit = ""
    if message is not None and (waits or not run.base):
        commit = _whole_commit(git, checkout, state, run.base, message)
    backup = _back_up(git, checkout, facts) if run.commits else ""
    if commit:
        waits = False
    elif run.commits and waits:
        # Before the move: until HEAD is there the note means nothing.
        awaiting.begin(state, facts.branch, run.base)
    if (commit or run.base) != facts.head:
        _move(git, checkout, facts, commit or run.base, message if commit else None)
    return Closed(backup, commit, waits)


def _differs(git: Git, base: str) -> bool:
    return bool(git.run("diff-index", "--cached", "--name-only", "-z", base))


def _whole_commit(git: Git, checkout: Checkout, state: State, base: str, message: str) -> str:
    """A commit of the index on the run's base, all of it on the disk; "" when there is no index.

    Objects that a crash had torn are put aside and made once more; what cannot be made out of the
    index, git then names.
    """
    seen: set[str] = set()
    while tree := _write_tree(git, checkout, state, anew=bool(seen)):
        torn = _bring(git, checkout, state, base, tree)
        if not torn:
            text = message.strip().encode("utf-8", "replace") + b"\n"
            commit = commits.commit_tree(git, tree, base, text)
            torn = durable.sync_objects(git, checkout, [commit.encode()], state.path(durable.ASIDE))
            if not torn:
                return commit
        # One level of folders at a time comes to light.
        if not seen.isdisjoint(torn):
            raise Failed(f"the object {torn[0]} is torn, however often it is made")
        seen.update(torn)
    return ""


def _write_tree(git: Git, checkout: Checkout, state: State, *, anew: bool) -> bytes:
    """The index as a tree, b"" when there is none. anew: with every folder in it."""
    # write-tree notes what it found in the index that it reads.
    copy = state.path(f"{ASIDE}{os.getpid()}")
    env = {"GIT_INDEX_FILE": copy}
    try:
        shutil.copyfile(os.path.join(checkout.git_dir, "index"), copy)
        if anew:
            _forget_folders(git, env)
        return git.run("write-tree", env=env).strip()
    except FileNotFoundError:
        return b""
    finally:
        forget(copy)


def _forget_folders(git: Git, env: dict[str, str]) -> None:
    """Let an index forget the folders that it knows as objects: it would not look into them."""
    # What is intended to be added stands there as an empty file, and would be one.
    empty = git.run("hash-object", "--stdin").strip()
    rows = git.run("ls-files", "-s", "-z", env=env).split(b"\0")
    known = [row + b"\0" for row in rows if row and empty not in row.split(b"\t")[0]]
    git.run("update-index", "-z", "--index-info", data=b"".join(known), env=env)


def _bring(git: Git, checkout: Checkout, state: State, base: str, tree: bytes) -> list[str]:
    """Bring a tree to the disk with all that it has beyond a commit's; give what was torn.

    A folder is read only once it is known to be whole.
    """
    aside, trees = state.path(durable.ASIDE), Trees(git)
    folders = [(tree, trees.commit(base).tree if base else b"")]
    torn: list[str] = []
    files: list[bytes] = []
    while folders and not torn:
        torn = durable.sync_objects(git, checkout, [new for new, _ in folders], aside)
        if not torn:
            new = [each for pair in folders for each in _new_in(trees, *pair)]
            folders = [(oid, old) for mode, oid, old in new if mode == FOLDER]
            files += [oid for mode, oid, _ in new if mode not in (FOLDER, SUBMODULE)]
    return torn or durable.sync_objects(git, checkout, files, aside)


def _new_in(trees: Trees, tree: bytes, old: bytes) -> Iterator[tuple[bytes, bytes, bytes]]:
    """What a folder has that its older version has not: mode, object, and what stood there as a folder."""
    before = trees.tree(old)
    for name, (mode, oid) in trees.tree(tree).items():
        was_mode, was = before.get(name, NOTHING)
        if (mode, oid) != (was_mode, was):
            yield mode, oid, was if was_mode == FOLDER else b""


def _back_up(git: Git, checkout: Checkout, facts: Facts) -> str:
    place = BACKUPS + heads.parking_ref(checkout).rpartition("/")[2]
    _sweep(os.path.join(checkout.common_dir, *place.split("/")))
    ref = f"{place}/{time.strftime('%Y%m%dT%H%M%S')}-{facts.head[:12]}"
    # Of the same second and commit it is the same.
    if heads.resolve(checkout, ref) != facts.head:
        git.run("update-ref", ref, facts.head, "0" * len(facts.head))
    durable.sync_ref(checkout, ref)
    return ref


def _sweep(folder: str) -> None:
    """Remove the lock that a kill left on a backup: these refs are nobody's but ours."""
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        path = os.path.join(folder, name)
        if name.endswith(".lock") and time.time() - os.lstat(path).st_mtime > _STALE_SECONDS:
            forget(path)


def _move(git: Git, checkout: Checkout, facts: Facts, target: str, message: str | None) -> None:
    now = heads.read(checkout)
    why = under_way(checkout, now) or busy(checkout, now)
    if why or now.name != facts.branch:
        raise _moved(why or f"it is on {now.branch or 'no branch'}")
    words = f"commit: {message.strip()}" if message else f"reset: moving to {target}"
    try:
        old = facts.head or "0" * len(target)
        git.run("update-ref", "-m", words.split("\n", 1)[0], "HEAD", target, old)
    except Failed as error:
        raise _moved(error.words) from error
    durable.sync_ref(checkout, facts.branch)


def _moved(why: str) -> BatonError:
    message = f"HEAD was moved meanwhile ({why}); it was left there, and the chain as it is"
    return BatonError("unsafe-state", message, "baton close")
