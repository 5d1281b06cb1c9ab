"""A hand-over that was taken, and whose stage has not come to its end."""

from __future__ import annotations

from dataclasses import dataclass

from baton.core.passport.entry import Boundary, Resume
from baton.core.passport.ledger import Ledger


@dataclass(frozen=True, slots=True)
class Unfinished:
    """The newest resume of a ledger, no boundary behind it. stage: the one that it leads to."""

    resume: Resume
    stage: str


def unfinished(ledger: Ledger) -> Unfinished | None:
    """Give the resume that the ledger ends in, None when a stage ended after it or it ends the pipeline."""
    last = ledger.entries[-1] if ledger.entries else None
    if not isinstance(last, Resume):
        return None
    stage = led_to_stage(ledger, last)
    return Unfinished(last, stage) if stage is not None else None


def led_to_stage(ledger: Ledger, resume: Resume) -> str | None:
    """Give the stage that a resume leads to: the override's, else the chosen branch's, else the recorded one."""
    if resume.user_override and resume.user_override.stage is not None:
        return resume.user_override.stage
    boundary = next(each for each in ledger.boundaries if each.hash == resume.consumes_hash)
    return _recorded(boundary, resume.chosen_branch)


def _recorded(boundary: Boundary, branch: str | None) -> str | None:
    decision = boundary.pending_decision
    option = decision.option(branch) if decision and branch is not None else None
    return option.next_stage if option else boundary.next
