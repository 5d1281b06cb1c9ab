"""Runs a chain's own commands, each bounded and all together bounded.

Only ever called after a person's act.
"""

from __future__ import annotations

import os
import time

from baton.core.chain.checks import Result
from baton.edge import process

_CAP = 64 << 10
_KEPT = 4000
TOGETHER_SECONDS = 120.0


class Budget:
    """The time that all commands of one report may take together."""

    def __init__(self, seconds: float = TOGETHER_SECONDS) -> None:
        self._deadline = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left, never below 0."""
        return max(0.0, self._deadline - time.monotonic())


def run(command: str, root: str, seconds: float, budget: Budget) -> Result:
    """Run a command line by the system's shell in the project's folder.

    A time-out is an answer without exit, not a failure.
    """
    allowed = min(seconds, budget.left)
    if allowed <= 0:
        return Result(
            None, reason=f"not run: the commands before it used up {TOGETHER_SECONDS:.0f} s"
        )
    done = process.run(_shell(command), cwd=root, env=dict(os.environ), timeout=allowed, cap=_CAP)
    output, errors = _text(done.output), _text(done.errors)
    if done.timed_out:
        return Result(None, output, errors, f"still running after {allowed:.3g} s and stopped")
    if done.exit in (126, 127, None):
        words = (errors.strip().splitlines() or ["not found"])[-1]
        return Result(None, output, errors, f"cannot be run here: {words[:200]}")
    return Result(done.exit, output, errors)


def _text(data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    return text[:_KEPT] + ("\n[cut]" if len(text) > _KEPT else "")


def _shell(command: str) -> list[str]:
    return ["sh", "-c", command] if os.name != "nt" else ["bash", "-c", command]
