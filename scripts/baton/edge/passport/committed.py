"""What git holds of a passport: the ledger in HEAD, and those at the tips of branches."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha1, sha256
from typing import NamedTuple

from baton.core.passport import document
from baton.core.passport.entry import Entry
from baton.core.passport.errors import LedgerError
from baton.edge.passport.place import Place
from baton.edge.passport.yaml_door import events
from baton.hot.git import head as heads
from baton.hot.git.speaker import Failed, Git, Stuck, Talk
from baton.hot.project import Project

_MOST_BRANCHES = 50
_SHA1_DIGITS = 40
_SECONDS = 10.0


class _Unknown(Exception):
    """Git does not say. words: why."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


class Committed(NamedTuple):
    """What HEAD holds of a passport.

    oid: its blob, "" when HEAD holds none or that is not known. same: the file has exactly those bytes.
    entries: its ledger, None where it was not read: it is the same, it is known, or it cannot be read,
    for which `fault` gives the reason.
    """

    oid: str = ""
    same: bool = False
    entries: tuple[Entry, ...] | None = None
    fault: str = ""


def read(project: Project, place: Place, data: bytes, known: str) -> Committed:
    """Give what HEAD holds beside what the file holds, `data`. known: a blob that need not be read."""
    try:
        [found] = _blobs(project, place, ["HEAD"])
        if found is None or _blob_id(data, len(found[0])) == found[0]:
            return Committed(found[0] if found else "", same=found is not None)
        if found[0] == known:
            return Committed(known)
        return Committed(found[0], entries=_ledger(found[1], place))
    except _Unknown as error:
        return Committed(fault=error.words)


def on_branches(project: Project, place: Place) -> Iterator[tuple[Entry, ...]]:
    """Give the ledgers at the tips of the local branches last committed to; those that can be read."""
    try:
        for found in _blobs(project, place, _tips(project)):
            if found is not None:
                yield _ledger(found[1], place)
    except _Unknown:
        return


def _tips(project: Project) -> list[str]:
    words = ("--sort=-committerdate", f"--count={_MOST_BRANCHES}", "--format=%(objectname)")
    with _git(project) as git:
        told = git.run("for-each-ref", *words, heads.BRANCHES) if git else b""
    return list(dict.fromkeys(told.decode().split()))


@contextmanager
def _git(project: Project) -> Iterator[Git | None]:
    """Git for ten seconds, None outside git; what keeps it from answering becomes _Unknown."""
    if project.checkout is None:
        yield None
        return
    try:
        with Git(project.checkout.top, time.monotonic() + _SECONDS) as git:
            yield git
    except Failed as error:
        raise _Unknown(error.words) from error
    except Stuck:
        raise _Unknown(f"git gave no answer within {_SECONDS:g} s") from None
    except OSError as error:
        raise _Unknown(f"git cannot be run: {error.strerror}") from error


def _blobs(project: Project, place: Place, commits: list[str]) -> list[tuple[str, bytes] | None]:
    """The id and the bytes of the passport in each commit, None where it is in none. One process."""
    with _git(project) as git:
        if git is None:
            return [None for _ in commits]
        talk = git.start("cat-file", "--batch")
        name = os.fsencode(project.in_git(place.name))
        return [_blob(talk, os.fsencode(commit) + b":" + name) for commit in commits]


def _blob(talk: Talk, name: bytes) -> tuple[str, bytes] | None:
    talk.say(name + b"\n")
    told = talk.line()
    if told.endswith(b" missing"):
        return None
    oid, kind, size = told.split()
    if int(size) > document.LIMIT:
        raise _Unknown(f"it is larger than {document.LIMIT} bytes")
    data = talk.read(int(size) + 1)[:-1]
    return (oid.decode(), data) if kind == b"blob" else None


def _ledger(data: bytes, place: Place) -> tuple[Entry, ...]:
    try:
        return document.read(data, events, place.json).entries
    except LedgerError as error:
        raise _Unknown(error.message) from error


def _blob_id(data: bytes, digits: int) -> str:
    """Give the id that git gives to a file of these bytes."""
    make = sha1 if digits == _SHA1_DIGITS else sha256
    return make(b"blob %d\0%s" % (len(data), data), usedforsecurity=False).hexdigest()
