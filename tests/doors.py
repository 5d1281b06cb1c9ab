"""A hook's door opened in this process: the same main() that hooks/*.py run, with an event on a pipe."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping

import pytest

Main = Callable[[dict[str, str], int], None]


class Answer:
    """What a hook said. person: its systemMessage. model: its additionalContext. event: named with it."""

    def __init__(self, out: str) -> None:
        self.out = out
        value = json.loads(out) if out else {}
        specific = value.pop("hookSpecificOutput", {})
        self.person: str = value.pop("systemMessage", "")
        self.model: str = specific.pop("additionalContext", "")
        self.event: str = specific.pop("hookEventName", "")
        # Anything more could block, ask, or force a turn.
        assert not value
        assert not specific


class Door:
    """Knocks at one door. The environment is the test's own and what a call adds."""

    def __init__(self, main: Main, capture: pytest.CaptureFixture[str]) -> None:
        self._main = main
        self._capture = capture

    def __call__(self, event: Mapping[str, object] | bytes, **env: str) -> Answer:
        line = event if isinstance(event, bytes) else json.dumps(event).encode() + b"\n"
        read, write = os.pipe()
        os.write(write, line)
        os.close(write)
        self._capture.readouterr()
        try:
            self._main({**os.environ, **env}, read)
        finally:
            os.close(read)
        out, err = self._capture.readouterr()
        assert err == ""
        return Answer(out)
