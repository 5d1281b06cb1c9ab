"""The state directory: baton's own notes about one checkout of one project.

Never committed; losing it loses no work.
"""

import os

from baton.hot import files
from baton.hot.project import Project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from baton.hot.lock import Lock

# The notes that one part writes and another reads.
OUTCOME, RECORD, WRITTEN, TASKS, DEATH = "outcome", "flush", "written", "tasks", "death"
# Not a note: the chain's newest content while git must not see its file changed.
OVERLAY = "overlay"
_LIMIT = 4 << 20


class State:
    """The notes of one project in one checkout.

    folder: `<git dir>/baton`, or `<git dir>/baton/at/<path>` for a project below the work tree's
    root, or `$XDG_STATE_HOME/baton/<path>` outside git. It is made by the first write.
    """

    __slots__ = ("folder",)

    def __init__(self, project: Project, environ: dict[str, str]) -> None:
        self.folder = _folder(project, environ)

    def path(self, name: str) -> str:
        """Give the path of one note."""
        return os.path.join(self.folder, name)

    @property
    def exists(self) -> bool:
        """Whether baton has ever noted anything here."""
        return os.path.isdir(self.folder)

    def make(self) -> None:
        """Make the folder. Raises OSError."""
        # Some of what goes there must outlive a power cut: the overlay, claims, what was consumed.
        files.make_folders(self.folder)

    def lock(self, wait: float) -> "Lock":
        """Give the lock that every change of the chain and every flush takes; `wait` in seconds.

        Makes the folder.
        """
        # Most events change nothing, and then nobody needs the lock.
        from baton.hot.lock import Lock

        self.make()
        return Lock(self.path("lock"), wait)

    def read(self, name: str) -> bytes:
        """Give a note's bytes, b"" when there is none or it cannot be read.

        A note is never needed.
        """
        try:
            return files.read(self.path(name), _LIMIT) or b""
        except OSError:
            return b""

    def write(self, name: str, data: bytes, *, durable: bool = False) -> None:
        """Put a note whole; it waits for the disk only where it must be durable. Raises OSError."""
        files.make_folders(os.path.dirname(self.path(name)))
        put = files.replace if durable else files.note
        put(self.path(name), data)

    def jot(self, name: str, data: bytes) -> None:
        """Put a few bytes the cheapest way; who reads them must know half of them. Raises OSError."""
        try:
            files.overwrite(self.path(name), data)
        except FileNotFoundError:
            self.write(name, data)

    def record(self, name: str) -> dict[str, object]:
        """Give a note that holds a JSON object; {} when there is none or it is damaged."""
        from baton.hot import jsons

        try:
            value = jsons.parse(self.read(name))
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    def set_record(self, name: str, value: dict[str, object], *, durable: bool = False) -> None:
        """Put a note as a JSON object. Raises OSError."""
        from baton.hot import jsons

        self.write(name, jsons.render(value).encode(), durable=durable)

    @property
    def tasks(self) -> int:
        """How many background tasks still ran at the last stop."""
        count = self.read(TASKS).decode("ascii", "replace").strip()
        return int(count) if count.isdecimal() and len(count) < 7 else 0


def _folder(project: Project, environ: dict[str, str]) -> str:
    if project.checkout is not None and _is_ours(project.checkout.git_dir):
        base = os.path.join(project.checkout.git_dir, "baton")
        return os.path.join(base, "at", _one_name(project.prefix)) if project.prefix else base
    from baton.hot import homes  # most projects are in git

    base = homes.xdg(environ, "XDG_STATE_HOME", ".local/state")
    return os.path.join(base, "baton", _one_name(project.root.lstrip(os.sep)))


def _is_ours(folder: str) -> bool:
    """Whether notes may go there: a repository of another user's is git's to judge before anything is written.

    Nor where a link in our place would lead them out of it.
    """
    try:
        ours = not hasattr(os, "geteuid") or os.lstat(folder).st_uid == os.geteuid()
        return ours and not os.path.islink(os.path.join(folder, "baton"))
    except OSError:
        return False


def _one_name(path: str) -> str:
    """A path as one file name: readable, unambiguous, at most 200 bytes."""
    name = path.replace("%", "%25").replace(os.sep, "%2F").replace("/", "%2F").replace(":", "%3A")
    if len(os.fsencode(name)) <= 200:
        return name
    from hashlib import sha256  # dear to import, and only for such paths

    return os.fsdecode(os.fsencode(name)[-100:]) + "-" + sha256(os.fsencode(path)).hexdigest()[:32]
