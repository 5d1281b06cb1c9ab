"""baton.edge.evidence: a warning where nothing could be shown, silence where something can."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from baton.edge.evidence import doubts
from baton.hot import project
from baton.hot.chain import Chain, Item
from support import git


def _doubts(evidence: str, root: Path) -> list[str]:
    found = project.locate({"HOME": os.environ["HOME"]}, str(root))
    assert found is not None
    chain = Chain()
    chain.items = [Item("todo", "a"), Item("done", "b", evidence)]
    return doubts(chain, found)


@pytest.fixture
def place(repo: Path) -> Path:
    """A project below the root of a repository, with a file that is gone from disk since HEAD."""
    root = repo / "below"
    root.mkdir()
    (root / "gone.md").write_text("x\n")
    (root / "tool.sh").write_text("x\n")
    (root / "the plan.md").write_text("x\n")
    (root / "way").symlink_to("nowhere")
    git("add", ".", cwd=root)
    git("commit", "-q", "-m", "all", cwd=root)
    (root / "gone.md").unlink()
    return root


PLAUSIBLE = [
    "",
    "ls nothing.md",
    "git log -1",
    "test -f a  # expect ok",
    "[ -f a ]",
    "! test -f a",
    ". ./env.sh",
    "/bin/sh -c true",
    "tool.sh --all",
    "the plan.md",
    "way",
    "gone.md",
    "the plan.md:3",
    "tool.sh:3-12",
]
DOUBTFUL = [
    "no-such-program --all",
    "all the tests passed",
    "never.md",
    "never.md:12",
    "see tool.sh",
    "0123456789abcdef",
    "the other plan.md",
    "gone.md; true",
]


@pytest.mark.parametrize("evidence", PLAUSIBLE)
def test_silent(evidence: str, place: Path) -> None:
    assert _doubts(evidence, place) == []


@pytest.mark.parametrize("evidence", DOUBTFUL)
def test_doubted(evidence: str, place: Path) -> None:
    assert _doubts(evidence, place) == [
        f"item 2: {evidence!r} is no command here, no path, and no commit id: "
        "/tiep will not be able to check it"
    ]


def test_what_was_warned_of_before_is_not_said_again(place: Path) -> None:
    found = project.locate({"HOME": os.environ["HOME"]}, str(place))
    assert found is not None
    before, after = Chain(), Chain()
    before.items = [Item("done", "a", "never.md"), Item("todo", "b", "nor this")]
    after.items = [*before.items[:1], Item("done", "b", "nor this")]
    assert [doubt[:7] for doubt in doubts(after, found, before)] == ["item 2:"]
    assert doubts(before, found, before) == []


def test_the_expectation_is_no_part_of_it(place: Path) -> None:
    assert _doubts("never.md  # expect ok", place)[0].startswith("item 2: 'never.md' is no command")


def test_commit_ids(place: Path) -> None:
    commit = git("rev-parse", "HEAD", cwd=place).strip()
    assert _doubts(commit, place) == _doubts(commit[:7], place) == []


def test_outside_git(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x\n")
    assert _doubts("a.md", tmp_path) == []
    assert len(_doubts("b.md", tmp_path)) == 1
    assert len(_doubts("0123456789abcdef", tmp_path)) == 1
