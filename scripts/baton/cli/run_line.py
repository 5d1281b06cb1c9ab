"""The `wf:` line of a run in the chain: its five fields, from what its folder shows (design page
chain)."""

from __future__ import annotations

from baton.cli.context import Context, warn
from baton.cli.stamping import stamped
from baton.core.chain import edit
from baton.core.errors import BatonError
from baton.edge.chain_file import Version
from baton.edge.runs.folder import Run, run_id_of
from baton.hot import clean
from baton.hot.chain import UNFINISHED, Chain
from baton.hot.runs import layout

_PURPOSE = 60


def fields(run: Run) -> str:
    """Give the five fields of a run's line."""
    standing = run.standing
    folder = f"{layout.RUNS}/{run.place.name}"
    run_id = run_id_of(run.launches[-1]) if run.launches else layout.PENDING
    return (
        f"run={folder} runId={run_id} args={folder}/{layout.SNAPSHOT} "
        f"done={len(standing.done)}/{standing.total} harvested={harvested(run)}"
    )


def harvested(run: Run) -> str:
    """Give yes when nothing of a run is left, partial when some of it is here, else no."""
    if run.harvested:
        return "yes"
    return "partial" if run.standing.done else "no"


def purpose(run: Run) -> str:
    """Give what a run is for, as its line says it."""
    return clean.line(run.purpose.replace("=", " "), _PURPOSE) or run.place.name


def put(context: Context, run: Run) -> Version:
    """Put the run's line into the chain, which must be there and unfinished.

    Raises what a change of the chain raises.
    """

    def step(before: Version) -> Chain:
        if before.state != UNFINISHED:
            raise BatonError(
                "invalid-chain",
                f"the chain is {before.state}; nothing was written",
                "baton wal start GOAL --item TEXT --next TEXT --verify CMD",
            )
        return edit.set_run(before.chain, purpose(run), fields(run))

    return context.chain_file.change(stamped(context, step))


def in_step(run: Run, chain: Chain) -> bool:
    """Whether the chain has the run's line with these very fields; an empty chain needs none."""
    if not chain.items:
        return True
    folder = f"{layout.RUNS}/{run.place.name}"
    mine = [item for item in chain.items if item.run and edit.same_run(item.run, folder)]
    return bool(mine) and all(item.text.endswith(fields(run)) for item in mine)


def keep_in_step(context: Context, run: Run) -> bool:
    """Bring the run's line in step where the chain has one; tell whether it was changed.

    What keeps the chain from being written is said, and is no failure of what was done before.
    """
    folder = f"{layout.RUNS}/{run.place.name}"
    try:
        chain = context.chain_file.read().chain
        held = any(item.run and edit.same_run(item.run, folder) for item in chain.items)
        if not held or in_step(run, chain):
            return False
        put(context, run)
    except BatonError as error:
        warn(f"the run's line in the chain was not brought in step: {error.message}")
        return False
    return True
