"""baton.edge.doctor.keeping: where a flush would go, and the locks in its way."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from baton.core.doctor import keeping as meaning
from baton.core.doctor.keeping import Destination, LastFlush, Locks, Notes, OwnLock
from baton.edge.doctor import keeping
from baton.hot import config
from desk import CHAIN, Desk
from support import git

REF = "refs/baton/wal/main"
SIGNAL = "index.lock is present: another git is at work, or was killed"


@pytest.fixture
def desk(repo: Path) -> Desk:
    (repo / ".claude").mkdir()
    return Desk(repo)


def _gone(desk: Desk) -> None:
    (desk.root / ".git").rename(desk.root / "away")


def _persist(value: str) -> Callable[[Desk], object]:
    return lambda desk: desk.write(f'persist = "{value}"\n', ".claude/baton.toml")


DESTINATIONS: dict[str, tuple[Callable[[Desk], object], Destination]] = {
    "the branch": (lambda desk: None, Destination(meaning.BRANCH, "main")),
    "off": (_persist("off"), Destination(meaning.OFF)),
    "the ref": (_persist("ref"), Destination(meaning.REF, REF, 'persist = "ref"')),
    "no repository": (_gone, Destination(meaning.DISK)),
    "detached": (
        lambda desk: desk.git("switch", "--quiet", "--detach"),
        Destination(meaning.REF, REF, "HEAD is detached"),
    ),
    "locked": (
        lambda desk: (desk.root / ".git/index.lock").touch(),
        Destination(meaning.REF, REF, "{git}/" + SIGNAL),
    ),
}


@pytest.mark.parametrize(("make", "expected"), DESTINATIONS.values(), ids=DESTINATIONS)
def test_where_a_flush_goes(
    make: Callable[[Desk], object], expected: Destination, desk: Desk
) -> None:
    make(desk)
    found = keeping.destination(desk.project, config.load(desk.project), False)
    git_dir = str(desk.root / ".git")
    why = expected.why.replace("{git}", git_dir)
    assert found == Destination(expected.kind, expected.where, why)
    disabled = keeping.destination(desk.project, config.load(desk.project), True)
    assert disabled == Destination(meaning.DISABLED)


def test_a_repository_that_git_does_not_trust(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "git"
    program.write_text("#!/bin/sh\necho 'fatal: detected dubious ownership' >&2\nexit 128\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    found = keeping.destination(desk.project, config.load(desk.project), False)
    told = "fatal: detected dubious ownership"
    assert found == Destination(meaning.REFUSED, why=told, top=str(desk.root))


def test_the_last_flush(desk: Desk) -> None:
    assert keeping.last_flush(desk.project, desk.state, True) == LastFlush(
        "", "", (), "", False, False, True, str(desk.root)
    )
    desk.write("# WAL\n")
    desk.flush()
    kept = f"kept {desk.kept_at()} on branch main"
    good = LastFlush("committed", "", (), kept, True, True, False, str(desk.root))
    assert keeping.last_flush(desk.project, desk.state, False) == good
    (desk.root / ".claude/agent-memory").symlink_to("/etc")
    desk.write("# WAL\n\n")
    fault = ((".claude/agent-memory", "a symbolic link out of the project, to /etc"),)
    assert keeping.last_flush(desk.project, desk.state, False).saved is False
    desk.flush()
    kept = f"kept {desk.kept_at()} on branch main"
    assert keeping.last_flush(desk.project, desk.state, False) == LastFlush(
        "committed", "", fault, kept, True, True, False, str(desk.root)
    )


def test_ignored_paths(desk: Desk, home: Path) -> None:
    settings = config.load(desk.project)
    assert keeping.ignored(desk.project, settings, desk.state) == ()
    desk.write("# WAL\n")
    desk.write("x", ".claude/agent-memory/ổ.md")
    assert keeping.ignored(desk.project, settings, desk.state) == ()
    (desk.root / ".gitignore").write_text("# a comment\n.claude/*\n", encoding="utf-8")
    rule = ".gitignore:2 .claude/*"
    paths = ((CHAIN, rule), (".claude/agent-memory/ổ.md", rule))
    assert keeping.ignored(desk.project, settings, desk.state) == paths
    git("add", "--force", CHAIN, cwd=desk.root)
    assert keeping.ignored(desk.project, settings, desk.state) == paths[1:]
    (desk.root / ".gitignore").write_text(".claude/*\n!.claude/agent-memory\n", encoding="utf-8")
    assert keeping.ignored(desk.project, settings, desk.state) == ()
    _gone(desk)
    assert keeping.ignored(desk.project, settings, desk.state) == ()


def test_locks_of_git(desk: Desk) -> None:
    assert keeping.git_locks(desk.project) == Locks((), "")
    for name in ("index.lock", "refs/heads/main.lock"):
        lock = desk.root / ".git" / name
        lock.touch()
        os.utime(lock, (time.time() + 900,) * 2)
    names = [str(desk.root / ".git" / name) for name in ("index.lock", "refs/heads/main.lock")]
    assert keeping.git_locks(desk.project) == Locks(tuple((name, 0) for name in names), "")
    _gone(desk)
    assert keeping.git_locks(desk.project) == Locks((), "")


def test_batons_own_lock_is_not_made_by_looking(desk: Desk) -> None:
    free = OwnLock(desk.state.path("lock"), False, 0, "", 0)
    assert keeping.own_lock(desk.state) == free
    assert not (desk.root / ".git/baton").exists()
    desk.state.make()
    (desk.root / ".git/baton/lock").touch()
    assert keeping.own_lock(desk.state) == free


def test_a_place_for_notes(desk: Desk) -> None:
    assert keeping.notes(desk.state) == Notes(str(desk.root / ".git"), True)
    (desk.root / ".git/baton").touch()
    assert keeping.notes(desk.state) == Notes(str(desk.root / ".git/baton"), False)
