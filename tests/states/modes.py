"""How a project keeps its chain before the user's operation begins: tracked, untracked, ignored…"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

from desk import Desk
from repository_states import REF, diverge

from .twins import Twins, baton, stop, wal

NEWEST = "the newest step"
_START = ("start", "Ship it", "--item", "write it", "--next")
_VERIFY = ("--verify", "test -e README.md")


class Mode:
    """before, after: what happens before and after the user's branches part. always_ref: the flush
    goes to baton's own ref, whatever the state. known: the chain is there before the operation.
    """

    def __init__(
        self,
        before: Callable[[Twins], None],
        after: Callable[[Twins], None],
        *,
        always_ref: bool = False,
        known: bool = True,
    ) -> None:
        self.before = before
        self.after = after
        self.always_ref = always_ref
        self.known = known

    def lay(self, twins: Twins) -> None:
        """Bring twins of one commit to where a state can be made."""
        self.before(twins)
        twins.both(diverge)
        self.after(twins)
        twins.alike()

    def goes_to(self, ref: str) -> str:
        """Give where a flush goes that would go to `ref`."""
        return REF if self.always_ref else ref


def kept(twins: Twins) -> None:
    """A chain is begun and a turn ends."""
    wal(twins.ours, *_START, "an old step", *_VERIFY)
    assert stop(twins.ours) == ""


def change(desk: Desk, known: bool) -> None:
    """Change the chain: its next step is the newest. One that is elsewhere is brought here first."""
    if known:
        if json.loads(baton(desk, "wal", "show", "--json").out)["state"] == "absent":
            wal(desk, "restore", "newest")
        wal(desk, "next", NEWEST)
    else:
        wal(desk, *_START, NEWEST, *_VERIFY)


def _nothing(twins: Twins) -> None:
    """Nothing happens."""


def _ignored(twins: Twins) -> None:
    twins.both(lambda desk: desk.commit("ignore", __gitignore=".claude/\n"))
    _kept_aside(twins)


def _excluded(twins: Twins) -> None:
    for desk in (twins.ours, twins.plain):
        desk.write(".claude/\n", ".git/info/exclude")
    _kept_aside(twins)


def _globally(twins: Twins) -> None:
    ignore = Path(os.environ["XDG_CONFIG_HOME"]) / "git/ignore"
    ignore.parent.mkdir(parents=True, exist_ok=True)
    ignore.write_text(".claude/\n", encoding="utf-8")
    _kept_aside(twins)


def _kept_aside(twins: Twins) -> None:
    wal(twins.ours, *_START, "an old step", *_VERIFY)
    assert REF in stop(twins.ours)
    assert stop(twins.ours) == ""


def _own_ref(twins: Twins) -> None:
    def settings(desk: Desk) -> None:
        desk.write('persist = "ref"\n', ".claude/baton.toml")
        desk.git("add", ".claude/baton.toml")
        desk.git("commit", "--quiet", "-m", "settings")

    twins.both(settings)


def _own_ref_later(twins: Twins) -> None:
    kept(twins)
    _own_ref(twins)


def _own_ref_begun(twins: Twins) -> None:
    _own_ref(twins)
    kept(twins)


MODES = {
    "untracked": Mode(_nothing, _nothing, known=False),
    "tracked": Mode(kept, _nothing),
    "recent": Mode(_nothing, kept),
    "gitignored": Mode(_ignored, _nothing, always_ref=True),
    "excluded": Mode(_excluded, _nothing, always_ref=True),
    "globally": Mode(_globally, _nothing, always_ref=True),
    "own-ref": Mode(_own_ref_begun, _nothing, always_ref=True),
    "own-ref-tracked": Mode(_own_ref_later, _nothing, always_ref=True),
}
