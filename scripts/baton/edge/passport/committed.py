"""What git holds of a passport: the ledger in HEAD, and those at the tips of branches."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha1, sha256

from baton.core.passport import document
from baton.core.passport.entry import Entry
from baton.core.passport.errors import LedgerError
from baton.edge import git, process
from baton.edge.passport.place import Place
from baton.edge.passport.yaml_door import events
from baton.hot import clean
from baton.hot.git.talk import words
from baton.hot.project import Project

_MOST_BRANCHES = 50
_SHA1_DIGITS = 40


@dataclass(frozen=True, slots=True)
class Committed:
    """What HEAD holds of a passport.

    oid: its blob, "" when HEAD holds none. same: the file has exactly those bytes. entries: its
    ledger, () where `same` spares the reading; None when it cannot be read, for which `fault` gives
    the reason.
    """

    oid: str = ""
    same: bool = False
    entries: tuple[Entry, ...] | None = ()
    fault: str = ""


def place_in_head(project: Project, place: Place) -> Committed:
    """Give which blob HEAD holds, without reading it."""
    if project.checkout is None:
        return Committed()
    done = git.read(
        project.root, "ls-tree", "-z", "--full-tree", "HEAD", "--", project.in_git(place.name)
    )
    if done.exit == 0:
        mode_type_oid = done.output.partition(b"\t")[0].split()
        return Committed(mode_type_oid[2].decode() if mode_type_oid else "")
    # A repository without a commit has no HEAD to look into.
    born = b"Not a valid object name HEAD" not in done.errors
    return Committed(entries=None, fault=_reason("ls-tree", done)) if born else Committed()


def read(project: Project, place: Place, data: bytes) -> Committed:
    """Give what HEAD holds beside what the file holds, `data`."""
    head = place_in_head(project, place)
    if not head.oid or head.fault:
        return head
    if _blob_id(data, len(head.oid)) == head.oid:
        return Committed(head.oid, same=True)
    return _ledger(project, place, head.oid)


def on_branches(project: Project, place: Place) -> list[tuple[Entry, ...]]:
    """Give the ledgers at the tips of the local branches last committed to, each once."""
    done = git.read(
        project.root,
        "for-each-ref",
        "--sort=-committerdate",
        f"--count={_MOST_BRANCHES}",
        f"--format=%(objectname):{project.in_git(place.name)}",
        "refs/heads",
    )
    names = dict.fromkeys(done.output.decode("utf-8", "surrogateescape").splitlines())
    ledgers = (_ledger(project, place, name) for name in names)
    return [ledger.entries for ledger in ledgers if ledger.entries]


def _ledger(project: Project, place: Place, object_: str) -> Committed:
    done = git.read(project.root, "cat-file", "blob", object_, cap=document.LIMIT + 1)
    if done.exit != 0:
        return Committed(object_, entries=None, fault=_reason("cat-file", done))
    try:
        return Committed(object_, entries=document.read(done.output, events, place.json).entries)
    except LedgerError as error:
        return Committed(object_, entries=None, fault=error.message)


def _blob_id(data: bytes, digits: int) -> str:
    """Give the id that git gives to a file of these bytes."""
    make = sha1 if digits == _SHA1_DIGITS else sha256
    return make(b"blob %d\0%s" % (len(data), data), usedforsecurity=False).hexdigest()


def _reason(command: str, done: process.Completed) -> str:
    return (
        "git took too long"
        if done.timed_out
        else clean.line(words(command, done.errors, done.exit))
    )
