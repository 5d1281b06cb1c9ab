"""The versions of the chain that are kept.

Commits of the branch that touched it, baton's own ref, other branches' tips, baton's notes.
"""

from __future__ import annotations

from dataclasses import dataclass

from baton.core.errors import BatonError
from baton.edge import git
from baton.hot import places
from baton.hot.chain import MAX_BYTES, Chain, parse
from baton.hot.git.head import parking_ref
from baton.hot.places import Place
from baton.hot.project import CHAIN, Project
from baton.hot.state import State

NEWEST, NOTES = "newest", "notes"
_MOST = 50
_SECONDS = 10.0


@dataclass(frozen=True)
class Kept:
    """One kept version.

    id: the commit's, 12 digits, or "notes" for baton's notes of what it wrote last. place: where.
    time: epoch seconds.
    """

    id: str
    place: str
    time: int
    subject: str
    data: bytes

    @property
    def chain(self) -> Chain:
        """The chain that it holds."""
        return parse(self.data)


def kept(project: Project, most: int = _MOST) -> list[Kept]:
    """Give the kept versions, newest first, at most `most` of each place; [] outside git.

    Raises git-failed: what could not be looked at is not taken for nothing.
    """
    if project.checkout is None:
        return []
    found = []
    for place in ("HEAD", parking_ref(project.checkout)):
        commits = _commits(project, place, most) if git.knows(project.root, place) else []
        for id_, time, subject in commits:
            data = _blob(project, id_)
            if data is not None:
                found.append(Kept(id_[:12], place, time, subject, data))
    return sorted(found, key=lambda version: version.time, reverse=True)


def everywhere(project: Project, state: State) -> list[Kept]:
    """Give what `kept` gives, other branches' versions and what baton wrote last, newest first.

    Raises git-failed.
    """
    found = kept(project)
    known = {version.data for version in found}
    found += [standing_at(place) for place in _elsewhere(project, state) if place.data not in known]
    return sorted(found, key=lambda version: version.time, reverse=True)


def _elsewhere(project: Project, state: State) -> list[Place]:
    try:
        return places.elsewhere(project, state, _SECONDS)
    except places.Unseen as unseen:
        raise BatonError("git-failed", str(unseen), "git status") from None


def standing_at(place: Place) -> Kept:
    """Give the version that stands at a place."""
    return Kept(place.commit or NOTES, place.where, int(place.time), "", place.data)


def at(project: Project, commit: str) -> Kept | None:
    """Give the version in any one commit, None when there is none."""
    done = git.read(
        project.root, "show", "-s", "--format=%H%x00%ct%x00%s", "--end-of-options", commit, "--"
    )
    row = done.output.decode("utf-8", "replace").strip("\n").split("\0")
    data = _blob(project, row[0]) if done.exit == 0 and len(row) == 3 else None
    if data is None:
        return None
    return Kept(row[0][:12], f"commit {row[0][:12]}", int(row[1]), row[2], data)


def _commits(project: Project, place: str, most: int) -> list[tuple[str, int, str]]:
    done = git.read(
        project.root,
        "log",
        f"-{most}",
        # After a merge git would follow only the side whose chain was taken.
        "--full-history",
        "--format=%H%x00%ct%x00%s",
        "--end-of-options",
        place,
        "--",
        CHAIN,
    )
    if done.exit != 0:
        raise git.failed("log", done)
    rows = [line.split("\0") for line in done.output.decode("utf-8", "replace").split("\n")]
    return [(row[0], int(row[1]), row[2]) for row in rows if len(row) == 3]


def _blob(project: Project, commit: str) -> bytes | None:
    done = git.read(project.root, "cat-file", "blob", f"{commit}:{project.in_git(CHAIN)}")
    return done.output[: MAX_BYTES + 1] if done.exit == 0 else None


def newest_readable(project: Project) -> Kept | None:
    """Give the newest kept version that holds a chain that can be read, or None.

    Raises git-failed.
    """
    return next((version for version in kept(project, 10) if version.chain.readable), None)
