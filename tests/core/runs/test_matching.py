"""baton.core.runs.matching and calls: which results may be handed out, and by what."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from baton.core.runs import calls, matching
from baton.core.runs.records import Attempt, Record, in_finish_order, record, tasks
from baton.hot.runs import journal, layout


def _journal(*rows: str) -> journal.Journal:
    """`s a x` started agent a with label x, `r a` its result, `f a` failed, `n a` a null result."""
    lines = []
    for row in rows:
        kind, agent, *label = row.split(" ", 2)
        data: dict[str, object] = {"agentId": agent, "key": agent}
        if kind == "s":
            data |= {"type": "started", "label": label[0] if label else agent}
        elif kind == "f":
            data |= {"type": "failed"}
        else:
            data |= {"type": "result", "result": None if kind == "n" else f"of {agent}"}
        lines.append(layout.line(data))
    return journal.read(b"".join(lines))


def _record(agent: str, **more: object) -> Record:
    known: dict[str, object] = {
        "attempt": 1,
        "agent": agent,
        "label": agent,
        "prompt": f"do {agent}",
        "agent_type": "workflow-subagent",
        "result": f"of {agent}",
    }
    return record(f"agent-{agent}.json", known | more, {})


def _by_label(attempts: Sequence[Attempt], records: Sequence[Record]) -> list[str | None]:
    return [saved.label for saved in matching.plan(attempts, records, ()).saved if saved.by_label]


AB = [_record("a", row=0), _record("b", row=1), _record("c", row=2)]
NULLS = {
    "none": (("s a", "s b", "s c", "r a", "r b", "r c"), ["a", "b", "c"]),
    "one before": (("s x", "s a", "f x", "r a", "s b", "r b", "s c", "r c"), []),
    "one that began later": (
        ("s a", "s b", "s c", "r a", "s x", "f x", "r b", "r c"),
        ["a", "b", "c"],
    ),
    "one that failed after the result": (
        ("s x", "s a", "r a", "s b", "r b", "f x", "s c", "r c"),
        ["a", "b"],
    ),
    "a null result": (("s x", "n x", "s a", "r a", "s b", "r b", "s c", "r c"), []),
    "one without a started row": (("f x", "s a", "r a", "s b", "r b", "s c", "r c"), []),
    "one that succeeded after all": (
        ("s x", "f x", "s a", "r a", "r x", "s b", "r b", "s c", "r c"),
        ["a", "b", "c"],
    ),
}


@pytest.mark.parametrize("name", NULLS)
def test_what_began_after_a_null_does_not_go_by_label(name: str) -> None:
    rows, expected = NULLS[name]
    assert _by_label([Attempt(1, "wf_1", _journal(*rows), True)], AB) == expected


def test_a_null_that_only_a_hook_saw() -> None:
    """The journal was cut off before it could say so: the time counts. What ended at that very instant had
    begun before."""
    attempt = Attempt(1, "wf_1", _journal("s x", "s a", "s b"), True)
    died = _record("x", status="partial", error="rate_limit", ended=5)
    records = [died, _record("a", ended=4), _record("c", ended=5), _record("b", ended=6)]
    assert _by_label([attempt], records) == ["a", "c"]
    other = _record("x", status="partial", error="rate_limit", ended=5, attempt=2)
    assert _by_label([attempt], [other, *records[1:]]) == ["a", "c", "b"]


def test_without_a_journal_no_label_is_enough() -> None:
    """An agent in flight may have had the same."""
    attempts = [Attempt(1, "wf_1"), Attempt(2, "wf_2", _journal("s b"), True)]
    plan = matching.plan(attempts, [_record("a"), _record("b", prompt=None)], ())
    assert [saved.by_label for saved in plan.saved] == [False]
    assert [(each.agent, each.reason) for each in plan.unused] == [
        ("b", "what it was asked is not known, and its label is not enough")
    ]
    assert calls.unique_labels(attempts, []) == set()


def test_labels_over_several_attempts() -> None:
    """One that was in flight and came again is one call; one that had its result is two."""
    first = Attempt(1, "wf_1", _journal("s a same", "r a", "s b", "s c"), True)
    second = Attempt(2, "wf_2", _journal("s d b", "r d", "s e same"), True)
    records = [_record("a", label="same"), _record("d", label="b", attempt=2)]
    assert calls.unique_labels([first, second], records) == {"b", "c"}
    assert _by_label([first, second], records) == ["b"]


def test_open_calls_of_one_label_are_filled_one_by_one() -> None:
    first = Attempt(1, "wf_1", _journal("s a same", "s b same"), True)
    second = Attempt(2, "wf_2", _journal("s c same", "s d same", "r d"), True)
    found = calls.calls([first, second], [_record("d", label="same", attempt=2)])
    assert [(call.agents, call.result is not None) for call in found] == [
        (["a", "c"], False),
        (["b", "d"], True),
    ]


def test_in_the_order_of_their_start_with_the_order_of_their_end() -> None:
    records = [
        _record("b", started=1, row=0),
        _record("a", started=0, row=1),
        _record("d", ended=9),
        _record("c", ended=8),
        _record("e", started=0, row=0, attempt=2),
        _record("p", status="partial"),
        _record("n", result=None),
        record("t1.json", {"result": "of a task"}, {}),
    ]
    attempts = [Attempt(1, "wf_1"), Attempt(2, "wf_2")]
    saved = matching.plan(attempts, records, ()).saved
    assert [(each.label, each.order) for each in saved] == [
        ("a", 1),
        ("b", 0),
        ("c", 2),
        ("d", 3),
        ("e", 4),
    ]


def test_a_record_whose_attempt_is_not_known() -> None:
    attempt = Attempt(1, "wf_1", _journal("s a", "r a", "s b", "r b"), True)
    stray = record(
        "agent-c.json", {"agent": "c", "label": "a", "attempt": 7, "prompt": "p", "result": 1}, {}
    )
    records = [_record("a", row=0), _record("b", row=1), stray]
    assert _by_label([attempt], records) == ["b"]
    assert len(matching.plan([attempt], records, ()).saved) == 3


CHILDREN = {
    "▸ kid": True,
    "▸ kid #2": True,
    "▸ kid #x": False,
    "▸ other": False,
    "A": True,
    None: True,
}


@pytest.mark.parametrize("phase", CHILDREN)
def test_results_of_children(phase: str | None) -> None:
    plan = matching.plan([Attempt(1, "wf_1")], [_record("a", phase=phase)], {"kid"})
    assert bool(plan.saved) is CHILDREN[phase]


def test_prompts_that_are_alone() -> None:
    """Only where a script was edited, and only while every prompt is known."""
    records = [_record("a", prompt="p"), _record("b", prompt="q"), _record("c", prompt="q")]

    def alone(**asked: str | None) -> list[bool]:
        attempt = Attempt(1, "wf_1", asked=asked)
        return [s.solo for s in matching.plan([attempt], records, (), edited=True).saved]

    assert alone() == [True, False, False]
    assert alone(x="r") == [True, False, False]
    assert alone(x="p") == [False, False, False]
    assert alone(x=None) == [False, False, False]


def test_records_of_any_shape() -> None:
    odd = {"attempt": True, "agent": 7, "prompt": [], "row": "x", "status": 3, "worktree": "yes"}
    read = record("t1.json", odd | {"result": "x"}, {})
    assert (read.attempt, read.agent, read.task, read.prompt, read.row) == (1, "", "t1", None, None)
    assert (read.complete, read.worktree) == (False, False)
    assert record("agent-a.json", {"agent": "a", "run_id": "wf_2"}, {"wf_2": 5}).attempt == 5
    assert in_finish_order([]) == []
    assert tasks({"tasks": "x"}) == []
    assert tasks({"tasks": [1, {"id": 2}, {"id": "a"}]})[0].label == "a"
