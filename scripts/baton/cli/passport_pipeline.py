"""A hand-over that belongs to a pipeline: the log goes along with the ledger when it is taken.

What a pipeline needs is loaded where there is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from baton.cli.passport_desk import Desk
from baton.cli.pipeline_bound import newest
from baton.core.passport.entry import Boundary, Override, Resume

if TYPE_CHECKING:
    from baton.cli.passport_joined import Joined


@contextmanager
def joined(desk: Desk, passport: str) -> Iterator[Joined | None]:
    """Give the pipeline that hands over in a passport, its log locked until the end of `with` and in step
    with the ledger; None where there is none. Raises what the log and the ledger refuse."""
    found = newest(desk.context, passport, desk.session)
    if found is None:
        yield None
        return
    from baton.cli.passport_joined import Joined

    with found.log.hold() as held:
        yield Joined(desk, held, found.name)


def require_legal(desk: Desk, passport: str, boundary: Boundary, override: Override | None) -> None:
    """Return when a hand-over may be taken in that way, as far as its pipeline knows; what must be decided
    first decides that, too. Raises what `Joined.check` raises."""
    found = newest(desk.context, passport)
    if found is None or boundary.pending_decision is not None:
        return
    from baton.core.pipeline import handover
    from baton.edge.pipeline import recorded

    resume = Resume(boundary.hash, boundary.generated_at, desk.session, None, override)
    facts = recorded.facts(desk.context.project, found.pipeline)
    handover.objection(found.pipeline, boundary, resume, facts)
