"""The user is in the middle of something, baton goes on working, and the user carries on to the end:
it comes out exactly as in the twin, and the newest chain is found all the while and afterwards (case G2)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from desk import Desk
from repository_states import MORE_ENDS, MORE_STATES, REF, STATES

from .conftest import Lay
from .modes import MODES, NEWEST, change
from .twins import everywhere, found, stop

End = Callable[[Desk], None]
ALL = {state.name: state for state in [*STATES, *MORE_STATES]}
ENDS = {name: {**state.ends, **MORE_ENDS.get(name, {})} for name, state in ALL.items()}
# The modes that see every state, and the states that see every mode.
EVERY = ("untracked", "tracked", "recent", "gitignored")
# The switch takes the .gitignore away.
NOT_SO = [("empty-orphan", "gitignored")]
SOME = ("clean", "merge-conflict", "rebase-conflict", "detached")
# Where the user's other work cannot lie about: it is stashed, or there is no commit to compare with.
NO_WORK = ("rebase-autostash", "orphan", "empty-orphan")
EVERYDAY = {
    ("merge-conflict", "abort", "own-ref-tracked"),
    ("rebase-conflict", "continue", "recent"),
    ("rebase-conflict", "abort", "tracked"),
    ("am", "continue", "untracked"),
    ("cherry-pick", "continue", "tracked"),
    ("bisect", "reset", "tracked"),
    ("empty-orphan", "commit", "tracked"),
}


def _cases() -> list[object]:
    return [
        pytest.param(*case, id="-".join(case), marks=[] if case in EVERYDAY else [pytest.mark.slow])
        for name in ALL
        for end in ENDS[name]
        for mode in MODES
        if (mode in EVERY or name in SOME) and (name, mode) not in NOT_SO
        for case in [(name, end, mode)]
    ]


def _work(desk: Desk) -> None:
    """The user has work of every kind lying about."""
    desk.write("staged\nand not committed\n", "README.md")
    desk.git("add", "README.md")
    desk.write("staged\nand changed again\n", "README.md")
    desk.write("new\n", "staged.c")
    desk.git("add", "staged.c")
    desk.write("intended\n", "intended.c")
    desk.git("add", "--intent-to-add", "intended.c")
    desk.write("*.log\n", "nested/.gitignore")
    desk.write("ignored\n", "nested/ignored.log")


def _no_work(desk: Desk) -> None:
    """The user puts it out of the operation's way."""
    desk.git("reset", "--quiet", "--", "README.md", "staged.c", "intended.c")
    desk.git("checkout", "--quiet", "--", "README.md")
    for name in ("staged.c", "intended.c"):
        (desk.root / name).unlink()


@pytest.mark.parametrize(("name", "end", "mode"), _cases())
def test_an_operation_and_its_end(lay: Lay, name: str, end: str, mode: str) -> None:
    state, finish, how = ALL[name], ENDS[name][end], MODES[mode]
    twins = lay(mode)
    ours = twins.ours
    twins.both(state.make)
    in_the_way = state.name in NO_WORK
    if not in_the_way:
        twins.both(_work)
    before = ours.users_own()

    change(ours, how.known)

    assert ours.users_own() == before
    assert found(ours) == everywhere(NEWEST)
    said = stop(ours)
    assert said in ("", _parked(said))
    goes_to = how.goes_to(state.goes_to)
    assert NEWEST in ours.at(goes_to)
    assert ours.users_own() == before
    if not in_the_way:
        twins.both(_no_work)
    twins.both(finish)
    twins.alike()
    assert found(ours) == everywhere(NEWEST)
    _afterwards(ours, how.goes_to(_branch(ours)))
    twins.alike()


def _parked(said: str) -> str:
    """The one thing a person is told where all is well: that the chain is on baton's own ref."""
    return said if f"kept on {REF}" in said and said.count("\n") == 0 else ""


def _branch(desk: Desk) -> str:
    at = desk.try_git("symbolic-ref", "--quiet", "HEAD").stdout.decode().strip()
    return at or REF


def _afterwards(desk: Desk, goes_to: str) -> None:
    """The next turns go where they belong, and leave nothing to do."""
    said = stop(desk)
    assert said in ("", _parked(said))
    assert stop(desk) == ""
    assert NEWEST in desk.at(goes_to)
    assert desk.looks() == "same"
    chain = desk.root / ".claude/WAL.md"
    assert NEWEST in chain.read_text(encoding="utf-8")
    desk.fsck()
