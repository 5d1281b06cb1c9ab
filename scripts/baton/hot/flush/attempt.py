"""What a flush is asked for, and one look at disk, HEAD and the last flush's record."""

import time

from baton.hot.config import Config
from baton.hot.flush import record as records
from baton.hot.flush import signature, sources
from baton.hot.flush.record import Record
from baton.hot.flush.signature import Survey
from baton.hot.git import head as heads
from baton.hot.git.checkout import Checkout
from baton.hot.git.speaker import Git
from baton.hot.git.trees import Trees
from baton.hot.project import Project
from baton.hot.state import RECORD, State

# A file system's clock may stand still this long: a file so young can change again unseen.
_COARSE_NS = 10_000_000


class Lost(Exception):
    """Somebody else moved what this attempt had looked at; another look may succeed.

    words: what was in the way.
    """

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


class Held(Exception):
    """What has to be moved is locked, or moves, for too long. words: what was in the way."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


class Torn(Lost):
    """An object that was just made is torn, and was put aside: all must be made again."""


class Request:
    """What a flush was asked for.

    message: the commit's. include: further files, as git names them, for the branch commit alone.
    always: commit though nothing has changed. barred: paths found impossible on the way, and why.
    """

    __slots__ = ("always", "barred", "config", "include", "message", "project", "state")

    def __init__(self, project: Project, state: State, config: Config) -> None:
        self.project = project
        self.state = state
        self.config = config
        self.message = b""
        self.include: list[bytes] = []
        self.always = False
        self.barred: dict[bytes, str] = {}


class Attempt:
    """A survey of the state files beside HEAD and the record, all taken at one moment."""

    __slots__ = (
        "checkout",
        "git",
        "head",
        "record",
        "request",
        "roots",
        "settings",
        "started",
        "survey",
        "trees",
    )

    def __init__(self, request: Request, checkout: Checkout, git: Git, trees: Trees) -> None:
        self.request = request
        self.checkout = checkout
        self.git = git
        self.trees = trees
        self.started = time.time_ns()
        self.settings = signature.settings(request.project)
        self.survey = _survey(request)
        self.roots = signature.roots(request.project, request.config.paths)
        self.head = heads.read(checkout)
        self.record = _usable(records.load(request.state), request)
        for path, reason in request.barred.items():
            self.survey.refuse(path, reason)

    def again(self) -> "Attempt":
        """Look once more."""
        return Attempt(self.request, self.checkout, self.git, self.trees)

    def same(self) -> bool:
        """Whether the record says that there is nothing to do."""
        return self.record is not None and records.same(
            self.record, self.survey, self.request.project, self.request.state
        )

    @property
    def too_young(self) -> bool:
        """Whether a file may change again without any change of what the survey saw of it."""
        return self.survey.newest > self.started - _COARSE_NS

    def moved_on(self) -> bool:
        """Whether the state files are no longer what was surveyed."""
        return _survey(self.request).lines != self.survey.lines

    def changed_since(self) -> list[bytes]:
        """Give the state files that are no longer as they were surveyed."""
        known = set(self.survey.lines)
        fresh = _survey(self.request).lines
        return [signature.parts(line)[1] for line in fresh if line not in known]

    def ids(self, tree: bytes) -> list[bytes]:
        """Give what a tree holds at each state path, for the record."""
        return [b"%s %s" % self.trees.find(tree, root) for root in self.roots]

    def note(
        self,
        where: str,
        ids: list[bytes],
        *,
        oid: str,
        tip: str = "",
        kept_off: list[bytes] | None = None,
    ) -> None:
        """Put down the record of a flush that left nothing to do."""
        if self.too_young:
            return
        request = self.request
        record = Record(where, request.config.persist, self.settings, request.config.paths)
        record.head, record.oid, record.tip = self.head.name, oid, tip
        record.ids, record.kept_off, record.lines = ids, kept_off or [], self.survey.lines
        request.state.write(RECORD, record.render())


def _survey(request: Request) -> Survey:
    project = request.project
    return signature.take(project, request.config.paths, sources.places(project, request.state))


def _usable(record: Record | None, request: Request) -> Record | None:
    config = request.config
    return (
        record
        if record and (record.persist, record.paths) == (config.persist, config.paths)
        else None
    )
