"""A flush ended, or refused by the disk, at each call that changes a file: old or new exactly.

Everything that the hook and its gits do to files is counted once; then each call in turn is the
last one. After that the user's work is the same to the bit, the repository is whole, and the next
flush keeps the newest content, whatever the last one left behind.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import syscalls
from desk import CHAIN, SETTLE_SECONDS, Desk
from measured import patient
from support import HOOKS, make_repository

OLD, NEW = "goal: old\n", "goal: new\n"
NOTE = ".claude/agent-memory/n.md"
BRANCH, REF = "refs/heads/main", "refs/baton/wal/main"
EVERYDAY_STEP = 11

pytestmark = pytest.mark.skipif(not syscalls.SUPPORTED, reason="ptrace on Linux x86-64 only")


def _lay(folder: Path, detached: bool) -> Desk:
    """A project with a flushed chain and much of the user's work in progress."""
    desk = Desk(make_repository(folder))
    desk.commit("more", half="1\n2\n")
    desk.write(OLD)
    desk.write("old note\n", NOTE)
    if detached:
        desk.git("checkout", "--quiet", "--detach")
    (desk.root / "half").write_text("staged\n2\n")
    desk.git("add", "half")
    (desk.root / "half").write_text("staged\nnot staged\n")
    desk.write("intent\n", "intent.txt")
    desk.git("add", "-N", "intent.txt")
    assert desk.flush().kind in ("committed", "parked")
    return desk


def _turn(template: Path, folder: Path, mode: str, at: int) -> tuple[Desk, int, bytes]:
    """A turn that changes the state, in a copy, with the hook traced; give the calls it came to."""
    shutil.copytree(template, folder, symlinks=True)
    desk = Desk(folder)
    time.sleep(SETTLE_SECONDS)
    assert desk.flush().kind == "unchanged"
    (folder / CHAIN).write_text(NEW)
    (folder / NOTE).unlink()
    (folder / ".claude/agent-memory/fresh.md").write_text("fresh\n")
    time.sleep(SETTLE_SECONDS)
    before = desk.users_own()
    hook = patient(HOOKS / "flush.py", "-B")
    command = [sys.executable, syscalls.__file__, mode, str(at), *hook]
    environment = {**os.environ, "CLAUDE_PROJECT_DIR": str(folder)}
    done = subprocess.run(command, env=environment, input=b"{}\n", capture_output=True, timeout=120)
    calls = int(done.stderr.rpartition(b"calls: ")[2])
    assert _without_locks(desk.users_own()) == before
    return desk, calls, done.stdout


def _without_locks(owned: dict[str, object]) -> dict[str, object]:
    """Drop the locks that any git leaves that is killed; the next flush must live with them."""
    for part in ("own", "shared"):
        files = owned[part]
        assert isinstance(files, dict)
        owned[part] = {name: fact for name, fact in files.items() if not name.endswith(".lock")}
    return owned


def _is_old_or_new(desk: Desk, ref: str) -> None:
    held = {path: desk.at(ref, path) for path in (CHAIN, NOTE, ".claude/agent-memory/fresh.md")}
    assert list(held.values()) in ([OLD, "old note\n", ""], [NEW, "", "fresh\n"])
    desk.fsck()


def _next_flush_keeps_all(desk: Desk, ref: str) -> None:
    owned = _without_locks(desk.users_own())
    outcome = desk.flush()
    locks = _locks_of_git(desk)
    if locks and ref == BRANCH and desk.at(BRANCH) == OLD:
        assert (outcome.kind, desk.at(REF)) == ("parked", NEW)
        named = " and ".join(map(str, locks))
        assert outcome.reason.startswith(f"{named} {'are' if len(locks) > 1 else 'is'} present")
    for lock in locks:
        # The user removes those on the branch; one on our own ref goes once it is old.
        lock.unlink() if ref == BRANCH else _age(lock)
        outcome = desk.flush()
    assert outcome.kind in ("committed", "parked", "unchanged")
    told = f"{outcome.kind}: {outcome.reason}"
    assert (desk.at(ref), desk.at(ref, NOTE), told) == (NEW, "", told)
    assert _without_locks(desk.users_own()) == owned
    assert not list((desk.root / ".git").glob("**/*.lock"))
    assert not list((desk.root / ".git/baton").glob("index.*"))
    if ref == BRANCH:
        status = desk.git("status", "--porcelain", "--", ".claude")
        assert status == ""
    assert desk.looks() == "same"


def _locks_of_git(desk: Desk) -> list[Path]:
    names = ("HEAD.lock", f"{BRANCH}.lock", f"{REF}.lock")
    return [desk.root / ".git" / name for name in names if (desk.root / ".git" / name).exists()]


def _age(lock: Path) -> None:
    """A lock on our own ref goes once it is older than any flush lives."""
    old = time.time() - 60
    os.utime(lock, (old, old))


@pytest.fixture(scope="module", params=[False, True], ids=["branch", "ref"])
def laid(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("laid") / "project"
    _lay(folder, request.param)
    return folder, REF if request.param else BRANCH


def _every(laid: tuple[Path, str], tmp_path: Path, mode: str, step: int) -> None:
    template, ref = laid
    _, calls, _ = _turn(template, tmp_path / "count", "count", 0)
    assert calls > 40
    points = range(1, calls + 1, step)
    for at in points:
        desk, _, _ = _turn(template, tmp_path / str(at), mode, at)
        _is_old_or_new(desk, ref)
        _next_flush_keeps_all(desk, ref)
        shutil.rmtree(desk.root)
    print(f"tried: flush to {ref}, {mode}: {calls} calls that change files, {len(points)} of them")


def test_some_calls_are_the_last_one(laid: tuple[Path, str], tmp_path: Path) -> None:
    _every(laid, tmp_path, "kill", EVERYDAY_STEP)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("mode", ["kill", "leader", "enospc", "eio", "full"])
def test_each_call_is_the_last_one(laid: tuple[Path, str], tmp_path: Path, mode: str) -> None:
    _every(laid, tmp_path, mode, 1)
