"""Two branches with chains of their own meet (case G10): recognised, said, never silently one side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from desk import CHAIN, Desk
from repository_states import diverge

from .twins import baton, begin, everywhere, found, stop, wal


@pytest.fixture
def desk(repo: Path) -> Desk:
    """HEAD is main; it has a chain, and so has topic."""
    desk = Desk(repo)
    diverge(desk)
    for name in ("topic", "main"):
        desk.git("checkout", "--quiet", name)
        start = ("start", name, "--item", f"do {name}", "--next", f"on {name}", "--verify", "true")
        wal(desk, *start)
        assert stop(desk) == ""
    return desk


def _merge(desk: Desk) -> None:
    assert desk.try_git("merge", "topic").returncode == 1
    desk.write("solved\n", "f")
    desk.git("add", "f")


def _goals(desk: Desk) -> set[str]:
    rows = json.loads(baton(desk, "wal", "log", "--json").out)["versions"]
    return {row["goal"] for row in rows if row["state"] == "unfinished"}


def test_conflict_markers_are_recognised_and_nobody_writes_over_them(desk: Desk) -> None:
    _merge(desk)
    text, before = desk.root / CHAIN, desk.users_own()
    marked = text.read_text(encoding="utf-8")
    assert "<<<<<<< HEAD" in marked

    assert "- conflict-markers: line 2: a merge conflict is not resolved here" in begin(desk)
    shown = json.loads(baton(desk, "wal", "show", "--json").out)
    assert shown["state"] == "unreadable"
    report = baton(desk, "tiep")
    assert report.code == 1
    assert "a merge conflict is not resolved here" in report.out
    assert "goal: main" in report.out and "goal: topic" in report.out
    check = json.loads(baton(desk, "wal", "check", "--json").out)
    assert check["problems"][0]["code"] == "conflict-markers"
    for change in (("next", "x"), ("mark", "1", "done"), ("add", "x"), ("compact",)):
        refused = baton(desk, "wal", *change)
        assert (refused.code, refused.out) == (1, "")
        assert "conflict-markers" in refused.err and "nothing was written" in refused.err
    assert "conflict" in stop(desk)
    assert stop(desk) == ""
    assert text.read_text(encoding="utf-8") == marked
    assert _goals(desk) == {"main", "topic"}
    assert desk.users_own() == before
    assert not baton(desk, "pause").out.startswith("⏸ Safe")


@pytest.mark.parametrize(("side", "goal"), [("--ours", "main"), ("--theirs", "topic")])
def test_the_user_takes_one_side(desk: Desk, side: str, goal: str) -> None:
    _merge(desk)
    stop(desk)
    desk.git("checkout", side, "--", CHAIN)
    desk.git("add", CHAIN)
    desk.git("commit", "--quiet", "--no-edit")
    # main's was written last: whoever takes the other is told so, until it is gone on with.
    assert found(desk) == {**everywhere("on main"), "show": f"on {goal}"}
    assert ("not in the work tree, but newer" in begin(desk)) == (goal == "topic")
    wal(desk, "next", "further")
    assert stop(desk) == ""
    assert found(desk) == everywhere("further")
    assert f"goal: {goal}" in desk.at("HEAD")
    assert _goals(desk) == {"main", "topic"}
    assert desk.git("status", "--porcelain") == ""


def test_a_version_is_brought_back_in_the_middle_of_the_merge(desk: Desk) -> None:
    _merge(desk)
    stop(desk)
    wal(desk, "restore", "newest")
    assert found(desk) == everywhere("on main")
    wal(desk, "next", "further")
    assert stop(desk) == ""
    desk.git("checkout", "--ours", "--", CHAIN)
    desk.git("add", CHAIN)
    desk.git("commit", "--quiet", "--no-edit")
    assert found(desk) == everywhere("further")
    stop(desk)
    stop(desk)
    assert "next: further" in desk.at("HEAD")
    assert desk.git("status", "--porcelain", CHAIN) == ""


def test_markers_that_were_committed_are_still_no_chain(desk: Desk) -> None:
    _merge(desk)
    desk.git("add", CHAIN)
    desk.git("commit", "--quiet", "--no-edit")
    assert "conflict-markers" in begin(desk)
    stop(desk)
    assert json.loads(baton(desk, "wal", "show", "--json").out)["state"] == "unreadable"
    wal(desk, "restore", "newest")
    stop(desk)
    assert "<<<<" not in desk.at("HEAD")
    assert found(desk) == everywhere("on main")


def test_where_the_chain_is_not_in_the_work_tree_the_newest_is_found(desk: Desk) -> None:
    """The user goes to a branch whose chain is older, and back."""
    desk.git("checkout", "--quiet", "base")
    assert not (desk.root / CHAIN).exists()
    assert found(desk) == everywhere("on main")
    desk.git("checkout", "--quiet", "main")
    assert found(desk) == everywhere("on main")
