"""A person's act: what a human typed in this session, noted by the prompt hook.

Time and session, never text (design README).
"""

from __future__ import annotations

import time

from baton.hot.state import State

RUN_CHECKS = "run-checks"
_VALID_SECONDS = 600


def note(state: State, act: str, session: str) -> None:
    """Note that a person did `act` in `session` just now.

    A note that cannot be written is an act that was not done.
    """
    _write(state, act, session)


def _write(state: State, act: str, session: str) -> bool:
    try:
        state.set_record(f"acts/{act}", {"session": session, "time": int(time.time())})
    except OSError:
        return False
    return True


def take(state: State, act: str, session: str) -> bool:
    """Say whether a person did `act` in `session` within ten minutes, and use it up.

    One act answers one question: where it cannot be used up, it answers none.
    """
    record = state.record(f"acts/{act}")
    noted = record.get("time")
    fresh = isinstance(noted, int) and 0 <= time.time() - noted <= _VALID_SECONDS
    return bool(session and fresh and record.get("session") == session) and _write(state, act, "")
