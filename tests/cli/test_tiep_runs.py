"""baton.cli.tiep_runs: what /tiep says of workflow runs that wait, whatever the chain holds."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from baton.cli import run_relaunch
from baton.hot.runs import layout
from baton.hot.runs.layout import Place
from commands import Here, Said
from runs_desk import RUN_ID, Desk, asked
from support import git

FOLDER = ".claude/workflows/runs/r1"
PACK = f"{run_relaunch.PACK}\n"
TITLE = "WORKFLOW RUNS: collect what is finished before launching anything again\n"


@pytest.fixture
def desk(repo: Path, home: Path) -> Desk:
    return Desk(repo, home)


@pytest.fixture
def killed(desk: Desk) -> Desk:
    desk.prepare(args=["a1", "a2", "a3", "a4"])
    desk.launch()
    desk.ran("a1", "a2", left=("a3", "a4"))
    return desk


GIVE_UP = "  What the person does not want any more: `baton run harvest RUN --abandon`\n"


def _call(desk: Desk, name: str = "r1") -> str:
    path = f"{desk.repo.resolve()}/.claude/workflows/runs/{name}/relaunch-2.js"
    return f'    go on with this one call: Workflow({{scriptPath: "{path}"}})\n'


def _told(desk: Desk, name: str = "r1") -> str:
    return (
        f'  run {name}: "review the docs", 2/4 of the calls seen so far done\n'
        f"{_call(desk, name)}"
        '    left: "label a3", "label a4"\n'
        '    at work when it was last seen (their work so far is lost): "label a3", "label a4"\n'
    )


def test_beside_an_absent_chain(baton: Here, killed: Desk) -> None:
    expected = f"No chain of work here: there is no .claude/WAL.md.\n{TITLE}{_told(killed)}  {PACK}{GIVE_UP}"
    assert baton("tiep") == Said(0, expected, "")


def test_beside_an_empty_chain(baton: Here, killed: Desk) -> None:
    baton("wal", "init")
    expected = (
        f"No chain of work here: .claude/WAL.md is empty.\n{TITLE}{_told(killed)}  {PACK}{GIVE_UP}"
    )
    assert baton("tiep").out == expected


def test_beside_an_unreadable_chain(baton: Here, killed: Desk) -> None:
    (killed.repo / ".claude/WAL.md").write_bytes(b"# WAL\nhello\n")
    said = baton("tiep")
    assert (said.code, f"{TITLE}  run r1: " in said.out, _call(killed) in said.out) == (
        1,
        True,
        True,
    )


def _chain(baton: Here, *more: str) -> None:
    items = [word for item in ("x", *more) for word in ("--item", item)]
    baton("wal", "start", "G", *items, "--next", "n", "--verify", "true")


def test_beside_a_chain_without_its_line(baton: Here, killed: Desk) -> None:
    _chain(baton)
    before = (killed.repo / ".claude/WAL.md").read_bytes()
    expected = (
        f"{TITLE}{_told(killed)}    its line in the chain: `baton wal run r1`\n  {PACK}{GIVE_UP}"
    )
    assert expected in baton("tiep").out
    assert (killed.repo / ".claude/WAL.md").read_bytes() == before


def test_its_line_speaks_for_itself(baton: Here, killed: Desk) -> None:
    _chain(baton)
    baton("run", "harvest", "r1")
    baton("wal", "run", "r1")
    assert f"{TITLE}{_told(killed)}  {PACK}{GIVE_UP}" in baton("tiep").out
    rows = json.loads(baton("tiep", "--json").out)["runs"]
    assert [(row["run"], row["done"], row["total"], row["saved"]) for row in rows] == [
        (FOLDER, 2, 4, 2)
    ]


def test_the_line_of_a_run_with_nothing_left_is_no_run_that_waits(
    baton: Here, killed: Desk
) -> None:
    """Nor is that of one that was given up: its line stands among the items, and that is all."""
    _chain(baton)
    baton("run", "harvest", "r1")
    baton("wal", "run", "r1")
    baton("run", "harvest", "r1", "--abandon")
    assert "harvested=yes" in (killed.repo / ".claude/WAL.md").read_text()
    assert "WORKFLOW RUNS" not in baton("tiep").out


def test_a_line_whose_run_is_gone(baton: Here, desk: Desk) -> None:
    line = f"[!] wf:mine run={FOLDER} runId=wf_1 args=a done=0/9 harvested=no"
    _chain(baton, line)
    expected = f'{TITLE}  "mine": 0/9 done, harvested=no, run="{FOLDER}" runId="wf_1" args="a"\n'
    assert expected in baton("tiep").out


def test_data(baton: Here, killed: Desk) -> None:
    (row,) = json.loads(baton("tiep", "--json").out)["runs"]
    keys = ("run", "runId", "purpose", "total", "harvested", "remaining", "attempt")
    assert {key: row[key] for key in keys} == {
        "run": FOLDER,
        "runId": RUN_ID,
        "purpose": "review the docs",
        "total": 4,
        "harvested": "partial",
        "remaining": ["label a3", "label a4"],
        "attempt": 2,
    }


def test_this_very_session_launched_it(baton: Here, killed: Desk) -> None:
    said = baton("tiep", CLAUDE_CODE_SESSION_ID=killed.host.session)
    line = "    this very session launched it: if it still runs, wait for it and launch nothing\n"
    assert line + _call(killed) in said.out
    assert line not in baton("tiep", CLAUDE_CODE_SESSION_ID="another").out


def test_traces_stand_before_what_is_left(baton: Here, desk: Desk) -> None:
    agent = "a182a5c03a204c83c"
    desk.prepare(args=["x"])
    desk.launch()
    desk.cwd(desk.repo)
    desk.host.agent(agent, asked("x"))
    git("branch", f"agent-{agent}", cwd=desk.repo)
    lines = baton("tiep").out.splitlines()
    assert lines[4] == f'    look first: branch "agent-{agent}": 0 commits that HEAD lacks'


def test_the_journal_is_gone(baton: Here, killed: Desk) -> None:
    killed.harvest()
    shutil.rmtree(killed.config)
    out = baton("tiep").out
    assert _call(killed) in out
    assert f"    no journal of {RUN_ID} in {killed.config}/projects; " in out
    assert "; what is here was used\n" in out


def test_harvested_on_the_way(baton: Here, desk: Desk) -> None:
    desk.prepare(tasks=[{"id": "t1", "label": "label a1"}])
    desk.launch()
    desk.ran("a1")
    path = f"{desk.repo.resolve()}/{FOLDER}/relaunch-2.js"
    expected = (
        f"No chain of work here: there is no .claude/WAL.md.\n{TITLE}"
        f'  run r1: "review the docs", 1/1 done; it is harvested now, its results are in {FOLDER}/results\n'
        "    if no session was told its outcome, this call gives it from what is saved: "
        f'Workflow({{scriptPath: "{path}"}})\n'
    )
    assert baton("tiep").out == expected
    assert desk.place().has("harvested.json")
    assert Path(path).exists()
    assert baton("tiep").out == "No unfinished work here: there is no .claude/WAL.md.\n"


def test_never_launched_edited_by_hand_and_broken(baton: Here, killed: Desk) -> None:
    killed.place().write("script.js", b"edited")
    killed.prepare("fresh")
    (killed.repo / "tasks").write_text("t1\nt2\n")
    baton("run", "snapshot", "review the docs", "--name", "engine", "--tasks", "tasks")
    killed.place("engine").write("results/t1.json", b'{"result": 1}')
    lines = baton("tiep").out.splitlines()[2:]
    assert sorted(lines) == sorted(
        [
            "  run fresh was recorded but never launched: launch it, or give it up",
            '  run engine: "review the docs", 1/2 done',
            "    launch only what is left: `baton run remaining engine --json`, then "
            "`baton run launched engine --run-id pending`",
            '    left: "t2"',
            "  run r1: script.js of run r1: not what was launched; nothing was written "
            "(try: baton run relaunch r1 --edited, if that is meant; or bring the old text back)",
            GIVE_UP.rstrip("\n"),
        ]
    )


def test_a_run_that_cannot_be_read(baton: Here, killed: Desk) -> None:
    path = Path(killed.place().folder) / "snapshot.json"
    path.unlink()
    path.mkdir()
    said = baton("tiep")
    assert (said.code, f"  run r1: {path}: not a regular file (try: ls -la " in said.out) == (
        0,
        True,
    )


def test_more_than_three(baton: Here, desk: Desk) -> None:
    for number in range(5):
        desk.prepare(f"r{number}")
    out = baton("tiep").out
    assert out.count("never launched") == 3
    assert out.endswith("  and 2 more: `baton run list`\n")


def test_a_folder_that_cannot_be_listed(
    baton: Here, killed: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> list[str]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(layout, "names", refuse)
    assert "  the runs could not be looked at: Permission denied\n" in baton("tiep").out


def test_results_that_cannot_be_listed(
    baton: Here, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.prepare()

    def refuse(*_: object) -> list[str]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Place, "listing", refuse)
    folder = desk.place().folder
    assert f"  run r1: {folder}: Permission denied (try: ls -la " in baton("tiep").out


def test_a_long_chain_never_hides_the_call(baton: Here, killed: Desk) -> None:
    items = [f"[x] {'step ' * 40}{n} — ls README.md" for n in range(25)]
    _chain(baton, *items)
    out = baton("tiep").out
    assert _call(killed) in out
    assert len(out) < 8000
