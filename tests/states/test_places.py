"""Every kind of repository: a chain is kept over a merge, a rebase and a walk away, beside a twin."""

from __future__ import annotations

from pathlib import Path

import pytest

from desk import Desk

from .modes import NEWEST
from .places import PLACES
from .twins import Twins, everywhere, found, stop, wal

EVERYDAY = ("linked-in-turmoil", "submodule", "pointing")


def _twins(folder: Path, place: str) -> Twins:
    (folder / "ours").mkdir()
    (folder / "plain").mkdir()
    twins = Twins(PLACES[place](folder / "ours"), PLACES[place](folder / "plain"))
    # What git writes into a configuration tells where the repository lies.
    twins.ours.base, twins.plain.base = folder / "ours", folder / "plain"
    return twins


def _part(desk: Desk) -> None:
    """Two branches change the same file; HEAD is where it was."""
    desk.commit("base", clash="base\n")
    desk.git("checkout", "--quiet", "-b", "theirs")
    desk.commit("theirs", clash="theirs\n")
    desk.git("checkout", "--quiet", "-")
    desk.commit("mine", clash="mine\n")
    desk.git("tag", "mine")


def _solve(desk: Desk) -> None:
    desk.write("solved\n", "clash")
    desk.git("add", "clash")


def _merge(desk: Desk) -> None:
    assert desk.try_git("merge", "theirs").returncode == 1


def _conclude(desk: Desk) -> None:
    _solve(desk)
    desk.git("commit", "--quiet", "--no-edit")


def _begin_rebase(desk: Desk) -> None:
    desk.git("checkout", "--quiet", "-b", "moved", "mine")
    desk.commit("to be moved", clash="moved\n")
    assert desk.try_git("rebase", "--onto", "theirs", "mine").returncode == 1


def _end_rebase(desk: Desk) -> None:
    _solve(desk)
    desk.git("rebase", "--continue")


def _walk_away(desk: Desk) -> None:
    desk.git("checkout", "--quiet", "--detach", "theirs")


def _come_back(desk: Desk) -> None:
    desk.git("checkout", "--quiet", "-")


@pytest.mark.parametrize(
    "place",
    [
        pytest.param(name, marks=[] if name in EVERYDAY else [pytest.mark.slow], id=name)
        for name in PLACES
    ],
)
def test_the_chain_is_kept_in_every_kind_of_repository(tmp_path: Path, place: str) -> None:
    twins = _twins(tmp_path, place)
    ours = twins.ours
    twins.alike()
    wal(ours, "start", "Ship it", "--item", "write it", "--next", "one", "--verify", "test -e y")
    assert stop(ours) == ""
    assert ours.git("status", "--porcelain", ".claude") == ""
    twins.both(_part)
    twins.alike()
    journeys = ((_merge, _conclude), (_begin_rebase, _end_rebase), (_walk_away, _come_back))
    for number, (leave, arrive) in enumerate(journeys):
        twins.both(leave)
        before = ours.users_own()
        wal(ours, "next", f"{NEWEST} {number}")
        assert stop(ours) == ""
        assert ours.users_own() == before
        assert found(ours) == everywhere(f"{NEWEST} {number}")
        twins.both(arrive)
        twins.alike()
        assert found(ours) == everywhere(f"{NEWEST} {number}")
        # What a flush has put in place itself is too young to be trusted: the next one looks again.
        assert [stop(ours), stop(ours)] == ["", ""]
        assert ours.looks() == "same"
        assert ours.git("status", "--porcelain", ".claude") == ""
    ours.fsck()
