"""baton.edge.runs.harvest: what counts as a result, from where, and what is said of the rest."""

from __future__ import annotations

import json
import os
import shutil
import threading
from pathlib import Path

import pytest

from baton.core.errors import BatonError
from baton.hot.runs import capture, layout
from runs_desk import RUN_ID, Desk, Host, asked, said, text
from workflow_host import DATA, limit_error, tool

AWAY = [{"id": "a1", "label": "label a1"}, {"id": "a2", "label": "label a2"}]


def _four(desk: Desk) -> None:
    """Two of four agents came to an end."""
    desk.prepare(args=["a1", "a2", "a3", "a4"])
    desk.launch()
    desk.ran("a1", "a2", left=("a3", "a4"))


def test_results_of_a_killed_run(desk: Desk) -> None:
    _four(desk)
    outcome = desk.harvest()
    assert (outcome.fresh, outcome.bad, outcome.troubles, outcome.told) == (2, 0, {}, "")
    standing = outcome.run.standing
    assert (standing.done, standing.remaining) == (
        ["label a1", "label a2"],
        ["label a3", "label a4"],
    )
    assert standing.in_flight == ["label a3", "label a4"]
    assert outcome.run.attempts[0].asked == {"a3": "task of a3", "a4": "task of a4"}
    record = desk.result("agent-a2")
    record.pop("ended")
    assert record == {
        "format": 1,
        "run": "r1",
        "attempt": 1,
        "run_id": RUN_ID,
        "session": desk.host.session,
        "agent": "a2",
        "task": None,
        "label": "label a2",
        "phase": "A",
        "prompt": "task of a2",
        "model": None,
        "agent_type": "workflow-subagent",
        "worktree": False,
        "started": 1,
        "row": 1,
        "kind": "text",
        "result": "result of a2",
        "digest": layout.value_digest("result of a2"),
        "source": "journal",
        "status": "complete",
        "error": None,
    }
    journal = (desk.host.folder() / "journal.jsonl").read_bytes()
    assert desk.place().read(f"journal/{RUN_ID}.jsonl") == journal


def test_what_the_real_program_left(desk: Desk) -> None:
    """The recorded run: its folder is named /home/u/proj."""
    session = "fc8a8afc-b1ab-439f-aae2-c2fba7670ec0"
    source = DATA / "killed-after-2-of-4" / session
    shutil.copytree(source, desk.config / "projects/-home-u-proj" / session)
    run_id = "wf_0b147f76-b4d"
    desk.prepare()
    desk.launch(run_id=run_id)
    assert desk.harvest().troubles[run_id].code == "journal-foreign"
    outcome = desk.harvest(places=["/home/u/proj"])
    assert outcome.run.standing.done == ["t:alpha", "t:beta"]
    assert outcome.run.standing.in_flight == ["t:gamma", "t:delta"]
    assert [r.prompt for r in outcome.run.records] == [
        "SLEEP0 seconds then TASK alpha",
        "SLEEP3 seconds then TASK beta",
    ]
    assert [r.value for r in outcome.run.records] == ["RESULT for  alpha", "RESULT for  beta"]


def _files(desk: Desk) -> dict[str, tuple[bytes, int]]:
    return {
        str(path): (path.read_bytes(), path.stat().st_ino)
        for path in Path(desk.place().folder).rglob("*")
        if path.is_file()
    }


def test_it_is_idempotent(desk: Desk) -> None:
    _four(desk)
    desk.harvest()
    before = _files(desk)
    assert desk.harvest().fresh == 0
    assert _files(desk) == before


def test_two_at_once(desk: Desk) -> None:
    _four(desk)
    outcomes = []
    threads = [
        threading.Thread(target=lambda: outcomes.append(desk.harvest().fresh)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == [0, 0, 0, 2]


def test_forty_starts_and_a_missing_fourth(desk: Desk) -> None:
    """Case W1: results out of order, transcripts gone, one agent without a result."""
    desk.prepare()
    desk.launch()
    desk.cwd(desk.repo)
    for number in range(1, 41):
        desk.host.agent(f"a{number}")
    for number in [*range(40, 4, -1), 2, 1, 3]:
        desk.host.result(f"a{number}", {"n": number})
    for path in desk.host.folder().glob("agent-*"):
        path.unlink()
    outcome = desk.harvest()
    assert (outcome.fresh, outcome.run.standing.remaining) == (39, ["label a4"])
    assert outcome.run.standing.unmatched == []
    assert desk.result("agent-a40")["result"] == {"n": 40}
    before = _files(desk)
    assert desk.harvest().fresh == 0
    assert _files(desk) == before


def test_a_journal_cut_in_its_last_line(desk: Desk) -> None:
    """Case W3."""
    _four(desk)
    path = desk.host.folder() / "journal.jsonl"
    path.write_bytes(path.read_bytes() + b'{"type":"result","key":"v2:a3","agentId":"a3","resu')
    outcome = desk.harvest()
    assert (outcome.fresh, outcome.bad) == (2, 1)


NO_RESULTS = {
    "null": None,
    "a limit": "You've hit your session limit \u00b7 resets 3am",
    "an error of the service": "API Error: 529 overloaded",
    "an older limit": "Claude AI usage limit reached|1750000000",
}


@pytest.mark.parametrize("name", NO_RESULTS)
def test_what_is_no_result(name: str, desk: Desk) -> None:
    """Case W4."""
    desk.prepare()
    desk.launch()
    desk.ran("a1")
    desk.host.agent("a2", asked("x"), said(text("partly"), stop="tool_use"))
    desk.host.result("a2", NO_RESULTS[name])
    outcome = desk.harvest()
    assert (outcome.fresh, outcome.run.standing.remaining) == (1, ["label a2"])
    assert desk.place().listing("results") == ["agent-a1.json"]


def test_what_the_host_gave_the_script_counts_not_what_the_agent_wrote(desk: Desk) -> None:
    """It was skipped by hand, say: its transcript is whole, the script got null."""
    desk.prepare()
    desk.launch()
    desk.ran("a1")
    desk.host.agent("a2")
    desk.host.result("a2", None)
    assert desk.harvest().run.standing.remaining == ["label a2"]


def test_a_limit_that_a_hook_took_for_an_answer_counts_for_nothing(desk: Desk) -> None:
    _four(desk)
    desk.harvest()
    record = desk.result("agent-a2") | {"result": "You\u2019ve hit your weekly limit"}
    desk.place().write("results/agent-a2.json", layout.render(record))
    assert desk.run().standing.done == ["label a1"]


def test_two_agents_of_one_label(desk: Desk) -> None:
    """Case W5: told apart by what they were asked; where that is gone, reported and not guessed."""
    desk.prepare()
    desk.launch()
    desk.cwd(desk.repo)
    for agent in ("a1", "a2"):
        desk.host.agent(agent, asked(agent), description="same")
    desk.host.result("a1", "one")
    assert desk.harvest().run.standing.done == ["same #1"]
    for path in desk.host.folder().glob("agent-*"):
        path.unlink()
    desk.place().remove("results/agent-a1.json")
    outcome = desk.harvest()
    assert outcome.run.standing.done == []
    assert outcome.run.standing.remaining == ["same #1", "same #2"]
    assert [(u.agent, u.label, u.reason) for u in outcome.run.standing.unmatched] == [
        ("a1", "same", "ambiguous: 2 agents have this label, and what it was asked is not known")
    ]
    assert desk.result("unmatched-a1")["result"] == "one"
    assert desk.harvest().fresh == 0
    assert desk.place().listing("results") == ["unmatched-a1.json"]


def test_two_tasks_of_one_label(desk: Desk) -> None:
    """Case W5, with the tasks known from the start."""
    same = [{"id": "a", "label": "same"}, {"id": "b", "label": "same"}, {"id": "c", "label": "c"}]
    desk.prepare(tasks=same)
    desk.launch()
    desk.cwd(desk.repo)
    for agent, label in (("a1", "same"), ("a2", "c"), ("a3", "stranger")):
        desk.host.agent(agent, description=label)
        desk.host.result(agent, "x")
    standing = desk.harvest().run.standing
    assert (standing.done, standing.remaining, standing.fixed) == (["c"], ["a", "b"], True)
    assert [(u.agent, u.reason) for u in standing.unmatched] == [
        ("a1", "ambiguous: tasks a and b have this label"),
        ("a3", "no task has this label"),
    ]
    assert desk.place().listing("results") == [
        "agent-a2.json",
        "unmatched-a1.json",
        "unmatched-a3.json",
    ]


def test_a_name_that_says_unmatched_is_lost_again(desk: Desk) -> None:
    test_two_agents_of_one_label(desk)
    desk.host.agent("a1", asked("a1"), description="same")
    desk.harvest()
    assert desk.place().listing("results") == ["agent-a1.json"]


def test_a_complete_transcript_without_a_row(desk: Desk) -> None:
    """The program was killed while the agent's hook ran."""
    desk.prepare()
    desk.launch()
    desk.ran("a1")
    desk.host.agent("a2")
    outcome = desk.harvest()
    assert (outcome.fresh, desk.result("agent-a2")["source"]) == (2, "transcript")
    desk.host.result("a2", "result of a2, as the host has it")
    desk.harvest()
    record = desk.result("agent-a2")
    assert (record["source"], record["row"]) == ("journal", 1)
    assert record["result"] == "result of a2, as the host has it"


def test_an_agent_that_no_row_names(desk: Desk) -> None:
    """The journal was cut, the transcript is whole."""
    _four(desk)
    desk.host.agent("a5")
    path = desk.host.folder() / "journal.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    assert desk.harvest().fresh == 3
    assert desk.result("agent-a5")["started"] is None


def test_partial(desk: Desk) -> None:
    """Last words are kept on wish, marked, and are never a result."""
    desk.prepare()
    desk.launch()
    desk.ran("a1")
    desk.host.agent("a2", asked("x"), said(text("half"), stop="tool_use"), limit_error())
    desk.host.agent("a3", asked("x"), said(tool("Bash", "t1"), stop="tool_use"))
    desk.host.journal({"type": "failed", "key": "v2:a2", "agentId": "a2"})
    assert desk.harvest().fresh == 1
    assert desk.place().listing("results") == ["agent-a1.json"]
    outcome = desk.harvest(partial=True)
    assert outcome.fresh == 0
    assert outcome.run.standing.remaining == ["label a2", "label a3"]
    assert outcome.run.standing.in_flight == ["label a3"]
    record = desk.result("agent-a2")
    assert (record["status"], record["result"]) == ("partial", "half")
    desk.host.result("a2", "whole")
    assert desk.harvest(partial=True).fresh == 1
    assert desk.result("agent-a2")["status"] == "complete"


def test_after_a_hook(desk: Desk) -> None:
    """What the hook saw stays where the host's folder lacks it by now; the host's words count."""
    desk.prepare()
    desk.launch(noted=True)
    desk.cwd(desk.repo)
    event = desk.host.agent("a1", worktree=True, spawnedWithWorktree=True)
    agent = capture.stopped(event)
    assert agent is not None
    capture.take(desk.place(), agent)
    ended = desk.result("agent-a1")["ended"]
    desk.host.result("a1", "altered by the host")
    for path in desk.host.folder().glob("agent-*"):
        path.unlink()
    assert desk.harvest().fresh == 0
    record = desk.result("agent-a1")
    assert (record["result"], record["row"], record["ended"]) == ("altered by the host", 0, ended)
    assert (record["prompt"], record["worktree"]) == ("task of a1", True)


def test_a_hook_ahead_of_the_journal(desk: Desk) -> None:
    desk.prepare()
    desk.launch(noted=True)
    desk.cwd(desk.repo)
    agent = capture.stopped(desk.host.agent("a1"))
    assert agent is not None
    capture.take(desk.place(), agent)
    record = desk.result("agent-a1") | {"started": None}
    desk.place().write("results/agent-a1.json", layout.render(record))
    assert desk.harvest().fresh == 0
    assert (desk.result("agent-a1")["started"], desk.result("agent-a1")["source"]) == (0, "hook")
    before = _files(desk)
    desk.harvest()
    assert _files(desk) == before


def test_the_journal_is_deleted_after_a_harvest(desk: Desk) -> None:
    """Our own copy says the same; that the host's is gone is said."""
    _four(desk)
    before = desk.harvest().run
    shutil.rmtree(desk.config)
    outcome = desk.harvest()
    assert outcome.troubles[RUN_ID].code == "no-journal"
    assert outcome.run.standing == before.standing
    assert outcome.run.records == before.records


def test_a_shorter_journal_does_not_take_the_place_of_our_copy(desk: Desk) -> None:
    _four(desk)
    desk.harvest()
    kept = desk.place().read(f"journal/{RUN_ID}.jsonl")
    (desk.host.folder() / "journal.jsonl").write_text(
        '{"type":"started","key":"k","agentId":"a1","label":"label a1"}\n'
    )
    desk.harvest()
    assert desk.place().read(f"journal/{RUN_ID}.jsonl") == kept


def test_several_attempts(desk: Desk) -> None:
    _four(desk)
    desk.launch(run_id="wf_second")
    for agent in ("b3", "b4"):
        label = f"label a{agent[1]}"
        desk.host.agent(agent, asked(label), run_id="wf_second", description=label)
    desk.host.result("b3", "x", "wf_second")
    outcome = desk.harvest()
    assert outcome.run.standing.done == ["label a1", "label a2", "label a3"]
    assert outcome.run.standing.remaining == ["label a4"]
    assert desk.result("agent-b3")["attempt"] == 2


def test_one_run_id_launched_twice_is_one_journal(desk: Desk) -> None:
    """The host's own resume goes on in the same journal."""
    _four(desk)
    desk.harvest()
    desk.launch()
    desk.host.result("a3", "x")
    before = desk.harvest()
    assert [a.number for a in before.run.attempts] == [2]
    assert before.run.standing.total == 4
    assert len(before.run.standing.done) == 3
    files = _files(desk)
    desk.harvest()
    assert _files(desk) == files


def test_a_call_that_was_asked_again(desk: Desk) -> None:
    """Two agents under one key are one call; the last one counts."""
    desk.prepare()
    desk.launch()
    desk.cwd(desk.repo)
    for agent in ("a1", "a2"):
        desk.host.journal({"type": "started", "key": "same", "agentId": agent, "label": "x"})
    assert desk.harvest().run.standing.in_flight == ["x"]
    desk.host.result("a2", "y")
    assert desk.harvest().run.standing.done == ["x"]


def test_a_run_that_only_hooks_met(desk: Desk) -> None:
    """Its launch was never recorded; its folder is named by the run id."""
    desk.ran("a1")
    desk.place(RUN_ID).write("results/agent-a0.json", layout.render({"agent": "a0", "result": "x"}))
    outcome = desk.harvest(RUN_ID)
    assert outcome.fresh == 1
    assert outcome.run.damaged == []


def test_a_folder_that_a_hook_noted_and_that_is_gone(desk: Desk) -> None:
    desk.prepare()
    desk.launch(noted=True)
    assert desk.harvest().troubles[RUN_ID].code == "no-journal"


def test_a_transcript_that_is_no_file(desk: Desk) -> None:
    """It is said, nobody waits for a FIFO's writer, and the others' results are collected."""
    desk.prepare()
    desk.launch(noted=True)
    desk.ran("a1", left=("a2",))
    path = desk.host.folder() / "agent-a2.jsonl"
    path.unlink()
    os.mkfifo(path)
    outcome = desk.harvest()
    assert (outcome.fresh, outcome.unread) == (1, [f"{path}: not a regular file"])


@pytest.mark.parametrize("folder", ["/\0", "/\ud800"])
def test_a_folder_that_no_disk_can_have(desk: Desk, folder: str) -> None:
    desk.prepare()
    desk.launch(transcripts=folder, cwd="/")
    assert list(desk.harvest().troubles) == [RUN_ID]


def test_a_folder_of_the_host_that_cannot_be_listed(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.prepare()
    desk.launch(noted=True)
    desk.ran("a1")
    listdir = os.listdir

    def refuse(path: str) -> list[str]:
        if str(path).startswith(str(desk.config)):
            raise PermissionError(13, "Permission denied")
        return listdir(path)

    monkeypatch.setattr(os, "listdir", refuse)
    [trouble] = desk.harvest().troubles.values()
    assert trouble.code == "journal-unreadable"
    assert trouble.message.endswith(f"{desk.host.folder()}: Permission denied")


def test_pending(desk: Desk) -> None:
    desk.prepare()
    desk.launch(run_id="pending")
    desk.launch(run_id="../../odd")
    outcome = desk.harvest()
    assert {code.code for code in outcome.troubles.values()} == {"no-journal"}


def test_another_engine_has_no_journal(desk: Desk) -> None:
    desk.prepare(script="")
    snapshot = layout.snapshot(desk.place()) | {"engine": "other"}
    desk.place().write("snapshot.json", layout.render(snapshot))
    desk.launch(run_id="pending")
    desk.launch(run_id="job-7")
    assert desk.harvest().troubles == {}
    desk.launch(run_id=RUN_ID)
    assert list(desk.harvest().troubles) == ["pending", "job-7", RUN_ID]


def test_four_different_troubles(desk: Desk) -> None:
    desk.prepare()
    desk.launch()
    looked = desk.config / "projects"

    def trouble() -> tuple[str, str, str]:
        error = desk.harvest().troubles[RUN_ID]
        return error.code, error.message, error.hint

    assert trouble() == (
        "no-journal",
        f"no journal of {RUN_ID} in {looked}; Claude Code deletes it after 30 days, and another account "
        "may have another configuration folder",
        "baton run harvest r1 --config-dir DIR",
    )
    desk.cwd(desk.repo)
    desk.host.journal({"type": "launched"})
    path = desk.host.folder() / "journal.jsonl"
    assert trouble() == (
        "journal-empty",
        f"the journal of {RUN_ID} is empty: no agent was started yet: {path}",
        "baton run harvest r1",
    )
    desk.cwd("/somebody/else")
    assert trouble() == (
        "journal-foreign",
        f"the journal of {RUN_ID} belongs to another project (/somebody/else), and was left alone: {path}",
        "baton run harvest r1 --cwd /somebody/else",
    )
    Path(f"{desk.host.base}.jsonl").unlink()
    assert trouble() == (
        "journal-foreign",
        f"the journal of {RUN_ID} names no project, and was left alone: {path}",
        "baton run harvest r1 --cwd DIR, where it was launched",
    )
    desk.cwd("/some body/else")
    assert trouble()[2] == "baton run harvest r1 --cwd '/some body/else'"
    path.unlink()
    path.mkdir()
    assert trouble() == (
        "journal-unreadable",
        f"the journal of {RUN_ID} cannot be read: {path}: not a regular file",
        f"ls -l {path}",
    )


def test_closed_when_every_task_has_its_result(desk: Desk) -> None:
    desk.prepare(tasks=AWAY)
    desk.launch()
    desk.ran("a1")
    assert not desk.harvest().run.harvested
    desk.ran("a2")
    assert desk.harvest().run.harvested
    record = json.loads(desk.place().read("harvested.json") or b"")
    assert (record["done"], record["attempts"], record["by"]) == (2, 1, "command")


def test_closed_when_the_host_says_that_it_ended(desk: Desk) -> None:
    """Without known tasks nobody else can say that no more calls come."""
    desk.prepare()
    desk.launch()
    desk.ran("a1")
    assert not desk.harvest().run.harvested
    ended = desk.host.base / "workflows" / f"{RUN_ID}.json"
    ended.parent.mkdir(parents=True)
    ended.write_text('{"status": "failed"}')
    assert not desk.harvest().run.harvested
    ended.write_text('{"status": "completed"}')
    desk.host.agent("a2", asked("x"))
    assert not desk.harvest().run.harvested
    desk.host.result("a2", "y")
    assert desk.harvest().run.harvested


def test_tasks_that_leave_their_own_files(desk: Desk) -> None:
    """For engines other than the Workflow tool."""
    place = desk.prepare(script="", tasks=[{"id": "t1"}, {"id": "t2"}, {"id": "t3"}])
    place.write("results/t1.json", b'{"result": "done"}')
    place.write("results/t2.json", b'{"result": "half", "status": "partial"}')
    place.write("results/t3.json", b'{"resu')
    run = desk.harvest().run
    assert (run.standing.done, run.standing.remaining) == (["t1"], ["t2", "t3"])
    assert run.damaged == ["results/t3.json"]


def test_a_secret_stays_out_of_git(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "AKIA" + "ABCDEFGHIJKLMNOP"
    desk.prepare()
    desk.launch()
    desk.ran("a1")
    desk.host.agent("a2", asked("x"))
    desk.host.result("a2", f"the key is {secret}")
    told = desk.harvest().told
    assert told.endswith(f"kept outside git, in {desk.place().private}")
    assert secret not in told
    tracked = [path.read_text() for path in Path(desk.place().folder).rglob("*.json*")]
    assert not any(secret in each for each in tracked)
    assert desk.result("agent-a2")["result"] == f"the key is {secret}"


def test_what_is_too_large_stays_out_of_git(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "CAP", 2000)
    _four(desk)
    assert "would bring it over" in desk.harvest().told
    assert desk.run().standing.done == ["label a1", "label a2"]


def test_unmatched_stays_where_it_was_kept(desk: Desk) -> None:
    secret = "AKIA" + "ABCDEFGHIJKLMNOP"
    desk.prepare(tasks=[{"id": "t"}])
    desk.launch()
    desk.cwd(desk.repo)
    desk.host.agent("a1")
    desk.host.result("a1", secret)
    desk.harvest()
    assert os.listdir(f"{desk.place().private}/results") == ["unmatched-a1.json"]


def test_locked(desk: Desk) -> None:
    _four(desk)
    with layout.lock(desk.state, 0), pytest.raises(BatonError) as caught:
        from baton.edge.runs import harvest

        where = harvest.Where([], [])
        harvest.harvest(desk.project, desk.state, desk.place(), where, wait=0, partial=False)
    assert (caught.value.code, caught.value.message, caught.value.hint) == (
        "locked",
        "run r1 is being harvested by somebody else for 0 s; nothing was written",
        "baton run harvest r1",
    )


def test_what_cannot_be_written_is_said(desk: Desk) -> None:
    _four(desk)
    (desk.repo / ".claude/workflows/runs/r1/results").write_text("a file where a folder should be")
    with pytest.raises(BatonError) as caught:
        desk.harvest()
    assert caught.value.code == "io"


def test_what_cannot_be_read_is_said(desk: Desk) -> None:
    _four(desk)
    (Path(desk.place().folder) / "snapshot.json").unlink()
    (Path(desk.place().folder) / "snapshot.json").mkdir()
    with pytest.raises(BatonError) as caught:
        desk.harvest()
    assert caught.value.code == "io"
    assert caught.value.message.endswith("snapshot.json: not a regular file")


def test_results_of_two_sessions_of_one_run(desk: Desk) -> None:
    """A journal was carried into another session: its older transcripts stay behind."""
    _four(desk)
    other = Host(desk.config, desk.repo, "later", "-some-slug")
    other.folder().mkdir(parents=True)
    shutil.copy(desk.host.folder() / "journal.jsonl", other.folder())
    desk.cwd(desk.repo, other)
    other.result("a3", "x")
    assert desk.harvest().fresh == 3
    assert desk.result("agent-a1")["prompt"] == "task of a1"
