"""The state files beside a commit: what may differ, as little of it as the record allows."""

from baton.hot.flush import signature
from baton.hot.flush.attempt import Attempt, Lost
from baton.hot.flush.blobs import Storing, settle_modes
from baton.hot.flush.record import Record
from baton.hot.git.speaker import Failed
from baton.hot.git.trees import FOLDER, NOTHING, SUBMODULE, Entry


class Comparison:
    """What may differ from a commit.

    where: the place of a Record that the commit ("" for none) is at. tree: its tree. ids: what that
    holds at the state paths, for the record. files: path → st_mode of those that may differ. gone:
    paths no longer on disk, maybe too many. narrowed: whether the record told what has changed.
    """

    __slots__ = ("attempt", "commit", "files", "gone", "ids", "narrowed", "tree", "where")

    def __init__(self, attempt: Attempt, where: str, commit: str) -> None:
        """Raises Failed when there is no such commit."""
        self.attempt = attempt
        self.where = where
        self.commit = commit
        self.tree = attempt.trees.commit(commit).tree if commit else b""
        self.ids = attempt.ids(self.tree)
        self.files = dict(attempt.survey.files)
        record = attempt.record
        if record and record.saw_all and (record.where, record.ids) == (where, self.ids):
            self.narrowed = True
            before = self._narrow(record)
        else:
            self.narrowed = False
            trees, roots = attempt.trees, attempt.roots
            before = [path for root in roots for path in trees.below(self.tree, root)]
        self.gone = [path for path in before if self._is_gone(path)]

    def _narrow(self, record: Record) -> list[bytes]:
        """The commit holds what the record's flush saw: only what looks new can differ."""
        known, suspect = set(record.lines), set(record.kept_off)
        lines = self.attempt.survey.lines
        suspect.update(signature.parts(line)[1] for line in lines if line not in known)
        self.files = {path: mode for path, mode in self.files.items() if path in suspect}
        return [signature.parts(line)[1] for line in record.lines]

    def _is_gone(self, path: bytes) -> bool:
        survey = self.attempt.survey
        return path not in survey.files and not survey.hides(path)

    def holds(self, entries: dict[bytes, Entry]) -> bool:
        """Whether the commit has exactly these files at the state paths."""
        wanted = {**dict.fromkeys(self.gone, NOTHING), **entries}
        return self.old(list(wanted)) == wanted

    def old(self, paths: list[bytes]) -> dict[bytes, Entry]:
        """Give the files and links that the commit holds at some paths, NOTHING for the others."""
        found = {path: self.attempt.trees.find(self.tree, path) for path in paths}
        no_file = (FOLDER, SUBMODULE)
        return {path: NOTHING if entry[0] in no_file else entry for path, entry in found.items()}

    def stored(self, storing: Storing) -> dict[bytes, Entry]:
        """Give the entries of a Storing, with modes as the repository knows them.

        What git cannot store is left out, and the survey names it. Raises Lost when the files changed
        while git read them, Failed when it can store none.
        """
        try:
            entries = storing.entries()
        except (Failed, FileNotFoundError) as error:
            if self.attempt.moved_on():
                raise Lost("the state files keep changing") from error
            entries = storing.entries_that_can()
            if not entries:
                raise
            self.attempt.survey.faults.update(storing.failed)
        return settle_modes(self.attempt.git, entries, self.old(list(entries)))
