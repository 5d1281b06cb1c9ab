"""baton.hot.pipelines: research pipelines that are not over, and where a person meets them."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from baton.hot import asked, notice, pause, pipelines, statusline, waiting
from baton.hot import config as configs
from baton.hot.pipelines import UNCHECKED, line
from chain_cases import EXAMPLE
from commands import Here
from desk import CHAIN, Desk
from passports import give_packages
from pipelines import PipelineDesk


@pytest.fixture
def desk(
    repo: Path, home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> PipelineDesk:
    """A project with the files of a paper, and the packages."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    give_packages(home)
    return PipelineDesk(repo, Here(capfd))


def look(desk: PipelineDesk) -> pipelines.Pipelines:
    """What a session start sees."""
    plain = Desk(desk.root)
    return pipelines.look(plain.project, plain.state)


def waits(desk: PipelineDesk) -> waiting.Waiting:
    """All that waits in the project."""
    plain = Desk(desk.root)
    return waiting.look(plain.project, plain.state, configs.load(plain.project))


ROW: dict[str, object] = {
    "name": "main", "global": "running", "stage": "2.5", "stage_name": "INTEGRITY", "state": "in_progress",
}  # fmt: skip
LINES = [
    ({}, "pipeline main: stage 2.5 INTEGRITY in progress"),
    ({"state": "blocked"}, "pipeline main: stage 2.5 INTEGRITY blocked"),
    ({"global": "paused"}, "pipeline main: paused at stage 2.5 INTEGRITY"),
    ({"global": "initializing"}, "pipeline main: stage 2.5 INTEGRITY is not confirmed as its entry"),
    ({"global": "awaiting_confirmation"}, "pipeline main: an answer is due behind stage 2.5 INTEGRITY"),
    ({"global": "aborted"}, "pipeline main: aborted"),
    ({"stalled": True}, "pipeline main: stage 2.5 INTEGRITY in progress, stalled"),
    ({"unverified": ["2.5"]}, "pipeline main: stage 2.5 INTEGRITY in progress, UNVERIFIED"),
    ({"name": "a\x1b[31m\nb", "stage": 3, "stage_name": None}, "pipeline a�[31m b: stage in progress"),
]  # fmt: skip


@pytest.mark.parametrize(("more", "told"), LINES)
def test_one_pipeline_is_one_line(more: dict[str, object], told: str) -> None:
    assert line({**ROW, **more}) == told


def test_nothing_is_asked_where_there_is_none(desk: PipelineDesk, started: list[str]) -> None:
    (desk.root / ".claude/pipelines").mkdir(parents=True)
    found = look(desk)
    assert (found.lines, found.faults, started) == ([], [], [])
    assert pipelines.pause(Desk(desk.root).project) == ([], [])
    assert pipelines.marks(Desk(desk.root).project, Desk(desk.root).state) == ""


def test_it_is_asked_once_for_the_same_logs(desk: PipelineDesk, started: list[str]) -> None:
    desk.ok("start", "--entry", "1")
    assert look(desk).lines == look(desk).lines == ["pipeline main: stage 1 RESEARCH in progress"]
    assert started == ["pipeline"]
    desk.ok("pause")
    assert look(desk).lines == ["pipeline main: paused at stage 1 RESEARCH"]
    assert started == ["pipeline"] * 2


def test_three_are_named_and_those_that_are_over_are_not(desk: PipelineDesk) -> None:
    for name in ("a", "b", "c", "d", "e"):
        desk.ok("start", "--entry", "1", "--name", name)
    desk.ok("abort", "--name", "a")
    found = look(desk)
    assert len(found.rows) == 5
    assert found.lines[0].startswith("pipeline b: ")
    assert found.lines[3] == "1 more pipeline(s): `baton pipeline list`"


def test_a_broken_log_is_said_beside_the_others(desk: PipelineDesk) -> None:
    desk.ok("start", "--entry", "1")
    desk.lay(".claude/pipelines/other.jsonl", "x\n")
    found = look(desk)
    assert found.lines == ["pipeline main: stage 1 RESEARCH in progress"]
    [fault] = found.faults
    assert fault.startswith(
        f"{UNCHECKED}.claude/pipelines/other.jsonl, line 1: the line is no event"
    )


def test_without_the_packages_it_is_said(repo: Path, capfd: pytest.CaptureFixture[str]) -> None:
    desk = PipelineDesk(repo, Here(capfd))
    desk.lay(".claude/pipelines/main.jsonl", "x\n")
    assert look(desk).faults == [f"{UNCHECKED}packages not made yet: baton environment"]


def test_a_folder_that_cannot_be_listed(
    desk: PipelineDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.ok("start", "--entry", "1")

    def refuse(_: object) -> list[str]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "listdir", refuse)
    plain = Desk(desk.root)
    assert pipelines.look(plain.project, plain.state).faults == [
        f"{UNCHECKED}[Errno 13] Permission denied"
    ]
    assert pipelines.pause(plain.project)[1] == [
        "pipelines were not paused: [Errno 13] Permission denied"
    ]
    assert pipelines.marks(plain.project, plain.state) == ""
    assert pipelines.exist(plain.project)


def test_whether_there_is_one(desk: PipelineDesk) -> None:
    assert not pipelines.exist(Desk(desk.root).project)
    desk.ok("start", "--entry", "1")
    assert pipelines.exist(Desk(desk.root).project)


# ---- the notice ----


def test_the_notice_tells_of_it(desk: PipelineDesk) -> None:
    desk.ok("start", "--entry", "1")
    found = waits(desk)
    told = ["A research pipeline is under way", "pipeline main: stage 1 RESEARCH in progress"]
    assert (found.anything, notice.lines(found)) == (True, told)
    start = notice.for_start(found, False, True)
    assert start.person.splitlines()[1:] == [
        told[1],
        "type /tiep to go on, or just begin something else",
    ]
    assert "Tell the person in one sentence that this waits" in start.model
    assert notice.for_start(found, True, True).model == (
        "baton: a research pipeline is under way here; leave it alone unless the prompt asks for it."
    )
    assert (
        "Go on with a pipeline only when the person asks for it: `baton pipeline status` shows it.\n"
        in notice.for_compaction(found, True).model
    )


def test_beside_a_chain_it_is_one_line_more(desk: PipelineDesk) -> None:
    desk.ok("start", "--entry", "1")
    Desk(desk.root).write(EXAMPLE.decode())
    told = notice.lines(waits(desk))
    assert told[0].startswith("Unfinished work: ")
    assert told[-1] == "pipeline main: stage 1 RESEARCH in progress"


# ---- /pause ----


def test_pause_pauses_it_and_keeps_its_log(desk: PipelineDesk) -> None:
    desk.ok("start", "--entry", "1")
    plain = Desk(desk.root)
    plain.write(EXAMPLE.decode())
    paused = pause.pause(plain.project, plain.state, configs.load(plain.project))
    assert paused.safe
    assert "pipeline main: paused at stage 1" in paused.lines
    assert desk.events[-1] == "paused"
    assert ".claude/pipelines/main.jsonl" in plain.files_of("HEAD")
    assert plain.at("HEAD", ".claude/pipelines/main.jsonl") == desk.log.read_text("utf-8")


def test_pause_says_what_it_could_not_pause(desk: PipelineDesk) -> None:
    desk.lay(".claude/pipelines/main.jsonl", "x\n")
    plain = Desk(desk.root)
    plain.write(EXAMPLE.decode())
    paused = pause.pause(plain.project, plain.state, configs.load(plain.project))
    assert not paused.safe
    assert paused.lines[0].startswith("⏸ Kept, but look at this first")
    assert paused.lines[1].startswith(
        "pipelines were not paused: .claude/pipelines/main.jsonl, line 1"
    )


# ---- the status line ----


def test_the_status_line_says_what_was_answered_last(desk: PipelineDesk) -> None:
    plain = Desk(desk.root)
    desk.ok("start", "--entry", "1")
    assert pipelines.marks(plain.project, plain.state) == ""
    look(desk)
    assert pipelines.marks(plain.project, plain.state) == ""
    desk.ok("pause")
    look(desk)
    assert pipelines.marks(plain.project, plain.state) == "pipeline paused"
    plain.write(EXAMPLE.decode())
    whole = statusline._whole(plain.project, plain.state)
    assert whole.endswith(" · pipeline paused")
    desk.ok("resume")
    assert pipelines.marks(plain.project, plain.state) == ""


def test_the_status_line_says_unverified(desk: PipelineDesk) -> None:
    plain = Desk(desk.root)
    desk.to_integrity()
    for _ in range(4):
        desk.checked(verdict="fail")
    desk.ok("choose", "go-on-unverified")
    look(desk)
    assert pipelines.marks(plain.project, plain.state) == "UNVERIFIED"
    desk.ok("abort")
    look(desk)
    assert pipelines.marks(plain.project, plain.state) == ""


# ---- /tiep, status ----


def test_tiep_and_status_show_it(desk: PipelineDesk) -> None:
    desk.ok("start", "--entry", "1")
    desk.ok("pause")
    told = "pipeline main: paused at stage 1 RESEARCH"
    title = "PIPELINES: `baton pipeline status` shows one; a paused one goes on with `baton pipeline resume`"
    out = desk.baton("tiep").out
    assert out == f"No chain of work here: there is no {CHAIN}.\n{title}\n  {told}\n"
    Desk(desk.root).write(EXAMPLE.decode())
    assert f"\n\n{title}\n  {told}\n\nNEXT" in desk.baton("tiep").out
    [row] = json.loads(desk.baton("tiep", "--json").out)["pipelines"]
    assert (row["name"], row["global"]) == ("main", "paused")
    assert "\npipelines    main: paused at stage 1 RESEARCH\n" in desk.baton("status").out


def test_what_an_answer_may_lack() -> None:
    assert asked.rows({"x": 1}, "x") == []
    assert asked.rows({"x": [1, {"a": 1}]}, "x") == [{"a": 1}]
    assert asked.text({"x": 1}, "x") == ""
    assert asked.problem({"message": "broken", "hint": "ls"}) == "broken: ls"
