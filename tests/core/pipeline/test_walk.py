"""Whatever anybody does: the whole space of states, and what holds in all of it."""

from __future__ import annotations

import pytest

from baton.core.pipeline import tables
from baton.core.pipeline.asking import Ask
from baton.core.pipeline.state import Pipeline
from pipeline_walk import Edge, Walk, walk
from pipelines import NOTHING

GATES = {"2.5": "3", "4.5": "5"}


def holds(edge: Edge) -> None:
    """What must hold of every step."""
    before, after = edge.before, edge.after
    assert not before.over or before == after
    assert after.rerevised <= tables.RE_REVISIONS
    assert all(after.stages[gate].state != "skipped" for gate in GATES)
    _holds_at_the_gates(edge)
    _holds_at_the_end(after)
    point = before.checkpoint
    if point is None or before.now == "paused":
        return
    left = after.checkpoint is None and after.now != "aborted" and after.current != before.current
    if left and point.mandatory:
        # Who goes back passes no gate.
        back = tables.is_back(before.current, after.current)
        assert edge.act or point.confirmed or back, edge
    if (
        point.closed
        and isinstance(edge.way, Ask)
        and edge.way.command in ("confirm", "choose", "skip")
    ):
        assert after.current == before.current
        assert after.checkpoint is not None


def _holds_at_the_gates(edge: Edge) -> None:
    """Nothing goes past an integrity stage but by a check of this very draft, or a person's own word."""
    before, after = edge.before, edge.after
    for gate, behind in GATES.items():
        if before.current != gate or after.current != behind:
            continue
        verdict = after.stages[gate].verdict
        assert verdict in ("VERIFIED", "UNVERIFIED")
        if verdict == "VERIFIED":
            assert edge.facts is NOTHING
        else:
            assert edge.act
            assert before.checkpoint is not None and before.checkpoint.limit


def _holds_at_the_end(after: Pipeline) -> None:
    """At stage 5 every gate between it and the entry has a verdict."""
    if after.current != "5":
        return
    for gate in GATES:
        between = tables.ORDER.index(after.entry) <= tables.ORDER.index(gate)
        assert not between or after.stages[gate].verdict


def _table_rows() -> set[str]:
    rows = {move.name for move in (*tables.NORMAL, *tables.SPECIAL)}
    rows |= {f"choice {each.stage} {on} {each.value}" for each in tables.CHOICES for on in each.on}
    return rows | {f"skip {row.stage}" for row in tables.SKIPS}


EVERYDAY = [(False, "2"), (False, "4"), (False, "5"), (True, "4"), (True, "5")]
WHOLE = [(reset, entry) for reset in (False, True) for entry in tables.ENTRIES]
CASES = [
    pytest.param(reset, entry, marks=() if (reset, entry) in EVERYDAY else pytest.mark.slow)
    for reset, entry in WHOLE
]
# Within one session no stage runs again: the one re-revision is never asked for twice.
ONLY_HANDED_OVER = {"choice 3' last go-on", "choice 3' last abort"}


@pytest.mark.parametrize(("reset", "entry"), CASES)
def test_the_whole_space(reset: bool, entry: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one round of correction for three: a counter is a counter."""
    monkeypatch.setattr(tables, "CORRECTIONS", 1)
    found: Walk = walk(entry, reset=reset, checked=holds)
    how = "handed over" if reset else "in one session"
    counts = f"{len(found.states)} states, {found.edges} steps, {found.refusals} refusals"
    print(f"tried: pipeline from {entry}, {how}: {counts}")
    assert f"INIT→{entry}" in found.fired
    assert found.refusals > found.edges > len(found.states) > 10
    if entry == "1":
        entries = {f"INIT→{each}" for each in tables.ENTRIES if each != "1"}
        unfired = _table_rows() - entries - found.fired
        assert unfired == (set() if reset else ONLY_HANDED_OVER)
