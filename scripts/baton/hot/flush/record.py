"""What the last flush left: enough to see without git that nothing has changed since."""

import os

from baton.hot import passports
from baton.hot.flush import signature, sources
from baton.hot.flush.signature import Survey
from baton.hot.git import head as heads
from baton.hot.git.checkout import Checkout
from baton.hot.project import Project
from baton.hot.state import OVERLAY, RECORD, State

BRANCH, REF, DISK = "branch", "ref", "disk"
ABSENT, SAME, CHANGED = "absent", "same", "changed"
_FORMAT = "baton flush 1"


class Record:
    """A flush that left nothing to do.

    where: the content is in HEAD (branch), on our own ref (ref) or synced outside git (disk).
    settings: signature of the configuration file. head, oid: HEAD then. tip: our ref's commit then,
    "" when nothing was parked. ids: one `mode oid` a state path, as the commit at `where` has it,
    to be compared and never to be used. kept_off: paths that are not at `where` (parked, refused).
    lines: the survey.
    """

    __slots__ = (
        "head",
        "ids",
        "kept_off",
        "lines",
        "oid",
        "paths",
        "persist",
        "settings",
        "tip",
        "where",
    )

    def __init__(self, where: str, persist: str, settings: str, paths: list[str]) -> None:
        self.where = where
        self.persist = persist
        self.settings = settings
        self.paths = paths
        self.head = self.oid = self.tip = ""
        self.ids: list[bytes] = []
        self.kept_off: list[bytes] = []
        self.lines: list[bytes] = []

    @property
    def saw_all(self) -> bool:
        """Whether nothing was hidden from the survey by a fault."""
        return not any(line.startswith(b"! ") for line in self.lines)

    def render(self) -> bytes:
        """Give the bytes of the note: a header of lines, then two lists, all ended by NULs."""
        fields = (_FORMAT, self.where, self.persist, self.settings, self.head, self.oid, self.tip)
        header = os.fsencode("\n".join((*fields, str(len(self.paths)), *self.paths)))
        ids = b"\n".join(self.ids)
        return b"\0".join((header, ids, b"%d" % len(self.kept_off), *self.kept_off, *self.lines))


def parse(data: bytes) -> Record | None:
    """Give the record that a note holds, None for anything else: then everything is compared."""
    try:
        header, ids, count, *rest = data.split(b"\0")
        form, where, persist, settings, head, oid, tip, number, *paths = os.fsdecode(header).split(
            "\n"
        )
        if form != _FORMAT or len(paths) != int(number):
            return None
        record = Record(where, persist, settings, paths)
        record.head, record.oid, record.tip = head, oid, tip
        record.ids = ids.split(b"\n")
        record.kept_off, record.lines = rest[: int(count)], rest[int(count) :]
    except ValueError:
        return None
    return record


def load(state: State) -> Record | None:
    """Give the last flush's record, if there is one."""
    return parse(state.read(RECORD))


def look(project: Project, state: State) -> str:
    """Say, as cheaply as can be, whether a flush has anything to do: same or changed.

    Or absent, when there is neither a record nor a state file.
    """
    record = load(state)
    if record is None:
        return CHANGED if _anything(project, state) else ABSENT
    if record.settings != signature.settings(project):
        return CHANGED
    if passports.with_written(record.paths, project, state) != record.paths:
        return CHANGED
    survey = signature.take(project, record.paths, sources.places(project, state))
    return SAME if same(record, survey, project, state) else CHANGED


def same(record: Record, survey: Survey, project: Project, state: State) -> bool:
    """Whether everything in a survey is where the record's flush put it, and may stay there."""
    if survey.lines != record.lines or project.checkout is None:
        return survey.lines == record.lines
    if record.where == BRANCH:
        head = heads.read(project.checkout)
        return (head.name, head.oid) == (record.head, record.oid)
    return _may_stay_parked(record, project, project.checkout, state)


def _may_stay_parked(record: Record, project: Project, checkout: Checkout, state: State) -> bool:
    from baton.hot.flush import awaiting
    from baton.hot.git import operation

    # Only git could say where a reftable's refs are; then nobody but us moves this one.
    tip = heads.resolve(checkout, heads.parking_ref(checkout))
    if tip != record.tip and not heads.reftable(checkout):
        return False
    if record.persist == "ref":
        return not _to_be_settled(project, state)
    head = heads.read(checkout)
    return bool(
        operation.under_way(checkout, head)
        or awaiting.on(state, checkout)
        or operation.busy(checkout, head)
    )


def _to_be_settled(project: Project, state: State) -> bool:
    """Whether an overlay stands though the operation that it was made for is over."""
    if not os.path.lexists(state.path(OVERLAY)):
        return False
    from baton.hot import overlay

    return overlay.over(project)


def absent(project: Project, state: State) -> bool:
    """Whether there is neither a record nor any state file: nothing is ever made then."""
    return load(state) is None and not _anything(project, state)


def _anything(project: Project, state: State) -> bool:
    from baton.hot import config

    paths = passports.with_written(config.load(project).paths, project, state)
    survey = signature.take(project, paths, sources.places(project, state))
    return bool(survey.lines)
