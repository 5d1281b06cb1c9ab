"""The versions of the chain that git keeps.

Commits of the branch that touched it, and baton's own ref.
"""

from __future__ import annotations

from dataclasses import dataclass

from baton.edge import git
from baton.hot.chain import MAX_BYTES, Chain, parse
from baton.hot.git.head import parking_ref
from baton.hot.project import CHAIN, Project

_MOST = 50


@dataclass(frozen=True)
class Kept:
    """One kept version.

    id: the commit's, 12 digits. place: HEAD or baton's ref. time: epoch seconds.
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
    """Give the kept versions, newest first, at most `most` of each place; [] outside git."""
    if project.checkout is None:
        return []
    found = []
    for place in ("HEAD", parking_ref(project.checkout)):
        for id_, time, subject in _commits(project, place, most):
            data = _blob(project, id_)
            if data is not None:
                found.append(Kept(id_[:12], place, time, subject, data))
    return sorted(found, key=lambda version: version.time, reverse=True)


def _commits(project: Project, place: str, most: int) -> list[tuple[str, int, str]]:
    done = git.read(
        project.root,
        "log",
        f"-{most}",
        "--format=%H%x00%ct%x00%s",
        "--end-of-options",
        place,
        "--",
        CHAIN,
    )
    rows = (
        [line.split("\0") for line in done.output.decode("utf-8", "replace").split("\n")]
        if done.exit == 0
        else []
    )
    return [(row[0], int(row[1]), row[2]) for row in rows if len(row) == 3]


def _blob(project: Project, commit: str) -> bytes | None:
    done = git.read(project.root, "cat-file", "blob", f"{commit}:{project.in_git(CHAIN)}")
    return done.output[: MAX_BYTES + 1] if done.exit == 0 else None


def newest_readable(project: Project) -> Kept | None:
    """Give the newest kept version that holds a chain that can be read, or None."""
    return next((version for version in kept(project, 10) if version.chain.readable), None)
