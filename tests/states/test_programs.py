"""Hooks that fail, commit again or live elsewhere, and a signer that sleeps (cases G4, G5): as real
turns; the user's own commits meet them as ever."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from desk import CHAIN, Desk

from .twins import stop, wal

START = ("start", "Ship it", "--item", "do it", "--next", "go on", "--verify", "test -e README.md")
HOOKS = (
    "pre-commit prepare-commit-msg commit-msg post-commit reference-transaction post-index-change"
    " post-checkout pre-push post-rewrite"
).split()


def _script(path: Path, *lines: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]), encoding="utf-8")
    path.chmod(0o755)


def _failing(desk: Desk, mark: Path) -> None:
    for name in HOOKS:
        _script(desk.root / ".git/hooks" / name, f"echo {name} >>'{mark}'", "exit 1")


def _elsewhere(desk: Desk, mark: Path) -> None:
    for name in HOOKS:
        _script(desk.root / "tools" / name, f"echo {name} >>'{mark}'", "exit 1")
    desk.git("config", "core.hooksPath", "tools")


def _committing(desk: Desk, mark: Path) -> None:
    again = '[ -n "$AGAIN" ] || AGAIN=1 git commit --quiet --allow-empty -m again'
    _script(desk.root / ".git/hooks/post-commit", f"echo post-commit >>'{mark}'", again)


def _signing(desk: Desk, mark: Path) -> None:
    _script(desk.root / ".git/signer", f"echo signer >>'{mark}'", "sleep 600")
    desk.git("config", "commit.gpgSign", "true")
    desk.git("config", "gpg.program", str(desk.root / ".git/signer"))


KINDS: dict[str, Callable[[Desk, Path], None]] = {
    "failing": _failing,
    "elsewhere": _elsewhere,
    "committing": _committing,
    "signing": _signing,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", ["branch", "ref"])
def test_no_program_of_the_users_has_a_say(
    repo: Path, tmp_path: Path, kind: str, place: str
) -> None:
    desk, mark = Desk(repo), tmp_path / "mark"
    if place == "ref":
        desk.git("checkout", "--quiet", "--detach")
    KINDS[kind](desk, mark)
    config, before = (repo / ".git/config").read_bytes(), desk.users_own()
    wal(desk, *START)
    begun = time.monotonic()
    assert stop(desk) == ""
    assert time.monotonic() - begun < 120
    assert not mark.exists()
    assert desk.users_own() == before
    assert (repo / ".git/config").read_bytes() == config
    at = "HEAD" if place == "branch" else "refs/baton/wal/main"
    assert "goal: Ship it" in desk.at(at)
    assert "gpgsig" not in desk.git("cat-file", "commit", at)
    assert desk.git("rev-list", "--count", at, "--", CHAIN).strip() == "1"
    # The trap works: the user's own commit runs it.
    if kind != "signing":
        desk.try_git("commit", "--quiet", "--allow-empty", "-m", "the user's")
        assert mark.exists()
