"""What `baton close` says: of what it did, and of what it would do."""

from __future__ import annotations

from dataclasses import dataclass

from baton.core.close import Facts, Run, listed
from baton.hot import clean
from baton.hot.git.head import BRANCHES

OUTSIDE = "not a git repository: nothing to squash"
_SHOWN = 10
_SHORT = 8


@dataclass(frozen=True)
class Closing:
    """A close, done or rehearsed.

    facts: None outside git. message: of the closing commit, None when none was asked for. off: why
    baton commits nothing to the branch here, "". backup, commit: what was made, "" for nothing.
    waits: whether the index holds something to commit. chain: whether there is a chain to empty.
    """

    facts: Facts | None
    run: Run
    message: str | None
    off: str
    backup: str
    commit: str
    waits: bool
    chain: bool


def done(closing: Closing) -> list[str]:
    """Give the lines for a person after a close."""
    facts = closing.facts
    lines = [OUTSIDE]
    if facts:
        lines = [_squashed(closing, facts), *_kept(closing), *_left(closing)]
        lines += _commit(closing, facts)
    return [*lines, "the chain is empty" if closing.chain else "there is no chain here"]


def refused(why: str, hint: str) -> list[str]:
    """Give the lines for a person instead of a close that would be refused. hint: the way out, ""."""
    return [f"would be refused: {clean.line(why)}", *([f"try: {clean.line(hint)}"] if hint else [])]


def planned(closing: Closing, flush_first: bool) -> list[str]:
    """Give the lines for a person instead of a close that would be made."""
    lines: list[str] = []
    facts = closing.facts
    if facts is None:
        lines += [OUTSIDE]
    elif closing.run.commits:
        lines += [
            f"would take {_counted(closing.run)} off {_branch(facts)}, back to {_base(closing)}:"
        ]
        lines += [
            f"  {_short(c.id)} {clean.line(c.subject, 60)}" for c in closing.run.commits[:_SHOWN]
        ]
        more = len(closing.run.commits) - _SHOWN
        lines += [f"  and {more} more"] if more > 0 else []
    else:
        lines += [_squashed(closing, facts)]
    lines += _left(closing)
    lines += (
        ["something has changed since the last flush: one would come first"] if flush_first else []
    )
    lines += ["the chain would be emptied"] if closing.chain else []
    return [*lines, "nothing was done"]


def data(closing: Closing, refused: str) -> dict[str, object]:
    """Give the object of `baton close --json`."""
    return {
        "trailing": len(closing.run.commits),
        "base": closing.run.base,
        "commits": [commit.id for commit in closing.run.commits],
        "refused": refused or None,
        "left": closing.run.left,
        "staged": list(closing.facts.staged) if closing.facts else [],
        "backup": closing.backup,
        "commit": closing.commit,
    }


def _squashed(closing: Closing, facts: Facts) -> str:
    run = closing.run
    if not run.commits:
        return f"nothing to squash on {_branch(facts)}{f': {closing.off}' if closing.off else ''}"
    if closing.commit:
        return f"{_counted(run)} absorbed by {_short(closing.commit)} on {_branch(facts)}"
    what = "what they hold is staged" if closing.waits else "together they changed nothing"
    return f"{_counted(run)} taken off {_branch(facts)}; {what}"


def _kept(closing: Closing) -> list[str]:
    ref = closing.backup
    return [f"  kept on {ref}; to get them back: git reset --soft {ref}"] if ref else []


def _left(closing: Closing) -> list[str]:
    return [f"baton's commits below stay: {closing.run.left}"] if closing.run.left else []


def _commit(closing: Closing, facts: Facts) -> list[str]:
    staged = listed(facts.staged)
    if closing.commit:
        first = closing.message.strip().split("\n", 1)[0] if closing.message else ""
        lines = [f"the closing commit: {_short(closing.commit)} {clean.line(first, 60)}"]
        return lines + ([f"  with what you had staged: {staged}"] if staged else [])
    if closing.message is not None:
        return ["nothing to commit: no closing commit was made"]
    lines = [f"staged by you: {staged}"] if staged else []
    if closing.run.commits and closing.waits:
        lines.append("now make the commit that absorbs them: git commit -m MESSAGE")
    return lines


def _counted(run: Run) -> str:
    count = len(run.commits)
    return f"{count} commit{'s' if count > 1 else ''} of baton's"


def _branch(facts: Facts) -> str:
    return clean.line(facts.branch.removeprefix(BRANCHES)) or "HEAD"


def _base(closing: Closing) -> str:
    return _short(closing.run.base)


def _short(id_: str) -> str:
    return id_[:_SHORT]
