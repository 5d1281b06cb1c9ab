"""A flush to the user's branch: a commit of exactly the changed state files on top of HEAD."""

from baton.hot.flush import commits, heal, refusal
from baton.hot.flush import record as records
from baton.hot.flush.attempt import Attempt, Lost
from baton.hot.flush.blobs import Storing
from baton.hot.flush.comparison import Comparison
from baton.hot.git import durable, head, index, operation
from baton.hot.git.graft import Grafter, InSubmodule
from baton.hot.git.index import Aside, Listing
from baton.hot.git.speaker import Failed, Git
from baton.hot.git.trees import NOTHING, Entry

IGNORED = "git-ignored"


class Landed:
    """What a flush did on the branch.

    commit: its id, "" when nothing had to be committed. paths: what is in it. ids: HEAD's state
    paths now, for the record. off: path → (entry, why) of each file that may not go there. indexed:
    False while the index is behind HEAD.
    """

    __slots__ = ("commit", "ids", "indexed", "off", "paths")

    def __init__(self, ids: list[bytes]) -> None:
        self.commit = ""
        self.paths: list[bytes] = []
        self.ids = ids
        self.off: dict[bytes, tuple[Entry, str]] = {}
        self.indexed = True


def land(attempt: Attempt) -> Landed:
    """Commit what differs from HEAD.

    Raises Lost, Failed, InSubmodule, Stuck; HEAD has not moved then.
    """
    comparison = Comparison(attempt, records.BRANCH, attempt.head.oid)
    refusal.look(comparison)
    included = refusal.included(attempt)
    landed = Landed(comparison.ids)
    if comparison.files or included or comparison.gone or attempt.request.always:
        landing = _Landing(attempt, comparison, included, landed)
        try:
            landing.run()
        except (Lost, Failed, InSubmodule):
            landing.tidy()
            raise
        landing.tidy()
    return landed


class _Landing:
    """The steps, with git's slower work started early and awaited late."""

    def __init__(
        self, attempt: Attempt, comparison: Comparison, included: dict[bytes, int], landed: Landed
    ) -> None:
        self.attempt = attempt
        self.request = attempt.request
        self.git: Git = attempt.git
        self.comparison = comparison
        self.included = included
        self.landed = landed
        files = {**comparison.files, **included}
        self.storing = Storing(self.git, attempt.survey, files)
        self.old = comparison.old([*comparison.gone, *files])
        # A new file may yet turn out to be ignored: then the index is made later.
        sure = files and NOTHING not in self.old.values()
        self.aside = self._aside(list(self.old)) if sure else None
        self.listing = Listing(self.git, [*attempt.roots, *included])
        self.grafter = Grafter(self.git, attempt.trees)

    def run(self) -> None:
        entries = self.comparison.stored(self.storing)
        refusal.look_again(self.comparison)
        self.listing.wait()
        changes = self._changes(entries)
        behind = heal.behind(self.comparison, self.listing)
        stale = [*changes, *(path for path in behind if path not in changes)]
        if changes or self.request.always:
            self._commit(changes, stale)
        elif stale:
            self.landed.indexed = index.update_in_place(self.git, stale)
            durable.sync_index(self.attempt.checkout)

    def tidy(self) -> None:
        """Leave nothing behind: another index may be made in the place of this one."""
        if self.aside:
            self.aside.drop()

    def _changes(self, entries: dict[bytes, Entry]) -> dict[bytes, Entry]:
        """Sort out what may not go to the branch."""
        changes = {path: NOTHING for path in self.comparison.gone if self.old[path] != NOTHING}
        changes.update((path, entry) for path, entry in entries.items() if entry != self.old[path])
        bars = {path: self.listing.bars[path] for path in changes if path in self.listing.bars}
        fresh = [path for path in changes if path in entries and path not in self.listing.entries]
        bars.update(dict.fromkeys(_ignored(self.git, fresh), IGNORED))
        for path, why in bars.items():
            entry = changes.pop(path)
            if path in self.included:
                self.attempt.survey.faults[path] = why
            elif entry != NOTHING:
                self.landed.off[path] = (entry, why)
        return changes

    def _aside(self, paths: list[bytes]) -> Aside:
        return Aside(self.git, self.attempt.checkout, self.request.state, paths)

    def _commit(self, changes: dict[bytes, Entry], stale: list[bytes]) -> None:
        attempt, checkout, message = self.attempt, self.attempt.checkout, self.request.message
        tree = self.grafter.graft(self.comparison.tree, changes)
        self.grafter.hang_up()
        blobs = [oid for _, oid in changes.values() if oid]
        commit = commits.make(attempt, tree, attempt.head.oid, [*blobs, *self.grafter.made])
        aside = self._fitting(stale)
        self.landed.ids = attempt.ids(tree)
        attempt.trees.hang_up()
        ready = aside is not None and aside.wait()
        _still_safe(attempt)
        commits.move(self.git, "HEAD", commit, attempt.head.oid, message)
        if stale:
            moved = aside is not None and ready and aside.move_in()
            self.landed.indexed = moved or index.update_in_place(self.git, stale)
            durable.sync_index(checkout)
        durable.sync_ref(checkout, attempt.head.name)
        self.landed.commit, self.landed.paths, attempt.head.oid = commit, list(changes), commit

    def _fitting(self, paths: list[bytes]) -> Aside | None:
        """The index in the making, or another one if that was made for other paths."""
        if self.aside and self.aside.paths != paths:
            self.aside.drop()
            self.aside = None
        if paths and self.aside is None:
            self.aside = self._aside(paths)
        return self.aside


def _still_safe(attempt: Attempt) -> None:
    checkout = attempt.checkout
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
