"""What `/tiep` says of versions of the chain outside the work tree: where they are, and how to get one
back (design page chain)."""

from __future__ import annotations

import shlex

from baton.cli.context import Context
from baton.core.errors import BatonError
from baton.edge import versions
from baton.edge.versions import Kept
from baton.hot import clean, moments, places
from baton.hot.chain import Chain
from baton.hot.places import Place
from baton.hot.project import CHAIN

_UNSEEN = "newer versions of the chain could not be looked for: {}"


def bring(place: Place) -> list[str]:
    """Give where the newest version is that is not in the work tree, and how to get it."""
    switch = [f"git switch {shlex.quote(place.name)}"] if place.kind == places.BRANCH else []
    return [
        f"the newest version is not in the work tree: it is in {place.words}",
        *(f"to go on there: {command}" for command in switch),
        f"to bring it here: {place.bring}",
        "if it is done with: baton wal reset",
    ]


def elsewhere(context: Context) -> list[str]:
    """Give what git keeps of a chain that is not in the work tree, and how to get it back."""
    kept, why = _kept(context)
    told = why or _filtered(context)
    if kept is None or not kept.chain.items:
        return told
    text = f"git keeps one: {kept.chain.done}/{kept.chain.total} done, {kept.place} at {kept.id}"
    return [*told, text, f"to bring it back: baton wal restore {kept.id}"]


def restore(context: Context) -> list[str]:
    """Give the way back to a good version of a chain that cannot be read."""
    kept, why = _kept(context)
    if kept is None:
        said = why or ["No good version of it is kept in git."]
        return [f"{said[0]} Mend the file by hand, then: baton wal check"]
    return [
        f"The last good version is of {moments.date(kept.time)} ({kept.place}, {kept.id}): "
        f"{kept.chain.done}/{kept.chain.total} done.",
        f"to bring it back: baton wal restore {kept.id}",
    ]


def beside(chain: Chain, context: Context) -> list[str]:
    """Give a line for each chain of others that was written after this one."""
    try:
        found = places.beside(context.project, context.state, chain)
    except places.Unseen as error:
        return [_UNSEEN.format(error)]
    lines = []
    for place in found:
        done = f"{place.chain.done}/{place.chain.total} done"
        if place.chain.goal == chain.goal:
            lines.append(f"{place.words} holds a later one of this goal, {done}: {place.bring}")
        else:
            goal = clean.quoted(place.chain.goal, 60)
            lines.append(f"{place.words} holds a newer chain of its own, {done}: {goal}")
    return lines


def unseen(context: Context) -> list[str]:
    """Give why newer versions could not be looked for, [] where they could be."""
    try:
        places.elsewhere(context.project, context.state)
    except places.Unseen as error:
        return [_UNSEEN.format(error)]
    return []


def _filtered(context: Context) -> list[str]:
    """Where the newest version in git is, if it cannot be read: a filter may have made it of one that
    can, and only git runs what a repository names."""
    newest = versions.kept(context.project, 1)[:1]
    git_here = f"git -C {shlex.quote(context.project.root)}"
    return [
        line
        for version in newest
        if not version.chain.readable
        for line in (
            f"git keeps one that cannot be read as it is kept: {version.place} at {version.id}",
            f"to have git bring it back: {git_here} checkout {version.id} -- {CHAIN}",
        )
    ]


def _kept(context: Context) -> tuple[Kept | None, list[str]]:
    """The newest good version that git keeps; and where git cannot say, that."""
    try:
        return versions.newest_readable(context.project), []
    except BatonError as error:
        return None, [f"What git keeps of the chain could not be looked at: {error.message}."]
