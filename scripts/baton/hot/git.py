"""The hot tier's one speaker of git: plumbing alone, bounded in time, killed with its children when it gets stuck.

No user hook, editor, pager, prompt or signer runs, and no `GIT_*` of the environment reaches it.
"""

from __future__ import annotations

import os
import time

from baton.hot import clean

_OPTIONS = (
    "-c", f"core.hooksPath={os.devnull}",
    "-c", "core.safecrlf=false",
    "-c", "user.useConfigOnly=true",
    "-c", "core.fsync=reference",
    "-c", "i18n.commitEncoding=UTF-8",
)  # fmt: skip
_ENVIRONMENT = {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": ":"}
_HUP, _INT, _KILL, _PIPE, _ALRM, _TERM, _XFSZ = 1, 2, 9, 13, 14, 15, 25
_RESET = (_HUP, _INT, _PIPE, _ALRM, _TERM, _XFSZ)
_GRACE_SECONDS = 0.1
_PART = 1 << 16


class Stuck(Exception):
    """Git did not finish in the time that was allowed."""


class Failed(Exception):
    """Git refused. words: its own, on one harmless line."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


class Git:
    """Git in one work tree until a deadline (of time.monotonic). Leaving `with` ends every process that it started."""

    __slots__ = ("_environment", "_program", "_talks", "_top", "deadline")

    def __init__(self, top: str, deadline: float) -> None:
        self._top = top
        self.deadline = deadline
        self._environment = environment()
        self._program = _find(self._environment)
        self._talks: list[Talk] = []

    def __enter__(self) -> Git:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        for talk in self._talks:
            talk.hang_up()
        if kind is None:
            self._await()
        kill(self._talks)

    def start(self, *args: str, env: dict[str, str] | None = None) -> Talk:
        """Start `git ARGS`. env: variables on top of the clean environment. Raises Failed when there is no git."""
        command = [self._program, *_OPTIONS, "-C", self._top, *args]
        name = next(arg for arg in args if not arg.startswith("-") and "=" not in arg)
        talk = Talk(name, self.deadline, command, {**self._environment, **(env or {})})
        self._talks.append(talk)
        return talk

    def run(
        self,
        *args: str,
        data: bytes = b"",
        env: dict[str, str] | None = None,
        good: tuple[int, ...] = (0,),
    ) -> bytes:
        """Run `git ARGS` with `data` on its standard input and give its output. Raises Failed, Stuck."""
        talk = self.start(*args, env=env)
        talk.say(data)
        return talk.finish(good)

    def _await(self) -> None:
        try:
            for talk in self._talks:
                talk.reap()
        except Stuck:
            pass


def environment() -> dict[str, str]:
    """Give the environment without anything that would point git elsewhere, trace it or let it ask."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, **_ENVIRONMENT}


def _find(environ: dict[str, str]) -> str:
    for folder in environ.get("PATH", os.defpath).split(os.pathsep):
        for name in ("git", "git.exe") if os.name == "nt" else ("git",):
            path = os.path.join(folder, name)
            if os.path.isabs(path) and os.access(path, os.X_OK) and os.path.isfile(path):
                return path
    raise Failed("git was not found on PATH")


class Talk:
    """One git process: what it is told, what it answers. Every wait ends at the deadline with Stuck."""

    __slots__ = (
        "_answers",
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

    def __init__(self, name: str, deadline: float, command: list[str], env: dict[str, str]) -> None:
        self._name = name
        self._deadline = deadline
        self._unsaid = b""
        self._answers = bytearray()
        self._errors = bytearray()
        self.code: int | None = None
        self.pid, self._stdin, self._stdout, self._stderr = _spawn(command, env)

    def say(self, data: bytes) -> None:
        """Give it input; it is written while answers are awaited, so that neither side can block the other."""
        self._unsaid += data
        self._write()

    def hang_up(self) -> None:
        """End its input: what was not written by now is dropped."""
        self._unsaid = b""
        self._stdin = _close(self._stdin)

    def line(self) -> bytes:
        """Give the next line of its answers, without the line end. Raises Failed when it ended instead."""
        while (end := self._answers.find(b"\n")) < 0:
            self._hear()
        return self._take(end + 1)[:-1]

    def read(self, size: int) -> bytes:
        """Give the next `size` bytes of its answers. Raises Failed when it ended instead."""
        while len(self._answers) < size:
            self._hear()
        return self._take(size)

    def finish(self, good: tuple[int, ...] = (0,)) -> bytes:
        """Say what is left, end the input, and give the rest of its answers. Raises Failed unless it exits with a code in `good`."""
        while self._unsaid:
            self._step()
        self._stdin = _close(self._stdin)
        while self._stdout >= 0:
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
        """Whether it has ended by now; the code is then set (negative: the signal that killed it)."""
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if not pid:
                return False
            self.code = os.waitstatus_to_exitcode(status)
            self._last_words()
        return True

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
            self._unsaid = (
                self._unsaid[os.write(self._stdin, self._unsaid) :] if self._unsaid else b""
            )
        except BlockingIOError:
            pass
        except BrokenPipeError:
            # It ended without reading on; its exit code says whether that was right.
            self._unsaid = b""

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
        lines = self._errors.decode("utf-8", "replace").splitlines()
        told = [line for line in lines if line.startswith(("fatal: ", "error: "))] or lines
        said = told[0].removeprefix("fatal: ").removeprefix("error: ") if told else ""
        return clean.line(f"git {self._name}: {said or f'exit code {self.code}'}", 300)


def _collect(fd: int, into: bytearray) -> int:
    part = os.read(fd, _PART)
    into += part
    return fd if part else _close(fd)


def _close(fd: int) -> int:
    if fd >= 0:
        os.close(fd)
    return -1


def _spawn(command: list[str], env: dict[str, str]) -> tuple[int, int, int, int]:
    """Start a process in a group of its own; give its id and our ends of its three pipes."""
    _occupy_standard_descriptors()
    pipes = [os.pipe() for _ in range(3)]
    (their_in, our_in), (our_out, their_out), (our_err, their_err) = pipes
    theirs = (their_in, their_out, their_err)
    actions = [(os.POSIX_SPAWN_DUP2, fd, target) for target, fd in enumerate(theirs)]
    try:
        # The launcher ignores TERM and Python PIPE; a git that inherits this goes on after a signal that should end it.
        pid = os.posix_spawn(
            command[0], command, env, file_actions=actions, setpgroup=0, setsigdef=_RESET
        )
    except OSError:
        for fd in (our_in, our_out, our_err):
            os.close(fd)
        raise
    finally:
        for fd in theirs:
            os.close(fd)
    for fd in (our_in, our_out, our_err):
        os.set_blocking(fd, False)
    return pid, our_in, our_out, our_err


def _occupy_standard_descriptors() -> None:
    """A hook may be started with closed descriptors; a pipe that got number 0 to 2 would be lost to the next dup2."""
    while (fd := os.open(os.devnull, os.O_RDWR)) < 3:
        os.set_inheritable(fd, True)
    os.close(fd)


def kill(talks: list[Talk]) -> None:
    """End the processes that still run, with their children: TERM, a moment to clean up, KILL."""
    running = [talk for talk in talks if not talk.ended()]
    _signal(running, _TERM)
    end = time.monotonic() + _GRACE_SECONDS
    while time.monotonic() < end and not all(talk.ended() for talk in running):
        time.sleep(0.005)
    # Also where git itself has ended: a filter of its may not have.
    _signal(running, _KILL)
    while not all(talk.ended() for talk in running):
        time.sleep(0.001)


def _signal(talks: list[Talk], number: int) -> None:
    for talk in talks:
        try:
            os.killpg(talk.pid, number)
        except (ProcessLookupError, PermissionError):
            pass
