"""baton.edge.runs.launches: a launch that no hook recorded, from the transcript of its session."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from baton.edge.runs import launches
from baton.edge.runs.relaunching import Wish, prepare
from baton.hot.runs import layout
from runs_desk import AT, FOUR, RUN_ID, Desk

ARGS = ["a1", "a2"]


@pytest.fixture
def ran(desk: Desk) -> Desk:
    """One of two agents came to its end; no hook was there."""
    desk.ran("a1", left=("a2",))
    return desk


def _script(desk: Desk, name: str = RUN_ID) -> str:
    return (desk.place(name).read("script.js") or b"").decode()


def test_script_args_and_attempt(ran: Desk) -> None:
    """What no hook saw; the relaunch is as if one had."""
    ran.told({"script": FOUR, "args": ARGS})
    run = ran.harvest(RUN_ID).run
    assert _script(ran) == FOUR
    assert (run.snapshot["purpose"], run.snapshot["args"]) == ("demo: a demo", ARGS)
    assert run.launches == [
        {
            "attempt": 1,
            "run_id": RUN_ID,
            "session": ran.host.session,
            "transcripts": str(ran.host.folder()),
            "cwd": str(ran.repo),
            "launched": "2026-11-30T20:58:15Z",
            "source": "transcript",
            "script": layout.digest(FOUR),
            "relaunch": False,
            "tool_use": "toolu_9",
        }
    ]
    assert [saved.value for saved in prepare(run, Wish()).plan.saved] == ["result of a1"]
    assert ran.harvest(RUN_ID).fresh == 0
    assert len(ran.run(RUN_ID).launches) == 1


def test_what_a_person_recorded_without_the_script(ran: Desk) -> None:
    """It keeps its name and purpose; the launch stays the one that was noted."""
    ran.prepare(script="")
    ran.launch(source="command")
    ran.told({"script": FOUR, "args": ARGS})
    run = ran.harvest().run
    assert (run.place.name, run.purpose, _script(ran, "r1")) == ("r1", "review the docs", FOUR)
    assert [launch["attempt"] for launch in run.launches] == [1]


def test_a_relaunch_that_no_hook_saw_is_one_more_of_its_run(ran: Desk) -> None:
    ran.prepare(args=ARGS)
    ran.launch()
    relaunch = prepare(ran.harvest().run, Wish()).path
    ran.ran("b2", run_id="wf_second-1")
    ran.told(
        {"scriptPath": relaunch},
        run_id="wf_second-1",
        script_path=relaunch,
        at="2999-01-01T00:00:00Z",
    )
    outcome = ran.harvest("wf_second-1")
    assert outcome.run.place.name == "r1"
    assert [launch["run_id"] for launch in outcome.run.launches] == [RUN_ID, "wf_second-1"]
    assert _script(ran, "r1") == FOUR


def test_the_last_of_several_launches_of_one_run_id(ran: Desk) -> None:
    ran.told({"script": FOUR + "// old\n"})
    ran.told({"script": FOUR}, id="toolu_10")
    ran.harvest(RUN_ID)
    assert _script(ran) == FOUR


@pytest.mark.parametrize("name", ["named", "path"])
def test_a_script_that_the_call_only_names(ran: Desk, name: str) -> None:
    """The answer says where it stands; one that was written to since is not what ran."""
    path = ran.repo / "flow.js"
    path.write_text(FOUR)
    os.utime(path, (1, 1))
    given = {"name": "demo"} if name == "named" else {"scriptPath": "flow.js"}
    ran.told({**given, "args": ARGS}, script_path=str(path))
    ran.harvest(RUN_ID)
    assert _script(ran) == FOUR


# (its bytes or None, when it was written in epoch seconds, the time of the answer)
BAD_SCRIPTS = {
    "edited since": (FOUR.encode(), 4e9, AT),
    "gone": (None, 1, AT),
    "not UTF-8": (b"\xe9", 1, AT),
    "no time": (FOUR.encode(), 1, "soon"),
}


@pytest.mark.parametrize("name", BAD_SCRIPTS)
def test_a_script_that_is_not_known(ran: Desk, name: str) -> None:
    """Results are collected all the same."""
    data, written, at = BAD_SCRIPTS[name]
    path = ran.repo / "flow.js"
    if data is not None:
        path.write_bytes(data)
        os.utime(path, (written, written))
    ran.told({"scriptPath": "flow.js"}, script_path=str(path), at=at)
    assert ran.harvest(RUN_ID).fresh == 1
    assert _script(ran) == ""


ODD: dict[str, list[dict[str, object]]] = {
    "nothing of it": [],
    "another run": [{"toolUseResult": {"runId": "wf_other"}, "message": {"content": []}}],
    "no call": [
        {
            "toolUseResult": {"runId": RUN_ID},
            "message": {"content": [{"tool_use_id": "toolu_8"}]},
        }
    ],
    "no message": [{"toolUseResult": {"runId": RUN_ID}, "name": "Workflow"}],
    "no answer": [{"toolUseResult": RUN_ID, "message": {"content": "Workflow"}}],
}


@pytest.mark.parametrize("name", ODD)
def test_transcripts_that_tell_nothing(ran: Desk, name: str) -> None:
    with Path(f"{ran.host.base}.jsonl").open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in ODD[name])
        file.write('{"half "Workflow"')
    assert ran.harvest(RUN_ID).fresh == 1
    assert _script(ran) == ""


def test_no_transcript_at_all(ran: Desk) -> None:
    folder = ran.host.folder()
    row = {"cwd": str(ran.repo)}
    path = folder / "agent-a1.jsonl"
    path.write_text(json.dumps(row) + "\n" + path.read_text())
    Path(f"{ran.host.base}.jsonl").unlink()
    assert ran.harvest(RUN_ID).fresh == 1
    assert _script(ran) == ""


def test_never_another_projects(ran: Desk) -> None:
    ran.told({"script": FOUR})
    ran.cwd("/somebody/else")
    at = [str(ran.config)]
    assert launches.bring(ran.project, ran.state, RUN_ID, at, [], 1) is None
