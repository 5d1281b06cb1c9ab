"""Where pipelines' logs lie, and what they may be called. Light: a command that only asks whether there is
a pipeline pays for no more."""

from __future__ import annotations

import os
import re

from baton.core.errors import BatonError
from baton.hot import clean
from baton.hot.project import PIPELINES, Project

ENDING = ".jsonl"
DEFAULT = "main"
UNTOUCHED = "; nothing was recorded"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
"""What Windows keeps for its devices, whatever the ending."""


def checked_name(name: str) -> str:
    """Give a pipeline's name back that can be a file's everywhere. Raises `usage`."""
    if not _is_name(name):
        message = (
            "a pipeline's name is letters, digits, dots and dashes, and none that Windows keeps for a "
            f"device, got {clean.quoted(name, 60)}{UNTOUCHED}"
        )
        raise BatonError("usage", message, f"baton pipeline start --name {DEFAULT} --entry 1")
    return name


def _is_name(name: str) -> bool:
    fits = _NAME.fullmatch(name) and not _DEVICE.fullmatch(name)
    return bool(fits) and not name.endswith((".", ENDING))


def names(project: Project) -> list[str]:
    """Give the names of the project's pipelines. Raises OSError."""
    try:
        found = os.listdir(project.path(PIPELINES))
    except (FileNotFoundError, NotADirectoryError):
        return []
    stems = [name.removesuffix(ENDING) for name in found if name.endswith(ENDING)]
    return sorted(filter(_is_name, stems))
