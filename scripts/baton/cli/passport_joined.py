"""A hand-over's pipeline, its log under a lock: what the ledger knows is taken into it."""

from __future__ import annotations

from baton.cli.passport_desk import Desk
from baton.cli.pipeline_handover import settle
from baton.core.passport.entry import Boundary, Resume
from baton.core.pipeline import handover
from baton.edge.pipeline import recorded
from baton.edge.pipeline.log_file import Held


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
