"""The same conversation where processes cannot be spawned the quick way (Windows): with threads, and slowly."""

from __future__ import annotations

import subprocess  # noqa: TID251 - the hot tier's only way to a process on such a system
import threading
import time

from baton.hot.talk import Failed, Stuck, Talk, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO


class SlowTalk(Talk):
    """A Talk whose pipes are read by threads; it is ended at the deadline by a third."""

    __slots__ = ("_heard", "_process", "_readers", "_timer")

    def __init__(self, name: str, deadline: float, command: list[str], env: dict[str, str]) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, env=env, stdin=pipe, stdout=pipe, stderr=pipe)
        super().__init__(name, deadline, self._process.pid, (-1, -1, -1))
        self._heard = threading.Condition()
        self._readers = [self._read_into(self._process.stdout, self._answers)]
        self._readers.append(self._read_into(self._process.stderr, self._errors))
        self._timer = threading.Timer(max(0.0, deadline - time.monotonic()), self._process.kill)
        self._timer.daemon = True
        self._timer.start()

    def say(self, data: bytes) -> None:
        # Its answers are being read meanwhile, so this ends: by itself, or when the timer ends it.
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(data)
            self._process.stdin.flush()
        except (BrokenPipeError, OSError):
            pass

    def hang_up(self) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.close()
        except OSError:
            pass

    def line(self) -> bytes:
        self._until(lambda: b"\n" in self._answers)
        return self._take(self._answers.index(b"\n") + 1)[:-1]

    def read(self, size: int) -> bytes:
        self._until(lambda: len(self._answers) >= size)
        return self._take(size)

    def finish(self, good: tuple[int, ...] = (0,)) -> bytes:
        self.hang_up()
        self.reap()
        if self.code not in good:
            raise Failed(words(self._name, bytes(self._errors), self.code))
        return self._take(len(self._answers))

    def reap(self) -> None:
        self.code = self._process.wait()
        self._timer.cancel()
        self._readers[0].join()
        if self.code < 0 or time.monotonic() > self._deadline:
            raise Stuck

    def ended(self) -> bool:
        self.code = self._process.poll()
        return self.code is not None

    def signal(self, number: int) -> None:
        self._process.kill()

    def _until(self, enough: Callable[[], bool]) -> None:
        with self._heard:
            while not enough():
                if not self._readers[0].is_alive():
                    self.reap()
                    raise Failed(words(self._name, bytes(self._errors), self.code))
                self._heard.wait(0.05)

    def _read_into(self, pipe: IO[bytes] | None, into: bytearray) -> threading.Thread:
        thread = threading.Thread(target=self._listen, args=(pipe, into), daemon=True)
        thread.start()
        return thread

    def _listen(self, pipe: IO[bytes], into: bytearray) -> None:
        while part := pipe.read1(1 << 16):  # type: ignore[attr-defined]
            with self._heard:
                into += part
                self._heard.notify_all()
