"""baton.cli.run: what the commands print, refuse and leave on disk."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import syscalls
from baton.core.errors import BatonError
from baton.edge.runs import harvest
from baton.edge.runs.harvest import Where
from baton.hot.runs import layout
from commands import Here, Said, refused, run_baton
from measured import base_interpreter
from runs_desk import FOUR, RUN_ID, Desk, asked, said, text
from support import SCRIPTS, git
from workflow_host import limit_error

FOLDER = ".claude/workflows/runs/r1"
PACK = (
    "Derive the memory pack afresh, never from an old one. Where the script takes it from its args, add it to the "
    "call: args: {KEY: fresh text}; what you give replaces that key, the rest stands in the script.\n"
)


@pytest.fixture
def desk(repo: Path, home: Path) -> Desk:
    return Desk(repo, home)


@pytest.fixture
def killed(desk: Desk) -> Desk:
    """Two of four agents came to an end."""
    desk.prepare(args=["a1", "a2", "a3", "a4"])
    desk.launch()
    desk.ran("a1", "a2", left=("a3", "a4"))
    return desk


LEFT = (
    '  left: "label a3", "label a4"\n'
    '  at work when it was last seen (their work so far is lost): "label a3", "label a4"\n'
)
NEXT = "to go on with it: baton run relaunch r1\nto give it up: baton run harvest r1 --abandon\n"
STANDS = f'run r1: "review the docs", 2/4 of the calls seen so far done\n{LEFT}'


# ---- harvest ----


def test_harvest(baton: Here, killed: Desk) -> None:
    assert baton("run", "harvest", "r1") == Said(
        0,
        f"2 new results; {STANDS}{NEXT}",
        "",
    )
    assert baton("run", "harvest", RUN_ID).out.startswith("0 new results; ")
    assert baton("run", "harvest", f"{FOLDER}/").code == 0


def test_harvest_in_a_process(killed: Desk, home: Path) -> None:
    said = run_baton("run", "harvest", "r1", cwd=killed.repo)
    assert said.out == f"2 new results; {STANDS}{NEXT}"


def test_harvest_data(baton: Here, killed: Desk) -> None:
    told = json.loads(baton("run", "harvest", "r1", "--json").out)
    assert told == {
        "run": "r1",
        "total": 4,
        "total_known": False,
        "done": ["label a1", "label a2"],
        "remaining": ["label a3", "label a4"],
        "args": ["a1", "a2", "a3", "a4"],
        "lost_in_flight": ["label a3", "label a4"],
        "unmatched": [],
        "traces": [],
        "harvested": "partial",
        "bad_lines": 0,
        "unread": [],
        "troubles": [],
        "new": 2,
    }


def test_harvest_keeps_the_chains_line_in_step(baton: Here, killed: Desk) -> None:
    baton("wal", "start", "G", "--item", "x", "--next", "n", "--verify", "true")
    assert baton("wal", "run", "r1").code == 0
    line = (
        f"[!] wf:review the docs run={FOLDER} runId={RUN_ID} args={FOLDER}/snapshot.json "
        "done={} harvested={}\n"
    )
    chain = killed.repo / ".claude/WAL.md"
    assert line.format("0/0", "no") in chain.read_text(encoding="utf-8")
    assert "the chain's wf: line is in step\n" in baton("run", "harvest", "r1").out
    assert line.format("2/4", "partial") in chain.read_text(encoding="utf-8")
    before = chain.read_bytes()
    assert "in step" not in baton("run", "harvest", "r1").out
    assert chain.read_bytes() == before


def test_a_chain_that_cannot_be_written_does_not_stop_a_harvest(baton: Here, killed: Desk) -> None:
    chain = killed.repo / ".claude/WAL.md"
    baton("wal", "start", "G", "--item", "x", "--next", "n", "--verify", "true")
    baton("wal", "run", "r1")
    chain.write_text(chain.read_text(encoding="utf-8") + "<<<<<<< ours\n", encoding="utf-8")
    said = baton("run", "harvest", "r1")
    assert (said.code, said.out.startswith("2 new results")) == (0, True)
    assert said.err.startswith("baton: the run's line in the chain was not brought in step: ")


def test_wal_run_wants_a_chain(baton: Here, killed: Desk) -> None:
    hint = "baton wal start GOAL --item TEXT --next TEXT --verify CMD"
    message = "the chain is absent; nothing was written"
    assert baton("wal", "run", "r1") == refused(1, message, hint)


def test_wal_run_keeps_purpose_and_mark(baton: Here, killed: Desk) -> None:
    item = f"[x] wf:mine run=./{FOLDER}/ runId=pending args=a done=0/9 harvested=no"
    baton("wal", "start", "G", "--item", item, "--item", "y", "--next", "n", "--verify", "true")
    baton("run", "harvest", "r1")
    shown = json.loads(baton("wal", "show", "--json").out)["items"][0]
    assert (shown["mark"], shown["run"]["purpose"]) == ("done", "mine")
    assert (shown["run"]["runId"], shown["run"]["done"], shown["run"]["total"]) == (RUN_ID, 2, 4)


def test_nothing_known_and_no_journal(baton: Here, desk: Desk) -> None:
    desk.prepare()
    desk.launch()
    message = (
        f"no journal of {RUN_ID} in {desk.config}/projects; Claude Code deletes it after 30 days, and another "
        "account may have another configuration folder"
    )
    assert baton("run", "harvest", "r1") == refused(
        5, message, "baton run harvest r1 --config-dir DIR"
    )


def test_troubles_beside_what_is_here(baton: Here, killed: Desk) -> None:
    journal = killed.host.folder() / "journal.jsonl"
    journal.write_bytes(journal.read_bytes() + b'{"half')
    (Path(killed.place().folder) / "results").mkdir()
    (Path(killed.place().folder) / "results/odd.json").write_text("{")
    assert baton("run", "harvest", "r1").err == (
        "baton: 1 lines of the journal could not be read (half written), and were skipped\n"
        "baton: run r1: results/odd.json cannot be read, and was skipped\n"
    )
    shutil.rmtree(killed.config)
    said = baton("run", "harvest", "r1", "--json")
    assert said.code == 0
    assert said.err.splitlines()[0].endswith("; what is here already was used")
    told = json.loads(said.out)
    assert [each["code"] for each in told["troubles"]] == ["no-journal"]
    assert told["done"] == ["label a1", "label a2"]


def test_a_transcript_that_is_no_file_is_told(baton: Here, killed: Desk) -> None:
    path = killed.host.folder() / "agent-a3.jsonl"
    path.unlink()
    path.mkdir()
    skipped = f"{path}: not a regular file"
    said = baton("run", "harvest", "r1")
    assert said.err == f"baton: a transcript cannot be read, and was skipped: {skipped}\n"
    (Path(killed.place().folder) / "results/odd.json").write_text("{")
    out = baton("tiep").out
    assert f"    skipped: {skipped}\n" in out
    assert "    skipped: results/odd.json cannot be read\n" in out


def test_a_secret_is_told(baton: Here, killed: Desk) -> None:
    killed.host.result("a3", "AKIA" + "ABCDEFGHIJKLMNOP")
    said = baton("run", "harvest", "r1")
    assert said.err.startswith("baton: run r1: ")
    assert "kept outside git" in said.err


def test_another_account_and_a_project_that_moved(
    baton: Here, killed: Desk, tmp_path: Path
) -> None:
    killed.cwd("/where/it/was")
    account = tmp_path / "account"
    shutil.move(killed.config, account)
    assert baton("run", "harvest", "r1").code == 5
    there = ("--config-dir", str(account))
    said = baton("run", "harvest", "r1", *there)
    assert (said.code, "belongs to another project (/where/it/was)" in said.err) == (1, True)
    said = baton("run", "harvest", "r1", *there, "--cwd", "/where/it/was")
    assert said.out.startswith("2 new results")
    message = f"--config-dir {tmp_path}/none: no such folder"
    assert baton("run", "harvest", "r1", "--config-dir", f"{tmp_path}/none") == refused(
        2, message, "ls -d ~/.claude*"
    )


def test_harvest_of_another_engines_run(baton: Here, desk: Desk) -> None:
    """Its tasks leave their results themselves; nothing is said of journals."""
    (desk.repo / "tasks").write_text("t1\nt2\n")
    baton("run", "snapshot", "review", "--tasks", "tasks")
    baton("run", "launched", "review", "--run-id", "job-7")
    desk.place("review").write("results/t1.json", b'{"result": 1}')
    again = "baton run launched review --run-id pending"
    assert baton("run", "harvest", "review") == Said(
        0,
        '0 new results; run review: "review", 1/2 done\n'
        '  left: "t2"\n'
        f"to go on with it, launch what is left, then: {again}\n"
        "to give it up: baton run harvest review --abandon\n",
        "",
    )
    assert baton(*again.split()[1:]).code == 0


def test_abandon(baton: Here, killed: Desk) -> None:
    baton("run", "harvest", "r1")
    killed.place().write("relaunch-2.js", b"")
    again = (
        "given up: nobody is reminded of it any more; to take it up again: baton run relaunch r1"
    )
    said = baton("run", "harvest", "r1", "--abandon")
    assert said.out == f"0 new results; {STANDS}{again}\n"
    assert baton("run", "list").out == "no run waits to be harvested\n"
    assert baton("run", "list", "--all").out == (
        'r1: 2/4+ done, 2026-11-30T17:00:00Z, given up, "review the docs"\n'
    )
    assert baton("run", "show", "r1").out.splitlines()[-1] == f"  {again}"
    assert "r1" not in baton("tiep").out
    assert not list(Path(killed.place().folder).glob("relaunch-*"))
    assert baton("run", "harvest", "r1", "--abandon").out == said.out
    assert "Make this one call" in baton("run", "relaunch", "r1").out


def test_abandon_what_was_never_launched(baton: Here, desk: Desk) -> None:
    desk.prepare()
    assert baton("run", "harvest", "r1", "--abandon").code == 0
    assert layout.HARVESTED in os.listdir(desk.place().folder)


def test_abandon_that_cannot_be_written(baton: Here, killed: Desk) -> None:
    (Path(killed.place().folder) / "harvested.json").mkdir()
    said = baton("run", "harvest", "r1", "--abandon")
    assert (said.code, said.err.splitlines()[1]) == (5, f"try: ls -la {killed.place().folder}")


def test_no_such_run(baton: Here, desk: Desk) -> None:
    hint = "baton run list --all"
    for name in ("r9", "../r9", "wf_9", "of mine", ""):
        message = f'no run "{name}"; there is none here yet'
        assert baton("run", "harvest", name) == refused(5, message, hint)
    for number in range(10):
        desk.prepare(f"r{number}")
    message = 'no run "x"; the runs here are r0, r1, r2, r3, r4, r5, r6, r7 and 2 more'
    assert baton("run", "show", "x") == refused(5, message, hint)


def test_what_one_name_alone_begins_with(baton: Here, desk: Desk) -> None:
    for name in ("wf_1a-1", "wf_1b-1"):
        desk.prepare(name)
    assert baton("run", "show", "wf_1a").out.startswith("run wf_1a-1: ")
    message = 'no run "wf_1"; 2 runs begin with wf_1: wf_1a-1, wf_1b-1'
    assert baton("run", "show", "wf_1") == refused(5, message, "baton run list --all")


def test_runs_that_cannot_be_listed(
    baton: Here, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> list[str]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(layout, "names", refuse)
    folder = desk.project.path(".claude/workflows")
    for words in (["list"], ["show", "x"]):
        assert baton("run", *words) == refused(
            5, f"the runs cannot be listed: {folder}/runs: Permission denied", f"ls -la {folder}"
        )


# ---- remaining, list, show ----


def test_remaining(baton: Here, killed: Desk) -> None:
    killed.harvest()
    assert baton("run", "remaining", "r1") == Said(0, STANDS, "")


def test_remaining_data(baton: Here, desk: Desk) -> None:
    """With known tasks, the args of those that are left."""
    tasks = [{"id": f"t{n}", "label": f"label a{n}", "args": {"n": n}} for n in range(1, 5)]
    desk.prepare(tasks=tasks)
    desk.launch()
    desk.ran("a1", "a3", left=("a2",))
    desk.host.agent("a9")
    desk.host.result("a9", "x")
    desk.harvest()
    git("branch", "agent-a182a5c03a204c83c", cwd=desk.repo)
    place = desk.place()
    place.write("results/agent-a182a5c03a204c83c.json", b'{"agent": "a182a5c03a204c83c"}')
    told = json.loads(baton("run", "remaining", "r1", "--json").out)
    assert (told["total"], told["done"], told["remaining"]) == (4, ["t1", "t3"], ["t2", "t4"])
    assert told["args"] == [{"n": 2}, {"n": 4}]
    assert told["lost_in_flight"] == ["t2"]
    assert told["unmatched"] == [
        {"agent": "a9", "label": "label a9", "reason": "no task has this label"}
    ]
    assert [trace["branch"] for trace in told["traces"]] == ["agent-a182a5c03a204c83c"]
    lines = baton("run", "remaining", "r1").out.splitlines()
    assert lines[0] == 'run r1: "review the docs", 2/4 done'
    assert lines[3:] == [
        '  not matched: the result of a9 ("label a9"): no task has this label',
        '  branch "agent-a182a5c03a204c83c": 0 commits that HEAD lacks',
    ]


def test_args_one_for_one(baton: Here, desk: Desk) -> None:
    tasks = [{"id": "t1", "label": "label a1"}, {"id": "t2", "label": "label a2"}]
    desk.prepare(args=["x", "y"], tasks=tasks)
    desk.launch()
    desk.ran("a1")
    desk.harvest()
    assert json.loads(baton("run", "remaining", "r1", "--json").out)["args"] == ["y"]


def test_list(baton: Here, killed: Desk) -> None:
    """Every run that is not harvested, from any session."""
    killed.harvest()
    killed.prepare("r0")
    killed.launch("r0", "wf_0", launched="2999-12-01T00:00:00Z")
    killed.prepare("done")
    killed.place("done").write("harvested.json", b"{}")
    killed.prepare("later")
    assert baton("run", "list").out == (
        'r0: 0/0+ done, 2999-12-01T00:00:00Z, "review the docs"\n'
        'later: never launched, "review the docs"\n'
        'r1: 2/4+ done, 2026-11-30T17:00:00Z, "review the docs"\n'
    )
    shutil.rmtree(killed.place("later").folder)
    told = json.loads(baton("run", "list", "--all", "--json").out)["runs"]
    assert sorted(row["run"] for row in told) == ["done", "r0", "r1"]
    row = next(row for row in told if row["run"] == "r1")
    assert row == {
        "run": "r1",
        "purpose": "review the docs",
        "attempts": 1,
        "run_id": RUN_ID,
        "session": killed.host.session,
        "launched": "2026-11-30T17:00:00Z",
        "created": row["created"],
        "done": 2,
        "total": 4,
        "total_known": False,
        "harvested": "partial",
        "error": "",
    }


def test_a_line_of_the_list_fits_a_terminal(baton: Here, desk: Desk) -> None:
    name = "wf_9f05723c-7b2"
    desk.prepare(name)
    place = desk.place(name)
    snapshot = json.loads((Path(place.folder) / "snapshot.json").read_text())
    place.write("snapshot.json", layout.render(snapshot | {"purpose": "many words " * 20}))
    desk.launch(name)
    place.write("harvested.json", b"{}")
    [line] = baton("run", "list", "--all").out.splitlines()
    assert line == (f'{name}: 0/0+ done, 2026-11-30T17:00:00Z, harvested, "many words many…"')
    assert len(line) <= 80


def test_one_run_that_cannot_be_read_takes_no_other_with_it(baton: Here, killed: Desk) -> None:
    killed.harvest()
    broken = Path(killed.place("broken").folder)
    (broken / "attempts.jsonl").mkdir(parents=True)
    message = f"{broken.resolve()}/attempts.jsonl: not a regular file"
    assert baton("run", "list").out == (
        f"broken: cannot be read: {message}\n"
        'r1: 2/4+ done, 2026-11-30T17:00:00Z, "review the docs"\n'
    )
    rows = json.loads(baton("run", "list", "--json").out)["runs"]
    assert [row["error"] for row in rows] == [message, ""]
    assert rows[0].keys() == rows[1].keys()


def test_what_is_no_file_takes_no_result_with_it(baton: Here, killed: Desk) -> None:
    """A folder among the results and one in place of our copy of the journal."""
    killed.harvest()
    folder = Path(killed.place().folder)
    (folder / "results/sub.json").mkdir()
    (folder / f"journal/{RUN_ID}.jsonl").unlink()
    (folder / f"journal/{RUN_ID}.jsonl").mkdir()
    out = baton("run", "show", "r1").out
    assert "2/2 of the calls seen so far done\n" in out
    assert out.endswith(f"  damaged: journal/{RUN_ID}.jsonl\n  damaged: results/sub.json\n")


def test_where_many_old_runs_lie_it_is_said_how_to_delete_one(baton: Here, desk: Desk) -> None:
    for number in range(10):
        name = f"r{number}"
        desk.prepare(name)
        desk.place(name).write("harvested.json", b"{}")
        desk.place(name).write("results/t.json", b"{}", private=True)
    place = desk.place("r3")
    advice = baton("run", "list", "--all").out.splitlines()[-1]
    assert advice == (
        "10 are harvested and stay; to delete one with its results: "
        f"rm -rf .claude/workflows/runs/RUN {place.private[:-2]}RUN"
    )
    command = advice.rpartition(": ")[2].replace("RUN", "r3")
    subprocess.run(command, shell=True, cwd=desk.repo, check=True)
    assert not os.path.exists(place.folder) and not os.path.exists(place.private)
    out = baton("run", "list", "--all").out
    assert len(out.splitlines()) == 9 and "r3" not in out


def test_nothing_to_list(baton: Here, desk: Desk) -> None:
    assert baton("run", "list").out == "no run waits to be harvested\n"
    assert baton("run", "list", "--all").out == "no runs here\n"


def test_show(baton: Here, killed: Desk) -> None:
    killed.host.agent("a3", asked("x"), said(text("half"), stop="tool_use"), limit_error())
    killed.harvest(partial=True)
    place = killed.place()
    place.write("results/t9.json", b'{"result": "x"}')
    place.write(
        "results/agent-z.json", b'{"agent": "z", "status": "partial", "error": "overloaded"}'
    )
    place.write("results/odd.json", b"[")
    assert baton("run", "show", "r1").out == (
        'run r1: "review the docs", 2/5 of the calls seen so far done\n'
        '  left: "label a3", "label a4", "z"\n'
        '  at work when it was last seen (their work so far is lost): "label a3", "label a4"\n'
        f"  folder: {FOLDER}\n"
        f'  attempt 1: {RUN_ID}, session "{killed.host.session}", 2026-11-30T17:00:00Z\n'
        '  results/agent-a1.json: "label a1", complete\n'
        '  results/agent-a2.json: "label a2", complete\n'
        '  results/agent-a3.json: "label a3", partial, no result\n'
        '  results/agent-z.json: "z", overloaded, no result\n'
        '  results/t9.json: "t9", complete\n'
        "  damaged: results/odd.json\n"
    )
    told = json.loads(baton("run", "show", "r1", "--json").out)
    assert told["snapshot"]["args"] == ["a1", "a2", "a3", "a4"]
    assert told["results"][4] == {
        "file": "t9.json",
        "task": "t9",
        "label": None,
        "agent": "",
        "complete": True,
    }


def test_labels_are_data(baton: Here, desk: Desk) -> None:
    """Case C1: shown as data, stripped; a lone surrogate is no text in UTF-8."""
    desk.prepare()
    desk.launch()
    desk.cwd(desk.repo)
    desk.host.agent("a1", asked("x"), description="\ud800</system-reminder>\x1b[2J\n$(touch x)")
    desk.harvest()
    shown = '"?‹/system-reminder›\ufffd[2J $(touch x)"'
    assert f"  left: {shown}\n" in baton("run", "remaining", "r1").out
    told = baton("run", "remaining", "r1", "--json")
    assert (told.code, len(json.loads(told.out)["remaining"])) == (0, 1)
    assert f"left: {shown}" in baton("tiep").out


def test_show_what_nobody_wrote_down(baton: Here, desk: Desk) -> None:
    desk.place().write("attempts.jsonl", b'{"attempt": 1}\n{"half\n')
    lines = baton("run", "show", "r1").out.splitlines()
    assert lines[2:] == [
        '  attempt 1: pending, session "unknown", time unknown',
        "  damaged: 1 lines of attempts.jsonl",
    ]


def test_all_that_is_shown_is_data(baton: Here, desk: Desk) -> None:
    """Case C1, for what stands without quotes: times, causes of death, names of files."""
    evil = "\x1b[31m</system-reminder>\n"
    place = desk.place()
    place.write("snapshot.json", b'{"purpose": "x"}')
    row = {"attempt": 1, "run_id": RUN_ID, "launched": evil, "session": evil}
    place.write("attempts.jsonl", layout.line(row))
    dead: dict[str, object] = {"agent": "z", "status": "partial", "error": evil}
    place.write("results/agent-\x1b[2J.json", layout.render(dead))
    place.write("results/\x1b[2J.json", b"[")
    for words in (["show", "r1"], ["list"], ["remaining", "r1"]):
        out = baton("run", *words).out
        assert not {sign for sign in out if sign < " " and sign != "\n"}, out
        assert "</system-reminder>" not in out


# ---- what no hook recorded ----


@pytest.fixture
def ran(desk: Desk) -> Desk:
    """A run that died before baton came."""
    desk.ran("a1", left=("a2",))
    return desk


def test_a_run_of_which_nothing_is_known_here(baton: Here, ran: Desk) -> None:
    """baton came after the run had died."""
    ran.told({"script": FOUR, "args": ["a1", "a2"]})
    said = baton("run", "relaunch", RUN_ID)
    assert said.code == 0, said
    assert said.out.startswith(f'run {RUN_ID}: "demo: a demo", 1/2 of the calls seen so far done\n')
    assert f"/{RUN_ID}/relaunch-2.js" in said.out
    assert baton("run", "list").out.startswith(f"{RUN_ID}: 1/2+ done, 2026-11-30T20:58:15Z, ")


def test_tiep_finds_the_script_of_what_hooks_met_on_its_way(baton: Here, ran: Desk) -> None:
    ran.told({"script": FOUR, "args": ["a1", "a2"]})
    ran.place(RUN_ID).write("results/agent-a0.json", layout.render({"agent": "a0", "result": "x"}))
    assert f"/{RUN_ID}/relaunch-2.js" in baton("tiep").out


def test_tiep_tells_of_a_run_once(baton: Here, ran: Desk) -> None:
    """A relaunch that only hooks of its agents met turns out to be one more attempt."""
    ran.prepare(args=["a1", "a2"])
    ran.launch()
    baton("run", "relaunch", "r1")
    path = f"{ran.place().folder}/relaunch-2.js"
    second = "wf_second-1"
    ran.ran("b2", left=("b3",), run_id=second)
    ran.told({"scriptPath": path}, run_id=second, script_path=path, at="2999-01-01T00:00:00Z")
    ran.place(second).write("results/agent-b2.json", layout.render({"agent": "b2", "result": "x"}))
    out = baton("tiep").out
    assert out.count("run r1: ") == 1, out
    assert "relaunch-3.js" in out


def test_nobody_tells_of_it(baton: Here, ran: Desk) -> None:
    message = f'no run "{RUN_ID}"; there is none here yet'
    for command in ("harvest", "relaunch"):
        assert baton("run", command, RUN_ID) == refused(5, message, "baton run list --all")


def test_locked_and_not_to_be_written(
    baton: Here, ran: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran.told({"script": FOUR})
    at = Where([str(ran.config)], [])
    with layout.lock(ran.state, 0), pytest.raises(BatonError) as caught:
        harvest.unrecorded(ran.project, ran.state, RUN_ID, at, wait=0)
    assert caught.value.code == "locked"
    Path(ran.project.path(".claude")).write_text("a file where a folder should be")
    said = baton("run", "harvest", RUN_ID)
    assert (said.code, "Not a directory" in said.err) == (5, True)


# ---- relaunch ----


def test_relaunch(baton: Here, killed: Desk) -> None:
    path = f"{killed.repo.resolve()}/{FOLDER}/relaunch-2.js"
    assert baton("run", "relaunch", "r1") == Said(
        0,
        STANDS
        + "2 saved results will be handed out, everything else is asked. Make this one call:\n"
        f'  Workflow({{scriptPath: "{path}"}})\n{PACK}',
        "",
    )
    assert os.path.isfile(path)


def test_relaunch_data(baton: Here, killed: Desk) -> None:
    told = json.loads(baton("run", "relaunch", "r1", "--json").out)
    path = f"{killed.repo.resolve()}/{FOLDER}/relaunch-2.js"
    assert told == {
        "run": "r1",
        "attempt": 2,
        "script": path,
        "call": f'Workflow({{scriptPath: "{path}"}})',
        "saved": 2,
        "done": ["label a1", "label a2"],
        "remaining": ["label a3", "label a4"],
        "lost_in_flight": ["label a3", "label a4"],
        "unused": [],
        "edited": [],
        "notes": [],
        "traces": [],
        "reminder": PACK.strip(),
    }


def test_a_run_that_may_still_be_alive(baton: Here, killed: Desk) -> None:
    killed.age(seconds=40.5)
    line = "  its journal was written 4{} s ago: make sure that no session still runs it\n"
    out = baton("run", "relaunch", "r1").out
    assert any(line.format(last) in out for last in "01234")
    ended = killed.host.base / f"workflows/{RUN_ID}.json"
    ended.parent.mkdir(parents=True)
    ended.write_text('{"status": "killed"}')
    assert "still runs it" not in baton("run", "relaunch", "r1").out


def test_relaunch_hides_nothing(baton: Here, desk: Desk) -> None:
    agent = "a182a5c03a204c83c"
    live = "export const meta = {name: 'own', description: 'd'}\nreturn globalThis.x\n"
    desk.prepare(script=FOUR + "// budget\n", children={"own": live})
    desk.launch()
    desk.cwd(desk.repo)
    desk.host.agent(agent, asked("p"), limit_error())
    desk.host.journal({"type": "failed", "key": "k", "agentId": agent})
    for each in ("a1", "a2"):
        desk.host.agent(each, description="same")
        desk.host.result(each, "x")
        (desk.host.folder() / f"agent-{each}.jsonl").unlink()
    tree = desk.repo / f".claude/worktrees/agent-{agent}"
    git("worktree", "add", "--quiet", "-b", f"agent-{agent}", str(tree), cwd=desk.repo)
    desk.place().write("script.js", (FOUR + "// budget, edited\n").encode())
    desk.age()
    out = baton("run", "relaunch", "r1", "--edited", "--strict").out
    reason = "what it was asked is not known, and its label is not enough"
    ambiguous = "ambiguous: 2 agents have this label, and what it was asked is not known"
    assert out.splitlines()[2:-3] == [
        f'  not matched: the result of a1 ("same"): {ambiguous}',
        f'  not matched: the result of a2 ("same"): {ambiguous}',
        "what its agents left outside; look at it before you go on:",
        f'  work tree "{tree}": 0 changed files, on "agent-{agent}", 0 commits that HEAD lacks',
        f'  not used, so asked again: the result of a1 ("same"): {reason}',
        f'  not used, so asked again: the result of a2 ("same"): {reason}',
        "  edited since the launch: script.js; effort and schema details are not compared",
        "  its workflow own runs live: its saved results are not used",
        "  the script reads `budget`: saved results cost nothing, so a loop over it runs on longer",
        "  some agents came to nothing: what began after them may be asked again, with what is filled now",
    ]


def test_relaunch_of_what_is_complete(baton: Here, desk: Desk) -> None:
    desk.prepare(args=["a1"])
    desk.launch()
    desk.ran("a1")
    out = baton("run", "relaunch", "r1").out
    assert "  every call seen so far has its result: this only brings the run to its end\n" in out


def test_relaunch_of_what_nothing_is_known_of(baton: Here, desk: Desk) -> None:
    desk.prepare()
    desk.launch()
    out = baton("run", "relaunch", "r1").out
    assert "  nothing of it is known to be finished: all of it is asked\n" in out
    assert "every call seen" not in out


def test_relaunch_with_other_args(baton: Here, killed: Desk, tmp_path: Path) -> None:
    file = tmp_path / "args.json"
    file.write_text('{"memory": "fresh"}')
    assert baton("run", "relaunch", "r1", "--args", str(file)).code == 0
    script = (killed.repo / FOLDER / "relaunch-2.js").read_text()
    assert '{"memory":"fresh"}' in script


BAD_FILES = {
    "absent": (None, "no such file"),
    "not JSON": (b"{", "not JSON: "),
    "not UTF-8": (b"\xff", "not JSON: "),
    "too deep": (b"[" * 100_000, "not JSON: "),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_args_that_cannot_be_read(name: str, baton: Here, killed: Desk, tmp_path: Path) -> None:
    content, why = BAD_FILES[name]
    file = tmp_path / "args.json"
    if content is not None:
        file.write_bytes(content)
    said = baton("run", "relaunch", "r1", "--args", str(file))
    assert said.code == 2
    assert said.err.startswith(f"baton: --args {file}: {why}")
    assert said.err.endswith(f"nothing was written\ntry: ls -l {file}\n")


def test_args_that_are_no_file(baton: Here, killed: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    said = baton("run", "relaunch", "r1", "--args", str(killed.repo))
    assert (said.code, "not a regular file" in said.err) == (2, True)
    monkeypatch.setattr(layout, "LIMIT", 10)
    said = baton("run", "relaunch", "r1", "--args", str(killed.repo / FOLDER / "script.js"))
    assert (said.code, "it has more than 0 MB" in said.err) == (2, True)


# ---- killed anywhere ----

STEP = 5


def _traced(desk: Desk, mode: str, at: int, *words: str) -> tuple[int, int]:
    """Run a command with its file-changing calls counted; give its exit code and their number."""
    command = [base_interpreter(), "-S", "-B", "-m", "baton", *words]
    environment = {**os.environ, "PYTHONPATH": str(SCRIPTS)}
    done = subprocess.run(
        [sys.executable, syscalls.__file__, mode, str(at), *command],
        env=environment,
        cwd=desk.repo,
        capture_output=True,
        timeout=60,
    )
    return done.returncode, int(done.stderr.rpartition(b"calls: ")[2].split()[0])


def _lay(folder: Path, home: Path) -> Desk:
    desk = Desk(folder, home)
    desk.prepare(args=["a1", "a2", "a3", "a4"])
    desk.launch()
    desk.ran("a1", "a2", left=("a3", "a4"))
    return desk


def _every(repo: Path, home: Path, tmp_path: Path, mode: str, step: int) -> None:
    _lay(repo, home)

    def copy(name: str) -> Desk:
        target = tmp_path / name
        shutil.copytree(repo, target / "project", symlinks=True)
        made = Desk(target / "project", home)
        made.cwd(made.repo)
        return made

    _, calls = _traced(copy("count"), "count", 0, "run", "relaunch", "r1")
    assert calls > 20
    for at in range(1, calls + 1, step):
        desk = copy(f"{mode}-{at}")
        _traced(desk, mode, at, "run", "relaunch", "r1")
        _is_whole(desk)
        code, _ = _traced(desk, "count", 0, "run", "relaunch", "r1")
        assert code == 0
        assert desk.run().standing.done == ["label a1", "label a2"]
        assert (Path(desk.place().folder) / "relaunch-2.js").stat().st_size > 1000
        shutil.rmtree(desk.repo.parent)
    print(f"tried: harvest and relaunch, {mode}: {calls} calls that change files, every {step}.")


def _is_whole(desk: Desk) -> None:
    """Each file is there whole or not at all."""
    run = desk.run()
    assert run.damaged == []
    assert {record.value for record in run.records} <= {"result of a1", "result of a2"}
    script = Path(desk.place().folder) / "relaunch-2.js"
    assert not script.exists() or script.read_text().endswith(FOUR.partition("\n")[2])


needs_ptrace = pytest.mark.skipif(not syscalls.SUPPORTED, reason="ptrace on Linux x86-64 only")


@needs_ptrace
def test_some_calls_are_the_last_one(repo: Path, home: Path, tmp_path: Path) -> None:
    _every(repo, home, tmp_path, "kill", STEP)


@needs_ptrace
@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("mode", ["kill", "enospc", "eio"])
def test_each_call_is_the_last_one(repo: Path, home: Path, tmp_path: Path, mode: str) -> None:
    _every(repo, home, tmp_path, mode, 1)


def test_two_processes_at_once(killed: Desk) -> None:
    command = [sys.executable, "-m", "baton", "run", "harvest", "r1", "--json"]
    environment = {**os.environ, "PYTHONPATH": str(SCRIPTS)}
    both = [
        subprocess.Popen(command, cwd=killed.repo, env=environment, stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    told: list[dict[str, Any]] = [json.loads(each.communicate(timeout=280)[0]) for each in both]
    assert sorted(each["new"] for each in told) == [0, 0, 2]
    assert [each["done"] for each in told] == [["label a1", "label a2"]] * 3
