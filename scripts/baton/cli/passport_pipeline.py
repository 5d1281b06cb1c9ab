"""A hand-over that belongs to a pipeline: the log goes along with the ledger when it is taken."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from baton.cli.passport_desk import Desk
from baton.cli.pipeline_bound import newest
from baton.cli.pipeline_handover import settle
from baton.core.passport.entry import Boundary, Override, Resume
from baton.core.pipeline import handover
from baton.edge.pipeline import recorded
from baton.edge.pipeline.log_file import Held


@contextmanager
def joined(desk: Desk, passport: str) -> Iterator[Joined | None]:
    """Give the pipeline that hands over in a passport, its log locked until the end of `with` and in step
    with the ledger; None where there is none. Raises what the log and the ledger refuse."""
    found = newest(desk.context, passport, desk.session)
    if found is None:
        yield None
        return
    with found.log.hold() as held:
        yield Joined(desk, held, found.name)


def require_legal(desk: Desk, passport: str, boundary: Boundary, override: Override | None) -> None:
    """Return when a hand-over may be taken in that way, as far as its pipeline knows; what must be decided
    first decides that, too. Raises what `Joined.check` raises."""
    found = newest(desk.context, passport)
    if found is None or boundary.pending_decision is not None:
        return
    resume = Resume(boundary.hash, boundary.generated_at, desk.session, None, override)
    facts = recorded.facts(desk.context.project, found.pipeline)
    handover.objection(found.pipeline, boundary, resume, facts)


class Joined:
    """A pipeline whose hand-over is being taken. said: what that came to, one line each."""

    def __init__(self, desk: Desk, held: Held, name: str) -> None:
        self._desk = desk
        self._held = held
        self._name = name
        self._facts = recorded.facts(desk.context.project, held.standing)
        self.said: list[str] = []
        self.take()

    def take(self) -> None:
        """Take into the log what the ledger holds by now."""
        lines: list[str] = []
        settle(self._desk, self._held, self._facts, lines)
        self.said += [f"- Pipeline {self._name}: {line}" for line in lines]

    def check(self, boundary: Boundary, resume: Resume) -> str:
        """Return when the hand-over may be taken in that way; give what it means that a stage runs again,
        "" where none does. Raises `illegal-transition`, `integrity-void`, `missing-material`."""
        pipeline = self._held.standing
        handover.objection(pipeline, boundary, resume, self._facts)
        return handover.rerun(pipeline, boundary, resume)

    def artefacts(self) -> list[str]:
        """Give what the pipeline recorded, as references."""
        return handover.artefacts(self._held.standing)
