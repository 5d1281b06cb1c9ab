"""A scripted stand-in for the model service, on 127.0.0.1.

    with ModelServer([ToolCall("Bash", {"command": "echo hi"}), Text("done")]) as model:
        ... ANTHROPIC_BASE_URL=model.url ...
    assert "hi" in model.main()[-1].tool_results()[0].text

A script is a list of replies, taken in order by main turns, or a function of the request, asked
for main turns and subagents alike. What a script does not answer gets the default, and a compaction
a summary. A retry takes the next reply of a list like any other request. Every request is recorded
before it is answered; one whose sender is gone by then is neither.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from types import TracebackType

from .http_door import Door
from .received import Request, ToolResult
from .replies import (
    COMPACTED,
    LONGEST,
    Delay,
    Drop,
    Error,
    Hang,
    Reply,
    Text,
    ToolCall,
    Turn,
    overloaded,
    usage_limit,
)

__all__ = [
    "LONGEST", "Delay", "Drop", "Error", "Hang", "ModelServer", "Reply", "Request", "Script",
    "Text", "ToolCall", "ToolResult", "Turn", "overloaded", "usage_limit",
]  # fmt: skip

DONE = Text("Done.")
Script = Iterable[Reply] | Callable[[Request], Reply]


class ModelServer:
    """A running server. `script` may be replaced at any time with `play`."""

    def __init__(self, script: Script = (), default: Reply = DONE) -> None:
        self.default = default
        self.requests: list[Request] = []
        self.faults: list[str] = []
        self._changed = threading.Condition(threading.RLock())
        self.play(script)
        self._door = Door(self._take, self.faults)

    @property
    def url(self) -> str:
        """The value for ANTHROPIC_BASE_URL."""
        return f"http://127.0.0.1:{self._door.port}"

    def play(self, script: Script) -> None:
        """Replace the script from the next request on."""
        with self._changed:
            self._ask = script if callable(script) else None
            self._left = [] if callable(script) else list(script)

    def main(self) -> list[Request]:
        """The requests of main turns so far, as they arrived. A retry is one of its own."""
        return self.of_kind("main")

    def of_kind(self, kind: str) -> list[Request]:
        """The requests of one `Request.kind` so far."""
        with self._changed:
            return [request for request in self.requests if request.kind == kind]

    def last(self) -> Request:
        """The newest main request; an AssertionError when there was none."""
        found = self.main()
        assert found, f"no main request; received: {self.overview()}"
        return found[-1]

    def wait_for(self, wanted: Callable[[Request], bool], timeout: float = 120.0) -> Request:
        """The first request that is `wanted`, waiting up to `timeout` seconds for it."""
        until = time.monotonic() + timeout
        with self._changed:
            while True:
                for request in self.requests:
                    if wanted(request):
                        return request
                left = until - time.monotonic()
                assert left > 0, f"no such request in {timeout} s; received: {self.overview()}"
                self._changed.wait(left)

    def wait_for_main(self, count: int = 1, timeout: float = 120.0) -> Request:
        """The main request number `count` (from 1), waiting for it."""
        self.wait_for(lambda _: len(self.main()) >= count, timeout)
        return self.main()[count - 1]

    def overview(self) -> list[str]:
        """One line a request, for failure messages."""
        return [
            f"{r.number} {r.kind} {r.method} {r.path} {r.user_text()[:60]!r}" for r in self.requests
        ]

    def close(self) -> None:
        """End every open answer and the server. Idempotent."""
        self._door.close()

    def __enter__(self) -> ModelServer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.close()

    def _take(self, request: Request, gone: Callable[[], bool]) -> Reply:
        with self._changed:
            # What a killed session asked last must not take from the script that follows its death.
            if gone():
                return Drop("")
            self.requests.append(request)
            self._changed.notify_all()
            ask = self._ask
            if ask is None:
                return self._next(request)
        return ask(request) if request.kind in ("main", "agent") else self._unasked(request)

    def _next(self, request: Request) -> Reply:
        if request.kind == "main" and self._left:
            return self._left.pop(0)
        return self._unasked(request)

    def _unasked(self, request: Request) -> Reply:
        return COMPACTED if request.kind == "compact" else self.default
