"""What a set-up would change, file by file, before anything is written."""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from baton.core.setup.settings import RUNTIME
from baton.hot import clean, digits

MANIFEST = f"{RUNTIME}/manifest.json"


@dataclass(frozen=True, slots=True)
class Change:
    """One file.

    name: for people, and from the project's root; path: where it is written, links resolved. old,
    new: its bytes, None for no file. executable: whether it is to be; was_executable: whether it is.
    """

    name: str
    path: str
    old: bytes | None
    new: bytes | None
    executable: bool = False
    was_executable: bool = False

    @property
    def needed(self) -> bool:
        """Whether there is anything to do."""
        return self.old != self.new or self.executable > self.was_executable

    @property
    def sign(self) -> str:
        """`+` for a new file, `-` for one that goes, `~` for one that changes."""
        return "+" if self.old is None else "-" if self.new is None else "~"


def diff(changes: Iterable[Change]) -> str:
    """Give what would change as a unified diff; baton's own copy of itself as one line."""
    changes = list(changes)
    parts = [_file_diff(change) for change in changes if not _of_runtime(change)]
    own = len({change.name for change in changes if _of_runtime(change)})
    return "".join(parts) + (f"{own} files of baton's own in {RUNTIME}/\n" if own else "")


def summary(changes: Iterable[Change]) -> list[str]:
    """Give one line for each file, its sign first; baton's own copy of itself as one line."""
    changes = list(changes)
    lines = [
        f"{change.sign} {clean.line(change.name)}" for change in changes if not _of_runtime(change)
    ]
    own = {change.name: change.sign for change in reversed(changes) if _of_runtime(change)}
    return lines + ([f"{own.popitem()[1]} {RUNTIME}/ ({len(own) + 1} files)"] if own else [])


def _of_runtime(change: Change) -> bool:
    return change.name.startswith(f"{RUNTIME}/")


def _file_diff(change: Change) -> str:
    old, new = _lines(change.old), _lines(change.new)
    names = (f"a/{change.name}", f"b/{change.name}")
    heads = (
        "/dev/null" if change.old is None else names[0],
        "/dev/null" if change.new is None else names[1],
    )
    return "".join(_shown(line) for line in difflib.unified_diff(old, new, *heads))


def _lines(data: bytes | None) -> list[str]:
    return (data or b"").decode("utf-8", "replace").splitlines(keepends=True)


def _shown(line: str) -> str:
    """A line of a diff, made harmless; its indentation stays, and a missing line end is said."""
    sign, text = line[:1], line[1:]
    blanks = text[: len(text) - len(text.lstrip(" \t"))]
    end = "" if line.endswith("\n") else "\\ No newline at end of file\n"
    return f"{sign}{blanks}{clean.line(text)}\n{end}"


# ---- which files are baton's own: the manifest of its copy in a project ----

Manifest = dict[str, list[str]]
"""Name from the project's root → the digests that baton's own content may have."""


def digest(data: bytes) -> str:
    """Give what a file is known by."""
    return hashlib.sha256(data).hexdigest()


def read_manifest(data: bytes | None) -> Manifest:
    """Give the files that a project's copy consists of; {} for none or a damaged list."""
    try:
        files = json.loads(data or b"{}")["files"]
        return {name: list(map(str, digests)) for name, digests in files.items() if _inside(name)}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def render_manifest(version: str, files: Manifest) -> bytes:
    """Give the manifest's own bytes."""
    body = {"version": version, "files": dict(sorted(files.items()))}
    return (json.dumps(body, indent=1) + "\n").encode()


def newer(data: bytes | None, version: str) -> str:
    """Give the version of a project's copy if it is newer than `version`, else ""."""
    try:
        theirs = str(json.loads(data or b"{}")["version"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    return theirs if _numbers(theirs) > _numbers(version) else ""


def _numbers(version: str) -> list[int]:
    return [max(0, digits.whole(part)) for part in version.split(".")]


def both(old: Manifest, new: Manifest) -> Manifest:
    """Give the manifest that is true while one copy is being put in another's place."""
    names = {*old, *new}
    return {name: sorted({*old.get(name, []), *new.get(name, [])}) for name in names}


def _inside(name: str) -> bool:
    """Whether a manifest may speak of that file: one that baton puts there, and no way out."""
    parts: Sequence[str] = name.split("/")
    return parts[0] == ".claude" and parts[1:2] in (["baton"], ["commands"]) and ".." not in parts
