"""Where a file of a run may stand: in the project, or outside git in the state directory (design page
runs)."""

import os
import time

from baton.hot.runs import layout
from baton.hot.runs.layout import Place

_STALE_SECONDS = 60


class Kept:
    """reason: "" for a file in the project, else layout's SECRET or SIZE. told: what a person is told."""

    __slots__ = ("reason", "told")

    def __init__(self, reason: str = "", told: str = "") -> None:
        self.reason = reason
        self.told = told


def store(place: Place, name: str, data: bytes, text: str) -> Kept:
    """Put a file of a run where it may stand, durably.

    text: what is searched for secrets, since data may have escaped it. Raises OSError.
    """
    kept = judge(place, name, len(data), text)
    place.write(name, data, private=bool(kept.reason))
    return kept


def judge(place: Place, name: str, size: int, text: str) -> Kept:
    """Say where a file of `size` bytes may stand. Raises OSError."""
    from baton.hot import secrets  # re is dear to import, and most hooks never come here

    found = secrets.find(text)
    if found:
        return Kept(layout.SECRET, f"{name} holds what looks like a secret ({found[0].kind})")
    if _size(place.folder, os.path.join(place.folder, name)) + size > layout.CAP:
        return Kept(layout.SIZE, f"{name} would bring it over {layout.CAP >> 20} MB")
    return Kept()


def telling(place: Place, kept: list[Kept]) -> str:
    """Give the line for a person about what stays out of git, "" where nothing does."""
    told = [each.told for each in kept if each.told]
    if not told:
        return ""
    more = f" and {len(told) - 1} more" if len(told) > 1 else ""
    return f"baton: run {place.name}: {told[0]}{more}; kept outside git, in {place.private}"


def outside(place: Place) -> str:
    """Give the line for a person about all of a run that is kept outside git, "" for nothing."""
    names = [
        f"{below}/{name}" if below else name
        for below in ("", layout.RESULTS, layout.JOURNAL)
        for name in sorted(_files(os.path.join(place.private, below)))
    ]
    if not names:
        return ""
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return (
        f"baton: run {place.name}: {names[0]}{more} kept outside git, in {place.private} "
        "(what looks like a secret, or too large)"
    )


def _files(folder: str) -> list[str]:
    if not os.path.isdir(folder):
        return []
    with os.scandir(folder) as entries:
        return [e.name for e in entries if e.is_file() and not e.name.endswith(".tmp")]


def _size(folder: str, but: str) -> int:
    """The bytes of a run in the project, without one file; what killed writers left is swept away."""
    total = 0
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    total += _size(entry.path, but)
                elif entry.path != but and not _swept(entry):
                    total += entry.stat(follow_symlinks=False).st_size
    except (FileNotFoundError, NotADirectoryError):
        pass
    return total


def _swept(entry: os.DirEntry[str]) -> bool:
    if not entry.name.endswith(".tmp"):
        return False
    if time.time() - entry.stat(follow_symlinks=False).st_mtime > _STALE_SECONDS:
        os.unlink(entry.path)
    return True
