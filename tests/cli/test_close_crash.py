"""A close ended, or refused by the disk, at each call that changes a file.

Whatever the moment: the branch is at its old tip, at the base or at the closing commit; what the run
held is in the branch, the backup or both; index and files of the user are the same to the bit; and
the next close comes to the same end.
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
from baton.edge.closing import BACKUPS
from chain_cases import EMPTY, EXAMPLE, finished
from commands import run_baton
from desk import CHAIN, SETTLE_SECONDS, Desk
from measured import base_interpreter
from support import SCRIPTS, make_repository

DONE = finished().decode()
NOTE = ".claude/agent-memory/n.md"
EVERYDAY_STEP = 17

pytestmark = pytest.mark.skipif(not syscalls.SUPPORTED, reason="ptrace on Linux x86-64 only")


def _lay(folder: Path) -> Desk:
    """A finished chain in two commits of baton's, and the user's work staged and half-staged."""
    desk = Desk(make_repository(folder))
    desk.commit("more", half="1\n2\n")
    desk.write(EXAMPLE.decode())
    desk.write("note\n", NOTE)
    desk.flush()
    desk.write(DONE)
    desk.flush()
    (desk.root / "half").write_text("staged\n2\n")
    desk.git("add", "half")
    (desk.root / "half").write_text("staged\nnot staged\n")
    return desk


def _close(
    template: Path, folder: Path, mode: str, at: int, words: list[str]
) -> tuple[Desk, int, int]:
    """A close in a copy, traced; give the calls that it came to and its exit code."""
    shutil.copytree(template, folder, symlinks=True)
    desk = Desk(folder)
    time.sleep(SETTLE_SECONDS)
    assert desk.flush().kind == "unchanged"
    time.sleep(SETTLE_SECONDS)
    before = _users_own(desk)
    baton = [base_interpreter(), "-I", "-S", "-B", "-c", _MAIN, str(folder), *words]
    command = [sys.executable, syscalls.__file__, mode, str(at), *baton]
    done = subprocess.run(command, env=dict(os.environ), capture_output=True, timeout=60)
    assert b"Traceback" not in done.stderr
    assert b"a bug in baton" not in done.stderr
    calls = int(done.stderr.rpartition(b"calls: ")[2])
    assert _users_own(desk) == before
    return desk, calls, done.returncode


_MAIN = f"""\
import sys
sys.path.insert(0, {str(SCRIPTS)!r})
from baton.cli.app import main
sys.exit(main(["--project", sys.argv[1], "close", *sys.argv[2:]]))
"""


def _users_own(desk: Desk) -> dict[str, object]:
    owned = desk.users_own()
    for part in ("own", "shared"):
        files = owned[part]
        assert isinstance(files, dict)
        # Any git that is killed leaves its locks.
        owned[part] = {name: fact for name, fact in files.items() if not name.endswith(".lock")}
    tree = owned["tree"]
    assert isinstance(tree, dict)
    owned["tree"] = {name: fact for name, fact in tree.items() if not name.startswith(CHAIN)}
    return owned


def _is_whole(desk: Desk, tip: str, message: str) -> None:
    desk.fsck()
    subjects = desk.git("log", "--format=%s", "main").splitlines()
    closed = [message, "more", "begin"] if message else ["more", "begin"]
    moved = desk.git("rev-parse", "main").strip() != tip
    assert not moved or subjects == closed
    backups = desk.git("for-each-ref", "--format=%(objectname)", "refs/baton/closed").split()
    assert set(backups) <= {tip}
    assert backups or not moved
    chain = (desk.root / CHAIN).read_bytes()
    assert chain in (DONE.encode(), EMPTY)
    assert chain != EMPTY or moved
    assert (desk.root / NOTE).read_text() == "note\n"


def _next_close_ends_it(desk: Desk, words: list[str], message: str) -> None:
    owned = _users_own(desk)
    for lock in list((desk.root / ".git").rglob("*.lock")):
        if BACKUPS in lock.as_posix():
            old = time.time() - 3600
            os.utime(lock, (old, old))
        elif "/.git/baton/" not in lock.as_posix():
            said = run_baton("close", *words, cwd=desk.root)
            assert (said.code, str(lock) in said.err) == (5, True)
            lock.unlink()
    said = run_baton("close", *words, cwd=desk.root)
    assert (said.code, said.err) == (0, "")
    assert (desk.root / CHAIN).read_bytes() == EMPTY
    assert desk.git("log", "-1", "--format=%s").strip() == (message or "more")
    held = desk.at("HEAD", NOTE) if message else desk.git("show", f":{NOTE}")
    assert held == "note\n"
    if not message:
        assert _users_own(desk) == owned
    assert not list((desk.root / ".git/baton").glob("index.*"))
    assert not list((desk.root / ".git").rglob("*.lock"))


@pytest.fixture(scope="module", params=["", "Ship it"], ids=["staged", "committed"])
def laid(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("laid") / "project"
    _lay(folder)
    return folder, request.param


def _every(laid: tuple[Path, str], tmp_path: Path, mode: str, step: int) -> None:
    template, message = laid
    words = ["-m", message] if message else []
    tip = Desk(template).head()
    _, calls, code = _close(template, tmp_path / "count", "count", 0, words)
    assert (code, calls > 20) == (0, True)
    points = range(1, calls + 1, step)
    for at in points:
        desk, _, _ = _close(template, tmp_path / str(at), mode, at, words)
        _is_whole(desk, tip, message)
        _next_close_ends_it(desk, words, message)
        shutil.rmtree(desk.root)
    print(f"tried: close, {mode}: {calls} calls that change files, {len(points)} of them")


def test_some_calls_are_the_last_one(laid: tuple[Path, str], tmp_path: Path) -> None:
    _every(laid, tmp_path, "kill", EVERYDAY_STEP)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("mode", ["kill", "leader", "enospc", "eio", "full"])
def test_each_call_is_the_last_one(laid: tuple[Path, str], tmp_path: Path, mode: str) -> None:
    _every(laid, tmp_path, mode, 1)
