"""`baton wal log|restore`.

The versions of the chain that git keeps, and the way back to one of them.
"""

from __future__ import annotations

import argparse
import string

from baton.cli.context import Context
from baton.cli.wal_edit import Command
from baton.core.chain import show
from baton.core.errors import BatonError
from baton.edge import versions
from baton.edge.chain_file import Version
from baton.edge.versions import Kept
from baton.hot import clean, moments, overlay, places
from baton.hot.chain import UNFINISHED, UNREADABLE, Chain, as_written
from baton.hot.project import CHAIN

_LEAST = 7


def configure(command: Command) -> None:
    """Describe the commands."""
    command("log", log, "list the versions of the chain that git keeps")
    below = command("restore", restore, "bring back a kept version", "baton wal restore newest")
    help_ = "an id out of `baton wal log`, or newest"
    below.add_argument("version", metavar="VERSION", help=help_)
    help_ = "although an unfinished chain stands here"
    below.add_argument("--force", action="store_true", help=help_)


def log(_: argparse.Namespace, context: Context) -> int:
    """List every kept version, newest first."""
    kept = versions.everywhere(context.project, context.state)
    rows: list[object] = [_row(version) for version in kept]
    context.answer(
        "\n".join(map(_line, kept)) or "no version of the chain is kept", {"versions": rows}
    )
    return 0


def restore(arguments: argparse.Namespace, context: Context) -> int:
    """Put a kept version in the chain's place.

    What stood there is kept beside it when it would be lost; where it is that version already,
    nothing is written.
    """
    kept = _chosen(arguments.version, context)
    if not kept.chain.readable:
        problems = "; ".join(f"{problem.code}: {problem}" for problem in kept.chain.problems)
        message = f"version {kept.id} cannot be read as a chain ({problems}); nothing was written"
        raise BatonError("invalid-chain", message, "baton wal log")
    here = context.chain_file.read()
    if here.data is not None and as_written(here.data) == as_written(kept.data):
        return _told(f"is as at {kept.id} already", kept, here, "nothing was written", context)

    def step(before: Version) -> Chain:
        if before.state == UNFINISHED and not (arguments.force or _goes_on(before, kept)):
            stands = show.summary(before.chain).splitlines()[0]
            message = f"an unfinished chain stands here ({stands}); nothing was written"
            raise BatonError("unsafe-state", message, f"baton wal restore {kept.id} --force")
        unfinished = before.state in (UNFINISHED, UNREADABLE)
        # What HEAD holds too is not lost.
        if before.data and unfinished and not overlay.is_clean(context.project, before.data):
            aside.append(context.chain_file.keep_refused(before.data))
        return kept.chain

    aside: list[str] = []
    version = context.chain_file.change(step, force=True)
    end = "".join(f"what stood there is kept in {name}" for name in aside)
    return _told(f"is again as at {kept.id}", kept, version, end, context)


def _told(what: str, kept: Kept, version: Version, end: str, context: Context) -> int:
    why = overlay.under_way(context.project) if overlay.stands(context.state) else ""
    aside = f"{why}: it is kept aside, and takes its place afterwards" if why else ""
    lines = [f"{CHAIN} {what} ({kept.place})", show.summary(version.chain), aside, end]
    context.answer(
        "\n".join(filter(None, lines)), show.data(version.state, version.chain, version.revision)
    )
    return 0


def _chosen(name: str, context: Context) -> Kept:
    found = _newest(context) if name == versions.NEWEST else _named(name, context)
    if found is None and name == versions.NEWEST:
        raise BatonError(
            "usage",
            "no version of the chain that holds work is kept; nothing was written",
            show.START,
        )
    if found is None:
        message = f"no such version of the chain is kept: {clean.quoted(name, 40)}"
        raise BatonError("usage", message, "baton wal log")
    return found


def _newest(context: Context) -> Kept | None:
    """The one that the notice and /tiep name when it is not in the work tree, else the last kept
    that holds work."""
    here = context.chain_file.read()
    place = places.newer(context.project, context.state, here.data)
    if place:
        return versions.standing_at(place)
    kept = versions.everywhere(context.project, context.state)
    return next(
        (version for version in kept if version.chain.readable and version.chain.items), None
    )


def _named(name: str, context: Context) -> Kept | None:
    is_commit = len(name) >= _LEAST and all(digit in string.hexdigits for digit in name)
    if not is_commit and name != versions.NOTES:
        return None
    rows = versions.everywhere(context.project, context.state)
    found = next((version for version in rows if version.id.startswith(name[:12])), None)
    return found or (versions.at(context.project, name) if is_commit else None)


def _goes_on(before: Version, kept: Kept) -> bool:
    """Whether a version is what the work tree's chain became later."""
    later = moments.seconds(kept.chain.updated) >= moments.seconds(before.chain.updated)
    return kept.chain.goal == before.chain.goal and later


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
    chain = version.chain
    stands = f"{chain.done}/{chain.total}" if chain.readable else "unreadable"
    goal = clean.line(chain.goal or ("(empty)" if chain.readable else "—"), 40)
    return f"{version.id}  {moments.date(version.time)}  {stands:>5}  {goal}  {version.place}"
