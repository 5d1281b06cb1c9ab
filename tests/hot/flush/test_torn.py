"""Objects that a cut of the power had torn: git takes them for granted by their names, baton does not."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from baton.hot.git import durable
from desk import CHAIN, Desk

NEW = "goal: new\n"
# More than zlib takes in at once, and nothing that it makes smaller.
LARGE = random.Random(1).randbytes(3 << 20)
LOSSES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda whole: b"",
    "zeros": lambda whole: bytes(len(whole)),
    "half": lambda whole: whole[: len(whole) // 2],
    "without its end": lambda whole: whole[:-4],
}


@pytest.fixture
def desk(repo: Path) -> Desk:
    desk = Desk(repo)
    desk.write("goal: old\n")
    desk.flush()
    return desk


def _objects(desk: Desk) -> dict[str, Path]:
    found = (desk.root / ".git/objects").glob("[0-9a-f][0-9a-f]/*")
    return {path.parent.name + path.name: path for path in found}


def _made_by_a_flush(desk: Desk, text: str) -> dict[str, bytes]:
    """The objects, but for the commit, that the next flush will make."""
    copy = Desk(Path(shutil.copytree(desk.root, desk.root.with_name("copy"), symlinks=True)))
    copy.write(text)
    commit = copy.flush().commit
    new = _objects(copy).keys() - _objects(desk).keys() - {commit}
    found = {oid: _objects(copy)[oid].read_bytes() for oid in sorted(new)}
    shutil.rmtree(copy.root)
    return found


def _plant(desk: Desk, oid: str, data: bytes) -> None:
    path = desk.root / ".git/objects" / oid[:2] / oid[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    path.chmod(0o444)


@pytest.mark.parametrize("detached", [False, True], ids=["branch", "ref"])
@pytest.mark.parametrize("loss", LOSSES)
def test_what_was_torn_is_put_aside_and_made_again(desk: Desk, loss: str, detached: bool) -> None:
    if detached:
        desk.git("checkout", "--quiet", "--detach")
    made = _made_by_a_flush(desk, NEW)
    assert len(made) == 3
    torn = {oid: LOSSES[loss](whole) for oid, whole in made.items()}
    for oid, data in torn.items():
        _plant(desk, oid, data)
    desk.write(NEW)
    outcome = desk.flush()
    assert (outcome.kind, outcome.reason[:8]) == (
        ("parked", "HEAD is ") if detached else ("committed", "")
    )
    assert desk.at(outcome.ref) == NEW
    desk.fsck()
    aside = desk.root / ".git/baton/torn"
    assert {path.name: path.read_bytes() for path in aside.iterdir()} == torn


def test_a_large_object_is_read_in_parts(desk: Desk) -> None:
    text = LARGE.hex()
    (desk.root / ".claude/agent-memory").mkdir()
    (desk.root / ".claude/agent-memory/large.md").write_text(text)
    assert desk.flush().kind == "committed"
    assert desk.at("HEAD", ".claude/agent-memory/large.md") == text
    assert not (desk.root / ".git/baton/torn").exists()


def test_a_disk_that_tears_all_that_is_made(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    head = desk.head()
    monkeypatch.setattr(durable, "_inflates", lambda fd: False)
    desk.write(NEW)
    outcome = desk.flush()
    assert outcome.kind == "deferred"
    assert outcome.reason.startswith("the object ")
    assert outcome.reason.endswith(", which a crash had torn, was put aside")
    assert desk.head() == head
    monkeypatch.undo()
    assert desk.flush().kind == "committed"
    assert desk.at("HEAD", CHAIN) == NEW
    desk.fsck()


def test_where_it_cannot_be_put_aside(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for oid in _made_by_a_flush(desk, NEW):
        _plant(desk, oid, b"")
    (desk.root / ".git/baton/torn").write_text("in the way")
    desk.write(NEW)
    outcome = desk.flush()
    assert (outcome.kind, outcome.reason) == (
        "failed",
        f"File exists: {os.path.realpath(desk.root)}/.git/baton/torn",
    )
