"""What `/tiep` says of workflow runs that wait: each is harvested, and the one call that goes on with it
is made ready (design page runs)."""

from __future__ import annotations

from baton.cli import run_line, run_relaunch
from baton.cli.busy import busy
from baton.cli.context import Context
from baton.cli.run_places import where
from baton.core.chain.report import RunReport
from baton.core.errors import BatonError
from baton.core.runs import telling
from baton.edge.runs import folder
from baton.edge.runs.folder import Run
from baton.edge.runs.relaunching import Wish
from baton.hot import clean
from baton.hot.chain import Chain
from baton.hot.runs import layout, waiting
from baton.hot.runs.layout import Place

_MOST = 3
_GIVE_UP = "What the person does not want any more: `baton run harvest RUN --abandon`"


def waiting_runs(context: Context, chain: Chain) -> list[RunReport]:
    """Give the runs that are not harvested, the newest first, three at most and how many more."""
    try:
        names = waiting.names(context.project)
    except OSError as error:
        return [RunReport("", [f"the runs could not be looked at: {error.strerror}"])]
    told = (_told(Place(context.project, context.state, n), context, chain) for n in names[:_MOST])
    # A launch that only now shows whose it was: the later report of that run counts.
    reports = list({each.folder: each for each in told}.values())
    if any("call" in each.row for each in reports):
        reports.append(RunReport("", [run_relaunch.PACK]))
    if any("outcome" not in each.row for each in reports):
        reports.append(RunReport("", [_GIVE_UP]))
    more = len(names) - _MOST
    return reports + ([RunReport("", [f"and {more} more: `baton run list`"])] if more > 0 else [])


def _told(place: Place, context: Context, chain: Chain) -> RunReport:
    name = f"{layout.RUNS}/{place.name}"
    try:
        run = folder.load(place)
        if not run.launches and not run.records:
            return RunReport(name, [_never_launched(place)], row={"run": name, "launched": False})
        if run.engine != folder.WORKFLOW:
            return _by_hand(run, chain)
        with busy(f"collecting the results of run {place.name}"):
            ready = run_relaunch.prepare(context, place, where(None, context), Wish())
    except BatonError as error:
        hint = f" (try: {error.hint})" if error.hint else ""
        return RunReport(name, [clean.line(f"run {place.name}: {error.message}{hint}", 400)])
    run = ready.run
    name = f"{layout.RUNS}/{run.place.name}"
    if run.harvested:
        return _ended(name, ready, chain)
    stands = telling.stands(run.place.name, run.purpose, run.standing)
    told = [stands[0], *_beside(run, context), f"  go on with this one call: {ready.call}"]
    left = [f"look first: {line}" for line in telling.traces(ready.traces)]
    more = [*left, *(line.strip() for line in stands[1:]), *run_relaunch.notes(ready)]
    row = _row(run) | run_relaunch.data(ready) | {"run": name}
    return RunReport(name, told, [*more, *_troubles(ready), *_out_of_step(run, chain)], row)


def _ended(name: str, ready: run_relaunch.Ready, chain: Chain) -> RunReport:
    """A run that is harvested only now: its session may have died before it was told the outcome."""
    run = ready.run
    stands = telling.stands(run.place.name, run.purpose, run.standing)
    told = [
        f"{stands[0]}; it is harvested now, its results are in {name}/{layout.RESULTS}",
        f"  if no session was told its outcome, this call gives it from what is saved: {ready.call}",
    ]
    more = telling.unmatched(ready.prepared.plan.unused, "not used, so asked again")
    more += _out_of_step(run, chain)
    return RunReport(name, told, more, _row(run) | {"run": name, "outcome": ready.call})


def _never_launched(place: Place) -> str:
    return f"run {place.name} was recorded but never launched: launch it, or give it up"


def _by_hand(run: Run, chain: Chain) -> RunReport:
    """A run of another engine: its tasks leave their results themselves."""
    name = f"{layout.RUNS}/{run.place.name}"
    stands = telling.stands(run.place.name, run.purpose, run.standing)
    how = (
        f"  launch only what is left: `baton run remaining {run.place.name} --json`, then "
        f"`baton run launched {run.place.name} --run-id pending`"
    )
    more = [*(line.strip() for line in stands[1:]), *_out_of_step(run, chain)]
    return RunReport(name, [stands[0], how], more, _row(run))


def _row(run: Run) -> dict[str, object]:
    standing = run.standing
    base = f"{layout.RUNS}/{run.place.name}"
    return {
        "purpose": run_line.purpose(run),
        "run": base,
        "runId": folder.run_id_of(run.launches[-1]) if run.launches else layout.PENDING,
        "args": f"{base}/{layout.SNAPSHOT}",
        "done": len(standing.done),
        "total": standing.total,
        "harvested": run_line.harvested(run),
    }


def _beside(run: Run, context: Context) -> list[str]:
    session = run.launches[-1].get("session") if run.launches else None
    if not context.session or session != context.session:
        return []
    return ["  this very session launched it: if it still runs, wait for it and launch nothing"]


def _troubles(ready: run_relaunch.Ready) -> list[str]:
    outcome = ready.outcome
    skipped = [f"{what} cannot be read" for what in outcome.run.damaged] + outcome.unread
    return [
        *(
            f"{clean.line(t.message, 300)}; what is here was used"
            for t in outcome.troubles.values()
        ),
        *(f"skipped: {clean.untagged(clean.line(what, 200))}" for what in skipped),
    ]


def _out_of_step(run: Run, chain: Chain) -> list[str]:
    if run_line.in_step(run, chain):
        return []
    return [f"its line in the chain: `baton wal run {run.place.name}`"]
