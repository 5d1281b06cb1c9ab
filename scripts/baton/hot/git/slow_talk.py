"""The same conversation where no process can be spawned the quick way (Windows): with threads."""

import os
import subprocess  # noqa: TID251 - such a system gives the hot tier no other way to a process
import threading
import time
from contextlib import suppress

from baton.hot.git.talk import Failed, Stuck, Talk, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from io import BufferedReader

_POSIX = os.name == "posix"
_PART = 1 << 16
_LAST_WORDS_SECONDS = 1.0


class SlowTalk(Talk):
    """A Talk whose pipes are read by threads; at the deadline a timer ends it and its children."""

    __slots__ = ("_heard", "_listeners", "_process", "_timer")

    def __init__(self, name: str, deadline: float, command: list[str], env: dict[str, str]) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command,
            env=env,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            process_group=0 if _POSIX else -1,
        )
        super().__init__(name, deadline, self._process.pid, (-1, -1, -1))
        self._heard = threading.Condition()
        self._listeners = [
            self._listen(self._process.stdout, self._answers),
            self._listen(self._process.stderr, self._errors),
        ]
        self._timer = threading.Timer(deadline - time.monotonic(), self.signal, (9,))
        self._timer.daemon = True
        self._timer.start()

    def say(self, data: bytes) -> None:
        """Give it input.

        Its answers are read meanwhile, so that this ends; or the timer ends it.
        """
        try:
            self._process.stdin.write(data)  # type: ignore[union-attr]
            self._process.stdin.flush()  # type: ignore[union-attr]
        except OSError:
            # It ended without reading on; its exit code says whether that was right.
            pass

    def say_all(self, data: bytes) -> None:
        """Give it input and the end of it."""
        self.say(data)
        self.hang_up()

    def hang_up(self) -> None:
        """End its input."""
        try:
            self._process.stdin.close()  # type: ignore[union-attr]
        except OSError:
            pass

    def line(self) -> bytes:
        """Give the next line of its answers. Raises Failed when it ended instead, Stuck."""
        self._until(lambda: b"\n" in self._answers)
        return self._take(self._answers.index(b"\n") + 1)[:-1]

    def read(self, size: int) -> bytes:
        """Give the next `size` bytes of its answers. Raises Failed when it ended instead, Stuck."""
        self._until(lambda: len(self._answers) >= size)
        return self._take(size)

    def finish(self, good: tuple[int, ...] = (0,)) -> bytes:
        """End the input and give the rest of its answers. Raises Failed, Stuck."""
        self.hang_up()
        self._listeners[0].join(self._left())
        self.reap()
        if self.code not in good:
            raise Failed(self._words())
        return self._take(len(self._answers))

    def reap(self) -> None:
        """Wait until it has ended. Raises Stuck."""
        with suppress(subprocess.TimeoutExpired):
            self.code = self._process.wait(self._left())
        if self.code is None or not self._left():
            raise Stuck
        self._timer.cancel()

    def ended(self) -> bool:
        """Whether it has ended by now."""
        self.code = self._process.poll()
        return self.code is not None

    def signal(self, number: int) -> None:
        """End it and its children, whatever the signal."""
        if _POSIX:
            super().signal(number)
        else:  # pragma: no cover - Windows
            subprocess.run(["taskkill", "/F", "/T", "/PID", str(self.pid)], capture_output=True)

    def _left(self) -> float:
        return max(0.0, self._deadline - time.monotonic())

    def _words(self) -> str:
        # A filter's child may keep its standard error open for good.
        self._listeners[1].join(_LAST_WORDS_SECONDS)
        return words(self._name, bytes(self._errors), self.code)

    def _until(self, enough: "Callable[[], bool]") -> None:
        with self._heard:
            while not enough() and self._left() and self._listeners[0].is_alive():
                self._heard.wait(0.05)
            if enough():
                return
        if not self._left():
            raise Stuck
        self.reap()
        # Not while its last words cannot be put down.
        raise Failed(self._words())

    def _listen(self, pipe: object, into: bytearray) -> threading.Thread:
        thread = threading.Thread(target=self._hear_all, args=(pipe, into), daemon=True)
        thread.start()
        return thread

    def _hear_all(self, pipe: "BufferedReader", into: bytearray) -> None:
        while part := pipe.read1(_PART):
            with self._heard:
                into += part
                self._heard.notify_all()
