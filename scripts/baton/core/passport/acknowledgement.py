"""What opens the session that took a boundary over (design page passport)."""

from __future__ import annotations

from collections.abc import Iterable

from baton.core.passport.entry import Option
from baton.core.passport.resume import Plan
from baton.core.passport.words import led_to, named, shown
from baton.hot import clean


def acknowledgement(plan: Plan, passport: str, artefacts: Iterable[str] = ()) -> str:
    """Give the block that opens the new session: hash, source, recovered stage, what comes next.

    passport: its path from the root. artefacts: references, one line each.
    """
    boundary = plan.boundary
    lines = [
        "### Resume Acknowledged",
        f"- Hash: {boundary.hash}",
        f"- Source session: {shown(boundary.session_marker)}, {boundary.generated_at}",
        f"- Recovered stage: {named(boundary.stage)}, version {shown(boundary.version_label)}",
        f"- Next stage: {_next_line(plan)}",
    ]
    if plan.chosen_branch is not None:
        lines.append(f"- Decision: {shown(plan.chosen_branch)}")
    lines += [f"- Warning: {warning}" for warning in plan.warnings]
    lines.append(f"- Passport: {clean.line(passport)}")
    lines += [f"- Artefact: {clean.line(artefact, 300)}" for artefact in artefacts]
    lines.append(
        "The passport is the only input to the next stage; earlier stages need not be told again."
    )
    return "\n".join(lines)


def _next_line(plan: Plan) -> str:
    leads = led_to(Option("", plan.next_stage, plan.next_mode))
    line = (
        leads.removeprefix("stage ") if plan.next_stage is not None else "none, the pipeline ends"
    )
    if plan.override is None:
        return line
    given = [("stage", plan.override.stage), ("mode", plan.override.mode)]
    parts = [f"{key}={shown(value)}" for key, value in given if value is not None]
    return f"{line} [override: {' '.join(parts)}; recorded: {led_to(plan.recorded)}]"
