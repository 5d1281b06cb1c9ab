"""A flush to baton's own ref: every turn is kept, whatever the user is in the middle of.

`refs/baton/wal/<work tree>` holds a tree of state files only, with a history of its own; several
projects in one work tree stand in it side by side.
"""

import os
import time

from baton.hot.flush import commits, refusal
from baton.hot.flush import record as records
from baton.hot.flush.attempt import Attempt, Held, Lost, Torn
from baton.hot.flush.blobs import Storing, settle_modes
from baton.hot.flush.comparison import Comparison
from baton.hot.git import durable, head
from baton.hot.git.checkout import Checkout
from baton.hot.git.graft import Grafter
from baton.hot.git.trees import NOTHING, Entry

_RETRIES, _HELD_RETRIES = 20, 3
# Longer than any flush lives.
_STALE_SECONDS = 10.0


class Parked:
    """What a flush did on the ref.

    commit: id of the new one, "" when the ref already held all. tip: where the ref is now. ids: for
    the record.
    """

    __slots__ = ("commit", "ids", "paths", "ref", "tip")

    def __init__(self, ref: str, tip: str, ids: list[bytes]) -> None:
        self.ref = ref
        self.tip = tip
        self.ids = ids
        self.commit = ""
        self.paths: list[bytes] = []


def park(attempt: Attempt, entries: dict[bytes, Entry]) -> Parked:
    """Make the ref hold exactly these files of the project. Raises Failed, Held, Stuck, Torn."""
    checkout = attempt.checkout
    ref = head.parking_ref(checkout)
    _remove_stale_lock(checkout, ref)
    held = 0
    for _ in range(_RETRIES):
        tip = resolve(attempt, ref)
        try:
            return _park(attempt, ref, tip, entries)
        except Torn:
            raise
        except Lost as lost:
            words = lost.words
        # A ref that did not move is locked, and git itself has waited for it.
        held += resolve(attempt, ref) == tip
        if held == _HELD_RETRIES:
            break
    raise Held(words)


def compare(attempt: Attempt) -> Comparison:
    """Compare with what may hold everything already: the ref where it does duty, else HEAD."""
    record = attempt.record
    if attempt.request.config.persist == "ref" or (record and record.where == records.REF):
        return with_ref(attempt)
    return Comparison(attempt, records.BRANCH, attempt.head.oid)


def with_ref(attempt: Attempt) -> Comparison:
    """Compare with the ref. Raises Failed."""
    tip = resolve(attempt, head.parking_ref(attempt.checkout))
    return Comparison(attempt, records.REF, tip)


def everything(attempt: Attempt, comparison: Comparison) -> dict[bytes, Entry]:
    """Give the entry of every state file: stored where it may differ, else as in the commit.

    Raises Lost, Failed.
    """
    refusal.look(comparison)
    fresh = comparison.stored(Storing(attempt.git, attempt.survey, comparison.files))
    refusal.look_again(comparison)
    faults = attempt.survey.faults
    others = [path for path in attempt.survey.files if path not in fresh and path not in faults]
    return {**comparison.old(others), **fresh}


def resolve(attempt: Attempt, ref: str) -> str:
    """Give what a ref points to, asking git where only git can read it."""
    checkout = attempt.checkout
    if head.reftable(checkout):
        return (
            attempt.git.run("rev-parse", "--verify", "--quiet", ref, good=(0, 1)).decode().strip()
        )
    return head.resolve(checkout, ref)


def _park(attempt: Attempt, ref: str, tip: str, entries: dict[bytes, Entry]) -> Parked:
    request, trees = attempt.request, attempt.trees
    tree = trees.commit(tip).tree if tip else b""
    parked = Parked(ref, tip, attempt.ids(tree))
    changes = _changes(attempt, tree, entries)
    if not changes and not request.always:
        return parked
    grafter = Grafter(attempt.git, trees)
    new = grafter.graft(tree, changes)
    grafter.hang_up()
    blobs = [oid for _, oid in changes.values() if oid]
    commit = commits.make(attempt, new, tip, [*blobs, *grafter.made])
    commits.move(attempt.git, ref, commit, tip, request.message)
    durable.sync_ref(attempt.checkout, ref)
    parked.commit = parked.tip = commit
    parked.ids, parked.paths = attempt.ids(new), list(changes)
    return parked


def _changes(attempt: Attempt, tree: bytes, entries: dict[bytes, Entry]) -> dict[bytes, Entry]:
    there = {
        path: entry
        for root in attempt.roots
        for path, entry in attempt.trees.below(tree, root).items()
    }
    old = {path: there.get(path, NOTHING) for path in entries}
    settled = settle_modes(attempt.git, entries, old)
    changes = {path: entry for path, entry in settled.items() if entry != old[path]}
    gone = (path for path in there if path not in entries and not attempt.survey.hides(path))
    changes.update(dict.fromkeys(gone, NOTHING))
    return changes


def _remove_stale_lock(checkout: Checkout, ref: str) -> None:
    """A kill inside update-ref leaves a lock on a ref that is nobody's but ours."""
    lock = os.path.join(checkout.common_dir, *ref.split("/")) + ".lock"
    try:
        if time.time() - os.lstat(lock).st_mtime > _STALE_SECONDS:
            os.unlink(lock)
    except OSError:
        pass
