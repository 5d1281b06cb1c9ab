"""What is said of a run: where it stands, what its agents left, and the one call that goes on with
it (design page runs). Text from files is quoted data."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from baton.core.runs.standing import Standing, Unmatched
from baton.hot import clean

_NAMES = 12
_UNSEEN = "whether its agents left work trees or branches could not be checked: git did not say"


def names(ids: Sequence[str], most: int = _NAMES) -> str:
    """Give some ids, and how many more there are."""
    shown = ", ".join(clean.quoted(each, 60) for each in ids[:most])
    more = len(ids) - most
    return f"{shown} and {more} more" if more > 0 else shown


def counted(standing: Standing) -> str:
    """Give how much of a run is done; of a script's calls only those are known that were made."""
    known = "" if standing.fixed else " of the calls seen so far"
    return f"{len(standing.done)}/{standing.total}{known} done"


def stands(name: str, purpose: str, standing: Standing) -> list[str]:
    """Give where a run stands."""
    what = f"{clean.quoted(purpose, 120)}, " if purpose else ""
    lines = [f"run {name}: {what}{counted(standing)}"]
    if standing.remaining:
        lines.append(f"  left: {names(standing.remaining)}")
    if standing.in_flight:
        lines.append(
            f"  at work when it was last seen (their work so far is lost): {names(standing.in_flight)}"
        )
    return [*lines, *(f"  {line}" for line in unmatched(standing.unmatched, "not matched"))]


def unmatched(results: Sequence[Unmatched], what: str) -> list[str]:
    """Give a line for each result that could not be used, with the reason."""
    lines = [
        f"{what}: the result of {clean.line(each.agent, 40)}"
        + (f" ({clean.quoted(each.label, 60)})" if each.label else "")
        + f": {each.reason}"
        for each in results[:_NAMES]
    ]
    more = len(results) - _NAMES
    return [*lines, f"and {more} more"] if more > 0 else lines


def traces(found: Collection[dict[str, object]]) -> list[str]:
    """Give a line for each work tree or branch that agents left, or that this is not known."""
    lines = []
    for trace in found:
        if trace["kind"] == "unknown":
            lines.append(_UNSEEN)
            continue
        where = trace["path"] if trace["kind"] == "worktree" else trace["branch"]
        facts = []
        if trace["kind"] == "worktree":
            facts.append(_many(trace["changes"], "changed file"))
            facts.append(
                f"on {clean.quoted(str(trace['branch']), 80)}" if trace["branch"] else "detached"
            )
        if trace["branch"]:
            facts.append(f"{_many(trace['ahead'], 'commit')} that HEAD lacks")
        kind = "work tree" if trace["kind"] == "worktree" else "branch"
        lines.append(f"{kind} {clean.quoted(str(where), 160)}: {', '.join(facts)}")
    return lines


def _many(count: object, what: str) -> str:
    if not isinstance(count, int):
        return f"{what}s could not be counted"
    return f"{count} {what}{'' if count == 1 else 's'}"


def call(path: str) -> str:
    """Give the one call of the Workflow tool that goes on with a run."""
    return f"Workflow({{scriptPath: {json.dumps(path, ensure_ascii=False)}}})"
