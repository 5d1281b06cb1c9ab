"""A pipeline's event log in its file: read by anybody, appended to under a lock on the file itself.

Because whoever appends locks that very file, two writers never fork it. An append that died is cut off
by the next one.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from baton.core.errors import BatonError, typed, way_out
from baton.core.pipeline import log as logs
from baton.core.pipeline.event import Entry, Event
from baton.core.pipeline.log import Log, LogBroken
from baton.core.pipeline.state import Pipeline
from baton.edge import clock
from baton.edge.passport import held
from baton.edge.passport.held import Kind, Say
from baton.edge.pipeline.place import ENDING, UNTOUCHED, checked_name
from baton.hot import clean, files
from baton.hot.project import PIPELINES, Project

_KIND = Kind("pipeline", "usage", "baton pipeline list")


def _mode(path: str) -> int:
    """What is there; nothing is as good as a file."""
    try:
        return os.lstat(path).st_mode
    except OSError:
        return stat.S_IFREG


class LogFile:
    """One pipeline's log. session: who appends. wait: seconds for a lock. say: told on one line what the
    user waits for, or what was mended."""

    def __init__(self, name: str, project: Project, session: str, wait: float, say: Say) -> None:
        self.name = checked_name(name)
        self.shown = f"{PIPELINES}/{name}{ENDING}"
        self.path = project.path(self.shown)
        self._project = project
        self._session = session
        self._wait = wait
        self._say = say

    def read(self) -> Log:
        """Give the log as it is; an empty one where there is none. A line that is just being written is
        not in it. Raises `log-broken`, `bad-path`, `io`."""
        self._require_own()
        try:
            data = files.read(self.path, logs.LIMIT)
        except OSError as error:
            raise self.failed(error) from error
        return self.parsed(data or b"")

    @contextmanager
    def hold(self, *, make: bool = False) -> Iterator[Held]:
        """Give the log to append to, locked until the end of `with`. make: where there is no file, make
        one. Raises BatonError: `locked`, `no-exclusion`, `log-broken`, `bad-path`, `io`; `usage` where
        there is no such pipeline."""
        self._require_own()
        if make:
            self._make()
        elif not os.path.lexists(self.path):
            raise self.unknown()
        with held.hold(self.path, self.shown, self._wait, self._say, _KIND) as fd:
            yield Held(self, fd, self._session, self._say)

    def unknown(self) -> BatonError:
        """Give the refusal of a pipeline that was never started."""
        message = f"there is no pipeline {self.name} ({self.shown}){UNTOUCHED}"
        return BatonError("usage", message, f"baton pipeline start --name {self.name} --entry 1")

    def parsed(self, data: bytes) -> Log:
        """Give what the log's bytes hold. Raises `log-broken`."""
        if len(data) > logs.LIMIT:
            message = f"{self.shown} is larger than {logs.LIMIT} bytes{UNTOUCHED}"
            raise BatonError("log-broken", message, f"ls -l {typed(self.path)}")
        try:
            return logs.read(data)
        except LogBroken as error:
            got = clean.line(error.got, 64)
            compared = f": expected {error.expected}, got {got}" if error.expected else ""
            message = f"{self.shown}, line {error.line}: {error.what}{compared}{UNTOUCHED}"
            raise BatonError("log-broken", message, self._history()) from error

    def _history(self) -> str:
        """The command that shows what changed it."""
        if self._project.checkout is None:
            return f"ls -l {typed(self.path)}"
        return f"git -C {typed(self._project.root)} log -p -- {typed(self.shown)}"

    def _make(self) -> None:
        flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        folder = os.path.dirname(self.path)
        try:
            files.make_folder(os.path.dirname(folder))
            files.make_folder(folder)
            os.close(os.open(self.path, flags, 0o666))
            files.sync_folder(folder)
        except OSError as error:
            raise self.failed(error) from error

    def _require_own(self) -> None:
        """A cloned repository must not lead baton into another project's files."""
        folder = os.path.dirname(self.path)
        shown = f"ls -ld {typed(self.path)}"
        if os.path.realpath(folder) != folder:
            what = "is reached by a link; git would keep the link alone"
            shown = f"ls -ld {typed(os.path.dirname(folder))} {typed(folder)}"
        elif stat.S_ISLNK(mode := _mode(self.path)):
            what = "is a link; git would keep the link alone"
        elif not stat.S_ISREG(mode):
            what = "is no regular file (a folder or a device)"
        else:
            return
        raise BatonError("bad-path", f"{self.shown} {what}{UNTOUCHED}", shown)

    def failed(self, error: OSError) -> BatonError:
        """Give the error that stands for what the system refused; the log is what it was."""
        message = f"{self.shown}: {error.strerror}{UNTOUCHED}"
        return BatonError("io", message, way_out(error, f"ls -ld {typed(self.path)}"))

    def unsure(self, error: OSError) -> BatonError:
        """Give the error of an append that failed and could not be taken back."""
        message = (
            f"{self.shown}: {error.strerror}, and it could not be taken back: whether it was recorded "
            "is not known"
        )
        return BatonError("io", message, f"baton pipeline log --name {self.name}")


class Held:
    """A log under its lock. log: what it holds."""

    def __init__(self, file: LogFile, fd: int, session: str, say: Say) -> None:
        self._file = file
        self._fd = fd
        self._session = session
        try:
            data = files.read_open(fd, logs.LIMIT)
        except OSError as error:
            raise file.failed(error) from error
        self.log = file.parsed(data)
        if self.log.torn:
            say(f"{file.shown}: an event that was not written to its end is cut off")

    @property
    def pipeline(self) -> Pipeline | None:
        """Where the pipeline stands."""
        return self.log.pipeline

    @property
    def standing(self) -> Pipeline:
        """Where a pipeline stands that was started."""
        assert self.log.pipeline is not None
        return self.log.pipeline

    def append(self, *events: Event) -> None:
        """Append events, whole and on the disk when this returns. Raises BatonError `io`; then the log is
        what it was."""
        grown, data = self.log.ended()
        for event in events:
            grown, line = grown.with_entry(Entry(clock.exact_stamp(), self._session, event))
            data += line
        try:
            self._put(data)
        except OSError as error:
            self._take_back(error)
            raise self._file.failed(error) from error
        self.log = grown

    def _put(self, data: bytes) -> None:
        size = self.log.size
        if size + len(data) > logs.LIMIT:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        os.ftruncate(self._fd, size)
        os.lseek(self._fd, size, os.SEEK_SET)
        files.write_all(self._fd, data)
        os.fsync(self._fd)
        if not held.in_place(self._fd, self._file.path):
            raise OSError(0, "it was replaced by another program meanwhile")

    def _take_back(self, error: OSError) -> None:
        """The log as it was, on the disk too: after a failed fsync the memory and the disk may differ."""
        try:
            os.ftruncate(self._fd, self.log.size)
            os.fsync(self._fd)
        except OSError:
            raise self._file.unsure(error) from error
