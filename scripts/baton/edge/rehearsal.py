"""A Stop without consequences: the real flush, on a throw-away copy of all that it looks at.

The copy has a git folder of its own (HEAD, the branch, baton's ref, the index, the marks of an
operation, the configuration), borrows the project's objects, and holds the state files and the
rules that git applies to them. What the flush comes to there is what it would come to here.
"""

from __future__ import annotations

import os
import shutil
import tempfile

from baton.core.doctor.finding import Unseen
from baton.edge import git
from baton.hot import config as configs
from baton.hot import passports
from baton.hot.config import Config
from baton.hot.flush import conclusion, plain, record, signature, sources
from baton.hot.flush import flush as hot_flush
from baton.hot.flush import outcome as outcomes
from baton.hot.flush.outcome import Outcome
from baton.hot.flush.signature import Survey
from baton.hot.git import head as heads
from baton.hot.git import operation
from baton.hot.git.checkout import Checkout
from baton.hot.project import CONFIG, Project, locate
from baton.hot.state import State

# A flush leaves out larger files by itself; so much of smaller ones is not copied for a rehearsal.
_MOST_BYTES = 64 << 20
_RULES = (".gitignore", ".gitattributes")
_GIT_FILES = (
    *("config", "config.worktree", "index", "shallow"),
    *("info/exclude", "info/attributes", "info/sparse-checkout"),
)
_NO_FILTER = '[filter "{name}"]\n\tclean =\n\tprocess =\n\trequired = false\n'
# The copy is a work tree of its own, and no watcher of files is to be started for it.
_OURS = '\n[core]\n\tbare = false\n\tfsmonitor = false\n\tworktree = "{top}"\n'


def rehearse(project: Project, state: State, config: Config) -> Outcome | Unseen:
    """Give what a Stop would come to now. Raises OSError.

    Nothing of the project is touched but the times of objects that git meets again.
    """
    checkout = project.checkout
    if config.persist == "off":
        return Outcome(outcomes.DISABLED, "persist is off")
    if checkout is None:
        return Outcome(outcomes.UNCHANGED, plain.ON_DISK)
    if heads.reftable(checkout):
        return Unseen(f"{operation.REFTABLE}, which cannot be copied file by file")
    why = _in_the_way(checkout, state)
    if why and record.look(project, state) == record.CHANGED:
        return Outcome(outcomes.FAILED, why)
    with tempfile.TemporaryDirectory(prefix="baton-rehearsal-") as folder:
        paths = passports.with_written(config.paths, project, state)
        survey = signature.take(project, paths, sources.places(project, state))
        names = _filters(project)
        if why := _filtered(checkout, survey, names):
            return Unseen(why)
        stage = _Stage(project, checkout, os.path.realpath(folder), survey, names)
        stage.set(config)
        return stage.play([path for path in paths if path not in config.paths])


def _in_the_way(checkout: Checkout, state: State) -> str:
    """What only the real place shows, "" when all is well: whether git trusts it, and lets us write."""
    done = git.read(checkout.top, "rev-parse", "--git-dir")
    if done.exit != 0:
        return git.failed("rev-parse", done).message
    place = lock = state.path("lock")
    while not os.path.lexists(place):
        place = os.path.dirname(place)
    return "" if os.access(place, os.W_OK) else f"Permission denied: {lock}"


def _filters(project: Project) -> list[str]:
    """Name the filters that the repository itself brings; the person's own are theirs to run."""
    keys = git.filters(project.root, ("local", "worktree"))
    return list(dict.fromkeys(key.partition(".")[2].rpartition(".")[0] for key in keys))


def _filtered(checkout: Checkout, survey: Survey, names: list[str]) -> str:
    """Say which state file goes through one of the filters, "" when none does."""
    if not names:
        return ""
    asked = b"".join(path + b"\0" for path in survey.files)
    done = git.read(checkout.top, "check-attr", "-z", "--stdin", "filter", stdin=asked)
    if done.exit != 0:
        return git.failed("check-attr", done).message
    words = os.fsdecode(done.output).split("\0")
    for path, name in zip(words[0::3], words[2::3], strict=False):
        if name in names:
            return f"{path} goes through this repository's filter {name}, and a rehearsal runs none"
    return ""


class _Stage:
    """The copy. Names inside it are the project's own."""

    def __init__(
        self,
        project: Project,
        checkout: Checkout,
        folder: str,
        survey: Survey,
        filters: list[str],
    ) -> None:
        self.filters = filters
        self.project = project
        self.checkout = checkout
        self.survey = survey
        self.top = os.path.join(folder, "project")
        self.git_dir = os.path.join(self.top, ".git")
        self.root = os.path.join(self.top, *project.prefix.split("/"))
        self.head = heads.read(checkout)
        self.busy = operation.busy(checkout, self.head)
        # A linked work tree becomes a main one here.
        self.ref = heads.parking_ref(checkout)
        self.staged_ref = heads.parking_ref(Checkout(self.top, self.git_dir, self.git_dir))

    def set(self, config: Config) -> None:
        os.makedirs(self.root)
        self._git_folder()
        self._files()
        if config.said:
            os.makedirs(os.path.dirname(os.path.join(self.root, CONFIG)), exist_ok=True)
            shutil.copy2(self.project.path(CONFIG), os.path.join(self.root, CONFIG))

    def play(self, written: list[str]) -> Outcome:
        """Flush. written: the passports that baton has noted besides the project's state paths."""
        environ = {"HOME": self.top}
        there = locate(environ, self.root)
        assert there is not None
        state = State(there, environ)
        for name in written:
            passports.note(state, name)
        return self._told(hot_flush.flush(there, state, configs.load(there)))

    def _told(self, outcome: Outcome) -> Outcome:
        """The outcome in the project's own words; of its commit nothing is left."""
        outcome.commit = ""
        outcome.ref = self.ref if outcome.ref == self.staged_ref else outcome.ref
        outcome.reason = outcome.reason.replace(self.staged_ref, self.ref)
        if self.busy and outcome.kind == outcomes.PARKED:
            outcome.reason = self.busy
        # What the real place hides, and what the flush of the copy left out, are one list.
        found = {signature.named(self.project, name): why for name, why in outcome.refused}
        self.survey.faults.update(found)
        kind = outcomes.UNCHANGED if outcome.kind == outcomes.REFUSED else outcome.kind
        left_out = conclusion.outcome(self.survey, self.project, kind)
        outcome.kind, outcome.refused = left_out.kind, left_out.refused
        outcome.reason = left_out.reason or outcome.reason
        return outcome

    def _git_folder(self) -> None:
        for name in ("objects/info", "refs/heads", "info"):
            os.makedirs(os.path.join(self.git_dir, name))
        common, own = self.checkout.common_dir, self.checkout.git_dir
        self._write("objects/info/alternates", os.path.join(common, "objects") + "\n")
        shared = [name for name in os.listdir(own) if name.startswith("sharedindex.")]
        for name in (*_GIT_FILES, *shared):
            for base in (common, own):
                self._copy(os.path.join(base, name), name)
        for name in ("config", "config.worktree"):
            with open(
                os.path.join(self.git_dir, name), "a", encoding="utf-8", errors="surrogateescape"
            ) as file:
                file.write(_OURS.format(top=_escaped(self.top)))
                file.writelines(_NO_FILTER.format(name=_escaped(name)) for name in self.filters)
        self._refs()
        self._marks()

    def _refs(self) -> None:
        self._write("HEAD", f"ref: {self.head.name}\n" if self.head.name else f"{self.head.oid}\n")
        refs = {
            self.head.name: self.head.oid,
            self.staged_ref: heads.resolve(self.checkout, self.ref),
        }
        for name, oid in refs.items():
            if name and oid:
                self._write(name, f"{oid}\n")

    def _marks(self) -> None:
        for mark, _ in operation.MARKS:
            if os.path.lexists(os.path.join(self.checkout.git_dir, mark)):
                self._write(mark, "")
        if self.busy:
            self._write("index.lock", "")

    def _files(self) -> None:
        survey = self.survey
        left = _MOST_BYTES
        for path in survey.files:
            source, target = survey.place(path), os.path.join(os.fsencode(self.top), path)
            left -= os.lstat(source).st_size
            if left < 0:
                raise OSError(0, f"the state files hold more than {_MOST_BYTES >> 20} MiB")
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
            self._rules(os.path.dirname(path))
        self._rules(os.fsencode(self.project.prefix))

    def _rules(self, folder: bytes) -> None:
        """Copy what git applies to files below a folder: the rules from the top down to it."""
        while True:
            for name in _RULES:
                inside = os.path.join(os.fsdecode(folder), name)
                self._copy(os.path.join(self.checkout.top, inside), os.path.join("..", inside))
            if not folder:
                return
            folder = os.path.dirname(folder)

    def _copy(self, source: str, name: str) -> None:
        target = os.path.normpath(os.path.join(self.git_dir, name))
        if os.path.isfile(source):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(source, target)
            # The copy is ours to write to, whatever was made of the original.
            os.chmod(target, os.stat(target).st_mode | 0o200)

    def _write(self, name: str, text: str) -> None:
        path = os.path.join(self.git_dir, *name.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)


def _escaped(text: str) -> str:
    """Give a text as it stands between double quotes in a configuration of git's."""
    return text.replace("\\", "\\\\").replace('"', '\\"')
