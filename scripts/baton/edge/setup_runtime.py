"""baton's own files: what a project gets a copy of, and what registers it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass

from baton.core.errors import BatonError
from baton.hot import files

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
_FOLDERS = ("bin", "commands", "hooks", "scripts/baton")
_FILES = ("LICENSE",)
_LIMIT = 4 << 20
RULES = ".gitignore"
# A project that ignores `bin/`, `core` or `*.json` means its own: half a copy would not run.
_IGNORE = b"!*\n__pycache__/\n"
_HINT = "claude plugin update baton"


@dataclass(frozen=True, slots=True)
class Piece:
    """A file of the copy. name: from the copy's root."""

    name: str
    data: bytes
    executable: bool


def pieces() -> list[Piece]:
    """Give every file that baton needs to run on its own. Raises io."""
    try:
        found = [_piece(name) for name in _names()]
    except OSError as error:
        message = f"{error.filename}: {error.strerror}; nothing was written"
        raise BatonError("io", message, _HINT) from error
    return [*found, Piece(RULES, _IGNORE, False)]


def hooks() -> dict[str, list[object]]:
    """Give the hook entries that the plugin registers, by event. Raises io."""
    name = os.path.join(ROOT, "hooks", "hooks.json")
    try:
        entries = json.loads(files.read(name, _LIMIT) or b"")["hooks"]
        return {event: list(groups) for event, groups in entries.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        message = f"{name} cannot be read; nothing was written"
        raise BatonError("io", message, _HINT) from error


def _names() -> Iterator[str]:
    yield from _FILES
    for folder in _FOLDERS:
        for place, below, names in os.walk(os.path.join(ROOT, *folder.split("/"))):
            below[:] = sorted(name for name in below if name != "__pycache__")
            for name in sorted(names):
                yield os.path.relpath(os.path.join(place, name), ROOT).replace(os.sep, "/")


def _piece(name: str) -> Piece:
    path = os.path.join(ROOT, *name.split("/"))
    data = files.read(path, _LIMIT)
    if data is None:
        raise FileNotFoundError(2, "No such file", path)
    return Piece(name, data, bool(os.stat(path).st_mode & 0o100))
