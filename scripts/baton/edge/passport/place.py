"""Which file a passport's name means: inside the project, reached by no link, and how it is called."""

from __future__ import annotations

import os
from typing import NamedTuple

from baton.core.errors import BatonError
from baton.core.errors import typed as shell
from baton.hot import passports
from baton.hot.config import fault_of
from baton.hot.project import Project
from baton.hot.state import State


class Place(NamedTuple):
    """A passport's file. path: absolute. name: as the project calls it, with forward slashes."""

    path: str
    name: str

    @property
    def json(self) -> bool:
        """Whether its name says that it is JSON."""
        return self.name.lower().endswith(".json")


def named(project: Project, typed: str) -> Place:
    """Give the place that a path means, typed in the working folder or from the project's root.

    Raises `bad-path` when it lies outside the project, or its name is one that no state file may have.
    """
    offered = [_whole(os.path.join(start, typed)) for start in (working_folder(), project.root)]
    inside = [path for path in offered if _is_inside(project, path)]
    if not inside:
        message = f"{typed}: outside the project {project.root}; nothing was done"
        raise BatonError("bad-path", message, "baton --project DIR passport …")
    path = next(filter(os.path.lexists, inside), inside[0])
    name = _name(project, path)
    fault = fault_of(name)
    if fault:
        raise BatonError(
            "bad-path", f"{typed}: {fault}; nothing was done", "baton passport awaiting"
        )
    return Place(path, name)


def _is_inside(project: Project, path: str) -> bool:
    return path.startswith(project.root.rstrip(os.sep) + os.sep)


def _name(project: Project, path: str) -> str:
    return os.path.relpath(path, project.root).replace(os.sep, "/")


def _whole(path: str) -> str:
    """The folders on the way are resolved, the file itself is not: a link is refused on opening."""
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def working_folder() -> str:
    """Give the folder that a person is in; the top of all where theirs was removed."""
    try:
        return os.getcwd()
    except OSError:
        return os.sep


def candidates(project: Project, state: State) -> list[Place]:
    """Give the places at which passports are looked for, by name.

    One that a link on the way leads out of the project is given as it is called: `refuse_link` is for it.
    """
    found = {_resolved(project, name) for name in passports.candidates(project, state)}
    return sorted(found, key=lambda place: place.name)


def _resolved(project: Project, called: str) -> Place:
    path = _whole(project.path(called))
    name = _name(project, path)
    ours = _is_inside(project, path) and not fault_of(name)
    return Place(path, name) if ours else Place(project.path(called), called)


def refuse_link(place: Place) -> None:
    """Raise `bad-path` for a place that a link on the way leads to: a cloned repository must not lead
    baton into another project's files."""
    folder = os.path.dirname(place.path)
    if os.path.realpath(folder) != folder:
        message = (
            f"{place.name} is reached by a link that leads out of the project; nothing was done"
        )
        raise BatonError("bad-path", message, f"ls -ld {shell(folder)}")
