"""A flush to the user's branch: a commit of exactly the changed state files on top of HEAD."""

from __future__ import annotations

from baton.hot import commits, durable, head, index, operation, refusal
from baton.hot.attempt import Attempt, Comparison, Lost, stored
from baton.hot.blobs import Storing, settle_modes
from baton.hot.git import Git
from baton.hot.graft import Grafter
from baton.hot.index import Aside, Listing
from baton.hot.trees import NOTHING, Entry

IGNORED = "git-ignored"
_OURS = b"wal: "


class Landed:
    """What a flush did on the branch.

    commit: its id, "" when nothing had to be committed. paths: what is in it. ids: HEAD's state paths now, for the record.
    off: path → (entry, why) of each file that may not go there. indexed: False while the index is behind HEAD.
    """

    __slots__ = ("commit", "ids", "indexed", "off", "paths")

    def __init__(self, ids: list[bytes]) -> None:
        self.commit = ""
        self.paths: list[bytes] = []
        self.ids = ids
        self.off: dict[bytes, tuple[Entry, str]] = {}
        self.indexed = True


def land(attempt: Attempt) -> Landed:
    """Commit what differs from HEAD. Raises Lost, Failed, InSubmodule, Stuck; HEAD has not moved then."""
    comparison = attempt.against(attempt.head.oid, "branch")
    refusal.look(attempt, comparison)
    files = {**comparison.files, **refusal.included(attempt)}
    landed = Landed(comparison.ids)
    if files or comparison.gone or attempt.request.always:
        _Landing(attempt, comparison, files, landed).run()
    return landed


class _Landing:
    """The steps, with git's slower work started early and awaited late."""

    def __init__(
        self, attempt: Attempt, comparison: Comparison, files: dict[bytes, int], landed: Landed
    ) -> None:
        self.attempt = attempt
        self.request = attempt.request
        self.git: Git = attempt.git
        self.comparison = comparison
        self.landed = landed
        self.listing = Listing(self.git, [*attempt.roots, *self.request.include])
        self.storing = Storing(self.git, attempt.survey.base, files)
        self.grafter = Grafter(self.git, attempt.trees)
        self.old = comparison.old(attempt, [*comparison.gone, *files])
        # A new file may yet turn out to be ignored: then the index is made later.
        sure = files and NOTHING not in self.old.values()
        self.aside = self._aside(list(self.old)) if sure else None

    def run(self) -> None:
        entries = settle_modes(self.git, stored(self.attempt, self.storing), self.old)
        self.listing.wait()
        changes = self._changes(entries)
        if changes or self.request.always:
            self._commit(changes)
        else:
            self.landed.indexed = _heal(self.attempt, self.comparison, self.listing)

    def _changes(self, entries: dict[bytes, Entry]) -> dict[bytes, Entry]:
        """Sort out what may not go to the branch."""
        changes = {path: NOTHING for path in self.comparison.gone if self.old[path] != NOTHING}
        changes.update((path, entry) for path, entry in entries.items() if entry != self.old[path])
        bars = {path: self.listing.bars[path] for path in changes if path in self.listing.bars}
        fresh = [path for path in changes if path in entries and path not in self.listing.entries]
        bars.update(dict.fromkeys(_ignored(self.git, fresh), IGNORED))
        for path, why in bars.items():
            entry = changes.pop(path)
            if path in self.request.include:
                self.attempt.survey.faults[path] = why
            elif entry != NOTHING:
                self.landed.off[path] = (entry, why)
        return changes

    def _aside(self, paths: list[bytes]) -> Aside:
        return Aside(self.git, self.request.checkout, self.request.state, paths)

    def _commit(self, changes: dict[bytes, Entry]) -> None:
        attempt, checkout = self.attempt, self.request.checkout
        tree = self.grafter.graft(self.comparison.tree, changes)
        self.grafter.hang_up()
        commit = commits.make(self.git, tree, attempt.head.oid, self.request.message)
        aside = self._fitting(list(changes))
        ready = aside.wait()
        self.landed.ids = attempt.ids(tree)
        attempt.trees.hang_up()
        commits.sync(
            self.git,
            checkout,
            [oid for _, oid in changes.values() if oid],
            self.grafter.made,
            commit,
        )
        _still_safe(attempt)
        commits.move(self.git, checkout, "HEAD", commit, attempt.head.oid, self.request.message)
        moved = (ready and aside.move_in()) or index.update_in_place(self.git, aside.paths)
        durable.sync_ref(checkout, attempt.head.name)
        self.landed.commit, self.landed.paths, self.landed.indexed = commit, list(changes), moved
        attempt.head.oid = commit

    def _fitting(self, paths: list[bytes]) -> Aside:
        """The index in the making, or another one if that was made for too many paths."""
        if self.aside and self.aside.paths == paths:
            return self.aside
        if self.aside:
            self.aside.wait()
        return self._aside(paths)


def _still_safe(attempt: Attempt) -> None:
    checkout = attempt.request.checkout
    now = head.read(checkout)
    if (now.name, now.oid) != (attempt.head.name, attempt.head.oid):
        raise Lost("HEAD keeps moving")
    why = operation.under_way(checkout, now) or operation.busy(checkout, now)
    if why:
        raise Lost(why)


def _ignored(git: Git, paths: list[bytes]) -> list[bytes]:
    """Give those paths that git would not add."""
    if not paths:
        return []
    answer = git.run(
        "check-ignore", "-z", "--stdin", "--no-index", data=b"\0".join(paths) + b"\0", good=(0, 1)
    )
    return answer.split(b"\0")[:-1]


def _heal(attempt: Attempt, comparison: Comparison, listing: Listing) -> bool:
    """Where a flush was killed between ref and index, the index still holds what was before: bring it up to date.

    Told by HEAD being a commit of ours whose parent has exactly what the index has; anything else there is the user's own.
    False when the index stays behind.
    """
    if not comparison.commit:
        return True
    commit = attempt.trees.commit(comparison.commit)
    if not commit.message.startswith(_OURS):
        return True
    before = attempt.trees.commit(commit.parents[0].decode()).tree if commit.parents else b""
    behind = [
        path
        for path in _held(attempt, comparison, listing)
        if _is_behind(attempt, comparison, listing, before, path)
    ]
    return not behind or index.update_in_place(attempt.git, behind)


def _held(attempt: Attempt, comparison: Comparison, listing: Listing) -> list[bytes]:
    paths = {**attempt.survey.files, **dict.fromkeys(listing.entries)}
    return [path for path in paths if path not in listing.bars and not attempt.survey.hides(path)]


def _is_behind(
    attempt: Attempt, comparison: Comparison, listing: Listing, before: bytes, path: bytes
) -> bool:
    held = listing.entries.get(path, NOTHING)
    now = attempt.trees.find(comparison.tree, path)
    return held != now and held == attempt.trees.find(before, path)
