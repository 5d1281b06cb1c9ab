"""A passport in its file: read and verified, appended to in one locked step (design page passport,
"Appending").
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

from baton.core.errors import BatonError, typed, way_out
from baton.core.passport import document as documents
from baton.core.passport import ledger as ledgers
from baton.core.passport.append import appended
from baton.core.passport.document import Document
from baton.core.passport.entry import Boundary, Entry, Resume
from baton.core.passport.errors import LedgerError
from baton.core.passport.ledger import Ledger
from baton.edge.passport import reading, rewrite, undo
from baton.edge.passport.consumed import Consumed, Consumption
from baton.edge.passport.held import Say, hold
from baton.edge.passport.marks import Look, Marks, refusal
from baton.edge.passport.place import Place, refuse_link
from baton.edge.passport.yaml_door import events
from baton.hot import clean, files, passports
from baton.hot.project import Project
from baton.hot.state import State

UNTOUCHED = "; nothing was written"
Step = Callable[[Document, Ledger], Entry]
"""What to append to a passport as it is under the lock; what it raises leaves all as it was."""


class Read(NamedTuple):
    """A passport as it was read, its chain verified."""

    document: Document
    ledger: Ledger


class PassportFile:
    """One passport of a project. session: who appends. wait: seconds for a lock. say: told on one line
    what the user waits for, or what could not be checked."""

    def __init__(
        self, place: Place, project: Project, state: State, session: str, wait: float, say: Say
    ) -> None:
        self.place = place
        self._project = project
        self._state = state
        self._session = session
        self._wait = wait
        self._say = say
        self._consumed = Consumed(project, state, _holds)

    def document(self) -> Document:
        """Give the passport as it is, its chain not verified. Raises BatonError."""
        refuse_link(self.place)
        return self._parsed(reading.read(self.place, self._wait, self._say), "")

    def read(self, wanted: str = "") -> Read:
        """Give the passport as it is. wanted: a hash that must stand for one boundary alone."""
        document = self.document()
        return Read(document, self._checked(document, wanted, ""))

    def compared(self) -> tuple[Document, Look]:
        """Give the passport as it is, its chain not verified, and what the high-water marks say of it."""
        while True:
            document = self.document()
            look = self._marks().look(document.data, document.entries)
            # What another session appends in between is in the marks, and no loss.
            if look.rewound is None or self.document().data == document.data:
                return document, look

    def seen(self, wanted: str = "") -> tuple[Read, Look]:
        """Give the passport as it is, as `read` does, and what the high-water marks say of it."""
        document, look = self.compared()
        return Read(document, self._checked(document, wanted, "")), look

    def whole(self, wanted: str = "") -> tuple[Read, tuple[str, ...]]:
        """Give the passport as it is, and what could not be compared with the high-water marks. Raises
        `ledger-rewound` too, as `append` would."""
        read, look = self.seen(wanted)
        if look.rewound:
            raise refusal(self.place.name, look.rewound)
        return read, look.unchecked

    def _marks(self) -> Marks:
        """The marks, for one comparison and what is noted after it: they look at HEAD once."""
        return Marks(self.place, self._project, self._state)

    def taken_by(self, hash_: str) -> Consumption | None:
        """Give by whom this repository knows that boundary as consumed, on whatever branch and in whatever
        work tree. Raises BatonError `io`."""
        try:
            return self._consumed.by(hash_)
        except OSError as error:
            message = f"baton's note of what was resumed cannot be read: {error.strerror}; nothing was written"
            hint = f"ls -ld {typed(error.filename or self.place.path)}"
            raise BatonError("io", message, way_out(error, hint)) from error

    def require_free(self, hash_: str) -> None:
        """Raise `already-resumed` for a boundary that was consumed, though this file does not hold it."""
        earlier = self.taken_by(hash_)
        if earlier:
            raise elsewhere(earlier)

    def append(self, step: Step, wanted: str = "") -> Entry:
        """Lock, read, verify, compare with the marks, let `step` make the entry, write; give the entry.

        wanted: a hash that must stand for one boundary alone. Raises BatonError, by each of which
        the file is as it was unless it says otherwise.
        """
        refuse_link(self.place)
        try:
            with hold(self.place.path, self.place.name, self._wait, self._say) as fd:
                return self._append(fd, step, wanted)
        except files.Unconfirmed as error:
            message = f"{self.place.name}: the entry is in the file, the disk did not confirm it: {error.strerror}"
            raise BatonError("io", message, self._hint()) from error
        except OSError as error:
            raise self._failed(error) from error

    def accept(self) -> Read:
        """Take the ledger as it is for the new high water, under the lock; give it."""
        try:
            with hold(self.place.path, self.place.name, self._wait, self._say) as fd:
                document = self._recovered(fd)
                ledger = self._checked(document, "", UNTOUCHED)
                self._marks().accept(document.data, document.entries)
                return Read(document, ledger)
        except OSError as error:
            raise self._failed(error) from error

    def _append(self, fd: int, step: Step, wanted: str) -> Entry:
        document = self._recovered(fd)
        ledger = self._checked(document, wanted, UNTOUCHED)
        marks = self._marks()
        for problem in marks.check(document.data, document.entries):
            self._say(problem)
        entry = step(document, ledger)
        after = self._with(document, entry)
        passports.note(self._state, self.place.name)
        if isinstance(entry, Resume):
            self._consume(fd, document, entry, after)
        else:
            self._put(fd, document, after)
        self._best_effort(lambda: marks.note(after, [*document.entries, entry]))
        return entry

    def _consume(self, fd: int, document: Document, entry: Resume, after: bytes) -> None:
        """Put a resume while every other work tree of this repository is kept from the same boundary."""
        begun = Consumption(
            entry.consumes_hash, entry.session_marker, entry.generated_at, self.place.path, False
        )
        with self._consumed.lock(self._wait):
            self.require_free(entry.consumes_hash)
            self._consumed.begin(begun)
            self._put(fd, document, after)
            self._best_effort(lambda: self._consumed.finish(_finished(begun)))

    def _put(self, fd: int, document: Document, after: bytes) -> None:
        by = f"session {self._session}, process {os.getpid()}"
        rewrite.put(fd, self.place.path, document.data, after, by)

    def _best_effort(self, note: Callable[[], None]) -> None:
        """The entry is in the ledger by now: a note that cannot be written is no failure of it."""
        try:
            note()
        except OSError as error:
            self._say(f"the entry is written, but baton's note of it is not: {error.strerror}")

    def _recovered(self, fd: int) -> Document:
        told = rewrite.recover(fd, self.place.path, self.place.name)
        if told:
            self._say(told)
        return self._parsed(rewrite.read(fd), UNTOUCHED)

    def _parsed(self, data: bytes, also: str) -> Document:
        try:
            return documents.read(data, events, self.place.json)
        except LedgerError as error:
            raise error.in_file(self.place.name, self._hint(), also) from error

    def _checked(self, document: Document, wanted: str, also: str) -> Ledger:
        try:
            return ledgers.checked(document, wanted)
        except LedgerError as error:
            raise error.in_file(self.place.name, self._hint(), also) from error

    def _with(self, document: Document, entry: Entry) -> bytes:
        try:
            return appended(document, entry, events)
        except LedgerError as error:
            raise error.in_file(self.place.name, "", UNTOUCHED) from error

    def _hint(self) -> str:
        return f"baton passport verify {typed(self.place.name)}"

    def _failed(self, error: OSError) -> BatonError:
        """What became of the file when the system refused something."""
        record = undo.path_for(self.place.path)
        ours = os.path.isfile(record) and not os.path.islink(record)
        became = (
            "; the append was not done, and the next baton passport command takes its traces back"
            if ours
            else UNTOUCHED
        )
        message = f"{error.filename or self.place.name}: {error.strerror}{became}"
        in_the_way = os.path.lexists(record) and not ours
        hint = f"ls -ld {typed(record)}" if in_the_way else self._hint()
        return BatonError("io", message, way_out(error, hint))


def elsewhere(by: Consumption) -> BatonError:
    """Give the refusal of a boundary that this repository knows as consumed, whatever the file says."""
    message = (
        f"boundary {by.hash} was already resumed at {by.time} by session {clean.quoted(by.session, 80)}, in "
        f"{by.path}; "
        "nothing was written"
    )
    return BatonError("already-resumed", message, "baton passport awaiting")


def _finished(begun: Consumption) -> Consumption:
    return Consumption(begun.hash, begun.session, begun.time, begun.path, True)


def _holds(path: str, hash_: str) -> bool:
    """Whether the passport at `path` has a resume of that boundary. An append that died before it was
    done, and a file that is gone or cannot be read, have none: nobody was told that it is done."""
    place = Place(path, path)
    try:
        if os.path.lexists(undo.path_for(path)):
            return False
        entries = documents.read(
            files.read(path, documents.LIMIT) or b"", events, place.json
        ).entries
    except (OSError, LedgerError):
        return False
    return any(isinstance(each, Resume) and each.consumes_hash == hash_ for each in entries)


__all__ = ["Boundary", "PassportFile", "Read", "Step", "elsewhere"]
