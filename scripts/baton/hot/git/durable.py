"""Objects and refs brought to the disk by us.

Git's own settings do not suffice: it never syncs a folder, and `mktree` honours none of them.
"""

import os
import zlib

from baton.hot import files
from baton.hot.git.checkout import Checkout
from baton.hot.git.speaker import Failed, Git

ASIDE = "torn"
"""Baton's folder for objects that a crash had torn."""
_PART = 1 << 20
# The folders that came with the repository.
_OLD = ("refs/heads", "refs", "")


def sync_objects(git: Git, checkout: Checkout, oids: list[bytes], aside: str) -> list[str]:
    """Sync every object that was just made; give those that must be made once more.

    Git makes no object whose name is there, whatever a cut of the power left of its bytes: a torn one
    is moved into the folder `aside`. Raises Failed when one is nowhere to be found, OSError.
    """
    elsewhere, torn = [], []
    for oid in map(os.fsdecode, oids):
        path = os.path.join(checkout.common_dir, "objects", oid[:2], oid[2:])
        try:
            if not _sync_whole(path):
                os.makedirs(aside, exist_ok=True)
                os.replace(path, os.path.join(aside, oid))
                torn.append(oid)
        except FileNotFoundError:
            elsewhere.append(oid)
    if elsewhere:
        _must_exist(git, elsewhere)
    return torn


def _sync_whole(path: str) -> bool:
    """Bring an object to the disk; False when its bytes do not add up to their checksum."""
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        os.fsync(fd)
        return _inflates(fd)
    finally:
        os.close(fd)


def _inflates(fd: int) -> bool:
    inflating = zlib.decompressobj()
    try:
        while not inflating.eof:
            part = inflating.unconsumed_tail or os.read(fd, _PART)
            if not part:
                return False
            inflating.decompress(part, _PART)
    except zlib.error:
        return False
    return True


def _must_exist(git: Git, oids: list[str]) -> None:
    """In a pack or another repository's store an object is as safe as it was before."""
    answer = git.run("cat-file", "--batch-check", data="".join(f"{oid}\n" for oid in oids).encode())
    for row in answer.splitlines():
        if row.endswith(b" missing"):
            raise Failed(f"git lost the object {row.split()[0].decode()} that it had just written")


def sync_index(checkout: Checkout) -> None:
    """Bring the new index's name to the disk: without it a record that outlived a power cut would say that the
    index is in step, and nobody would look again."""
    files.sync_folder(checkout.git_dir)


def sync_ref(checkout: Checkout, name: str) -> None:
    """Sync a loose ref and the folders that may be as new: last, for it makes all that was done before durable."""
    try:
        files.sync(os.path.join(checkout.common_dir, *name.split("/")))
        while name not in _OLD:
            name = os.path.dirname(name)
            files.sync_folder(os.path.join(checkout.common_dir, *name.split("/")))
    except FileNotFoundError:
        # Kept in a reftable, which git itself syncs, or packed by a gc that ran in between.
        pass
