"""The chain was changed, the turn has not ended, and the user throws away what is not committed, or goes
to another branch: what was written down is found all the same."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from desk import CHAIN, Desk

from .conftest import Lay
from .modes import MODES, NEWEST, change
from .twins import baton, begin, everywhere, found, stop, wal


def _git(*commands: tuple[str, ...]) -> Callable[[Desk], None]:
    def act(desk: Desk) -> None:
        for command in commands:
            desk.git(*command)

    return act


def _remove(desk: Desk) -> None:
    (desk.root / CHAIN).unlink(missing_ok=True)


def _stash(desk: Desk) -> None:
    desk.write("the user's\n", "f")
    desk.git("stash", "push", "--quiet", "--include-untracked")


ACTS: dict[str, Callable[[Desk], None]] = {
    "reset": _git(("reset", "--quiet", "--hard")),
    "checkout": _git(("checkout", "--", ".")),
    "stash": _stash,
    "clean": _git(("clean", "-fdxq"), ("reset", "--quiet", "--hard")),
    "remove": _remove,
    "other-branch": _git(("checkout", "--quiet", "--force", "topic")),
    "back-in-time": _git(("reset", "--quiet", "--hard", "base")),
    "branch-gone": _git(
        ("checkout", "--quiet", "--force", "topic"), ("branch", "--quiet", "-D", "main")
    ),
}
EVERYDAY = ("reset-tracked-unflushed", "clean-untracked-unflushed", "back-in-time-recent-flushed")


@pytest.mark.parametrize(
    ("act", "mode", "flushed"),
    [
        pytest.param(act, mode, how == "flushed", id=case, marks=marks)
        for act in ACTS
        for mode in ("tracked", "untracked", "recent", "gitignored", "own-ref")
        for how in ("unflushed", "flushed")
        for case in [f"{act}-{mode}-{how}"]
        for marks in [[] if case in EVERYDAY else [pytest.mark.slow]]
    ],
)
def test_what_was_written_down_is_found(lay: Lay, act: str, mode: str, flushed: bool) -> None:
    twins = lay(mode)
    ours = twins.ours
    change(ours, MODES[mode].known)
    if flushed:
        stop(ours)
    twins.both(ACTS[act])

    told = found(ours)

    assert (told["tiep"], told["notice"]) == (NEWEST, NEWEST)
    if told["show"] != NEWEST:
        assert "baton wal restore " in begin(ours)
        wal(ours, "restore", "newest", *_forced(ours))
    stop(ours)
    stop(ours)
    assert found(ours) == everywhere(NEWEST)
    assert NEWEST in (ours.root / CHAIN).read_text(encoding="utf-8")
    twins.alike()


def _forced(desk: Desk) -> list[str]:
    """An older chain that stands in the file is unfinished, too."""
    return ["--force"] if (desk.root / CHAIN).exists() else []


def test_an_emptied_chain_does_not_come_back(lay: Lay) -> None:
    ours = lay("tracked").ours
    # At a terminal: inside Claude Code a person must have been asked.
    assert baton(ours, "wal", "reset", "--abandon", CLAUDECODE="").code == 0
    assert "Unfinished" not in begin(ours)
    assert baton(ours, "tiep", "--json").code == 0
    stop(ours)
    ours.git("checkout", "--quiet", "topic")
    ours.git("checkout", "--quiet", "main")
    assert "Unfinished" not in begin(ours)
