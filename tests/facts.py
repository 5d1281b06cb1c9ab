"""What a test waits for, and how long baton does, however busy the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from baton.edge import process

if TYPE_CHECKING:
    import pytest

PAUSE = 0.05
T = TypeVar("T")


def until(ask: Callable[[], T], seconds: float = 180.0) -> T:
    """Give the first true answer of `ask`, or its last false one after `seconds`."""
    end = time.monotonic() + seconds
    while not (answer := ask()) and time.monotonic() < end:
        time.sleep(PAUSE)
    return answer


def wait_until(true: Callable[[], object], what: str = "", seconds: float = 180.0) -> None:
    """Wait until `true()` holds; fail with `what` if it does not within `seconds`."""
    assert until(true, seconds), f"not within {seconds:g} s: {what}"


def timed_from(
    patch: pytest.MonkeyPatch, true: Callable[[], object], what: str, seconds: float
) -> None:
    """Let baton's time for a program last `seconds` from the moment at which `true()` holds."""
    real = process._await

    def later(program: Any, sinks: Any, _: float) -> int | None:
        wait_until(true, what)
        return real(program, sinks, time.monotonic() + seconds)

    patch.setattr(process, "_await", later)


def timed_alone(patch: pytest.MonkeyPatch, *words: str) -> None:
    """Bound only those programs that have one of these words; all others may take their time."""
    run = process.run

    def patient(argv: list[str], *, timeout: float, **more: Any) -> process.Completed:
        return run(argv, timeout=timeout if set(words).intersection(argv) else 60, **more)

    patch.setattr(process, "run", patient)


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
