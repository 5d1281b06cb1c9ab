"""An exclusive OS lock on an open file's descriptor: the one door to filelock.

The kernel frees it when the last descriptor of that open file is closed, whatever became of the
process: it is never taken over and never left behind.
"""

from __future__ import annotations


def take(fd: int) -> bool:
    """Take the lock without waiting; False when somebody else has it.

    fd: open for reading and writing. Raises OSError where the file system or the platform has no
    such lock to give.
    """
    from filelock import lock_descriptor  # dear to import, and only who writes needs it

    return lock_descriptor(fd, blocking=False)
