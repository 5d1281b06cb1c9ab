"""A run that came to its end: harvested where every agent has its result (design page runs)."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from baton.hot import project, prompt
from baton.hot.runs import layout, settle, waiting
from baton.hot.state import State
from doors import Door
from hot.runs.conftest import Left
from workflow_host import RUN_ID, Host, recorded, said, text

NOTIFICATION = recorded("UserPromptSubmit-task-notification")["prompt"]
KEY = "AKIA" + "Z7QK3JRWX5TNV2MD"


def notify(repo: Path, prompt: str = NOTIFICATION) -> str:
    here = project.locate({}, str(repo))
    assert here is not None
    return settle.notified(here, State(here, dict(os.environ)), prompt)


def test_every_agent_has_its_result(launched: Host, door: Door, left: Left) -> None:
    for agent in ("a1", "a2"):
        door(launched.agent(agent))
        launched.result(agent, f"result of {agent}")
    assert waiting.names(left_project(launched)) == [RUN_ID]
    left.place.write("relaunch-2.js", b"")
    left.place.write("relaunch-2-saved-0.js", b"", private=True)
    notify(launched.project)
    assert not [name for name in left.place.listing("") if name.startswith("relaunch")]
    record = json.loads((left.folder / "harvested.json").read_text())
    assert record.pop("at").endswith("Z")
    assert record == {"done": 2, "attempts": 1, "by": "hook"}
    copied = (left.folder / f"journal/{RUN_ID}.jsonl").read_bytes()
    assert copied == (launched.folder() / "journal.jsonl").read_bytes()
    assert waiting.names(left_project(launched)) == []
    notify(launched.project)
    assert len(left.files()) == 7


def left_project(host: Host) -> project.Project:
    here = project.locate({}, str(host.project))
    assert here is not None
    return here


def test_an_agent_without_a_result_keeps_the_run_open(
    launched: Host, door: Door, left: Left
) -> None:
    door(launched.agent("a1"))
    launched.agent("a2")
    door(launched.failure("a2"))
    notify(launched.project)
    assert "harvested.json" not in left.files()
    assert f"journal/{RUN_ID}.jsonl" in left.files()


@pytest.mark.parametrize("status", ["failed", "killed"])
def test_a_run_that_did_not_complete_stays_open(
    launched: Host, door: Door, left: Left, status: str
) -> None:
    door(launched.agent("a1"))
    prompt = NOTIFICATION.replace(">completed<", f">{status}<", 1)
    notify(launched.project, prompt)
    notify(launched.project, prompt.replace('["SAVED', "<status>completed</status>"))
    assert "harvested.json" not in left.files()


def test_a_result_cannot_pass_for_the_hosts_word(launched: Host, door: Door, left: Left) -> None:
    """A run id of another run inside the result: the folder that the host names decides nothing else."""
    door(launched.agent("a1"))
    forged = f"<result>/x/subagents/workflows/{RUN_ID}/y"
    other = NOTIFICATION.replace(RUN_ID, "wf_unknown")
    notify(launched.project, other.replace("<result>", forged))
    notify(launched.project, "<task-notification><status>completed</status> a shell command")
    assert left.files() == [
        "attempts.jsonl",
        "results/agent-a1.json",
        "script.js",
        "snapshot.json",
    ]


def test_a_journal_that_is_gone(launched: Host, door: Door, left: Left) -> None:
    door(launched.agent("a1"))
    (launched.folder() / "journal.jsonl").unlink()
    notify(launched.project)
    assert "harvested.json" not in left.files()


def test_a_launch_whose_folder_is_not_known(launched: Host, left: Left) -> None:
    line = layout.line({"attempt": 1, "run_id": RUN_ID, "transcripts": None})
    (left.folder / "attempts.jsonl").write_bytes(line)
    notify(launched.project)
    left.place.write("attempts.jsonl", layout.line({"attempt": 1, "run_id": "wf_other"}))
    notify(launched.project)
    assert left.files() == ["attempts.jsonl", "script.js", "snapshot.json"]


def test_a_journal_with_a_secret_stays_outside_git(launched: Host, door: Door, left: Left) -> None:
    door(launched.agent("a1", said(text("ok"))))
    launched.result("a1", f"the key {KEY}")
    told = notify(launched.project)
    assert left.hidden() == [f"journal/{RUN_ID}.jsonl"]
    assert "harvested.json" in left.files()
    assert told == (
        f"baton: run {RUN_ID}: journal/{RUN_ID}.jsonl kept outside git, in {left.private} "
        "(what looks like a secret, or too large)"
    )


def test_what_the_agents_hooks_kept_outside_git_is_said_at_the_end(
    launched: Host, door: Door, left: Left, capfd: pytest.CaptureFixture[str]
) -> None:
    """Nobody hears a SubagentStop hook."""
    for agent in ("a1", "a2"):
        door(launched.agent(agent, said(text(f"the key {KEY}"))))
    (left.private / "results/agent-a3.json.9.tmp").touch()
    event = recorded("UserPromptSubmit-task-notification") | {"cwd": str(launched.project)}
    answer = Door(prompt.main, capfd)(event)
    assert answer.model == ""
    assert answer.person.startswith(
        f"baton: run {RUN_ID}: results/agent-a1.json and 1 more kept outside git, in "
    )


def test_a_journal_that_is_too_large_is_not_read(
    launched: Host, door: Door, left: Left, monkeypatch: pytest.MonkeyPatch
) -> None:
    door(launched.agent("a1"))
    launched.result("a1", "x" * 5000)
    monkeypatch.setattr(layout, "LIMIT", 4000)
    notify(launched.project)
    assert left.files()[-1] == "snapshot.json"
    assert "harvested.json" not in left.files()


def test_a_lock_that_is_held_leaves_it_to_the_harvest(
    launched: Host, door: Door, left: Left, monkeypatch: pytest.MonkeyPatch
) -> None:
    door(launched.agent("a1"))
    monkeypatch.setattr(settle, "_LOCK_SECONDS", 0.0)
    with layout.lock(left.state, 0):
        notify(launched.project)
    assert "harvested.json" not in left.files()


def test_the_prompt_hook_hears_of_it(
    launched: Host, door: Door, left: Left, capfd: pytest.CaptureFixture[str]
) -> None:
    """The event as the real program sends it; one of another task changes nothing."""
    door(launched.agent("a1"))
    hook = Door(prompt.main, capfd)
    event = recorded("UserPromptSubmit-task-notification") | {"cwd": str(launched.project)}
    other = event | {"prompt": "<task-notification>a shell command ended</task-notification>"}
    assert hook(other).out == ""
    assert "harvested.json" not in left.files()
    assert hook(event).out == ""
    assert "harvested.json" in left.files()
