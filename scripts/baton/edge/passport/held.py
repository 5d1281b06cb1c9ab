"""A file that is appended to, open and exclusively locked: a passport (design page passport, "Appending",
step 1), a pipeline's log.

Because whoever writes locks that very file, it is never replaced by a rename; and where somebody
else does replace it, the lock on the old one is worth nothing and is given up.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from baton.core.errors import BatonError, typed
from baton.edge import descriptor_lock
from baton.edge.passport import holder

_POLL_SECONDS = 0.015
_FLAGS = (
    os.O_RDWR
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)

Say = Callable[[str], None]
"""Told on one line what the user waits for."""


class Kind(NamedTuple):
    """What kind of file it is. word: its name for people. missing: the code of the error where it is not
    there. look: the command that lists those that are."""

    word: str
    missing: str
    look: str


PASSPORT = Kind("passport", "no-passport", "baton passport awaiting")


@contextmanager
def hold(path: str, shown: str, wait: float, say: Say, kind: Kind = PASSPORT) -> Iterator[int]:
    """Give the descriptor of the file at `path`, locked until the end of `with`.

    shown: its name for people. wait: seconds, in all. Raises BatonError: `no-passport` (or the code
    of its kind), `bad-path` (a link, no regular file), `io`, `locked` after `wait`, `no-exclusion`
    where there is no lock to be had.
    """
    deadline = time.monotonic() + wait
    waiting = _Waiting(shown, wait, say, kind)
    while True:
        fd = _open(path, shown, kind)
        try:
            if _locked(fd, path, shown, deadline, waiting) and in_place(fd, path):
                _prove(path, shown, kind)
                yield fd
                return
        finally:
            os.close(fd)


def in_place(fd: int, path: str) -> bool:
    """Whether `path` still names the file that is open."""
    try:
        there, ours = os.lstat(path), os.fstat(fd)
    except OSError:
        return False
    return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)


class _Waiting:
    """Says once for whom we wait."""

    def __init__(self, shown: str, wait: float, say: Say, kind: Kind) -> None:
        self.kind = kind
        self.shown = shown
        self.wait = wait
        self._say = say
        self._said = False

    def on(self, fd: int) -> None:
        if not self._said:
            self._said = True
            self._say(f"{self.shown} is locked by {holder.name(fd)}; waiting up to {self.wait:g} s")


def _open(path: str, shown: str, kind: Kind) -> int:
    try:
        fd = os.open(path, _FLAGS)
    except FileNotFoundError:
        raise BatonError(
            kind.missing, f"{shown}: there is no such {kind.word}", kind.look
        ) from None
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
            raise _no_file(path, shown) from error
        message = f"{shown} cannot be opened for writing: {error.strerror}; nothing was written"
        raise BatonError("io", message, f"ls -l {typed(path)}") from error
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise _no_file(path, shown)
    return fd


def _no_file(path: str, shown: str) -> BatonError:
    message = f"{shown} is no regular file (a link, a folder or a device); nothing was written"
    return BatonError("bad-path", message, f"ls -ld {typed(path)}")


def _locked(fd: int, path: str, shown: str, deadline: float, waiting: _Waiting) -> bool:
    """Take the lock; False when the file was replaced meanwhile. Raises `locked`, `no-exclusion`."""
    while not _take(fd, path, shown):
        waiting.on(fd)
        if time.monotonic() >= deadline:
            raise BatonError(
                "locked",
                f"{waiting.kind.word} locked by another session: {shown} was not free within "
                f"{waiting.wait:g} s; it is held by {holder.name(fd)}; nothing was written",
                "the same command again, once that has ended",
            )
        if not in_place(fd, path):
            return False
        time.sleep(_POLL_SECONDS)
    return True


def _take(fd: int, path: str, shown: str) -> bool:
    try:
        return descriptor_lock.take(fd)
    except OSError as error:
        raise _no_exclusion(path, shown, f"{error.strerror}") from error


def _prove(path: str, shown: str, kind: Kind) -> None:
    """A lock that a second descriptor gets as well excludes nobody: some file systems only pretend."""
    second = _open(path, shown, kind)
    try:
        if _take(second, path, shown):
            raise _no_exclusion(path, shown, "the file system gave the same lock twice")
    finally:
        os.close(second)


def _no_exclusion(path: str, shown: str, reason: str) -> BatonError:
    message = (
        f"concurrency protection unavailable: {shown} cannot be locked here ({reason}); "
        "nothing was written"
    )
    return BatonError("no-exclusion", message, f"df {typed(path)}")
