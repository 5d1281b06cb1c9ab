"""Files on disk made into git's blobs, through the project's own filters."""

import os

from baton.hot.flush.signature import Survey
from baton.hot.git.speaker import Git, Talk
from baton.hot.git.trees import LINK, Entry

_TYPE, _LINK, _EXECUTABLE = 0o170000, 0o120000, 0o100
_PLAIN = b"100644"


class Storing:
    """A hash-object at work: git reads the files while the caller does other things."""

    __slots__ = ("_apart", "_files", "_git", "_survey", "_talk")

    def __init__(self, git: Git, survey: Survey, files: dict[bytes, int]) -> None:
        self._git = git
        self._survey = survey
        self._apart = {
            path: mode for path, mode in files.items() if _is_link(mode) or path in survey.places
        }
        self._files = {path: mode for path, mode in files.items() if path not in self._apart}
        self._talk: Talk | None = None
        if self._files:
            self._talk = git.start("hash-object", "-w", "--stdin-paths")
            self._talk.say_all(b"".join(quoted(path) + b"\n" for path in self._files))

    def entries(self) -> dict[bytes, Entry]:
        """Give mode and blob of each file. Raises Failed, and OSError when one has gone."""
        ids = self._talk.finish().split() if self._talk else []
        modes = map(_mode, self._files.values())
        found = dict(zip(self._files, zip(modes, ids, strict=True), strict=True))
        for path, mode in self._apart.items():
            found[path] = self._link(path) if _is_link(mode) else (_mode(mode), self._other(path))
        return found

    def _link(self, path: bytes) -> Entry:
        # hash-object would read what the link points to.
        text = os.readlink(self._survey.place(path))
        oid = self._git.run("hash-object", "-w", "--stdin", "--no-filters", data=text)
        return LINK, oid.strip()

    def _other(self, path: bytes) -> bytes:
        """The blob of content that stands elsewhere, filtered as if it stood at its path."""
        with open(self._survey.place(path), "rb") as file:
            data = file.read()
        named = f"--path={os.fsdecode(path)}"
        return self._git.run("hash-object", "-w", "--stdin", named, data=data).strip()


def quoted(path: bytes) -> bytes:
    """Give a path as `--stdin-paths` reads it: one a line, C-quoted where it would be misread."""
    if b"\n" not in path and not path.startswith(b'"'):
        return path
    return b'"' + path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'


def _is_link(mode: int) -> bool:
    return mode & _TYPE == _LINK


def _mode(mode: int) -> bytes:
    return b"100755" if mode & _EXECUTABLE else _PLAIN


def settle_modes(
    git: Git, entries: dict[bytes, Entry], old: dict[bytes, Entry]
) -> dict[bytes, Entry]:
    """Give the entries with the old modes where this repository cannot tell them on its disk."""
    switches = {path: _switch(mode, old[path][0]) for path, (mode, _) in entries.items()}
    blind = {switch for switch in set(switches.values()) if switch and not _is_on(git, switch)}
    return {
        path: (old[path][0] or _PLAIN, oid) if switches[path] in blind else (mode, oid)
        for path, (mode, oid) in entries.items()
    }


def _switch(mode: bytes, old: bytes) -> str:
    """Name the setting that says whether this difference of modes is real, "" when it surely is."""
    if old == LINK and mode != LINK:
        return "core.symlinks"
    regular = mode != LINK and old != LINK
    return "core.filemode" if regular and mode != (old or _PLAIN) else ""


def _is_on(git: Git, switch: str) -> bool:
    # Exit code 1: not set; both are on then.
    return git.run("config", "--type=bool", switch, good=(0, 1)).strip() != b"false"
