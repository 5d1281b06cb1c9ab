"""Who holds the lock on a file: what Linux tells of it, for a person who waits."""

from __future__ import annotations

import os

from baton.hot import clean

NOBODY_KNOWN = "another process"
_LOCKS = "/proc/locks"
_COMMAND_WIDTH = 120


def name(fd: int) -> str:
    """Give who holds the lock on an open file, such as `process 4711 (python3 … resume …), stopped`.

    `another process` where the system does not say. Never raises.
    """
    try:
        pid = _pid(os.fstat(fd))
    except OSError:
        return NOBODY_KNOWN
    return f"process {pid}{_command(pid)}{_state(pid)}" if pid else NOBODY_KNOWN


def _pid(status: os.stat_result) -> str:
    """The holder by inode; by device too where the system gives both names for it."""
    device = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    by_inode = {}
    with open(_LOCKS, encoding="ascii") as locks:
        for row in map(str.split, locks):
            # Who waits has an arrow in the second field.
            if (
                len(row) > 5
                and row[1] == "FLOCK"
                and row[5].rpartition(":")[2] == str(status.st_ino)
            ):
                by_inode[row[5]] = row[4]
    return by_inode.get(device) or next(iter(by_inode.values()), "")


def _command(pid: str) -> str:
    words = _read(f"/proc/{pid}/cmdline").replace("\0", " ")
    return f" ({clean.line(words, _COMMAND_WIDTH)})" if words else ""


def _state(pid: str) -> str:
    stopped = "\nState:\tT" in _read(f"/proc/{pid}/status")
    return ", which is stopped" if stopped else ""


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(1 << 16)
    except OSError:
        return ""
