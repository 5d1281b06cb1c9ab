"""`baton run relaunch`: harvest, what is left, what agents left behind, and the one call that goes
on (design page runs, "going on"). `/tiep` says the same of every run that waits."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from baton.cli import run_line
from baton.cli.busy import busy
from baton.cli.context import Context, warn
from baton.cli.run_places import given_json, run_of, where
from baton.core.runs import telling
from baton.edge.runs import harvest, relaunching, traces
from baton.edge.runs.folder import Run
from baton.edge.runs.harvest import Outcome, Where
from baton.edge.runs.relaunching import Prepared, Wish
from baton.hot.runs.layout import Place

PACK = (
    "Derive the memory pack afresh, never from an old one. Where the script takes it from its args, add it to the "
    "call: args: {KEY: fresh text}; what you give replaces that key, the rest stands in the script."
)


# A run that is alive writes more often than this.
_LIVELY_SECONDS = 120


@dataclass(frozen=True)
class Ready:
    """A run that can be gone on with."""

    outcome: Outcome
    prepared: Prepared
    traces: list[dict[str, object]]

    @property
    def run(self) -> Run:
        """The run as it is now."""
        return self.outcome.run

    @property
    def call(self) -> str:
        """The one call to make."""
        return telling.call(self.prepared.path)


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Write the script and print the call."""
    place = run_of(arguments, context)
    args = [given_json("--args", arguments.args)] if arguments.args else None
    wish = Wish(arguments.strict, arguments.edited, args)
    with busy(f"collecting the results of run {place.name}"):
        ready = prepare(context, place, where(arguments, context), wish)
    said(ready.outcome)
    run_line.keep_in_step(context, ready.run)
    context.answer("\n".join(text(ready)), data(ready))
    return 0


def said(outcome: Outcome) -> None:
    """Say on stderr what was not as it should be, and did not stop the harvest."""
    for trouble in outcome.troubles.values():
        warn(f"{trouble.message}; what is here already was used")
    if outcome.bad:
        warn(
            f"{outcome.bad} lines of the journal could not be read (half written), and were skipped"
        )
    for what in outcome.unread:
        warn(f"a transcript cannot be read, and was skipped: {what}")
    for what in outcome.run.damaged:
        warn(f"run {outcome.run.place.name}: {what} cannot be read, and was skipped")
    if outcome.told:
        warn(outcome.told.removeprefix("baton: "))


def prepare(context: Context, place: Place, at: Where, wish: Wish) -> Ready:
    """Harvest and write the relaunch script. Raises what these raise."""
    outcome = harvest.harvest(
        context.project,
        context.state,
        place,
        at,
        wait=float(context.config.lock_wait),
        partial=False,
    )
    run = outcome.run
    agents = {agent for attempt in run.attempts for agent in attempt.journal.started}
    agents |= {record.agent for record in run.records if record.agent}
    prepared = relaunching.prepare(run, wish)
    return Ready(outcome, prepared, traces.find(context.project, agents, outcome.trees))


def text(ready: Ready) -> list[str]:
    """Give the report of a relaunch."""
    run, prepared = ready.run, ready.prepared
    lines = telling.stands(run.place.name, run.purpose, run.standing)
    if ready.traces:
        lines.append("what its agents left outside; look at it before you go on:")
        lines += [f"  {line}" for line in telling.traces(ready.traces)]
    lines += [f"  {note}" for note in notes(ready)]
    saved = len(prepared.plan.saved)
    lines.append(
        f"{saved} saved results will be handed out, everything else is asked. Make this one call:"
    )
    lines.append(f"  {ready.call}")
    return [*lines, PACK]


def notes(ready: Ready) -> list[str]:
    """Give what must not be hidden about a relaunch, a line each."""
    prepared, quiet = ready.prepared, ready.outcome.quiet
    lines = telling.unmatched(prepared.plan.unused, "not used, so asked again")
    if quiet is not None and quiet < _LIVELY_SECONDS:
        lines.append(
            f"its journal was written {quiet:.0f} s ago: make sure that no session still runs it"
        )
    if prepared.edited:
        lines.append(
            f"edited since the launch: {', '.join(prepared.edited)}; effort and schema details are not compared"
        )
    lines += [
        f"its workflow {name} runs live: its saved results are not used" for name in prepared.live
    ]
    if prepared.budget:
        lines.append(
            "the script reads `budget`: saved results cost nothing, so a loop over it runs on longer"
        )
    filled = any(attempt.journal.failed for attempt in ready.run.attempts)
    if filled:
        lines.append(
            "some agents came to nothing: what began after them may be asked again, with what is filled now"
        )
    standing = ready.run.standing
    if not standing.total:
        lines.append("nothing of it is known to be finished: all of it is asked")
    elif not standing.remaining:
        lines.append("every call seen so far has its result: this only brings the run to its end")
    return lines


def data(ready: Ready) -> dict[str, object]:
    """Give the object of `--json`."""
    run, prepared = ready.run, ready.prepared
    return {
        "run": run.place.name,
        "attempt": prepared.attempt,
        "script": prepared.path,
        "call": ready.call,
        "saved": len(prepared.plan.saved),
        "done": run.standing.done,
        "remaining": run.standing.remaining,
        "lost_in_flight": run.standing.in_flight,
        "unused": [
            {"agent": each.agent, "label": each.label, "reason": each.reason}
            for each in prepared.plan.unused
        ],
        "edited": prepared.edited,
        "notes": notes(ready),
        "traces": ready.traces,
        "reminder": PACK,
    }
