"""Files on disk made into git's blobs, through the project's own filters."""

import os

from baton.hot.flush.signature import Survey
from baton.hot.git.speaker import Failed, Git, Talk
from baton.hot.git.trees import LINK, Entry

_TYPE, _LINK, _EXECUTABLE = 0o170000, 0o120000, 0o100
_PLAIN = b"100644"
# More files than any project has that git cannot store; each costs two processes.
_FAILURES = 50
NOT_TRIED = "not tried: git could not store too many others"
_ANY_CODE = tuple(range(-64, 256))


class Storing:
    """A hash-object at work: git reads the files while the caller does other things.

    failed: path → git's words, of each file that `entries_that_can` left out.
    """

    __slots__ = ("_apart", "_files", "_git", "_survey", "_talk", "failed")

    def __init__(self, git: Git, survey: Survey, files: dict[bytes, int]) -> None:
        self._git = git
        self._survey = survey
        self._apart = {
            path: mode for path, mode in files.items() if _is_link(mode) or path in survey.places
        }
        self._files = {path: mode for path, mode in files.items() if path not in self._apart}
        self.failed: dict[bytes, str] = {}
        self._talk = self._start(list(self._files)) if self._files else None

    def _start(self, paths: list[bytes]) -> Talk:
        talk = self._git.start("hash-object", "-w", "--stdin-paths")
        talk.say_all(b"".join(quoted(path) + b"\n" for path in paths))
        return talk

    def entries(self) -> dict[bytes, Entry]:
        """Give mode and blob of each file. Raises Failed, and OSError when one has gone."""
        ids = self._talk.finish().split() if self._talk else []
        modes = map(_mode, self._files.values())
        found = dict(zip(self._files, zip(modes, ids, strict=True), strict=True))
        found.update((path, self._alone(path)) for path in self._apart)
        return found

    def entries_that_can(self) -> dict[bytes, Entry]:
        """The same, after a failure, for those files that git can store.

        Git stops at the first one whose filter or encoding fails: that one is tried again alone.
        """
        found: dict[bytes, Entry] = {}
        left = list(self._files)
        while left and len(self.failed) < _FAILURES:
            ids = self._start(left).finish(_ANY_CODE).split()
            modes = map(_mode, map(self._files.__getitem__, left))
            found.update(zip(left, zip(modes, ids, strict=False), strict=False))
            self._try(left[len(ids) : len(ids) + 1], found)
            left = left[len(ids) + 1 :]
        self.failed.update(dict.fromkeys(left, NOT_TRIED))
        self._try(list(self._apart), found)
        return found

    def _try(self, paths: list[bytes], found: dict[bytes, Entry]) -> None:
        for path in paths:
            try:
                found[path] = self._alone(path)
            except Failed as error:
                self.failed[path] = error.words

    def _alone(self, path: bytes) -> Entry:
        if path in self._files:
            return _mode(self._files[path]), self._start([path]).finish().strip()
        mode = self._apart[path]
        return self._link(path) if _is_link(mode) else (_mode(mode), self._other(path))

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
