"""Each state of a repository, the chain changed in it, flushed, and the user's operation carried
on to its end: as if baton were not there, and the newest chain is kept all the while."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from desk import CHAIN, SETTLE_SECONDS, Desk
from repository_states import BRANCH, REF, STATES, State, diverge

NEWEST = "goal: newest\n"
CASES = [
    pytest.param(state, end, tracked, id=f"{state.name}-{end}-{'tracked' if tracked else 'new'}")
    for state in STATES
    for end in state.ends
    for tracked in (False, True)
    if state.tracked or not tracked
]


@pytest.mark.parametrize(("state", "end", "tracked"), CASES)
def test_the_users_operation_ends_as_if_baton_were_not_there(
    repo: Path, state: State, end: str, tracked: bool
) -> None:
    desk = Desk(repo)
    if tracked:
        desk.write("goal: old\n")
        desk.flush()
    diverge(desk)
    state.make(desk)
    desk.write(NEWEST)
    before, head = desk.users_own(), desk.head()

    outcome = desk.flush()

    kind = "committed" if state.goes_to == BRANCH else "parked"
    assert (outcome.kind, outcome.ref, outcome.reason) == (kind, state.goes_to, state.reason)
    assert desk.at(outcome.commit) == NEWEST
    assert desk.users_own() == before
    assert (desk.head() == head) == (state.goes_to == REF)
    assert desk.looks() == "same"
    state.ends[end](desk)
    assert desk.at(state.goes_to) == NEWEST
    _settle(desk)
    desk.fsck()


def _settle(desk: Desk) -> None:
    """After the operation the next flush goes to the branch again, with what is on disk then."""
    time.sleep(SETTLE_SECONDS)
    chain = desk.root / CHAIN
    if not chain.exists():
        # git took a tracked chain away with the operation; the ref has it.
        assert desk.at(REF) == NEWEST
        return
    desk.flush()
    assert desk.at("HEAD") == chain.read_text(encoding="utf-8")
    assert desk.git("status", "--porcelain", CHAIN) == ""
    assert desk.looks() == "same"


@pytest.mark.parametrize("state", [s for s in STATES if s.goes_to == REF], ids=lambda s: s.name)
def test_turn_after_turn_in_the_middle_of_it(repo: Path, state: State) -> None:
    desk = Desk(repo)
    diverge(desk)
    state.make(desk)
    before = desk.users_own()
    commits = []
    for text in ("goal: 1\n", "goal: 2\n", "goal: 3\n"):
        desk.write(text)
        commits.append(desk.flush().commit)
        assert desk.flush().kind == "unchanged"
        assert desk.looks() == "same"
    assert desk.git("rev-list", REF).split() == commits[::-1]
    assert desk.tree_of(REF) == [CHAIN]
    assert desk.users_own() == before


@pytest.mark.parametrize("state", [s for s in STATES if s.goes_to == REF], ids=lambda s: s.name)
def test_a_chain_that_did_not_change_is_not_parked(repo: Path, state: State) -> None:
    desk = Desk(repo)
    desk.write("goal: old\n")
    desk.flush()
    diverge(desk)
    state.make(desk)
    if not (desk.root / CHAIN).exists():
        pytest.fail("the state took the chain away")
    assert desk.flush().kind == "unchanged"
    assert desk.try_git("rev-parse", "--verify", "-q", REF).returncode == 1
    assert desk.looks() == "same"
