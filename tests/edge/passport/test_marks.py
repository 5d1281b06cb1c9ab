"""High-water marks beside git: what git itself does raises no alarm, what takes entries away does (case P4)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from baton.core.passport import document
from baton.edge.passport import committed
from commands import Said
from passports import NAME, ON, Shelf, boundary, ledger
from support import git

BOUNDARY = ("boundary", "--stage", "7", "--next", "8")


@pytest.fixture
def first(shelf: Shelf) -> str:
    """A passport of one boundary, committed on main; its hash."""
    [hash_] = shelf.lay(*ledger(boundary("1", "2")))
    commit(shelf, "one boundary")
    return hash_


def commit(shelf: Shelf, subject: str) -> None:
    git("add", "--all", ".", cwd=shelf.root)
    git("commit", "--quiet", "--message", subject, cwd=shelf.root)


def run(shelf: Shelf, *args: str) -> str:
    return git(*args, cwd=shelf.root)


def appends(shelf: Shelf) -> Said:
    """What a further boundary comes to."""
    return shelf(*BOUNDARY, **ON)


def fine(shelf: Shelf) -> None:
    """No alarm: a boundary is appended, and the passport verifies."""
    assert appends(shelf).code == 0
    assert json.loads(shelf("verify", NAME, "--json").out)["ok"] is True


def alarmed(shelf: Shelf, where: str) -> None:
    """The ledger went back, as seen there; nothing is written."""
    before = shelf.path.read_bytes()
    said = appends(shelf)
    assert said.code == 3
    assert f"the ledger went back: {where} it held " in said.err
    assert shelf.path.read_bytes() == before
    problem = json.loads(shelf("verify", NAME, "--json").out)["problem"]
    assert problem["code"] == "ledger-rewound"


# ---- no alarm ----


def test_an_older_branch(shelf: Shelf, first: str) -> None:
    run(shelf, "branch", "older")
    shelf("resume", first)
    commit(shelf, "resumed")
    run(shelf, "switch", "-q", "older")
    said = shelf("resume", first, session="sess-c")
    assert said.code == 3
    assert f"boundary {first} was already resumed at " in said.err
    assert "already resumed, which this file does not hold" in shelf("awaiting").out
    fine(shelf)
    commit(shelf, "a boundary here")
    run(shelf, "switch", "-q", "main")
    fine(shelf)


def test_a_rebase(shelf: Shelf, first: str) -> None:
    run(shelf, "switch", "-qc", "topic")
    shelf("resume", first)
    commit(shelf, "resumed")
    run(shelf, "switch", "-q", "main")
    (shelf.root / "README.md").write_text("changed\n")
    commit(shelf, "meanwhile")
    run(shelf, "switch", "-q", "topic")
    run(shelf, "rebase", "-q", "main")
    fine(shelf)


def test_a_fast_forward(shelf: Shelf, first: str) -> None:
    clone = shelf.root.with_name("clone")
    git("clone", "-q", str(shelf.root), str(clone), cwd=shelf.root.parent)
    shelf("boundary", "--stage", "2", "--next", "3", **ON)
    commit(shelf, "more")
    there = Shelf(clone, shelf.baton)
    assert there.baton("--project", str(clone), "passport", "verify", NAME).code == 0
    git("pull", "-q", cwd=clone)
    said = there.baton("--project", str(clone), "passport", *BOUNDARY, "--session", "s", **ON)
    assert said.code == 0


def test_uncommitted_entries_that_went_to_another_branch(shelf: Shelf, first: str) -> None:
    shelf("resume", first)
    run(shelf, "switch", "-qc", "topic")
    commit(shelf, "resumed, on topic")
    run(shelf, "switch", "-q", "main")
    assert first in shelf.path.read_text()
    fine(shelf)
    assert shelf("resume", first).code == 3


def test_a_detached_head(shelf: Shelf, first: str) -> None:
    shelf("resume", first)
    commit(shelf, "resumed")
    run(shelf, "checkout", "-q", "HEAD~1")
    fine(shelf)


def test_an_untracked_passport_that_is_committed_later(shelf: Shelf) -> None:
    shelf.lay(*ledger(boundary("1", "2")))
    fine(shelf)
    commit(shelf, "tracked now")
    fine(shelf)
    assert len(list(Path(shelf.state.path("passport-marks")).iterdir())) == 1
    commit(shelf, "more")
    run(shelf, "switch", "-q", "--orphan", "empty")
    shelf.lay()
    fine(shelf)


def test_a_repository_without_a_commit(shelf: Shelf) -> None:
    bare = shelf.root.with_name("fresh")
    bare.mkdir()
    git("init", "-q", cwd=bare)
    fresh = Shelf(bare, shelf.baton)
    fresh.lay()
    said = fresh.baton("--project", str(bare), "passport", *BOUNDARY, "--session", "s", **ON)
    assert (said.code, said.err) == (0, "")


def test_outside_git(shelf: Shelf, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    there = Shelf(plain, shelf.baton)
    [hash_] = there.lay(*ledger(boundary("1", "2")))
    before = there.path.read_bytes()
    resume = ("--project", str(plain), "passport", "resume", hash_, "--session", "s")
    assert there.baton(*resume).code == 0
    there.path.write_bytes(before)
    assert "ledger went back: here it held 2 entries" in there.baton(*resume).err


# ---- alarm ----


def test_a_resume_that_was_committed_is_deleted(shelf: Shelf, first: str) -> None:
    before = shelf.path.read_bytes()
    shelf("resume", first)
    commit(shelf, "resumed")
    shelf.path.write_bytes(before)
    alarmed(shelf, "in HEAD")


def test_it_is_seen_in_a_fresh_clone_too(shelf: Shelf, first: str) -> None:
    """The state directory can be lost: what HEAD holds still shows it."""
    before = shelf.path.read_bytes()
    shelf("resume", first)
    commit(shelf, "resumed")
    clone = shelf.root.with_name("clone")
    git("clone", "-q", str(shelf.root), str(clone), cwd=shelf.root.parent)
    (clone / NAME).write_bytes(before)
    said = shelf.baton("--project", str(clone), "passport", "resume", first, "--session", "s")
    assert "the ledger went back: in HEAD it held 2 entries" in said.err


def test_the_deletion_is_committed(shelf: Shelf, first: str) -> None:
    before = shelf.path.read_bytes()
    shelf("resume", first)
    commit(shelf, "resumed")
    shelf.path.write_bytes(before)
    commit(shelf, "as if it never was")
    alarmed(shelf, "on branch main")


def test_an_old_entry_is_edited(shelf: Shelf, first: str) -> None:
    shelf("resume", first)
    commit(shelf, "resumed")
    shelf.path.write_text(shelf.path.read_text().replace('"sess-b"', '"sess-q"'))
    alarmed(shelf, "in HEAD")


@pytest.mark.parametrize(
    "back", [("stash", "-q"), ("checkout", "-q", "--", NAME), ("reset", "-q", "--hard")]
)
def test_an_uncommitted_resume_is_put_away(shelf: Shelf, first: str, back: tuple[str, ...]) -> None:
    shelf("resume", first)
    run(shelf, *back)
    alarmed(shelf, "on branch main")
    if back[0] == "stash":
        run(shelf, "stash", "pop", "-q")
        fine(shelf)


def test_a_commit_is_reset(shelf: Shelf, first: str) -> None:
    shelf("resume", first)
    commit(shelf, "resumed")
    run(shelf, "reset", "-q", "--hard", "HEAD~1")
    alarmed(shelf, "on branch main")


def test_a_new_passport_in_its_place(shelf: Shelf, first: str) -> None:
    shelf.lay()
    alarmed(shelf, "in HEAD")


def test_a_person_takes_it_until_something_else_is_committed(shelf: Shelf, first: str) -> None:
    shelf.lay()
    assert shelf("accept", NAME).code == 0
    fine(shelf)
    fine(shelf)
    commit(shelf, "begun anew")
    shelf.lay()
    alarmed(shelf, "in HEAD")


def test_a_person_takes_it_on_a_detached_head(shelf: Shelf, first: str) -> None:
    shelf("resume", first)
    commit(shelf, "resumed")
    run(shelf, "checkout", "-q", "--detach")
    shelf.lay()
    alarmed(shelf, "in HEAD")
    assert shelf("accept", NAME).code == 0
    fine(shelf)
    assert "nothing to accept" in shelf("accept", NAME).out
    commit(shelf, "begun anew")
    shelf.lay()
    alarmed(shelf, "in HEAD")
    run(shelf, "checkout", "-q", "--force", "main")
    shelf.lay()
    alarmed(shelf, "in HEAD")


# ---- what could not be compared ----


def test_git_that_cannot_be_asked(
    shelf: Shelf, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    data = json.loads(shelf("verify", NAME, "--json").out)
    assert data["unchecked"] == [
        f"what HEAD holds of {NAME} cannot be read: git was not found on PATH"
    ]


def test_git_that_hangs(
    shelf: Shelf, first: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = tmp_path / "bin" / "git"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\nexec sleep 30\n")
    fake.chmod(0o755)
    monkeypatch.setattr(committed, "_SECONDS", 0.2)
    monkeypatch.setenv("PATH", f"{fake.parent}:/usr/bin:/bin")
    data = json.loads(shelf("verify", NAME, "--json").out)
    assert data["unchecked"] == [
        f"what HEAD holds of {NAME} cannot be read: git gave no answer within 0.2 s"
    ]


def test_git_that_cannot_be_started(
    shelf: Shelf, first: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = tmp_path / "bin" / "git"
    fake.parent.mkdir()
    fake.write_text("#!/nowhere/sh\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(fake.parent))
    data = json.loads(shelf("verify", NAME, "--json").out)
    assert data["unchecked"][0].startswith(
        f"what HEAD holds of {NAME} cannot be read: git cannot be run: "
    )


def test_a_blob_too_big_to_be_a_passport(
    shelf: Shelf, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.path.write_text("a: " + "x" * 5000 + "\n")
    commit(shelf, "big")
    shelf.lay()
    monkeypatch.setattr(document, "LIMIT", 4000)
    data = json.loads(shelf("verify", NAME, "--json").out)
    assert data["unchecked"] == [
        f"what HEAD holds of {NAME} cannot be read: it is larger than 4000 bytes"
    ]


def test_a_folder_where_the_passport_was(shelf: Shelf) -> None:
    (shelf.path / "inner").mkdir(parents=True)
    (shelf.path / "inner/file").write_text("x")
    commit(shelf, "a folder")
    run(shelf, "rm", "-rq", NAME)
    shelf.lay()
    fine(shelf)


def test_branches_that_hold_no_passport_or_none_that_can_be_read(shelf: Shelf, first: str) -> None:
    run(shelf, "switch", "-qc", "without")
    run(shelf, "rm", "-q", NAME)
    run(shelf, "commit", "-qm", "none")
    run(shelf, "switch", "-q", "main")
    shelf("resume", first)
    run(shelf, "checkout", "-q", "--", NAME)
    alarmed(shelf, "on branch main")
    run(shelf, "switch", "-qc", "broken")
    shelf.path.write_text("a: [\n")
    commit(shelf, "broken")
    run(shelf, "switch", "-q", "main")
    alarmed(shelf, "on branch main")


def test_sha256_repositories(shelf: Shelf, tmp_path: Path) -> None:
    root = tmp_path / "sha256"
    root.mkdir()
    git("init", "-q", "--object-format=sha256", cwd=root)
    there = Shelf(root, shelf.baton)
    there.lay(*ledger(boundary("1", "2")))
    git("add", ".", cwd=root)
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x", cwd=root)
    data = json.loads(there.baton("--project", str(root), "passport", "verify", NAME, "--json").out)
    assert data["compared"] == ["in HEAD"]
