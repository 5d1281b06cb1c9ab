"""What commits hold: raw trees read through one `git cat-file --batch`."""

from baton.hot.git.speaker import Failed, Git, Talk

# mode as git spells it (octal, no leading zero), object id in hex
Entry = tuple[bytes, bytes]
FOLDER, LINK, SUBMODULE = b"40000", b"120000", b"160000"
NOTHING: Entry = (b"", b"")


class Commit:
    """tree and parents: object ids. message: as written."""

    __slots__ = ("message", "parents", "tree")

    def __init__(self, body: bytes) -> None:
        header, _, self.message = body.partition(b"\n\n")
        fields = [line.split(b" ", 1) for line in header.split(b"\n")]
        self.tree = next(value for key, value in fields if key == b"tree")
        self.parents = [field[1] for field in fields if field[0] == b"parent"]


class Trees:
    """Reads commits and trees; each tree once.

    Git is started at once, and again when it was let go.
    """

    __slots__ = ("_git", "_over", "_seen", "_talk")

    def __init__(self, git: Git) -> None:
        self._git = git
        self._talk = self._start()
        self._seen: dict[bytes, dict[bytes, Entry]] = {b"": {}}

    def _start(self) -> Talk:
        self._over = False
        return self._git.start("cat-file", "--batch")

    def commit(self, oid: str) -> Commit:
        """Give a commit. Raises Failed when there is none of this id."""
        return Commit(self._object(oid.encode(), b"commit"))

    def tree(self, oid: bytes) -> dict[bytes, Entry]:
        """Give a folder's entries by name; of the empty id, none."""
        if oid not in self._seen:
            self._seen[oid] = _entries(self._object(oid, b"tree"), len(oid) // 2)
        return self._seen[oid]

    def find(self, tree: bytes, path: bytes) -> Entry:
        """Give what a tree holds at a path, NOTHING when it holds nothing there."""
        for name in path.split(b"/"):
            mode, oid = self.tree(tree).get(name, NOTHING)
            tree = oid if mode == FOLDER else b""
        return mode, oid

    def below(self, tree: bytes, path: bytes) -> dict[bytes, Entry]:
        """Give every file and link of a tree at a path or below it; no submodules."""
        found: dict[bytes, Entry] = {}
        entry = self.find(tree, path)
        if entry != NOTHING:
            self._gather(path, entry, found)
        return found

    def hang_up(self) -> None:
        """Let git end: there are no more questions for now."""
        self._talk.hang_up()
        self._over = True

    def _gather(self, path: bytes, entry: Entry, found: dict[bytes, Entry]) -> None:
        mode, oid = entry
        if mode == FOLDER:
            for name, inner in self.tree(oid).items():
                self._gather(path + b"/" + name, inner, found)
        elif mode != SUBMODULE:
            found[path] = entry

    def _object(self, oid: bytes, kind: bytes) -> bytes:
        if self._over:
            self._talk = self._start()
        self._talk.say(oid + b"\n")
        words = self._talk.line().split(b" ")
        if len(words) != 3 or words[1] != kind:
            raise Failed(f"git has no {kind.decode()} {oid.decode()}")
        return self._talk.read(int(words[2]) + 1)[:-1]


def _entries(raw: bytes, width: int) -> dict[bytes, Entry]:
    entries: dict[bytes, Entry] = {}
    at = 0
    while at < len(raw):
        end = raw.index(b"\0", at)
        mode, _, name = raw[at:end].partition(b" ")
        at = end + 1 + width
        entries[name] = (mode.lstrip(b"0"), raw[end + 1 : at].hex().encode())
    return entries
