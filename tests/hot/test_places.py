"""baton.hot.places: the newest chain is found wherever it ended (design pages chain, notice)."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from baton.hot import places, project
from baton.hot.chain import parse
from baton.hot.places import BRANCH, HEAD, NOTES, REF, TREE, Place
from baton.hot.state import WRITTEN, State
from chain_cases import EMPTY, EXAMPLE, changed, finished
from support import git

WAL = ".claude/WAL.md"
GOAL = "Build feature X: codify the rule, then announce it"


def at(hour: int, goal: str = GOAL) -> bytes:
    """Give a chain that was written at this hour."""
    return changed(("2026-07-11T14:03:22+07:00", f"2026-07-11T{hour:02}:00:00+07:00"), (GOAL, goal))


class Desk:
    """A repository, its chains in this place and that."""

    def __init__(self, repo: Path) -> None:
        self.repo = repo
        found = project.locate({"HOME": os.environ["HOME"]}, str(repo))
        assert found is not None
        self.project = found
        self.state = State(found, dict(os.environ))
        self.state.make()

    def commit(self, document: bytes) -> None:
        (self.repo / WAL).parent.mkdir(exist_ok=True)
        (self.repo / WAL).write_bytes(document)
        git("add", ".", cwd=self.repo)
        git("commit", "-q", "--allow-empty", "-m", "wal: flush", cwd=self.repo)

    def branch(self, name: str, document: bytes) -> None:
        git("checkout", "-q", "-b", name, cwd=self.repo)
        self.commit(document)
        git("checkout", "-q", "main", cwd=self.repo)

    def park(self, document: bytes) -> None:
        self.branch("parking", document)
        git("update-ref", "refs/baton/wal/main", "parking", cwd=self.repo)
        git("branch", "-q", "-D", "parking", cwd=self.repo)

    def wrote(self, document: bytes, ago: int = 0) -> None:
        """Note that baton wrote this last, that many seconds ago."""
        self.state.write(WRITTEN, document)
        moment = time.time() - ago
        os.utime(self.state.path(WRITTEN), (moment, moment))

    def newer(self, here: bytes | None) -> Place | None:
        return places.newer(self.project, self.state, here)


@pytest.fixture
def desk(repo: Path) -> Desk:
    return Desk(repo)


def _head(desk: Desk) -> None:
    desk.commit(at(15))


def _ref(desk: Desk) -> None:
    desk.commit(at(14))
    desk.park(at(15))


def _branch(desk: Desk) -> None:
    desk.commit(at(14))
    desk.branch("feature", at(15))


def _notes(desk: Desk) -> None:
    desk.commit(at(14))
    desk.wrote(at(15))


FOUND = {
    "HEAD": (_head, HEAD),
    "ref": (_ref, REF),
    "branch": (_branch, BRANCH),
    "notes": (_notes, NOTES),
}
HERES = {"older": at(13), "absent": None, "empty": EMPTY}


@pytest.mark.parametrize("here", HERES.values(), ids=list(HERES))
@pytest.mark.parametrize(("make", "kind"), FOUND.values(), ids=list(FOUND))
def test_the_newest_is_found(make: object, kind: str, here: bytes | None, desk: Desk) -> None:
    assert callable(make)
    make(desk)
    found = desk.newer(here)
    assert found is not None
    assert (found.kind, found.data) == (kind, at(15))


@pytest.mark.parametrize(("make", "_"), FOUND.values(), ids=list(FOUND))
def test_not_where_the_work_tree_has_a_newer_one(make: object, _: str, desk: Desk) -> None:
    assert callable(make)
    make(desk)
    assert desk.newer(at(16)) is None


def test_what_was_written_last_here_is_the_newest_by_definition(desk: Desk) -> None:
    desk.commit(at(20))
    desk.wrote(at(13))
    assert desk.newer(at(13)) is None


class Tree:
    """A linked work tree that left a chain on baton's ref, and is removed."""

    def __init__(self, desk: Desk, document: bytes, name: str = "tree") -> None:
        self.desk, self.ref = desk, f"refs/baton/wal/{name}"
        self.folder = desk.repo.parent / name.removesuffix(".linked")
        git("worktree", "add", "-q", "--detach", str(self.folder), cwd=desk.repo)
        desk.branch("parking", document)
        git("update-ref", self.ref, "parking", cwd=desk.repo)
        git("branch", "-q", "-D", "parking", cwd=desk.repo)

    def remove(self) -> None:
        git("worktree", "remove", "--force", str(self.folder), cwd=self.desk.repo)


@pytest.mark.parametrize("name", ["tree", "main.linked"])
def test_what_a_removed_work_tree_left_behind_is_found(name: str, desk: Desk) -> None:
    tree = Tree(desk, at(15), name)
    assert desk.newer(None) is None
    tree.remove()
    found = desk.newer(None)
    assert found is not None
    assert (found.kind, found.data) == (TREE, at(15))
    assert found.words == f"{tree.ref} at {found.commit}"
    assert found.bring == f"baton wal restore {found.commit}"


def test_not_another_goal_s_while_a_chain_stands_here(desk: Desk) -> None:
    Tree(desk, at(15, "another goal")).remove()
    assert desk.newer(at(14)) is None
    found = places.beside(desk.project, desk.state, parse(at(14)))
    assert [place.chain.goal for place in found] == ["another goal"]


def test_not_where_a_branch_went_on_with_it(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    Tree(desk, at(15)).remove()
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-07-11T16:00:00+07:00")
    desk.commit(EMPTY)
    assert desk.newer(None) is None


def test_git_that_cannot_say_whether_a_branch_went_on_leaves_it_standing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    Tree(desk, at(15)).remove()
    monkeypatch.setattr(places, "_TOUCHED", ("no-such-command",))
    assert desk.newer(None) is not None


def test_other_line_ends_are_no_other_version(desk: Desk) -> None:
    """A checkout under `core.autocrlf` makes them."""
    desk.commit(at(15))
    desk.wrote(at(15))
    assert desk.newer(at(15).replace(b"\n", b"\r\n")) is None
    desk.wrote(at(14))
    assert desk.newer(at(15).replace(b"\n", b"\r\n")) is None


def test_of_two_in_one_second_the_last_written_wins(desk: Desk) -> None:
    last = at(15).replace(b"[!] codify", b"[x] codify")
    desk.commit(at(15))
    desk.wrote(last)
    found = desk.newer(at(15))
    assert found is not None
    assert found.data == last


HANDS = {
    "its time as it was": ("next: ", "next: by hand, "),
    "no time in it": ("updated: 2026-07-11T15:00:00+07:00", "updated: —"),
}


@pytest.mark.parametrize(("old", "new"), HANDS.values(), ids=list(HANDS))
@pytest.mark.parametrize("shown", [True, False], ids=["untracked shown", "untracked hidden"])
def test_what_somebody_made_of_it_with_an_editor_is_the_newest(
    shown: bool, old: str, new: str, desk: Desk
) -> None:
    desk.commit(at(15))
    desk.wrote(at(15))
    hand = changed((old, new), document=at(15))
    (desk.repo / WAL).write_bytes(hand)
    if not shown:
        git("rm", "-q", "--cached", WAL, cwd=desk.repo)
        git("commit", "-q", "-m", "untracked", cwd=desk.repo)
        git("config", "status.showUntrackedFiles", "no", cwd=desk.repo)
    assert desk.newer(hand) is None


def test_an_edit_by_hand_does_not_hide_what_is_newer_still(desk: Desk) -> None:
    soon = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(time.time() + 60))
    desk.branch("feature", changed(("2026-07-11T14:03:22+07:00", soon)))
    desk.wrote(at(15))
    hand = changed(("next: ", "next: by hand, "), document=at(15))
    (desk.repo / ".claude").mkdir(exist_ok=True)
    (desk.repo / WAL).write_bytes(hand)
    found = desk.newer(hand)
    assert found is not None
    assert found.name == "feature"


def test_an_edit_by_hand_that_is_gone_meanwhile_is_of_no_time(desk: Desk) -> None:
    desk.wrote(at(15))
    found = desk.newer(changed(("next: ", "next: by hand, "), document=at(15)))
    assert found is not None
    assert found.kind == NOTES


def test_a_chain_put_away_here_stays_away(desk: Desk) -> None:
    """Reset at the end of the work; then git puts an older version, or none, into the file."""
    desk.park(at(14))
    desk.wrote(EMPTY)
    assert desk.newer(None) is None


def test_a_chain_begun_elsewhere_since_does_not(desk: Desk) -> None:
    later = changed(("2026-07-11T14:03:22+07:00", "2096-07-11T14:03:22+07:00"))
    desk.branch("feature", later)
    desk.wrote(EMPTY)
    found = desk.newer(None)
    assert found is not None
    assert found.name == "feature"


def test_another_branch_s_other_work_is_its_own(desk: Desk) -> None:
    desk.branch("feature", at(15, "Other work"))
    assert desk.newer(at(14)) is None
    beside = places.beside(desk.project, desk.state, parse(at(14)))
    assert [place.name for place in beside] == ["feature"]
    assert places.beside(desk.project, desk.state, parse(at(16))) == []


def test_but_it_is_named_where_nothing_is_unfinished_here(desk: Desk) -> None:
    desk.branch("feature", at(15, "Other work"))
    found = desk.newer(EMPTY)
    assert found is not None
    assert found.words.startswith("branch feature at ")


def test_a_finished_chain_counts_for_its_own_line(desk: Desk) -> None:
    done = finished().replace(b"14:03:22", b"15:00:00")
    desk.commit(done)
    found = desk.newer(at(13))
    assert found is not None
    assert found.chain.state == "finished"


NEVER = {"empty": EMPTY, "no chain": b"hello\n", "too big": b"x" * 70_000, "binary": b"\0\1"}


@pytest.mark.parametrize("document", NEVER.values(), ids=list(NEVER))
def test_what_is_no_chain_is_never_chosen(document: bytes, desk: Desk) -> None:
    desk.commit(document)
    desk.park(document)
    assert desk.newer(None) is None


def test_an_unreadable_chain_has_its_own_way_back(desk: Desk) -> None:
    desk.commit(at(15))
    assert desk.newer(b"hello\n") is None


def test_a_checkout_without_notes_is_left_alone(repo: Path) -> None:
    found = project.locate({"HOME": os.environ["HOME"]}, str(repo))
    assert found is not None
    assert places.newer(found, State(found, dict(os.environ)), None) is None


def test_git_that_cannot_say(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.commit(at(15))
    monkeypatch.setenv("PATH", "/nonexistent")
    assert desk.newer(None) is None
    with pytest.raises(places.Unseen, match=r"^git was not found on PATH$"):
        places.beside(desk.project, desk.state, parse(at(14)))
    desk.wrote(at(15))
    place = desk.newer(None)
    assert place and place.kind == NOTES


def test_git_that_does_not_answer(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.commit(at(15))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/git").write_text("#!/bin/sh\nexec sleep 600\n")
    (tmp_path / "bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    with pytest.raises(places.Unseen, match=r"^git: no answer in 0 s$"):
        places.elsewhere(desk.project, desk.state, 0.0)


def test_outside_git(tmp_path: Path) -> None:
    found = project.Project(str(tmp_path), None)
    state = State(found, {"HOME": str(tmp_path / "home")})
    state.write(WRITTEN, EXAMPLE)
    place = places.newer(found, state, None)
    assert place is not None
    assert (place.words, place.bring) == ("baton's own notes", "baton wal restore newest")


def test_an_unborn_branch(tmp_path: Path) -> None:
    git("init", "-q", str(tmp_path / "new"), cwd=tmp_path)
    assert Desk(tmp_path / "new").newer(None) is None


def test_words(desk: Desk) -> None:
    desk.commit(at(15))
    desk.branch("feature/x", at(16))
    commits = [git("rev-parse", name, cwd=desk.repo).strip()[:12] for name in ("main", "feature/x")]
    told = sorted(
        (place.words, place.bring) for place in places.elsewhere(desk.project, desk.state)
    )
    assert told == [
        (f"HEAD at {commits[0]}", f"baton wal restore {commits[0]}"),
        (f"branch feature/x at {commits[1]}", f"baton wal restore {commits[1]}"),
    ]


def test_each_content_once(desk: Desk) -> None:
    desk.commit(at(15))
    desk.branch("feature", at(15) + b"\n")
    git("branch", "same", cwd=desk.repo)
    desk.wrote(at(15))
    kinds = [place.kind for place in places.elsewhere(desk.project, desk.state)]
    assert sorted(kinds) == sorted([BRANCH, HEAD])


def test_a_time_that_is_none_falls_back_on_the_commits(desk: Desk) -> None:
    desk.branch("feature", changed(("2026-07-11T14:03:22+07:00", "some day")))
    found = desk.newer(EMPTY)
    assert found is not None
    assert abs(found.time - time.time()) < 3600


def test_notes_that_are_gone_have_no_time(desk: Desk) -> None:
    assert places._noted_at(desk.state) == 0.0
