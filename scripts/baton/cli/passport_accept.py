"""`baton passport accept`: a ledger that went back is taken as it is, by a person."""

from __future__ import annotations

import argparse

from baton.cli import consent
from baton.cli.context import Context, warn
from baton.cli.passport_desk import Desk
from baton.core.errors import typed
from baton.edge.passport import marks


def accept(arguments: argparse.Namespace, context: Context) -> int:
    """Make the ledger as it is the new high water. What was consumed stays consumed."""
    file = Desk(context).named(arguments.file)
    name = file.place.name
    _, look = file.seen()
    for problem in look.unchecked:
        warn(problem)
    lost = look.rewound
    if lost is None:
        context.answer(
            f"{name}: nothing to accept, the ledger has not gone back", {"accepted": False}
        )
        return 0
    consent.spend(
        context,
        f"passport-accept:{name}",
        f"{marks.told(name, lost)}. Take it as it is?",
        f"baton passport accept {typed(name)}",
    )
    entries = len(file.accept().document.entries)
    told = (
        f"{name}: taken as it is, {entries} entries. Boundaries that were consumed stay consumed: "
        "to go on from one of them, end its stage again."
    )
    context.answer(told, {"accepted": True, "path": name, "entries": entries, "had": lost.had})
    return 0
