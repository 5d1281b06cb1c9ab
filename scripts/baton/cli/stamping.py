"""The chain's header, signed with every change of its content."""

from __future__ import annotations

import copy
from collections.abc import Callable

from baton.cli.context import Context
from baton.core.chain import show
from baton.core.errors import BatonError
from baton.edge import clock, versions
from baton.edge.chain_file import Version
from baton.hot import overlay, places
from baton.hot.chain import UNFINISHED, Chain
from baton.hot.project import CHAIN


def stamped(context: Context, step: Callable[[Version], Chain]) -> Callable[[Version], Chain]:
    """Give the same step, with the header saying when, by which session and on which branch.

    It raises chain-changed where the only copy of what baton wrote last would be overwritten.
    """

    def signed(before: Version) -> Chain:
        _must_be_newest(context, before)
        after = copy.copy(step(before))
        after.updated = clock.now().isoformat()
        after.session = context.session_mark or "terminal"
        after.branch = context.branch
        return after

    return signed


def _must_be_newest(context: Context, before: Version) -> None:
    """A reset, a stash or a clean in mid-turn takes back what no flush has kept yet."""
    project, state = context.project, context.state
    place = places.newer(project, state, before.data)
    if place is None or place.kind != places.NOTES or place.chain.state != UNFINISHED:
        return
    by_git = not overlay.edited(project, state, before.data)
    if by_git and place.data not in {version.data for version in versions.kept(project)}:
        now = "is gone" if before.data is None else "holds an older version"
        stands = show.summary(place.chain).splitlines()[0]
        raise BatonError(
            "chain-changed",
            f"{CHAIN} {now}: what baton wrote last ({stands}) is in its own notes alone, and would be "
            "lost; nothing was written",
            "baton wal restore newest, then the same command again",
        )
