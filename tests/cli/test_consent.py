"""baton.cli.consent: what only a person may decide."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from baton.cli import consent
from baton.cli.context import Context
from baton.core.errors import BatonError
from baton.hot import acts

ASKED = ("matter", "is it to be done?", "the same command again")
INSIDE = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s1"}


def _context(repo: Path, **env: str) -> Context:
    return Context({**os.environ, **env}, str(repo), False)


def test_at_a_terminal_who_types_has_answered(repo: Path) -> None:
    context = _context(repo)
    consent.put(context, ASKED[0])
    consent.require(context, *ASKED)
    consent.spend(context, *ASKED)
    assert not Path(context.state.path("questions")).exists()


def test_inside_claude_code_one_answer_is_spent_once(repo: Path) -> None:
    context = _context(repo, **INSIDE)
    with pytest.raises(BatonError) as refused:
        consent.require(context, *ASKED)
    assert (refused.value.code, refused.value.hint) == ("needs-person", ASKED[2])
    assert refused.value.message == (
        "only a person may decide this; ask them, and wait for what they type: is it to be done? "
        "Nothing was done."
    )
    acts.submitted(context.state, "s1")
    consent.require(context, *ASKED)
    consent.spend(context, *ASKED)
    with pytest.raises(BatonError, match="only a person may decide this"):
        consent.spend(context, *ASKED)


@pytest.mark.parametrize("state", ["absent", "empty", "finished"])
def test_a_chain_without_work_is_given_up_by_anybody(repo: Path, state: str) -> None:
    context = _context(repo, **INSIDE)
    consent.give_up(context, state, "baton close --abandon")
    assert not Path(context.state.path("questions")).exists()


@pytest.mark.parametrize("state", ["unfinished", "unreadable"])
def test_a_chain_with_work_is_given_up_by_a_person_once(repo: Path, state: str) -> None:
    context = _context(repo, **INSIDE)
    with pytest.raises(BatonError) as refused:
        consent.give_up(context, state, "baton close --abandon")
    assert refused.value.message.endswith(
        f"the chain is {state}; is its work to be given up? Nothing was done."
    )
    assert refused.value.hint == "once they have said so: baton close --abandon"
    acts.submitted(context.state, "s1")
    consent.give_up(context, state, "baton close --abandon")
    with pytest.raises(BatonError, match="only a person may decide this"):
        consent.give_up(context, state, "baton close --abandon")


def test_without_a_session_nobody_can_answer(repo: Path) -> None:
    context = _context(repo, CLAUDECODE="1", CLAUDE_CODE_SESSION_ID="")
    for _ in range(2):
        with pytest.raises(BatonError, match="only a person may decide this"):
            consent.require(context, *ASKED)
        acts.submitted(context.state, "")
