"""baton.edge.runs.adopting: what a hook recorded by itself joins the run that was prepared."""

from __future__ import annotations

import json

import pytest

from baton.edge.runs import adopting
from baton.hot.runs import layout
from baton.hot.runs.layout import Place
from runs_desk import FOUR, RUN_ID, Desk

TASKS = [{"id": "t1", "label": "label a1"}, {"id": "t2", "label": "label a2"}]


def _recorded(desk: Desk) -> Place:
    """A run that hooks recorded, beside one that was prepared without its script."""
    desk.prepare(script="", tasks=TASKS)
    desk.prepare(RUN_ID, args=["a1", "a2"], children={"kid": "x"})
    desk.launch(RUN_ID)
    desk.ran("a1")
    desk.harvest(RUN_ID)
    return desk.place(RUN_ID)


def test_everything_comes_home(desk: Desk) -> None:
    orphan = _recorded(desk)
    adopting.adopt(desk.place(), orphan)
    run = desk.run()
    assert not orphan.exists
    assert run.place.read("script.js") == FOUR.encode()
    snapshot = run.snapshot
    assert [task["id"] for task in snapshot["tasks"]] == ["t1", "t2"]  # type: ignore[attr-defined]
    assert (snapshot["args"], snapshot["children"]) == (["a1", "a2"], {"kid": "x"})
    assert snapshot["purpose"] == "review the docs"
    assert (run.standing.done, run.standing.remaining) == (["t1"], ["t2"])
    assert [(a.number, a.run_id, a.known) for a in run.attempts] == [(1, RUN_ID, True)]
    assert desk.result("agent-a1")["run"] == "r1"


@pytest.mark.parametrize("cut", ["write", "remove"])
def test_cut_off_and_done_again(desk: Desk, cut: str, monkeypatch: pytest.MonkeyPatch) -> None:
    orphan = _recorded(desk)
    with monkeypatch.context() as patch:
        broken = "_bring" if cut == "write" else "shutil"
        patch.setattr(adopting, broken, None)
        with pytest.raises((TypeError, AttributeError)):
            adopting.adopt(desk.place(), orphan)
    adopting.adopt(desk.place(), orphan)
    assert not orphan.exists
    assert [a.run_id for a in desk.run().attempts] == [RUN_ID]
    assert desk.run().standing.done == ["t1"]


def test_behind_a_pending_attempt_and_behind_another(desk: Desk) -> None:
    orphan = _recorded(desk)
    desk.launch(run_id="wf_other")
    desk.launch(run_id="pending")
    adopting.adopt(desk.place(), orphan)
    launches, _ = layout.attempts(desk.place())
    assert [(launch["attempt"], launch["run_id"]) for launch in launches] == [
        (1, "wf_other"),
        (2, RUN_ID),
    ]


def test_one_without_a_snapshot(desk: Desk) -> None:
    desk.prepare(tasks=TASKS)
    orphan = desk.place(RUN_ID)
    orphan.write("results/agent-a1.json", layout.render({"agent": "a1", "run": RUN_ID}))
    orphan.write("results/odd.json", b"[1]")
    before = desk.place().read("snapshot.json")
    adopting.adopt(desk.place(), orphan)
    assert desk.place().read("snapshot.json") == before
    assert json.loads(desk.place().read("results/odd.json") or b"") == [1]
    assert desk.result("agent-a1")["run"] == "r1"
