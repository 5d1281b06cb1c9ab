"""Which file a passport's name means: inside the project, reached by no link, and how it is called."""

from __future__ import annotations

import os
from typing import NamedTuple

from baton.core.errors import BatonError
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
        return self.name.endswith(".json")


def named(project: Project, typed: str) -> Place:
    """Give the place that a path means, typed in the working folder or from the project's root.

    Raises `bad-path` when it lies outside the project, or its name is one that no state file may have.
    """
    for start in (os.getcwd(), project.root):
        path = os.path.join(start, typed)
        if os.path.lexists(path):
            return _inside(project, path, typed)
    return _inside(project, os.path.join(os.getcwd(), typed), typed)


def _inside(project: Project, path: str, typed: str) -> Place:
    """The folders on the way are resolved, the file itself is not: a link is refused on opening."""
    folder = os.path.realpath(os.path.dirname(path))
    whole = os.path.join(folder, os.path.basename(path))
    if not whole.startswith(project.root.rstrip(os.sep) + os.sep):
        message = f"{typed}: outside the project {project.root}; nothing was done"
        raise BatonError("bad-path", message, "baton --project DIR passport …")
    name = os.path.relpath(whole, project.root).replace(os.sep, "/")
    fault = fault_of(name)
    if fault:
        raise BatonError("bad-path", f"{typed}: {fault}; nothing was done", "mv it to another name")
    return Place(whole, name)


def candidates(project: Project, state: State) -> list[Place]:
    """Give the places at which passports are looked for, by name."""
    return [Place(project.path(name), name) for name in passports.candidates(project, state)]
