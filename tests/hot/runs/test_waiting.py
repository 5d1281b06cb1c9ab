"""Runs that nobody has collected, as a new session is told; and the word after a launch."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from baton.core.chain.edit import empty
from baton.core.chain.edit import start as chain_of
from baton.core.chain.render import render
from baton.hot import project, prompt, session_start
from baton.hot.chain import DOING, parse
from baton.hot.project import Project
from baton.hot.runs import layout, waiting
from baton.hot.state import DEATH, State
from commands import run_baton
from doors import Door
from hot.runs.conftest import Left
from workflow_host import RUN_ID, SCRIPT, Host


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
    assert lines(here) == [f'run {RUN_ID} "demo: a demo": 0 results to collect']
    door(launched.agent("a1"))
    assert lines(here) == [f'run {RUN_ID} "demo: a demo": 1 result to collect']


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
    """One run that cannot be read takes none of the others with it."""
    folder = repo / ".claude/workflows/runs/r"
    (folder / "snapshot.json").mkdir(parents=True)
    os.utime(folder, (1, 1))
    Left(repo, "other").place.write("spec.md", b"words")
    assert lines(here) == ["run other: never launched", "run r cannot be read: not a regular file"]
    assert waiting._changed(str(repo / "gone")) == 0
    monkeypatch.setattr(layout, "names", lambda _: os.listdir(repo / "README.md"))
    assert lines(here) == ["workflow runs could not be looked at: Not a directory"]


def test_a_run_that_came_with_git(launched: Host, door: Door, here: Project, left: Left) -> None:
    door(launched.agent("a1"))
    (left.private.parent / ".ids" / RUN_ID).unlink()
    assert lines(here) == [f'run {RUN_ID} "demo: a demo": 1 result from elsewhere']


def test_a_line_fits_a_notice(launched: Host, here: Project) -> None:
    """Whatever the purpose; the host's run ids are long."""
    os.unlink(f"{here.path('.git')}/baton/runs/.ids/{RUN_ID}")
    left = Left(Path(here.root))
    left.place.write("snapshot.json", b'{"purpose": "a word and another word and many more"}')
    assert max(map(len, lines(here))) <= 74


class TestTheNotice:
    LINE = f'run {RUN_ID} "demo: a demo": 0 results to collect'

    @pytest.fixture
    def start(self, capfd: pytest.CaptureFixture[str], launched: Host) -> Door:
        return Door(session_start.main, capfd)

    def event(self, source: str = "startup") -> dict[str, object]:
        return {"hook_event_name": "SessionStart", "source": source, "session_id": "5e55-10"}

    def test_without_a_chain(self, start: Door) -> None:
        answer = start(self.event(), CLAUDE_CODE_ENTRYPOINT="cli")
        first, *rest = answer.person.splitlines()
        assert first.startswith("Workflow runs wait to be collected · ")
        assert rest == [self.LINE, "type /tiep to go on, or just begin something else"]
        assert f"- Workflow runs wait to be collected\n- {self.LINE}\n" in answer.model
        assert "wait for their choice" in answer.model

    def test_with_the_cause_of_death(self, start: Door, left: Left) -> None:
        left.state.set_record(DEATH, {"error": "rate_limit", "time": 0})
        answer = start(self.event(), CLAUDE_CODE_ENTRYPOINT="cli")
        told = "the last session stopped: a usage limit at 1970-01-01 00:00"
        assert answer.person.splitlines()[1] == told

    def test_behind_an_unfinished_chain(self, start: Door, launched: Host) -> None:
        put_chain(launched, render(chain_of("en", "goal", ["one"], "next", ["true"])))
        answer = start(self.event(), CLAUDE_CODE_ENTRYPOINT="cli")
        first, goal, run, end = answer.person.splitlines()
        assert first.startswith("Unfinished work: 0/1 done · ")
        assert (goal, run) == ('goal: "goal"', self.LINE)
        assert end.startswith("type /tiep")

    def test_in_a_one_shot_session(self, start: Door) -> None:
        answer = start(self.event(), CLAUDE_CODE_ENTRYPOINT="sdk-cli")
        assert (answer.person, answer.model) == (
            "",
            "baton: workflow runs wait to be collected here; leave them alone unless the prompt asks for it.",
        )

    def test_after_a_compaction(self, start: Door) -> None:
        answer = start(self.event("compact"), CLAUDE_CODE_ENTRYPOINT="cli")
        assert answer.person == ""
        assert self.LINE in answer.model
        assert "A run of this session may still be at work" in answer.model

    def test_on_typing_tiep(self, launched: Host, capfd: pytest.CaptureFixture[str]) -> None:
        prompt_door = Door(prompt.main, capfd)
        told = prompt_door({"hook_event_name": "UserPromptExpansion", "command_name": "tiep"})
        assert told.person == f"Workflow runs wait to be collected\n{self.LINE}"


# ---- the word after a launch ----


def put_chain(host: Host, data: bytes) -> None:
    path = host.project / ".claude/WAL.md"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)


def test_the_command_for_the_chain_is_given_and_works(host: Host, door: Door) -> None:
    put_chain(host, render(chain_of("en", "goal", ["one"], "next", ["true"])))
    word = door(host.after()).model
    assert word.endswith(f" Bring its line into the work chain now: `baton wal run {RUN_ID}`")
    assert run_baton("wal", "run", RUN_ID, cwd=host.project).code == 0
    item = parse((host.project / ".claude/WAL.md").read_bytes()).items[-1]
    assert item.run is not None
    assert (item.mark, item.run.run_id, item.run.harvested) == (DOING, RUN_ID, "no")
    again = door(host.after("wf_2", script=SCRIPT + layout.marker(RUN_ID, 2))).model
    assert " It is attempt 2 of that run. Bring its line into" in again
    assert again.endswith(f"`baton wal run {RUN_ID}`")


@pytest.mark.parametrize("chain", ["none", "empty", "a folder"])
def test_without_work_in_progress_there_is_no_line(host: Host, door: Door, chain: str) -> None:
    if chain == "empty":
        put_chain(host, render(empty("en")))
    elif chain == "a folder":
        (host.project / ".claude/WAL.md").mkdir(parents=True)
    assert "baton wal" not in door(host.after()).model
