"""`baton wal log|restore`.

The versions of the chain that git keeps, and the way back to one of them.
"""

from __future__ import annotations

import argparse
import datetime

from baton.cli.context import Context
from baton.core.chain import show
from baton.core.errors import BatonError
from baton.edge import versions
from baton.edge.chain_file import Version
from baton.edge.versions import Kept
from baton.hot import clean
from baton.hot.chain import UNFINISHED, UNREADABLE, Chain
from baton.hot.project import CHAIN


def log(_: argparse.Namespace, context: Context) -> int:
    """List every kept version, newest first."""
    kept = versions.kept(context.project)
    rows: list[object] = [_row(version) for version in kept]
    context.answer(
        "\n".join(map(_line, kept)) or "git keeps no version of the chain", {"versions": rows}
    )
    return 0


def restore(arguments: argparse.Namespace, context: Context) -> int:
    """Put a kept version in the chain's place.

    What stood there is kept beside it when it would be lost.
    """
    kept = _chosen(arguments.version, context)
    if not kept.chain.readable:
        problems = "; ".join(f"{problem.code}: {problem}" for problem in kept.chain.problems)
        message = f"version {kept.id} cannot be read as a chain ({problems}); nothing was written"
        raise BatonError("invalid-chain", message, "baton wal log")

    def step(before: Version) -> Chain:
        if before.state == UNFINISHED and not arguments.force:
            stands = show.summary(before.chain).splitlines()[0]
            message = f"an unfinished chain stands here ({stands}); nothing was written"
            raise BatonError("unsafe-state", message, f"baton wal restore {kept.id} --force")
        if before.data and before.state in (UNFINISHED, UNREADABLE):
            aside.append(context.chain_file.keep_refused(before.data))
        return kept.chain

    aside: list[str] = []
    version = context.chain_file.change(step, force=True)
    lines = [f"{CHAIN} is again as at {kept.id} ({kept.place})", show.summary(version.chain)]
    lines += [f"what stood there is kept in {name}" for name in aside]
    context.answer("\n".join(lines), show.data(version.state, version.chain, version.revision))
    return 0


def _chosen(name: str, context: Context) -> Kept:
    kept = versions.kept(context.project)
    if name == "newest":
        found = [version for version in kept if version.chain.readable][:1]
    else:
        found = [
            version for version in kept if len(name) >= 7 and version.id.startswith(name[:12])
        ][:1]
    if not found:
        raise BatonError(
            "usage",
            f"git keeps no such version of the chain: {clean.quoted(name, 40)}",
            "baton wal log",
        )
    return found[0]


def _row(version: Kept) -> dict[str, object]:
    chain = version.chain
    return {
        "version": version.id,
        "place": version.place,
        "time": version.time,
        "subject": clean.line(version.subject),
        "state": chain.state,
        "done": chain.done,
        "total": chain.total,
        "goal": chain.goal,
    }


def _line(version: Kept) -> str:
    when = datetime.datetime.fromtimestamp(version.time).astimezone()
    chain = version.chain
    stands = f"{chain.done}/{chain.total}" if chain.readable else "unreadable"
    goal = clean.line(chain.goal or "(empty)", 40)
    return f"{version.id}  {when:%Y-%m-%d %H:%M}  {stands:>5}  {goal}  {version.place}"
