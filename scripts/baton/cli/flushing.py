"""A flush asked for on the command line, and its outcome in words, data and exit code."""

from __future__ import annotations

from baton.cli.context import Context
from baton.hot.flush.flush import Outcome
from baton.hot.flush.flush import flush as hot_flush
from baton.hot.pause import kept_where, recall

_EXITS = {"deferred": 5, "failed": 5}


def flush(context: Context) -> Outcome:
    """Put the state files into git."""
    outcome = hot_flush(context.project, context.state, context.config)
    recall(outcome, context.state)
    return outcome


def sentence(outcome: Outcome, context: Context) -> str:
    """Say in a few lines what became of the state files."""
    where = kept_where(context.project, context.state, outcome) if outcome.kind != "refused" else ""
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
    """Give the exit code: 5 when nothing could be kept, 3 when nothing was and something is left out."""
    return _EXITS.get(outcome.kind, 3 if outcome.refused and not outcome.commit else 0)
