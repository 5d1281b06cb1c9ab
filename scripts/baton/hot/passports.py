"""Where passports lie: the places where they are looked for, and those that baton has written to.

Names alone, nothing opened. The note of those written lies in the state directory; losing it loses no
ledger, only that the flush takes its file along.
"""

import os

from baton.hot.project import Project
from baton.hot.state import State

WRITTEN = "passports"
_FOLDER = "passports"
_BEGINNING = "material_passport"


def candidates(project: Project, state: State) -> list[str]:
    """Give the project's own names of what may be passports, each once, sorted.

    `passports/*.y*ml`, `material_passport*.y*ml` (design page passport), and what baton has written.
    """
    inside = [f"{_FOLDER}/{name}" for name in _names(project.path(_FOLDER))]
    beside = [name for name in _names(project.root) if name.startswith(_BEGINNING)]
    found = [name for name in inside + beside if _is_yaml(name)]
    there = [name for name in written(state) if os.path.isfile(project.path(name))]
    return sorted({*found, *there})


def written(state: State) -> list[str]:
    """Give the project's own names of the passports that baton has written here."""
    return state.read(WRITTEN).decode("utf-8", "surrogateescape").splitlines()


def note(state: State, name: str) -> None:
    """Note that baton writes the passport of that name. Raises OSError."""
    known = written(state)
    if name not in known:
        lines = "".join(f"{line}\n" for line in sorted([*known, name]))
        state.write(WRITTEN, lines.encode("utf-8", "surrogateescape"))


def with_written(paths: list[str], project: Project, state: State) -> list[str]:
    """Give a project's state paths, and the passports that baton has written.

    One beside which an undo record lies is left out until the next command has taken that append
    back: git must not keep what never was.
    """
    kept = [name for name in written(state) if not _interrupted(project.path(name))]
    return [*paths, *(name for name in kept if name not in paths)]


def _interrupted(path: str) -> bool:
    folder, name = os.path.split(path)
    return os.path.lexists(os.path.join(folder, f".{name}.baton-undo"))


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _is_yaml(name: str) -> bool:
    """Whether a name is a `*.y*ml` that is not hidden."""
    base, dot, ending = name.rpartition("/")[2].rpartition(".")
    return (
        bool(base and dot and ending.startswith("y") and ending.endswith("ml")) and base[0] != "."
    )
