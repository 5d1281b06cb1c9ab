"""Facts that a test waits for, however busy the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path


def wait_until(true: Callable[[], object], what: str, seconds: float = 120.0) -> None:
    """Wait until `true()` holds; fail with `what` if it does not within `seconds`."""
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until, f"not within {seconds:g} s: {what}"
        time.sleep(0.02)


def status(pid: int) -> list[str]:
    """Give state, parent, group… of a process; a dead one is like one that waits to be reaped."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ["Z", "0", "0"]
    return text.rpartition(")")[2].split()


def alive(pid: int) -> bool:
    """Whether a process runs. One that was sent KILL does until its turn comes to die."""
    return status(pid)[0] not in ("Z", "X")
