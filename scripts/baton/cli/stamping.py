"""The chain's header, signed with every change of its content."""

from __future__ import annotations

import copy
from collections.abc import Callable

from baton.cli.context import Context
from baton.edge import clock
from baton.edge.chain_file import Version
from baton.hot.chain import Chain


def stamped(context: Context, step: Callable[[Version], Chain]) -> Callable[[Version], Chain]:
    """Give the same step, with the header saying when, by which session and on which branch."""

    def signed(before: Version) -> Chain:
        after = copy.copy(step(before))
        after.updated = clock.now().isoformat()
        after.session = context.session_mark or "terminal"
        after.branch = context.branch
        return after

    return signed
