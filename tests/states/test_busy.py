"""A git of the user's is in the middle of something when a turn ends: in an editor, in a slow hook,
under a lock. It goes on as if nothing had been, and so does the one in the twin (case G3)."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from desk import Desk
from facts import wait_until
from repository_states import REF
from support import LAUNCHER

from .conftest import Lay
from .modes import NEWEST
from .twins import Twins, everywhere, found, stop, wal

# Says that it was reached, gives the editor's file a first line, and waits for the word to go on.
_WAITING = """#!/bin/sh
echo reached >'{mark}/reached'
while [ ! -e '{mark}/go' ]; do sleep 0.01; done
case ${{1-}} in
*git-rebase-todo) ;;
?*) {{ echo 'words of the user'; cat "$1"; }} >'{mark}/text' && cat '{mark}/text' >"$1" ;;
esac
exit {code}
"""


def script(path: Path, mark: Path, code: int = 0) -> None:
    """Write a script that waits between its two marks."""
    mark.mkdir(parents=True, exist_ok=True)
    path.write_text(_WAITING.format(mark=mark, code=code), encoding="utf-8")
    path.chmod(0o755)


@contextmanager
def at_once(twins: Twins, begin: Callable[[Desk, Path], list[str]], **env: str) -> Iterator[Desk]:
    """A git of the user's in each twin that has come to its waiting script. Afterwards both go on
    to their end, and must come to the same. begin: prepares a desk and gives the command."""
    running = []
    codes = []
    try:
        for desk in (twins.ours, twins.plain):
            mark = desk.root.parent / f"{desk.root.name}-waiting"
            command = begin(desk, mark)
            whole = {**os.environ, "GIT_EDITOR": f"'{mark}/editor'", **env}
            process = subprocess.Popen(command, cwd=desk.root, env=whole, stderr=subprocess.DEVNULL)
            running.append((process, mark))
            wait_until((mark / "reached").exists, f"{command} came to its script")
        yield twins.ours
    finally:
        # Also where the test has failed: a script that waits for good would busy the machine.
        for process, mark in running:
            (mark / "go").touch()
            codes.append(process.wait(timeout=120))
    assert codes[0] == codes[1]


def _stage(desk: Desk) -> None:
    desk.write("mine\n", "mine.c")
    desk.git("add", "mine.c")
    desk.write("changed\n", "README.md")


def _editor(*command: str) -> Callable[[Desk, Path], list[str]]:
    def begin(desk: Desk, mark: Path) -> list[str]:
        script(mark / "editor", mark)
        if "commit" in command:
            _stage(desk)
        return ["git", *command]

    return begin


def _hook(name: str, code: int = 0, folder: str = "") -> Callable[[Desk, Path], list[str]]:
    def begin(desk: Desk, mark: Path) -> list[str]:
        _stage(desk)
        hooks = desk.root.parent / f"{desk.root.name}-hooks" if folder else desk.root / ".git/hooks"
        hooks.mkdir(exist_ok=True)
        script(hooks / name, mark, code=code)
        words = ["-c", f"core.hooksPath={hooks}"] if folder else []
        return ["git", *words, "commit", "--quiet", "-m", "words"]

    return begin


BUSY: dict[str, Callable[[Desk, Path], list[str]]] = {
    "editor": _editor("commit"),
    "amend": _editor("commit", "--amend"),
    "all": _editor("commit", "--all"),
    "merge": _editor("merge", "--edit", "--no-ff", "-s", "ours", "topic"),
    "rebase-list": _editor("rebase", "-i", "base"),
    "rebase-reword": _editor(
        "-c", "sequence.editor=sed -i 1s/^pick/reword/", "rebase", "-i", "base"
    ),
    "pre-commit": _hook("pre-commit"),
    "pre-commit-refuses": _hook("pre-commit", code=1),
    "commit-msg": _hook("commit-msg"),
    "post-commit": _hook("post-commit"),
    "hooks-elsewhere": _hook("pre-commit", folder="elsewhere"),
}
EVERYDAY = ("editor-tracked", "rebase-reword-tracked", "pre-commit-untracked")


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        pytest.param(name, mode, id=case, marks=marks)
        for name in BUSY
        for mode in ("tracked", "untracked")
        for case in [f"{name}-{mode}"]
        for marks in [[] if case in EVERYDAY else [pytest.mark.slow]]
    ],
)
def test_a_git_that_waits_goes_on_as_in_the_twin(lay: Lay, name: str, mode: str) -> None:
    twins = lay(mode)
    with at_once(twins, BUSY[name]) as ours:
        before = ours.users_own()
        if mode == "tracked":
            wal(ours, "next", NEWEST)
        else:
            wal(ours, *_START)
        stop(ours)
        assert ours.users_own() == before
        assert NEWEST in ours.at(REF) + ours.at("HEAD")
        assert found(ours) == everywhere(NEWEST)
    twins.alike()
    assert found(ours) == everywhere(NEWEST)
    stop(ours)
    stop(ours)
    twins.alike()
    assert NEWEST in ours.at("HEAD")
    assert (ours.looks(), ours.git("status", "--porcelain", ".claude")) == ("same", "")


_START = ("start", "Ship it", "--item", "write", "--next", NEWEST, "--verify", "test -e README.md")


def _left_lock(desk: Desk) -> None:
    (desk.root / ".git/index.lock").touch()


def _no_lock(desk: Desk) -> None:
    (desk.root / ".git/index.lock").unlink()


def test_a_lock_lies_about_while_eight_turns_end_beside_a_user_who_looks(lay: Lay) -> None:
    twins = lay("tracked")
    ours = twins.ours
    twins.both(_left_lock)
    wal(ours, "next", NEWEST)
    before = ours.users_own()
    looking = subprocess.Popen(
        ["sh", "-c", "while :; do git status >/dev/null; done"], cwd=ours.root
    )
    begun = time.monotonic()
    try:
        ends = [_end_turn(ours) for _ in range(8)]
        told = {end.communicate(timeout=120)[0] for end in ends}
    finally:
        looking.kill()
        looking.wait()
    assert time.monotonic() - begun < 120
    assert [end.returncode for end in ends] == [0] * 8
    assert told == {b""}
    assert "index.lock is present" in str(ours.state.record("outcome")["reason"])
    assert ours.users_own() == before
    assert ours.git("rev-list", "--count", REF).strip() == "1"
    assert NEWEST in ours.at(REF)
    assert (ours.root / ".git/index.lock").exists()
    twins.both(lambda desk: _refused(desk, "add", "f"))
    twins.both(_no_lock)
    twins.both(lambda desk: desk.commit("main 2", f="main 2\n"))
    stop(ours)
    assert NEWEST in ours.at("HEAD")
    twins.alike()


def _refused(desk: Desk, *args: str) -> None:
    assert desk.try_git(*args).returncode == 128


def _end_turn(desk: Desk) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["sh", str(LAUNCHER), "flush"],
        cwd=desk.root,
        env={**os.environ, "CLAUDE_PROJECT_DIR": str(desk.root)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
