"""The files that `baton setup` reads and writes: each looked at before anything is written, each
written whole."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Sequence

from baton.core.errors import BatonError, way_out
from baton.core.setup.plan import Change
from baton.hot import files

_LIMIT = 1 << 20
_AGAIN = "the same command again"
_NAMED = 6


def look(root: str, name: str, path: str = "") -> Change:
    """Give a file of the project as it is: a change that changes nothing.

    root: the folder that it may not lead out of. name: from there. path: where it lies, if not
    there. Raises bad-path for what leads out or lies in no folder, io for what is no file, cannot be read, is
    larger than 1 MiB or is write-protected.
    """
    path = path or os.path.join(root, *name.split("/"))
    real = os.path.realpath(path)
    if not real.startswith(os.path.realpath(root).rstrip(os.sep) + os.sep):
        message = f"{name} leads out of {root}, to {real}; nothing was written"
        raise BatonError("bad-path", message, f"ls -ld {shlex.quote(path)}")
    above = os.path.dirname(real)
    while not os.path.lexists(above):
        above = os.path.dirname(above)
    if not os.path.isdir(above):
        message = f"{name}: {above} is no folder; nothing was written"
        raise BatonError("bad-path", message, f"ls -ld {shlex.quote(above)}")
    try:
        data = files.read(real, _LIMIT)
        mode = os.stat(real).st_mode if data is not None else 0
    except OSError as error:
        message = f"{name} cannot be read: {error.strerror}; nothing was written"
        raise BatonError("io", message, f"ls -ld {shlex.quote(path)}") from error
    if data is not None and len(data) > _LIMIT:
        message = f"{name} is larger than {_LIMIT} bytes; nothing was written"
        raise BatonError("io", message, f"ls -l {shlex.quote(path)}")
    return Change(name, real, data, data, bool(mode & 0o100), bool(mode & 0o100))


def behind_a_link(root: str, name: str) -> bool:
    """Whether a folder on the way from `root` to a file of that name is a symbolic link."""
    folder = os.path.dirname(name)
    return os.path.realpath(os.path.join(root, folder)) != os.path.normpath(
        os.path.join(os.path.realpath(root), folder)
    )


def must_be_writable(change: Change) -> None:
    """Raise io where a file that is to change is write-protected: somebody meant that."""
    if change.old is not None and not os.stat(change.path).st_mode & 0o200:
        message = f"{change.name} is write-protected; nothing was written"
        raise BatonError("io", message, f"chmod u+w {shlex.quote(change.path)}")


def missing_folders(root: str, changes: Sequence[Change]) -> list[str]:
    """Give the folders that writing the changes will make, outermost first."""
    missing: set[str] = set()
    for change in changes:
        folder = os.path.dirname(change.path)
        while change.new is not None and not os.path.isdir(folder) and folder != root:
            missing.add(folder)
            folder = os.path.dirname(folder)
    return sorted(missing)


def write(changes: Sequence[Change], folders: Sequence[str]) -> None:
    """Write the changes in order, each whole and on disk before the next.

    folders: those to make first. Raises locked when a file is no longer what the change was made
    from, io when one cannot be written; what was written until then stays, and is named.
    """
    done: list[str] = []
    name = ""
    try:
        for folder in folders:
            name = folder
            files.make_folder(folder)
        for change in changes:
            name = change.name
            _write(change)
            done.append(name)
    except OSError as error:
        message = f"{name}: {error.strerror}; {_until_then(done)}"
        raise BatonError("io", message, way_out(error, _AGAIN)) from error
    except _Moved:
        message = f"{name} was changed by somebody else just now; {_until_then(done)}"
        raise BatonError("locked", message, _AGAIN) from None


class _Moved(Exception):
    """A file is no longer what was looked at."""


def _write(change: Change) -> None:
    if files.read(change.path, _LIMIT) != change.old:
        raise _Moved
    if change.new is None:
        os.unlink(change.path)
        files.sync_folder(os.path.dirname(change.path))
        return
    if change.new != change.old:
        files.replace(change.path, change.new)
    if change.executable:
        mode = os.stat(change.path).st_mode & 0o777
        os.chmod(change.path, mode | (mode & 0o444) >> 2)


def _until_then(done: Sequence[str]) -> str:
    if not done:
        return "nothing was written"
    first = ", ".join(done[:_NAMED]) + (f" and {len(done) - _NAMED} more" if done[_NAMED:] else "")
    return f"written until then, each whole: {first}; the others are as they were"


def remove_folders(folders: Sequence[str]) -> None:
    """Remove those of the folders that are empty, innermost first."""
    for folder in sorted(folders, reverse=True):
        with contextlib.suppress(OSError):
            os.rmdir(folder)


def remove_leavings(folder: str) -> list[str]:
    """Remove what Python and writers that died have left in a copy of baton; give the folders that this
    leaves empty."""
    emptied = []
    for place, _, names in os.walk(folder):
        emptied.append(place)
        for name in names:
            if os.path.basename(place) == "__pycache__" or name.endswith(".tmp"):
                with contextlib.suppress(OSError):
                    os.unlink(os.path.join(place, name))
    return emptied
