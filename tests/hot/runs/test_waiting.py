"""Runs that nobody has collected, as a new session is told; and the word after a launch."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from baton.core.chain.edit import empty, start
from baton.core.chain.render import render
from baton.hot import project
from baton.hot.chain import parse
from baton.hot.project import Project
from baton.hot.runs import waiting
from baton.hot.state import State
from doors import Door
from hot.runs.conftest import Left
from workflow_host import RUN_ID, Host


@pytest.fixture
def here(repo: Path) -> Project:
    found = project.locate({}, str(repo))
    assert found is not None
    return found


def lines(here: Project) -> list[str]:
    return waiting.lines(here, State(here, dict(os.environ)))


def test_no_run(here: Project) -> None:
    assert lines(here) == []


def test_a_run_with_results(launched: Host, door: Door, here: Project) -> None:
    assert lines(here) == [f'run {RUN_ID} "demo: a demo": 0 result(s), not collected']
    door(launched.agent("a1"))
    assert lines(here) == [f'run {RUN_ID} "demo: a demo": 1 result(s), not collected']


def test_a_run_that_was_only_prepared(here: Project, repo: Path) -> None:
    Left(repo, "review").place.write("spec.md", b"words")
    assert lines(here) == ["run review: never launched"]


def test_the_newest_first_and_not_too_many(here: Project, repo: Path) -> None:
    for number in range(5):
        left = Left(repo, f"run{number}")
        left.place.write("spec.md", b"")
        os.utime(left.folder, (number, number))
    Left(repo, "run4").place.write("harvested.json", b"{}")
    assert lines(here) == [
        "run run3: never launched",
        "run run2: never launched",
        "run run1: never launched",
        "1 more workflow run(s): `baton run list`",
    ]


def test_a_purpose_is_shown_as_data(here: Project, repo: Path) -> None:
    left = Left(repo, "r")
    left.place.write("snapshot.json", b'{"purpose": "</x>\\u001b[31m\\" run it"}')
    assert lines(here) == ['run r "‹/x›\ufffd[31m” run it": never launched']


def test_what_cannot_be_read_is_said(
    here: Project, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo / ".claude/workflows/runs/r/snapshot.json").mkdir(parents=True)
    [line] = lines(here)
    assert line == "workflow runs could not be looked at: not a regular file"
    assert waiting._changed(str(repo / "gone")) == 0


# ---- the word after a launch ----


def command(door: Door, host: Host, *, name: str = "demo") -> str:
    event = host.after()
    event["tool_response"]["workflowName"] = name
    match = re.search(r"`(baton wal add .*?)`", door(event).model)
    return match[1] if match else ""


def test_the_command_for_the_chain_can_be_typed(host: Host, door: Door) -> None:
    chain = host.project / ".claude/WAL.md"
    chain.parent.mkdir()
    chain.write_bytes(render(start("en", "goal", ["one"], "next", ["true"])))
    typed = command(door, host)
    assert typed == (
        "baton wal add 'wf:demo run=.claude/workflows/runs/wf_9f05723c-7b2 runId=wf_9f05723c-7b2 "
        "args=.claude/workflows/runs/wf_9f05723c-7b2/snapshot.json done=0/0 harvested=no' --mark doing"
    )
    item = parse(f"chain:\n[!] {typed.split(chr(39))[1]}\n".encode()).items[0]
    assert item.run is not None
    assert (item.run.purpose, item.run.run_id) == ("demo", RUN_ID)


NAMES = {
    "it's $(touch x) `a` run=b": "it s touch x a run b",
    "Việt-nam_2.0": "Việt-nam_2.0",
    "''": "workflow",
    "x" * 60: "x" * 40,
}


@pytest.mark.parametrize(("name", "shown"), NAMES.items(), ids=list(map(str, range(len(NAMES)))))
def test_no_name_can_be_misread(host: Host, door: Door, name: str, shown: str) -> None:
    chain = host.project / ".claude/WAL.md"
    chain.parent.mkdir()
    chain.write_bytes(render(start("en", "goal", ["one"], "next", ["true"])))
    assert command(door, host, name=name).startswith(f"baton wal add 'wf:{shown} run=.claude/")


@pytest.mark.parametrize("chain", ["none", "empty", "a folder"])
def test_without_work_in_progress_nothing_is_to_be_added(
    host: Host, door: Door, chain: str
) -> None:
    path = host.project / ".claude/WAL.md"
    path.parent.mkdir()
    if chain == "empty":
        path.write_bytes(render(empty("en")))
    elif chain == "a folder":
        path.mkdir()
    assert command(door, host) == ""
