"""Whether a Claude Code session is a fork of another, and so remembers what that one did.

A fork has an id of its own, but its transcript begins with the other's rows, each under the id that it
had there (seen on Claude Code 2.1.332). Transcripts are kept for 30 days and on one machine.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from baton.hot import homes
from baton.hot.state import State

_MARK = b'"uuid":"'
_ID_LENGTH = 36


def is_fork(environ: Mapping[str, str], state: State, session: str, other: str) -> bool | None:
    """Say whether `session` is a fork of the session `other`; None when that cannot be told.

    Where the other's transcript is gone, a session that is known to be a fork of some session counts
    as one of this.
    """
    mine, theirs = _transcript(environ, session), _transcript(environ, other)
    if mine and theirs:
        return not set(_rows(theirs)).isdisjoint(_rows(mine))
    # The SessionStart hook noted how the session began.
    return True if state.record(f"sessions/{session}").get("source") == "fork" else None


def _transcript(environ: Mapping[str, str], session: str) -> str:
    """The path of a session's transcript, "" when it is not here."""
    if not session.replace("-", "").isalnum():
        return ""
    try:
        with os.scandir(os.path.join(homes.claude(environ), "projects")) as folders:
            paths = [os.path.join(folder.path, f"{session}.jsonl") for folder in folders]
    except OSError:
        return ""
    return next(filter(os.path.isfile, paths), "")


def _rows(path: str) -> Iterator[bytes]:
    """The ids of a transcript's rows; those that come before a row cannot be read."""
    try:
        with open(path, "rb") as file:
            for line in file:
                at = line.rfind(_MARK)
                if at >= 0:
                    yield line[at + len(_MARK) : at + len(_MARK) + _ID_LENGTH]
    except OSError:
        return
