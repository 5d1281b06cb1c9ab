"""Objects and refs brought to the disk by us.

Git's own settings do not suffice: it never syncs a folder, and `mktree` honours none of them.
"""

import os

from baton.hot import files
from baton.hot.git.checkout import Checkout
from baton.hot.git.speaker import Failed, Git


def sync_objects(git: Git, checkout: Checkout, oids: list[bytes]) -> None:
    """Sync every object that was just made. Raises Failed when one is nowhere to be found."""
    elsewhere = []
    for oid in map(os.fsdecode, oids):
        try:
            files.sync(os.path.join(checkout.common_dir, "objects", oid[:2], oid[2:]))
        except FileNotFoundError:
            elsewhere.append(oid)
    if elsewhere:
        _must_exist(git, elsewhere)


def _must_exist(git: Git, oids: list[str]) -> None:
    """In a pack or another repository's store an object is as safe as it was before."""
    answer = git.run("cat-file", "--batch-check", data="".join(f"{oid}\n" for oid in oids).encode())
    for row in answer.splitlines():
        if row.endswith(b" missing"):
            raise Failed(f"git lost the object {row.split()[0].decode()} that it had just written")


def sync_ref(checkout: Checkout, name: str) -> None:
    """Sync a loose ref and its folder: last, for it makes all that was done before durable."""
    path = os.path.join(checkout.common_dir, *name.split("/"))
    try:
        files.sync(path)
        files.sync_folder(os.path.dirname(path))
    except FileNotFoundError:
        # Kept in a reftable, which git itself syncs, or packed by a gc that ran in between.
        pass
