"""A passport's bytes changed in place, so that whoever dies leaves the old ones or the new ones
(design page passport, "Appending", steps 2 and 5). The lock is held by the caller.
"""

from __future__ import annotations

import contextlib
import os

from baton.core.errors import BatonError, typed
from baton.core.passport.document import LIMIT
from baton.edge.passport import undo as undos
from baton.edge.passport.held import in_place
from baton.edge.passport.undo import FOREIGN, UNTOUCHED, Undo
from baton.hot import files

_RECORD_LIMIT = 2 * LIMIT + 4096
_NEW = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def read(fd: int) -> bytes:
    """Give the bytes of the open passport, at most one more than may be read. Raises OSError."""
    return files.read_open(fd, LIMIT)


def recover(fd: int, path: str, shown: str) -> str:
    """Take back what an append that died left, and say so in one sentence; "" when there is nothing.

    Raises `recovery-conflict`, nothing touched, when somebody has edited the file since, or the record
    is in a form that is not known; OSError.
    """
    record = undos.path_for(path)
    data = files.read(record, _RECORD_LIMIT)
    if data is None:
        return ""
    try:
        undo = undos.parse(data)
    except undos.Strange:
        raise _strange(record, shown) from None
    verdict = undo.judge(read(fd)) if undo else UNTOUCHED
    if verdict == FOREIGN:
        raise _conflict(record, shown)
    if undo and verdict != UNTOUCHED:
        _restore(fd, undo)
    _drop(record)
    return f"{shown}: an append that died halfway ({undo.by}) was taken back" if undo else ""


def put(fd: int, path: str, before: bytes, after: bytes, by: str) -> None:
    """Turn the open passport from `before` into `after`.

    by: who does it, for the undo record. Raises OSError or BatonError `io`: then the file is as it
    was, or the next command takes it back by the record; and files.Unconfirmed: then it is the new
    one, but the disk did not confirm that the record is gone.
    """
    undo = Undo.between(before, after, by)
    record = undos.path_for(path)
    _lay(record, undo.render())
    try:
        _write(fd, undo.at, undo.new, len(after))
        _check(fd, path, after)
        os.unlink(record)
    except BaseException:
        _restore(fd, undo)
        _drop(record)
        raise
    try:
        files.sync_folder(os.path.dirname(path))
    except OSError as error:
        raise files.Unconfirmed(error.errno, error.strerror, path) from error


def _lay(record: str, data: bytes) -> None:
    fd = os.open(record, _NEW, 0o600)
    try:
        try:
            files.write_all(fd, data)
            os.fsync(fd)
        finally:
            os.close(fd)
        files.sync_folder(os.path.dirname(record))
    except BaseException:
        os.unlink(record)
        raise


def _write(fd: int, at: int, data: bytes, size: int) -> None:
    os.lseek(fd, at, os.SEEK_SET)
    files.write_all(fd, data)
    os.ftruncate(fd, size)
    os.fsync(fd)


def _check(fd: int, path: str, after: bytes) -> None:
    if read(fd) != after:
        raise OSError(0, "other bytes came back than were written", path)
    if not in_place(fd, path):
        raise OSError(0, "it was replaced by another program meanwhile", path)


def _restore(fd: int, undo: Undo) -> None:
    """The old bytes are written anew even where they seem to be there: after a failed fsync the
    memory and the disk may differ."""
    _write(fd, undo.at, undo.old, undo.at + len(undo.old))


def _drop(record: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(record)
    files.sync_folder(os.path.dirname(record))


def _strange(record: str, shown: str) -> BatonError:
    message = (
        f"{shown}: {record} says that an append to it died halfway, in a form that this version of baton "
        "does not know. Nothing was touched. Look at the file; removing that record takes it as it is"
    )
    return BatonError("recovery-conflict", message, f"rm {typed(record)}")


def _conflict(record: str, shown: str) -> BatonError:
    message = (
        f"{shown}: an append to it died halfway, and somebody has edited it since; what baton left to "
        f"go back by is {record}. Nothing was touched. Look at the file; removing that record takes it as it is"
    )
    return BatonError("recovery-conflict", message, f"rm {typed(record)}")
