"""Files on disk made into git's blobs, through the project's own filters."""

from __future__ import annotations

import os

from baton.hot.git import Git, Talk
from baton.hot.trees import LINK, Entry

_TYPE, _LINK, _EXECUTABLE = 0o170000, 0o120000, 0o100


class Storing:
    """A hash-object at work: git reads the files while the caller does other things."""

    __slots__ = ("_files", "_git", "_links", "_talk", "_top")

    def __init__(self, git: Git, top: bytes, files: dict[bytes, int]) -> None:
        self._git = git
        self._top = top
        self._links = [path for path, mode in files.items() if mode & _TYPE == _LINK]
        self._files = {path: mode for path, mode in files.items() if mode & _TYPE != _LINK}
        self._talk: Talk | None = None
        if self._files:
            self._talk = git.start("hash-object", "-w", "--stdin-paths")
            self._talk.say(b"".join(quoted(path) + b"\n" for path in self._files))

    def entries(self) -> dict[bytes, Entry]:
        """Give mode and blob of each file. Raises Failed, and OSError when a link has gone."""
        ids = self._talk.finish().split() if self._talk else []
        found = {
            path: (_mode(mode), oid)
            for (path, mode), oid in zip(self._files.items(), ids, strict=True)
        }
        for path in self._links:
            # hash-object would read what the link points to.
            text = os.readlink(os.path.join(self._top, path))
            found[path] = (
                LINK,
                self._git.run("hash-object", "-w", "--stdin", "--no-filters", data=text).strip(),
            )
        return found


def quoted(path: bytes) -> bytes:
    """Give a path as `--stdin-paths` reads it: one a line, C-quoted where it would be misread."""
    if b"\n" not in path and not path.startswith(b'"'):
        return path
    return b'"' + path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'


def _mode(mode: int) -> bytes:
    return b"100755" if mode & _EXECUTABLE else b"100644"


def settle_modes(
    git: Git, entries: dict[bytes, Entry], old: dict[bytes, Entry]
) -> dict[bytes, Entry]:
    """Give the entries with the old modes where this repository says that the file system cannot tell."""
    odd = {
        path
        for path, (mode, _) in entries.items()
        if old[path][0] not in (mode, b"") or mode == b"100755"
    }
    if not odd or _trusts_modes(git):
        return entries
    return {
        path: ((old[path][0] or b"100644"), oid) if path in odd else (mode, oid)
        for path, (mode, oid) in entries.items()
    }


def _trusts_modes(git: Git) -> bool:
    # Exit code 1: not set; git's default is to trust them.
    return git.run("config", "--type=bool", "core.filemode", good=(0, 1)).strip() != b"false"
