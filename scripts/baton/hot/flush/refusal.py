"""What is left out and named: one bad path never costs the rest (design page persist)."""

from __future__ import annotations

import os

from baton.hot.flush import signature
from baton.hot.flush.attempt import Attempt
from baton.hot.flush.comparison import Comparison

# What git stores in good time; a larger file would keep all the others waiting.
LIMIT = 32 << 20
_TYPE, _FILE = 0o170000, 0o100000


def objection(attempt: Attempt, path: bytes) -> str:
    """Say why the content of a state file may not be kept, "" when it may.

    This is the place for every look into a file.
    """
    place = attempt.survey.place(path)
    if not os.access(place, os.R_OK):
        return "cannot be read: Permission denied"
    if os.stat(place).st_size > LIMIT:
        return f"larger than {LIMIT >> 20} MiB"
    return ""


def look(comparison: Comparison) -> None:
    """Take each file that meets an objection out of a comparison; the survey names it."""
    attempt = comparison.attempt
    for path, mode in list(comparison.files.items()):
        reason = objection(attempt, path) if mode & _TYPE == _FILE else ""
        if reason:
            del comparison.files[path]
            attempt.survey.faults[path] = reason


def included(attempt: Attempt) -> dict[bytes, int]:
    """Give path → st_mode of the further files asked for; the survey names the others."""
    found = {}
    for path in attempt.request.include:
        reason, mode = _faults_of(attempt, path)
        if reason:
            attempt.survey.faults[path] = reason
        else:
            found[path] = mode
    return found


def _faults_of(attempt: Attempt, path: bytes) -> tuple[str, int]:
    from baton.hot.config import fault_of

    whole = os.path.join(attempt.survey.base, path)
    fault = fault_of(signature.shown(attempt.request.project, path))
    try:
        mode = os.lstat(whole).st_mode
    except OSError as error:
        return fault or error.strerror or "cannot be looked at", 0
    if mode & _TYPE != _FILE:
        fault = fault or "not a regular file"
    if os.path.realpath(whole) != whole:
        fault = fault or "behind a symbolic link"
    return fault or objection(attempt, path), mode
