"""baton.hot.runs.journal: the host's own record of a run (cases W1, W3, W4)."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from baton.hot.runs import journal
from workflow_host import DATA

RECORDED = (
    DATA / "killed-after-2-of-4/fc8a8afc-b1ab-439f-aae2-c2fba7670ec0/subagents/workflows"
    "/wf_0b147f76-b4d/journal.jsonl"
)


def lines(*rows: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in rows)


def started(agent: str, **more: str) -> dict[str, Any]:
    return {"type": "started", "key": f"v2:{agent}", "agentId": agent, **more}


def result(agent: str, value: object) -> dict[str, Any]:
    return {"type": "result", "key": f"v2:{agent}", "agentId": agent, "result": value}


def test_a_journal_of_the_real_program() -> None:
    found = journal.read(RECORDED.read_bytes())
    assert len(found.started) == 4
    assert list(found.labels.values()) == ["t:alpha", "t:beta", "t:gamma", "t:delta"]
    assert set(found.phases.values()) == {"A"}
    assert [found.labels[agent] for agent in found.results] == ["t:alpha", "t:beta"]
    assert list(found.results.values()) == [(0, "RESULT for  alpha"), (1, "RESULT for  beta")]
    assert [found.labels[agent] for agent in found.missing()] == ["t:gamma", "t:delta"]
    assert (found.bad, found.failed) == (0, {})


def test_forty_starts_and_thirty_nine_results_out_of_order() -> None:
    agents = [f"a{n}" for n in range(40)]
    rows = [started(agent, label=f"task {agent}") for agent in agents]
    rows += [result(agent, agent) for agent in reversed(agents) if agent != "a3"]
    found = journal.read(lines(*rows))
    assert len(found.results) == 39
    assert found.missing() == ["a3"]
    assert found.results["a39"] == (0, "a39")
    assert found.results["a0"] == (38, "a0")


def test_a_last_line_that_was_cut_is_counted() -> None:
    data = lines(started("a"), started("b"), result("a", "x"), result("b", "y"))
    found = journal.read(data[:-8])
    assert (found.bad, found.missing()) == (1, ["b"])


def test_null_and_failed_are_no_results() -> None:
    rows = (started("a"), started("b"), result("a", None), {"type": "failed", "agentId": "b"})
    found = journal.read(lines({"type": "launched"}, *rows, result("c", {"x": None})))
    assert found.results == {"c": (1, {"x": None})}
    assert found.failed == {"a": 0, "b": 1}
    assert found.missing() == ["a", "b"]


def test_an_agent_asked_again_stands_there_twice() -> None:
    data = lines(
        started("a"), started("b"), started("a"), result("x", "{"), {"type": "odd", "agentId": "a"}
    )
    assert journal.read(data).started == ["a", "b", "a"]
    places = [journal.started_place(data, agent) for agent in ("a", "b", "x")]
    assert places == [2, 1, None]


@given(st.binary())
def test_any_bytes_are_read(data: bytes) -> None:
    journal.read(data)
    journal.started_place(data, "a")
