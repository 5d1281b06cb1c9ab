"""baton.hot.overlay: while git moves files, the chain's content stands aside (design page chain)."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from baton.core.chain.render import render
from baton.edge.chain_file import ChainFile, Version
from baton.hot import chain as chains
from baton.hot import config, overlay, places, project
from baton.hot.chain import Chain
from baton.hot.flush.flush import flush
from baton.hot.project import Project
from baton.hot.state import OVERLAY, WRITTEN, State
from chain_cases import EMPTY, EXAMPLE
from support import git

WAL = ".claude/WAL.md"
NEXT = "the overlay's next step"


class Place:
    """A repository with a chain, and the parts that read and write it."""

    def __init__(self, repo: Path) -> None:
        self.repo = repo
        self.file = repo / WAL

    @property
    def project(self) -> Project:
        found = project.locate({"HOME": os.environ["HOME"]}, str(self.repo))
        assert found is not None
        return found

    @property
    def state(self) -> State:
        return State(self.project, dict(os.environ))

    @property
    def aside(self) -> Path:
        return Path(self.state.path(OVERLAY))

    def write(self, following: str = NEXT) -> Version:
        def step(version: Version) -> Chain:
            version.chain.next = following
            return version.chain

        return ChainFile(self.project, self.state, 5).change(step)

    def read(self) -> str:
        return ChainFile(self.project, self.state, 5).read().chain.next

    def flush(self) -> str:
        found = self.project
        return flush(found, self.state, config.load(found)).kind

    def git(self, *words: str) -> str:
        return git(*words, cwd=self.repo)


@pytest.fixture
def place(repo: Path) -> Place:
    """A chain that is in HEAD."""
    made = Place(repo)
    made.file.parent.mkdir()
    made.file.write_bytes(EXAMPLE)
    git("add", ".", cwd=repo)
    git("commit", "-q", "-m", "a chain", cwd=repo)
    return made


def test_off_an_operation_the_file_is_written(place: Place) -> None:
    place.write()
    assert NEXT in place.file.read_text()
    assert not place.aside.exists()


def test_on_a_detached_head_a_tracked_chain_stays_clean(place: Place) -> None:
    place.git("checkout", "-q", "--detach")
    place.write()
    assert place.file.read_bytes() == EXAMPLE
    assert place.git("status", "--porcelain") == ""
    assert place.read() == NEXT


def test_the_first_write_afterwards_puts_it_in_place(place: Place) -> None:
    place.git("checkout", "-q", "--detach")
    place.write("one")
    place.write("two")
    place.git("checkout", "-q", "main")
    assert place.read() == "two"
    place.write("three")
    assert b"next: three" in place.file.read_bytes()
    assert not place.aside.exists()


def test_the_first_flush_afterwards_puts_it_in_place(place: Place) -> None:
    place.git("checkout", "-q", "--detach")
    place.write()
    assert place.flush() == "parked"
    assert NEXT in place.git("show", f"refs/baton/wal/main:{WAL}")
    place.git("checkout", "-q", "main")
    assert place.flush() == "committed"
    assert NEXT in place.git("show", f"HEAD:{WAL}")
    assert not place.aside.exists()
    assert place.git("status", "--porcelain") == ""


def test_a_chain_that_git_does_not_know_is_written_as_ever(repo: Path) -> None:
    place = Place(repo)
    place.file.parent.mkdir()
    place.file.write_bytes(EXAMPLE)
    place.git("checkout", "-q", "--detach")
    place.write()
    assert NEXT in place.file.read_text()
    assert not place.aside.exists()


def test_a_chain_that_only_the_branch_to_come_back_to_knows(place: Place) -> None:
    """A rebase onto commits that lack it will write it again."""
    place.git("checkout", "-q", "-b", "topic", "HEAD~1")
    (place.repo / "f").write_text("topic\n")
    place.git("add", "f")
    place.git("commit", "-q", "-m", "topic")
    place.git("checkout", "-q", "main")
    (place.repo / "f").write_text("main\n")
    place.git("add", "f")
    place.git("commit", "-q", "-m", "f")
    with pytest.raises(AssertionError):
        place.git("rebase", "topic")
    place.git("rm", "-q", "--cached", WAL)
    place.write()
    assert place.aside.exists()


def test_notes_of_git_that_cannot_be_read_say_nothing(place: Place) -> None:
    (place.repo / ".git/rebase-merge/git-rebase-todo").mkdir(parents=True)
    place.write()
    assert place.aside.exists()


def test_git_that_cannot_say_counts_as_known(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.git("checkout", "-q", "--detach")
    monkeypatch.setenv("PATH", "/nonexistent")
    place.write()
    assert place.aside.exists()


def test_a_folder_whose_name_git_cannot_be_asked_counts_as_known(repo: Path) -> None:
    inner = Place(repo / "two\nlines")
    inner.file.parent.mkdir(parents=True)
    inner.file.write_bytes(EXAMPLE)
    inner.git("add", ".")
    inner.git("commit", "-q", "-m", "a chain")
    inner.git("checkout", "-q", "--detach")
    inner.write()
    assert inner.aside.exists()


def test_in_the_middle_of_an_operation_the_newest_is_what_was_written_last(place: Place) -> None:
    """git has put an older version into the file; nothing was written since."""
    place.write()
    place.flush()
    place.git("checkout", "-q", "--detach", "HEAD~1")
    assert place.file.read_bytes() == EXAMPLE
    assert place.read() == NEXT
    place.write("further")
    assert place.file.read_bytes() == EXAMPLE
    place.git("checkout", "-q", "main")
    assert place.read() == "further"


def test_an_edit_by_hand_in_the_middle_of_an_operation_counts(place: Place) -> None:
    place.write()
    place.flush()
    place.git("checkout", "-q", "--detach", "HEAD~1")
    place.file.write_bytes(EXAMPLE.replace(b"next: Append", b"next: By hand append"))
    assert place.read().startswith("By hand append")


def _committed_by_hand(place: Place, old: str, new: str) -> bytes:
    """The chain is edited and committed, a while after baton wrote it, before the turn ends."""
    place.write()
    place.flush()
    hand = place.file.read_bytes().replace(old.encode(), new.encode())
    place.file.write_bytes(hand)
    place.git("commit", "-q", "-a", "-m", "the user's")
    os.utime(place.state.path(WRITTEN), (1, 1))
    return hand


HANDS = {
    "as it was": ("next: ", "next: by hand, "),
    "its time taken out": ("updated: ", "updated: — "),
}


@pytest.mark.parametrize(("old", "new"), HANDS.values(), ids=list(HANDS))
def test_an_edit_by_hand_that_the_user_committed_counts_too(
    old: str, new: str, place: Place
) -> None:
    hand = _committed_by_hand(place, old, new)
    assert places.newer(place.project, place.state, hand) is None
    place.git("checkout", "-q", "--detach")
    assert overlay.content(place.project, place.state) == hand


def test_what_was_committed_before_baton_wrote_last_does_not(place: Place) -> None:
    _committed_by_hand(place, "next: ", "next: by hand, ")
    later = time.time() + 60
    os.utime(place.state.path(WRITTEN), (later, later))
    place.git("checkout", "-q", "--detach")
    assert place.read() == NEXT


def test_nor_where_git_cannot_say_when(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    _committed_by_hand(place, "next: ", "next: by hand, ")
    monkeypatch.setattr(overlay, "_AUTHORED", ("no-such-command",))
    place.git("checkout", "-q", "--detach")
    assert place.read() == NEXT


def test_an_edit_by_hand_that_git_ignores_counts_too(place: Place) -> None:
    place.write()
    place.git("rm", "-q", "--cached", WAL)
    place.git("commit", "-q", "-m", "untracked")
    (place.repo / ".git/info/exclude").write_text(".claude/\n")
    place.git("checkout", "-q", "--detach")
    place.file.write_bytes(place.file.read_bytes().replace(NEXT.encode(), b"by hand"))
    assert place.read() == "by hand"


@pytest.mark.parametrize(("old", "new"), HANDS.values(), ids=list(HANDS))
def test_an_edit_by_hand_that_a_flush_has_kept_is_what_was_written_last(
    old: str, new: str, place: Place
) -> None:
    place.write()
    place.flush()
    hand = place.file.read_bytes().replace(old.encode(), new.encode())
    place.file.write_bytes(hand)
    assert place.flush() == "committed"
    place.git("checkout", "-q", "--detach", "HEAD~1")
    assert overlay.content(place.project, place.state) == hand


def test_an_older_version_that_somebody_put_back_is_not(place: Place) -> None:
    place.write()
    place.flush()
    place.file.write_bytes(EXAMPLE.replace(b"2026-07-11", b"2026-07-10"))
    assert place.flush() == "committed"
    assert NEXT.encode() in place.state.read(WRITTEN)


def test_a_flush_whose_note_cannot_be_written_is_a_flush(place: Place) -> None:
    place.state.make()
    os.mkdir(place.state.path(WRITTEN))
    place.file.write_bytes(EXAMPLE.replace(b"next: ", b"next: by hand, "))
    assert place.flush() == "committed"


def test_git_that_cannot_say_leaves_the_file_to_its_writer(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write()
    place.flush()
    place.git("checkout", "-q", "--detach", "HEAD~1")
    monkeypatch.setenv("PATH", "/nonexistent")
    assert place.read() != NEXT


def test_no_file_in_the_middle_of_an_operation(place: Place) -> None:
    place.write()
    place.flush()
    place.git("checkout", "-q", "--detach", "HEAD~2")
    assert not place.file.exists()
    assert place.read() == NEXT


def test_what_somebody_wrote_by_hand_meanwhile_is_kept_beside_it(place: Place) -> None:
    place.git("checkout", "-q", "--detach")
    place.write()
    place.file.write_bytes(b"my own notes\n")
    place.git("checkout", "-q", "main")
    place.flush()
    assert NEXT in place.file.read_text()
    kept = [path for path in place.file.parent.iterdir() if "refused" in path.name]
    assert [path.read_bytes() for path in kept] == [b"my own notes\n"]


def test_it_is_where_git_cannot_say_whose_it_is(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.git("checkout", "-q", "--detach")
    place.write()
    place.git("checkout", "-q", "main")
    place.file.write_bytes(b"my own notes\n")
    monkeypatch.setenv("PATH", "/nonexistent")
    assert overlay.settle(place.project, place.state).startswith(f"{WAL}.refused-")


def test_what_a_filter_of_git_s_put_there_meanwhile_is_not(place: Place) -> None:
    (place.repo / ".gitattributes").write_text("*.md filter=veil\n")
    for name, command in (("clean", "sed s/^/veiled:/"), ("smudge", "sed s/^veiled://")):
        place.git("config", f"filter.veil.{name}", command)
    place.git("add", "--renormalize", ".")
    place.git("commit", "-q", "-m", "veiled")
    place.git("checkout", "-q", "--detach")
    place.write()
    place.git("checkout", "-q", "-b", "other")
    place.file.write_bytes(EMPTY)
    place.git("commit", "-q", "-a", "-m", "empty")
    assert overlay.settle(place.project, place.state) == ""
    assert os.listdir(place.file.parent) == ["WAL.md"]


def test_what_git_put_there_meanwhile_is_not(place: Place) -> None:
    place.git("checkout", "-q", "--detach")
    place.write()
    place.git("checkout", "-q", "-b", "other")
    place.file.write_bytes(EMPTY)
    place.git("commit", "-q", "-a", "-m", "empty")
    place.flush()
    assert NEXT in place.file.read_text()
    assert os.listdir(place.file.parent) == ["WAL.md"]


def test_a_folder_that_has_become_a_link_out_of_the_project(place: Place, tmp_path: Path) -> None:
    place.git("checkout", "-q", "--detach")
    place.write()
    place.git("checkout", "-q", "main")
    (tmp_path / "away").mkdir()
    place.file.unlink()
    place.file.parent.rmdir()
    place.file.parent.symlink_to(tmp_path / "away")
    assert place.flush() == "failed"
    assert list((tmp_path / "away").iterdir()) == []
    assert NEXT in place.aside.read_text()


def test_a_killed_settling_is_taken_up_again(place: Place) -> None:
    """Both hold the newest content between the two steps."""
    place.git("checkout", "-q", "--detach")
    version = place.write()
    place.git("checkout", "-q", "main")
    assert version.data is not None
    place.file.write_bytes(version.data)
    assert place.flush() == "committed"
    assert not place.aside.exists()


def test_outside_git(tmp_path: Path) -> None:
    found = Project(str(tmp_path), None)
    state = State(found, {"HOME": str(tmp_path / "home")})
    assert overlay.over(found)
    assert not overlay.wanted(found)
    assert overlay.content(found, state) is None


def test_a_rendered_chain_is_what_comes_back(place: Place) -> None:
    place.git("checkout", "-q", "--detach")
    version = place.write()
    assert overlay.content(place.project, place.state) == version.data == render(version.chain)
    assert chains.parse(version.data or b"").problems == []
