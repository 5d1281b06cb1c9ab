"""Fixtures of the end-to-end tests. What a test starts is ended with it, whatever happened."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import pytest

from support import ROOT, git

from .claude import GIT_IDENTITY, Home, Screen, binary, open_screen
from .model_server import ModelServer

HERE = Path(__file__).parent


class OpenScreen(Protocol):
    """The `screen` fixture: an interactive Claude Code, closed at the end of the test."""

    def __call__(
        self,
        home: Home,
        *,
        plugin_dirs: Sequence[Path] = (),
        extra_args: Sequence[str] = (),
        size: tuple[int, int] = (80, 24),
    ) -> Screen: ...


MakeHome = Callable[[str], Home]
"""The `claude_home` fixture: from the name of an account to a new home with a key of its own."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder; a dozen sessions one after the other may take their time."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.e2e)
            item.add_marker(pytest.mark.timeout(900))


@pytest.fixture(scope="session")
def claude_binary() -> Path:
    """The program under test, fetched when it is not in the cache."""
    return binary()


@pytest.fixture
def model() -> Iterator[ModelServer]:
    """A model server that answers "Done." until the test scripts it with `play`."""
    with ModelServer() as server:
        yield server
    assert server.faults == []


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A git repository with one commit, in a folder whose name asks for trouble."""
    folder = tmp_path / "it's $HOME & co" / "the project"
    folder.mkdir(parents=True)
    (folder / "README.md").write_text("# A project\n", encoding="utf-8")
    for words in (("init", "-q"), ("add", "README.md"), ("commit", "-q", "-m", "Start")):
        _git(folder, tmp_path, *words)
    return folder


@pytest.fixture
def work(project: Path) -> Path:
    """The project with the files that the chain speaks of, half of the person's work staged."""
    (project / "grammar.txt").write_text("number = digit+\n", encoding="utf-8")
    (project / "parser.py").write_text("# nothing yet\n", encoding="utf-8")
    (project / "prove.sh").write_text("echo proved\n", encoding="utf-8")
    git("add", "grammar.txt", cwd=project)
    return project


@pytest.fixture(scope="session")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plugin as git holds it, in a folder whose name asks for trouble."""
    folder = tmp_path_factory.mktemp("plugins") / "ba ton (été)"
    names = git("ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT)
    for name in filter(None, names.split("\0")):
        source = ROOT / name
        if source.exists() and not name.startswith("tests/"):
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
            target.chmod(source.stat().st_mode & 0o777)
    return folder


@pytest.fixture
def claude_home(tmp_path: Path, project: Path, claude_binary: Path) -> Iterator[MakeHome]:
    """Homes by name of account, `project` trusted. What still runs in one is killed at the end."""
    made: list[Home] = []

    def make(account: str = "one") -> Home:
        key = f"sk-ant-dummy-key-of-account-{account}"
        made.append(Home.create(tmp_path / f"home-{account}", key=key, trusted=[project]))
        return made[-1]

    yield make
    for home in made:
        home.kill_processes()


@pytest.fixture
def screen(project: Path, model: ModelServer) -> Iterator[OpenScreen]:
    """Interactive Claude Codes in `project`, talking to `model`."""
    opened: list[Screen] = []

    def start(
        home: Home,
        *,
        plugin_dirs: Sequence[Path] = (),
        extra_args: Sequence[str] = (),
        size: tuple[int, int] = (80, 24),
    ) -> Screen:
        opened.append(
            open_screen(
                project,
                home=home,
                server=model,
                plugin_dirs=plugin_dirs,
                extra_args=extra_args,
                size=size,
            )
        )
        return opened[-1]

    yield start
    for each in opened:
        each.close()


def _git(folder: Path, scratch: Path, *words: str) -> None:
    config = scratch / "project.gitconfig"
    config.write_text(GIT_IDENTITY, encoding="utf-8")
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(scratch),
        "GIT_CONFIG_GLOBAL": str(config),
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    subprocess.run(
        ["git", *words], cwd=folder, env=environment, check=True, capture_output=True, timeout=60
    )
