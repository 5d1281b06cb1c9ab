"""baton.hot.acts: a question is answered by what a person types afterwards, in the same session."""

from __future__ import annotations

import errno
import time
from pathlib import Path

import pytest

from baton.hot import acts
from baton.hot.git import checkout
from baton.hot.project import Project
from baton.hot.state import State

Q = "passport/0123456789ab"


@pytest.fixture
def state(repo: Path) -> State:
    """The notes of a repository."""
    return State(Project(str(repo), checkout.find(str(repo))), {})


def test_asked_typed_taken_once(state: State) -> None:
    assert acts.ask(state, "s1", Q)
    acts.submitted(state, "s1")
    assert [acts.take(state, "s1", Q) for _ in range(3)] == [True, False, False]


def test_a_look_uses_nothing_up(state: State) -> None:
    acts.ask(state, "s1", Q)
    acts.submitted(state, "s1")
    assert [acts.answered(state, "s1", Q) for _ in range(3)] == [True] * 3


def test_what_was_typed_before_the_question_is_no_answer(state: State) -> None:
    acts.submitted(state, "s1")
    acts.ask(state, "s1", Q)
    assert not acts.take(state, "s1", Q)
    acts.submitted(state, "s1")
    assert acts.take(state, "s1", Q)


def test_asking_again_does_not_wipe_the_answer(state: State) -> None:
    acts.ask(state, "s1", Q)
    acts.submitted(state, "s1")
    acts.ask(state, "s1", Q)
    assert acts.answered(state, "s1", Q)


def test_one_prompt_answers_two_questions_each_of_them_once(state: State) -> None:
    acts.ask(state, "s1", Q)
    acts.ask(state, "s1", "other")
    acts.submitted(state, "s1")
    assert acts.take(state, "s1", Q)
    assert acts.take(state, "s1", "other")
    assert not acts.take(state, "s1", "other")


SESSIONS = {
    "typed elsewhere": ("s1", "s2", "s1"),
    "asked elsewhere": ("s2", "s1", "s1"),
    "taken elsewhere": ("s1", "s1", "s2"),
    "no session asks": ("", "s1", "s1"),
    "nobody has a session": ("", "", ""),
}


@pytest.mark.parametrize(("asked", "typed", "taken"), SESSIONS.values(), ids=SESSIONS)
def test_sessions_do_not_answer_for_each_other(
    asked: str, typed: str, taken: str, state: State
) -> None:
    acts.ask(state, asked, Q)
    acts.submitted(state, typed)
    assert not acts.take(state, taken, Q)


def test_a_session_whose_id_is_a_path_stays_inside_the_notes(state: State) -> None:
    acts.ask(state, "../../x", Q)
    acts.submitted(state, "../../x")
    assert acts.take(state, "../../x", Q)
    assert sorted(Path(state.folder).iterdir()) == [
        Path(state.path("prompts")),
        Path(state.path("questions")),
    ]


GRANTS = {"now": (0, True), "ten minutes": (600, True), "later": (601, False), "ahead": (-5, False)}


@pytest.mark.parametrize(("age", "expected"), GRANTS.values(), ids=GRANTS)
def test_a_grant_holds_for_ten_minutes(
    age: int, expected: bool, state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now)
    acts.grant(state, "s1", Q)
    monkeypatch.setattr(time, "time_ns", lambda: now + age * 10**9)
    assert acts.take(state, "s1", Q) is expected


def test_a_grant_is_taken_once(state: State) -> None:
    acts.grant(state, "s1", Q)
    assert [acts.take(state, "s1", Q) for _ in range(2)] == [True, False]


def test_a_grant_without_a_session_is_none(state: State) -> None:
    acts.grant(state, "", Q)
    assert not acts.take(state, "", Q)


def test_nothing_but_times_and_the_question_is_noted(state: State) -> None:
    acts.ask(state, "s1", Q)
    acts.submitted(state, "s1")
    assert state.read("prompts/s1").isdigit()
    assert list(state.record("questions/s1")) == [Q]


DAMAGED: dict[str, object] = {
    "no pair": 5,
    "no number": ["asked", "soon"],
    "no kind": [1, 1],
    "an unknown kind": ["given", 1],
}


@pytest.mark.parametrize("note", DAMAGED.values(), ids=list(DAMAGED))
def test_a_damaged_question(note: object, state: State) -> None:
    acts.submitted(state, "s1")
    state.set_record("questions/s1", {Q: note})
    assert not acts.take(state, "s1", Q)


@pytest.mark.parametrize("note", [b"", b"soon", b"9" * 40])
def test_a_damaged_prompt(note: bytes, state: State) -> None:
    acts.ask(state, "s1", Q)
    state.write("prompts/s1", note)
    assert not acts.take(state, "s1", Q)


def test_notes_that_cannot_be_written_answer_nothing(state: State) -> None:
    state.make()
    for name in ("prompts", "questions"):
        Path(state.path(name)).write_bytes(b"")
    assert not acts.ask(state, "s1", Q)
    acts.submitted(state, "s1")
    acts.grant(state, "s1", Q)
    assert not acts.take(state, "s1", Q)


def test_an_answer_that_cannot_be_used_up_answers_nothing(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    acts.ask(state, "s1", Q)
    acts.submitted(state, "s1")

    def full(self: State, name: str, value: dict[str, object]) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(State, "set_record", full)
    assert not acts.take(state, "s1", Q)


PROMPTS = {
    "yes": True,
    "": True,
    "/tiep run": True,
    "what is a <task-notification>?": True,
    "<task-notification>\n<task-id>1</task-id>": False,
    "\n <task-notification>": False,
}


@pytest.mark.parametrize(("prompt", "human"), PROMPTS.items(), ids=list(PROMPTS))
def test_whose_prompt_it_is(prompt: str, human: bool) -> None:
    assert acts.by_person(prompt) is human


def test_a_first_prompt_on_a_full_disk_answers_nothing(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    acts.ask(state, "s1", Q)

    def full(self: State, name: str, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(State, "write", full)
    acts.submitted(state, "s1")
    assert not acts.answered(state, "s1", Q)
