"""A flush asked for on the command line, and its outcome in words, data and exit code."""

from __future__ import annotations

from baton.cli.context import Context
from baton.hot.flush import Outcome
from baton.hot.flush import flush as hot_flush
from baton.hot.pause import kept_where

_EXITS = {"refused": 3, "deferred": 5, "failed": 5}


def flush(context: Context) -> Outcome:
    """Put the state files into git."""
    return hot_flush(context.project, context.state, context.config)


def sentence(outcome: Outcome, context: Context) -> str:
    """Say in a few lines what became of the state files."""
    where = kept_where(context.project, context.state, outcome)
    lines = [where or ": ".join(word for word in (outcome.kind, outcome.reason) if word)]
    lines += [f"  {path}" for path in outcome.paths]
    lines += [f"  left out {path}: {reason}" for path, reason in outcome.refused]
    return "\n".join(lines)


def data(outcome: Outcome) -> dict[str, object]:
    """Give the object of `baton wal flush --json`."""
    return {
        "outcome": outcome.kind,
        "commit": outcome.commit,
        "ref": outcome.ref,
        "paths": list(outcome.paths),
        "refused": [{"path": path, "reason": reason} for path, reason in outcome.refused],
        "reason": outcome.reason,
    }


def exit_code(outcome: Outcome) -> int:
    """Give the exit code: 3 when something was left out, 5 when nothing could be kept."""
    return _EXITS.get(outcome.kind, 0)
