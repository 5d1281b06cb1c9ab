"""baton.hot.acts: one act of a person answers one question, soon, in the session where it was done."""

from __future__ import annotations

import errno
import time
from pathlib import Path

import pytest

from baton.hot import acts
from baton.hot.acts import RUN_CHECKS, note, take
from baton.hot.git import checkout
from baton.hot.project import Project
from baton.hot.state import State


@pytest.fixture
def state(repo: Path) -> State:
    """The notes of a repository."""
    return State(Project(str(repo), checkout.find(str(repo))), {})


def test_taken_once(state: State) -> None:
    note(state, RUN_CHECKS, "s1")
    assert [take(state, RUN_CHECKS, "s1") for _ in range(3)] == [True, False, False]


def test_nothing_but_time_and_session_is_noted(state: State) -> None:
    note(state, RUN_CHECKS, "s1")
    record = state.record(f"acts/{RUN_CHECKS}")
    assert set(record) == {"session", "time"}


SESSIONS = {"another": ("s1", "s2"), "none asks": ("s1", ""), "none acted": ("", "")}


@pytest.mark.parametrize(("acted", "asks"), SESSIONS.values(), ids=SESSIONS)
def test_another_session(acted: str, asks: str, state: State) -> None:
    note(state, RUN_CHECKS, acted)
    assert not take(state, RUN_CHECKS, asks)


def test_another_session_does_not_use_it_up(state: State) -> None:
    note(state, RUN_CHECKS, "s1")
    assert not take(state, RUN_CHECKS, "s2")
    assert take(state, RUN_CHECKS, "s1")


AGES = {"now": (0, True), "ten minutes": (600, True), "later": (601, False), "ahead": (-5, False)}


@pytest.mark.parametrize(("age", "expected"), AGES.values(), ids=AGES)
def test_age(age: int, expected: bool, state: State, monkeypatch: pytest.MonkeyPatch) -> None:
    now = int(time.time())
    note(state, RUN_CHECKS, "s1")
    state.set_record(f"acts/{RUN_CHECKS}", {"session": "s1", "time": now - age})
    monkeypatch.setattr(time, "time", lambda: float(now))
    assert take(state, RUN_CHECKS, "s1") is expected


def test_never_noted(state: State) -> None:
    assert not take(state, RUN_CHECKS, "s1")


def test_a_damaged_note(state: State) -> None:
    state.set_record(f"acts/{RUN_CHECKS}", {"session": "s1", "time": "soon"})
    assert not take(state, RUN_CHECKS, "s1")


def test_an_act_that_cannot_be_noted_was_not_done(state: State) -> None:
    state.make()
    Path(state.path("acts")).write_bytes(b"")
    note(state, RUN_CHECKS, "s1")
    assert not take(state, acts.RUN_CHECKS, "s1")


def test_an_act_that_cannot_be_used_up_answers_nothing(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    note(state, RUN_CHECKS, "s1")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(State, "write", full)
    assert not take(state, RUN_CHECKS, "s1")
