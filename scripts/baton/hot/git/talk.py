"""A conversation with one git process: bounded in time, neither side can block the other."""

import os
import time

from baton.hot import clean

_PART = 1 << 16


class Stuck(Exception):
    """Git did not finish in the time that was allowed."""


class Failed(Exception):
    """Git refused. words: its own, on one harmless line."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


class Talk:
    """One git process: what it is told, what it answers.

    Every wait ends at the deadline with Stuck.
    """

    __slots__ = (
        "_answers",
        "_complete",
        "_deadline",
        "_errors",
        "_name",
        "_stderr",
        "_stdin",
        "_stdout",
        "_unsaid",
        "code",
        "pid",
    )

    def __init__(self, name: str, deadline: float, pid: int, pipes: tuple[int, int, int]) -> None:
        """pid: leads a process group of its own. pipes: our ends of its three, not blocking."""
        self._name = name
        self._deadline = deadline
        self.pid = pid
        self._stdin, self._stdout, self._stderr = pipes
        self._unsaid = b""
        self._complete = False
        self._answers = bytearray()
        self._errors = bytearray()
        self.code: int | None = None

    def say(self, data: bytes) -> None:
        """Give it input, which is written while answers are awaited: neither side is blocked."""
        self._unsaid += data
        self._write()

    def say_all(self, data: bytes) -> None:
        """Give it input and the end of it, so that it need not wait for `finish`."""
        self._complete = True
        self.say(data)

    def hang_up(self) -> None:
        """End its input: what was not written by now is dropped."""
        self._unsaid = b""
        self._stdin = _close(self._stdin)

    def line(self) -> bytes:
        """Give the next line of its answers, without the line end.

        Raises Failed when it ended instead.
        """
        while (end := self._answers.find(b"\n")) < 0:
            self._hear()
        return self._take(end + 1)[:-1]

    def read(self, size: int) -> bytes:
        """Give the next `size` bytes of its answers. Raises Failed when it ended instead."""
        while len(self._answers) < size:
            self._hear()
        return self._take(size)

    def finish(self, good: tuple[int, ...] = (0,)) -> bytes:
        """Say what is left, end the input, and give the rest of its answers.

        Raises Failed unless it exits with a code in `good`.
        """
        self.say_all(b"")
        while self._stdout >= 0 or self._unsaid:
            self._step()
        self.reap()
        if self.code not in good:
            raise Failed(self._words())
        return self._take(len(self._answers))

    def reap(self) -> None:
        """Wait until it has ended."""
        pause = 0.0001
        while self.code is None and not self.ended():
            if time.monotonic() > self._deadline:
                raise Stuck
            time.sleep(pause)
            pause = min(pause * 2, 0.02)

    def ended(self) -> bool:
        """Whether it has ended by now; then the code is set (negative: a signal killed it)."""
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if not pid:
                return False
            self.code = os.waitstatus_to_exitcode(status)
            self._last_words()
        return True

    def signal(self, number: int) -> None:
        """Send a signal to it and its children."""
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            pass

    def _take(self, size: int) -> bytes:
        taken = bytes(self._answers[:size])
        del self._answers[:size]
        return taken

    def _hear(self) -> None:
        if self._stdout < 0:
            self.reap()
            raise Failed(self._words())
        self._step()

    def _step(self) -> None:
        """Move whatever bytes can move, waiting for the first."""
        import select

        poll = select.poll()
        if self._unsaid:
            poll.register(self._stdin, select.POLLOUT)
        for fd in (self._stdout, self._stderr):
            if fd >= 0:
                poll.register(fd, select.POLLIN)
        ready = poll.poll(max(0.0, self._deadline - time.monotonic()) * 1000)
        if not ready:
            raise Stuck
        for fd, _ in ready:
            self._move(fd)

    def _move(self, fd: int) -> None:
        if fd == self._stdin:
            self._write()
        elif fd == self._stdout:
            self._stdout = _collect(fd, self._answers)
        else:
            self._stderr = _collect(fd, self._errors)

    def _write(self) -> None:
        try:
            if self._unsaid:
                self._unsaid = self._unsaid[os.write(self._stdin, self._unsaid) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            # It ended without reading on; its exit code says whether that was right.
            self._unsaid = b""
        if self._complete and not self._unsaid:
            self._stdin = _close(self._stdin)

    def _last_words(self) -> None:
        # A filter's child may keep the pipe open for good: what has been said by now must do.
        try:
            while self._stderr >= 0:
                self._stderr = _collect(self._stderr, self._errors)
        except BlockingIOError:
            pass
        self._stdin, self._stdout, self._stderr = map(
            _close, (self._stdin, self._stdout, self._stderr)
        )

    def _words(self) -> str:
        return words(self._name, bytes(self._errors), self.code)


def _collect(fd: int, into: bytearray) -> int:
    part = os.read(fd, _PART)
    into += part
    return fd if part else _close(fd)


def _close(fd: int) -> int:
    if fd >= 0:
        os.close(fd)
    return -1


def words(name: str, errors: bytes, code: int | None) -> str:
    """Give what a git that failed says, on one line: its first error, without git's own prefix."""
    lines = errors.decode("utf-8", "replace").splitlines()
    told = [line for line in lines if line.startswith(("fatal: ", "error: "))] or lines
    said = told[0].removeprefix("fatal: ").removeprefix("error: ") if told else ""
    return clean.line(f"git {name}: {said or f'exit code {code}'}", 300)
