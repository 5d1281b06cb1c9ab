"""An agent's end, captured: its result on disk before the host's journal has it (design page runs)."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from baton.hot.runs import capture, layout
from doors import Door
from hot.runs.conftest import Left
from support import run_hook
from workflow_host import (
    RUN_ID,
    SESSION,
    Host,
    asked,
    limit_error,
    recorded,
    said,
    sent_back,
    text,
    tool,
)

KEY = "AKIA" + "Z7QK3JRWX5TNV2MD"


def test_a_result(launched: Host, door: Door, left: Left) -> None:
    launched.journal({"type": "started", "key": "k0", "agentId": "earlier"})
    now = time.time_ns()
    event = launched.agent("a1", asked("one\r\ntwo"), said(text(" as it came \n")))
    assert door(event).out == ""
    record = left.result("a1")
    assert now <= record.pop("ended") <= time.time_ns()
    assert record == {
        "format": 1,
        "run": RUN_ID,
        "attempt": 1,
        "run_id": RUN_ID,
        "session": SESSION,
        "agent": "a1",
        "task": None,
        "label": "label a1",
        "phase": "A",
        "prompt": "one\ntwo",
        "model": None,
        "agent_type": "workflow-subagent",
        "worktree": False,
        "started": 1,
        "row": None,
        "kind": "text",
        "result": " as it came \n",
        "digest": layout.digest(" as it came \n"),
        "source": "hook",
        "status": "complete",
        "error": None,
    }


def test_the_recorded_event(repo: Path, host: Host, door: Door, left: Left) -> None:
    """The payload as the real program sent it, its transcript where it says."""
    event = recorded("SubagentStop")
    written = host.agent(event["agent_id"])
    event |= {"agent_transcript_path": written["agent_transcript_path"], "cwd": str(repo)}
    assert door(event).out == ""
    assert left.result(event["agent_id"])["result"] == f"result of {event['agent_id']}"


OPTIONS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "named model": ({"modelNotNamed": False, "model": "haiku"}, {"model": "haiku"}),
    "agent type": ({"agentType": "pack:Explore"}, {"agent_type": "pack:Explore"}),
    "work tree": ({"spawnedWithWorktree": True}, {"worktree": True}),
    "no label": ({"description": None}, {"label": None}),
    "child": ({"workflowPhase": "▸ kid #2"}, {"phase": "▸ kid #2"}),
}


@pytest.mark.parametrize(("meta", "wanted"), OPTIONS.values(), ids=list(OPTIONS))
def test_options_that_matter(
    launched: Host, door: Door, left: Left, meta: dict[str, Any], wanted: dict[str, Any]
) -> None:
    door(launched.agent("a1", **meta))
    assert wanted.items() <= left.result("a1").items()


def test_an_agent_with_a_schema(launched: Host, door: Door, left: Left) -> None:
    rows = [
        asked("x"),
        said(tool("StructuredOutput", "t0", a="no")),
        sent_back("t0", error=True),
        said(tool("StructuredOutput", "t1", a=1.5, b="\ud800"), id="m2"),
        sent_back("t1", error=False),
    ]
    door(launched.agent("a1", *rows))
    record = left.result("a1")
    assert (record["kind"], record["result"]) == ("object", {"a": 1.5, "b": "\ud800"})
    assert record["digest"] == layout.value_digest({"a": 1.5, "b": "\ud800"})


def test_the_files_beside_the_transcript_may_be_gone(
    launched: Host, door: Door, left: Left
) -> None:
    event = launched.agent("a1")
    (launched.folder() / "journal.jsonl").unlink()
    (launched.folder() / "agent-a1.meta.json").unlink()
    (launched.folder() / "agent-a1.meta.json").mkdir()
    door(event)
    record = left.result("a1")
    assert (record["result"], record["label"], record["started"]) == ("result of a1", None, None)


@pytest.mark.parametrize("kind", ["FIFO", "folder"])
def test_a_transcript_that_is_no_file_is_said(
    launched: Host, door: Door, left: Left, kind: str
) -> None:
    """And nobody waits for the writer of a FIFO."""
    event = launched.agent("a1")
    path = launched.folder() / "agent-a1.jsonl"
    path.unlink()
    os.mkfifo(path) if kind == "FIFO" else path.mkdir()
    told = f"baton: a result of workflow run {RUN_ID} is not kept: not a regular file"
    assert door(event).person == told
    assert not left.place.listing("results")


@pytest.mark.parametrize("sign", ["\0", "\ud800"])
def test_a_name_that_no_file_can_have_is_said(
    launched: Host, door: Door, left: Left, sign: str
) -> None:
    path = f"/{sign}/workflows/{RUN_ID}/agent-a1.jsonl"
    event = launched.event("SubagentStop", agent_id="a1", agent_transcript_path=path)
    told = f"baton: a result of workflow run {RUN_ID} is not kept: no file has such a name"
    assert door(event).person == told


def test_no_transcript_is_said(launched: Host, door: Door, left: Left) -> None:
    event = launched.agent("a1")
    Path(event["agent_transcript_path"]).unlink()
    told = f"baton: a result of workflow run {RUN_ID} is not kept: No such file or directory"
    assert door(event).person == told


NOT_OURS = {
    "an agent of the Agent tool": "{base}/subagents/agent-a1.jsonl",
    "no transcript": "",
    "another name": "{base}/subagents/workflows/wf_1/a1.jsonl",
    "a name that leads elsewhere": "{base}/subagents/workflows/wf_1/agent-../../x.jsonl",
    "a run that leads elsewhere": "{base}/subagents/workflows/../agent-a1.jsonl",
    "not below workflows": "{base}/workflows/x/wf_1/agent-a1.jsonl",
}


@pytest.mark.parametrize("path", NOT_OURS.values(), ids=list(NOT_OURS))
def test_agents_of_no_run_leave_nothing(host: Host, door: Door, left: Left, path: str) -> None:
    event = host.agent("a1") | {"agent_transcript_path": path.format(base=host.base)}
    assert door(event).out == ""
    assert not left.folder.parent.exists()


def test_an_end_that_is_no_result_leaves_nothing(launched: Host, door: Door, left: Left) -> None:
    door(launched.agent("a1", asked("x"), said(tool("Bash", "t"))))
    assert "results/agent-a1.json" not in left.files()


class TestAnAgentThatDied:
    def test_of_a_limit(self, launched: Host, door: Door, left: Left) -> None:
        launched.agent("a1", asked("x"), said(text("half")), limit_error())
        (launched.folder("wf_0")).mkdir()
        assert door(launched.failure("a1")).out == ""
        record = left.result("a1")
        assert (record["status"], record["error"]) == ("partial", "rate_limit")
        assert (record["kind"], record["result"], record["prompt"]) == ("text", "half", "x")

    def test_before_it_said_anything(self, launched: Host, door: Door, left: Left) -> None:
        launched.agent("a1", asked("x"), limit_error())
        door(launched.failure("a1"))
        record = left.result("a1")
        assert (record["kind"], record["result"], record["digest"]) == (None, None, None)

    def test_never_replaces_a_result(self, launched: Host, door: Door, left: Left) -> None:
        door(launched.agent("a1"))
        door(launched.failure("a1"))
        assert left.result("a1")["status"] == "complete"

    def test_a_result_replaces_what_it_left(self, launched: Host, door: Door, left: Left) -> None:
        event = launched.agent("a1", asked("x"), said(text("half"), tool("Bash", "t")))
        door(event)
        assert (left.result("a1")["status"], left.result("a1")["error"]) == ("partial", None)
        door(launched.agent("a1"))
        assert left.result("a1")["status"] == "complete"

    @pytest.mark.parametrize("agent", ["", "unknown", "../a1"])
    def test_an_agent_of_no_run(self, launched: Host, door: Door, left: Left, agent: str) -> None:
        launched.agent("a1")
        assert door(launched.failure(agent)).out == ""
        assert left.files() == ["attempts.jsonl", "script.js", "snapshot.json"]

    def test_a_session_without_runs(self, host: Host, door: Door, left: Left) -> None:
        assert door(host.failure("a1")).out == ""
        assert left.files() == []


SECRETS = {
    "in the result": [asked("x"), said(text(f"it is {KEY}"))],
    "in the task": [asked(f"use {KEY}"), said(text("ok"))],
    "in an object": [asked("x"), said(tool("StructuredOutput", "t", a=[KEY]))],
    "behind a sign that JSON escapes": [
        asked("x"),
        said(tool("StructuredOutput", "t", a=[f"the key—{KEY}"])),
    ],
}


@pytest.mark.parametrize("rows", SECRETS.values(), ids=list(SECRETS))
def test_a_secret_stays_outside_git_and_that_is_said(
    launched: Host, door: Door, left: Left, rows: list[dict[str, Any]]
) -> None:
    answer = door(launched.agent("a1", *rows))
    assert left.hidden() == ["results/agent-a1.json"]
    assert answer.person == (
        f"baton: run {RUN_ID}: results/agent-a1.json holds what looks like a secret (AWS access key); "
        f"kept outside git, in {left.private}"
    )
    [(name, record)], bad = layout.results(left.place)
    assert (name, bad) == ("agent-a1.json", [])
    assert record["status"] == "complete"


def test_results_over_the_size_of_a_run(
    launched: Host, door: Door, left: Left, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "CAP", 30_000)
    for number in range(4):
        door(launched.agent(f"a{number}", asked("x"), said(text("words " * 2_000))))
    assert len([name for name in left.files() if name.startswith("results/")]) == 2
    assert len(left.hidden()) == 2
    assert len(layout.results(left.place)[0]) == 4


def test_what_killed_writers_left_is_swept_away(launched: Host, door: Door, left: Left) -> None:
    (left.folder / "results").mkdir()
    old, fresh = (left.folder / f"results/agent-a{n}.json.{n}.tmp" for n in (1, 2))
    for path in (old, fresh):
        path.write_text("{")
    os.utime(old, (0, 0))
    door(launched.agent("a9"))
    assert (old.exists(), fresh.exists()) == (False, True)


def test_a_transcript_of_any_length(
    launched: Host, door: Door, left: Left, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture, "_WHOLE", 10_000)
    monkeypatch.setattr(capture, "_HEAD", 4_000)
    monkeypatch.setattr(capture, "_TAIL", 3_000)
    middle = [said(text("words " * 200), tool("Bash", f"t{n}"), id=f"m{n}") for n in range(50)]
    door(launched.agent("a1", asked("the task"), *middle, said(text("the end"), id="last")))
    record = left.result("a1")
    assert (record["prompt"], record["result"]) == ("the task", "the end")


def test_a_lock_that_is_held_is_said(
    host: Host, door: Door, left: Left, monkeypatch: pytest.MonkeyPatch
) -> None:
    from baton.hot.runs import launch

    monkeypatch.setattr(launch, "_LOCK_SECONDS", 0.0)
    door(host.before())
    with layout.lock(left.state, 0):
        told = door(host.agent("a1")).person
    assert told.endswith("is not kept: another process holds its lock")


def test_a_launch_folder_that_is_gone(launched: Host, door: Door, left: Left) -> None:
    """A clone, or a project that was moved: the run is where it is found."""
    line = layout.line({"attempt": 1, "run_id": RUN_ID, "cwd": "/gone/away"})
    (left.folder / "attempts.jsonl").write_bytes(line)
    door(launched.agent("a1"))
    (left.folder / "attempts.jsonl").write_bytes(line.replace(b"/gone/away", b"/"))
    door(launched.agent("a2"))
    assert len(layout.results(left.place)[0]) == 2


def test_a_run_whose_attempts_are_gone(launched: Host, door: Door, left: Left) -> None:
    (left.folder / "attempts.jsonl").unlink()
    door(launched.agent("a1"))
    assert left.result("a1")["attempt"] == 1


def test_an_event_that_a_projects_copy_hears_too_is_taken_once(
    launched: Host, door: Door, left: Left
) -> None:
    copy = launched.project / ".claude/baton/hooks/run"
    copy.parent.mkdir(parents=True)
    copy.touch()
    event = launched.agent("a1")
    door(event)
    ended = left.result("a1")["ended"]
    door(event)
    assert left.result("a1")["ended"] == ended


# ---- as processes ----


def test_the_hook_as_a_process(host: Host, left: Left) -> None:
    for event in (host.before(), host.after(), host.agent("a1")):
        done = run_hook("run_events", event, cwd=host.project)
        assert (done.returncode, done.stderr) == (0, b"")
    assert left.result("a1")["result"] == "result of a1"
    assert left.files() == [
        "attempts.jsonl",
        "results/agent-a1.json",
        "script.js",
        "snapshot.json",
    ]


@pytest.mark.parametrize("payload", [b"", b"\n", b"[1]\n", b"\xff\n", b'{"hook_event_name": 1}\n'])
def test_what_is_no_event(repo: Path, payload: bytes) -> None:
    done = run_hook("run_events", payload, cwd=repo)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_two_at_once_and_fifty_in_all_lose_nothing(host: Host, left: Left) -> None:
    """Real hook processes, two at a time as on a small machine; each result whole, its own file."""
    from concurrent.futures import ThreadPoolExecutor

    run_hook("run_events", host.after(), cwd=host.project)
    events = [host.agent(f"a{number}") for number in range(50)]
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda e: run_hook("run_events", e, cwd=host.project), events))
    assert [(each.returncode, each.stdout, each.stderr) for each in done] == [(0, b"", b"")] * 50
    found, bad = layout.results(left.place)
    assert bad == []
    told = {record["agent"]: (record["result"], record["started"]) for _, record in found}
    assert told == {f"a{n}": (f"result of a{n}", n) for n in range(50)}
    assert list(left.folder.rglob("*.tmp")) == []


def test_a_guarded_fault_of_our_own_still_ends_well(host: Host, repo: Path) -> None:
    event = json.dumps(host.agent("a1")).encode().replace(b"a1.jsonl", b"a1\\u0000.jsonl") + b"\n"
    assert run_hook("run_events", event, cwd=repo).returncode == 0
