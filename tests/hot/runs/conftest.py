"""The door of the run hooks in this process, and what they left."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from baton.hot import project
from baton.hot.runs import events, layout
from baton.hot.runs.layout import Place
from baton.hot.state import State
from doors import Door
from workflow_host import RUN_ID, Host


@pytest.fixture
def door(capfd: pytest.CaptureFixture[str]) -> Door:
    return Door(events.main, capfd)


@pytest.fixture
def host(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    """A session in `repo`."""
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", os.path.realpath(repo))
    return Host(tmp_path / "config", repo)


@pytest.fixture
def launched(host: Host, door: Door) -> Host:
    """The same with a run launched."""
    door(host.after())
    return host


class Left:
    """A run's folder as it is on disk."""

    def __init__(self, repo: Path, name: str = RUN_ID) -> None:
        here = project.locate({}, str(repo))
        assert here is not None
        self.state = State(here, dict(os.environ))
        self.place = Place(here, self.state, name)
        self.folder = Path(self.place.folder)
        self.private = Path(self.place.private)

    def files(self) -> list[str]:
        """What is in the project."""
        found = (path for path in self.folder.rglob("*") if path.is_file())
        return sorted(str(path.relative_to(self.folder)) for path in found)

    def hidden(self) -> list[str]:
        """What is in the state directory."""
        found = (path for path in self.private.rglob("*") if path.is_file())
        return sorted(str(path.relative_to(self.private)) for path in found)

    def snapshot(self) -> dict[str, Any]:
        return json.loads((self.folder / layout.SNAPSHOT).read_text())  # type: ignore[no-any-return]

    def attempts(self) -> list[dict[str, Any]]:
        lines = (self.folder / layout.ATTEMPTS).read_text().splitlines()
        return [json.loads(line) for line in lines]

    def result(self, agent: str) -> dict[str, Any]:
        path = self.folder / layout.result_file(agent)
        return json.loads(path.read_text())  # type: ignore[no-any-return]

    def launching(self) -> list[str]:
        """Launches that were noted and not answered."""
        folder = Path(self.state.path("runs/.launching"))
        return sorted(os.listdir(folder)) if folder.exists() else []


@pytest.fixture
def left(repo: Path) -> Left:
    return Left(repo)
