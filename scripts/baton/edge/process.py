"""Runs a foreign program within bounds: the one door to `subprocess`."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO

CAP = 1 << 20
_GRACE = 0.2
_LOOK = 0.05
_DRAIN = 10.0
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Completed:
    """How a program ended.

    exit: its exit status, negative for the signal that killed it; None when it ran into the
    time-out, or never started (then `errors` says why). output, errors: the first bytes of each,
    up to the cap; truncated: there was more.
    """

    exit: int | None
    output: bytes
    errors: bytes
    timed_out: bool
    truncated: bool


def run(
    argv: Sequence[str],
    *,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
    timeout: float,
    cap: int = CAP,
) -> Completed:
    """Run `argv` in a session of its own and return when it ended, at most `timeout` seconds later.

    Nothing that it started in its process group outlives it: TERM, then KILL after 0.2 s. A child
    that left the group keeps running, but neither it nor a pipe that it holds is waited for.
    stdin: what the program reads; None is the null device. cap: bytes kept of output and of errors;
    the rest is read and dropped, so that the program never blocks on it. Raises nothing.
    """
    try:
        process = _start(argv, cwd, env, stdin)
    except (OSError, ValueError) as problem:
        return Completed(None, b"", os.fsencode(_reason(problem)), False, False)
    try:
        sinks = [_Sink(process.stdout, cap), _Sink(process.stderr, cap)]
        if process.stdin is not None:
            threading.Thread(target=_feed, args=(process.stdin, stdin), daemon=True).start()
        exit_ = _await(process, sinks, time.monotonic() + timeout)
    finally:
        _end_group(process)
    for sink in sinks:
        sink.finish()
    output, errors = (bytes(sink.kept) for sink in sinks)
    return Completed(exit_, output, errors, exit_ is None, any(sink.truncated for sink in sinks))


def _start(
    argv: Sequence[str], cwd: str | None, env: Mapping[str, str] | None, stdin: bytes | None
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        argv,
        bufsize=0,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def _reason(problem: OSError | ValueError) -> str:
    if isinstance(problem, OSError) and problem.filename:
        return f"{os.fsdecode(problem.filename)}: {problem.strerror}"
    return str(problem)


class _Sink(threading.Thread):
    """Reads one pipe to its end and keeps the first `cap` bytes."""

    def __init__(self, pipe: IO[bytes] | None, cap: int) -> None:
        super().__init__(daemon=True)
        assert pipe is not None
        self._pipe = pipe
        self._cap = cap
        self.kept = bytearray()
        self.truncated = False
        self.start()

    def run(self) -> None:
        while part := self._pipe.read(_CHUNK):
            room = self._cap - len(self.kept)
            self.kept += part[:room]
            self.truncated |= len(part) > room
        self._pipe.close()

    def finish(self) -> None:
        """Wait for the end, but not for somebody outside the group who keeps the pipe open.

        On a busy machine this thread may not come to run for longer than the grace: what lies in the
        pipe, its end included, is waited for all the same.
        """
        deadline = time.monotonic() + _DRAIN
        self.join(_GRACE)
        while self.is_alive() and self._is_behind() and time.monotonic() < deadline:
            self.join(_LOOK)

    def _is_behind(self) -> bool:
        """Whether something lies in the pipe that was not read yet."""
        try:
            return bool(select.select([self._pipe], [], [], 0)[0])
        except (OSError, ValueError):
            # It was read to its end and closed this very moment; or the system asks sockets alone.
            return False


def _feed(pipe: IO[bytes], data: bytes | None) -> None:
    # A program that does not read its input, or not all of it, is within its rights.
    with contextlib.suppress(BrokenPipeError):
        view = memoryview(data or b"")
        while view:
            view = view[pipe.write(view) :]
    pipe.close()


def _await(process: subprocess.Popen[bytes], sinks: list[_Sink], deadline: float) -> int | None:
    """Give the exit status, None at the deadline.

    The end of both pipes is the quick sign that a program ended; but a child left behind can hold
    them, so the program itself is looked at as well.
    """
    for sink in sinks:
        while sink.is_alive() and process.poll() is None:
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            sink.join(min(left, _LOOK))
    try:
        return process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return None


def _end_group(process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _GRACE
    alive = _signal(process, signal.SIGTERM)
    while alive and time.monotonic() < deadline:
        time.sleep(0.01)
        process.poll()
        alive = _signal(process, 0)
    if alive:
        _signal(process, signal.SIGKILL)
    # Even KILL does not end a program that hangs in the system itself; it is not waited for.
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)


if sys.platform == "win32":  # pragma: no cover - Windows

    def _signal(process: subprocess.Popen[bytes], number: int) -> bool:
        if number and process.poll() is None:
            command = ["taskkill", "/T", "/F", "/PID", str(process.pid)]
            subprocess.run(command, capture_output=True, check=False)
        return process.poll() is None

else:

    def _signal(process: subprocess.Popen[bytes], number: int) -> bool:
        """Send a signal to the whole group; 0 only asks. Tells whether anybody was there."""
        try:
            os.killpg(process.pid, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True
