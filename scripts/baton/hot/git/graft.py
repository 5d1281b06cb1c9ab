"""Changed files set into an existing tree, level by level; what is beside them stays."""

from baton.hot.git.speaker import Git
from baton.hot.git.trees import FOLDER, NOTHING, SUBMODULE, Entry, Trees


class InSubmodule(Exception):
    """A path leads into another repository, recorded at `path`."""

    def __init__(self, path: bytes) -> None:
        super().__init__(path)
        self.path = path


class Grafter:
    """Writes trees through one `git mktree`.

    made: the ids of all that were written, to be synced by the caller.

    git checks no object here (in a partial clone it would fetch), and does not notice a failed
    write: nothing may rely on `made` before it is seen on disk.
    """

    __slots__ = ("_talk", "_trees", "made")

    def __init__(self, git: Git, trees: Trees) -> None:
        self._talk = git.start("mktree", "-z", "--batch", "--missing")
        self._trees = trees
        self.made: list[bytes] = []

    def graft(self, tree: bytes, changes: dict[bytes, Entry]) -> bytes:
        """Give the id of `tree` (empty: nothing) with each path set to its entry; NOTHING deletes.

        Raises InSubmodule.
        """
        return self._level(b"", tree, changes) or self._write({})

    def _level(self, at: bytes, tree: bytes, changes: dict[bytes, Entry]) -> bytes:
        """The same for one folder; empty when nothing is left in it."""
        entries = dict(self._trees.tree(tree))
        here, below = _split(changes)
        for name, entry in here.items():
            if entry != NOTHING:
                entries[name] = entry
            else:
                entries.pop(name, None)
        for name, inner in below.items():
            self._folder(at + name, name, entries, inner)
        return self._write(entries) if entries else b""

    def _folder(
        self, path: bytes, name: bytes, entries: dict[bytes, Entry], changes: dict[bytes, Entry]
    ) -> None:
        mode, oid = entries.get(name, NOTHING)
        if mode == SUBMODULE:
            raise InSubmodule(path)
        if mode != FOLDER and all(entry == NOTHING for entry in changes.values()):
            return
        new = self._level(path + b"/", oid if mode == FOLDER else b"", changes)
        if new:
            entries[name] = (FOLDER, new)
        else:
            entries.pop(name, None)

    def _write(self, entries: dict[bytes, Entry]) -> bytes:
        rows = [
            b"%s %s %s\t%s\0" % (mode, _kind(mode), oid, name)
            for name, (mode, oid) in entries.items()
        ]
        self._talk.say(b"".join(rows) + b"\0")
        self.made.append(self._talk.line())
        return self.made[-1]

    def hang_up(self) -> None:
        """Let git end: there are no more trees."""
        self._talk.hang_up()


def _kind(mode: bytes) -> bytes:
    return {FOLDER: b"tree", SUBMODULE: b"commit"}.get(mode, b"blob")


def _split(
    changes: dict[bytes, Entry],
) -> tuple[dict[bytes, Entry], dict[bytes, dict[bytes, Entry]]]:
    here: dict[bytes, Entry] = {}
    below: dict[bytes, dict[bytes, Entry]] = {}
    for path, entry in changes.items():
        name, slash, rest = path.partition(b"/")
        if slash:
            below.setdefault(name, {})[rest] = entry
        else:
            here[name] = entry
    return here, below
