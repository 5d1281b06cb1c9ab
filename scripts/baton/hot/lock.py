"""The lock of a state directory.

An OS lock on an open file, freed by the kernel when its holder dies.
"""

import os
import time

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

_POLL_SECONDS = 0.02


class Locked(Exception):
    """Somebody else held the lock for the whole time that was allowed."""


class Lock:
    """Held inside `with`; entering waits at most `wait` seconds, then raises Locked.

    The lock file is never removed.
    """

    __slots__ = ("_fd", "_path", "_wait")

    def __init__(self, path: str, wait: float) -> None:
        self._path = path
        self._wait = wait
        self._fd = -1

    def __enter__(self) -> "Lock":
        self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        try:
            _wait_for(self._fd, time.monotonic() + self._wait)
        except BaseException:
            os.close(self._fd)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)


def _wait_for(fd: int, deadline: float) -> None:
    while not _try(fd):
        if time.monotonic() >= deadline:
            raise Locked
        time.sleep(_POLL_SECONDS)


def _try(fd: int) -> bool:
    try:
        if fcntl is not None:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:  # pragma: no cover - Windows
            import msvcrt

            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
    except OSError:
        return False
    return True
