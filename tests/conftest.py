"""Every test lives in a home of its own; nothing of the person who runs the tests is in reach."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import measured
from guard import Guard, TouchedTheRealHome
from support import make_repository

TRIED = "tried: "
GUARD = Guard(os.environ)
GUARD.install()

_INHERITED = ("PATH", "TMPDIR", "PYENV_ROOT", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS")
_INHERITED_PREFIXES = ("PIP_", "UV_", "COV", "PYTEST_", "BATON_TEST_", "npm_config_")

# How long data takes to be made says how busy the machine is.
_SLOW = [HealthCheck.too_slow]
settings.register_profile(
    "baton", deadline=None, database=None, print_blob=True, suppress_health_check=_SLOW
)
settings.register_profile("ci", settings.get_profile("baton"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "baton")


def _environment(home: Path) -> dict[str, str]:
    """Give the environment of a test: what a plain login has, and what installers need."""
    kept = {
        k: v for k, v in os.environ.items() if k in _INHERITED or k.startswith(_INHERITED_PREFIXES)
    }
    return kept | {
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local/share"),
        "XDG_STATE_HOME": str(home / ".local/state"),
        "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "LANG": "C.UTF-8",
        "TERM": "xterm",
        "TZ": "UTC",
    }


def _enter(home: Path, patch: pytest.MonkeyPatch) -> None:
    wanted = _environment(home)
    for key in set(os.environ) - set(wanted):
        patch.delenv(key)
    for key, value in wanted.items():
        patch.setenv(key, value)
    time.tzset()
    home.mkdir(parents=True, exist_ok=True)
    measured.remember(home / ".local/share")
    patch.chdir(home)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show what campaigns tried: each says it in lines of its output that begin so."""
    rows = [
        (report.nodeid, line.removeprefix(TRIED))
        for report in terminalreporter.getreports("passed")
        for line in report.capstdout.splitlines()
        if line.startswith(TRIED)
    ]
    if rows:
        terminalreporter.section("tried")
        for test, line in sorted(rows):
            terminalreporter.write_line(f"{line}  [{test}]")


@pytest.fixture(scope="session", autouse=True)
def _session_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What fixtures of wider scope see: they run before the home of a single test is there."""
    with pytest.MonkeyPatch.context() as patch:
        _enter(tmp_path_factory.mktemp("session") / "home", patch)
        yield


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The test's own, empty home: HOME, XDG_*, git's configuration and cwd are in it."""
    folder = tmp_path_factory.mktemp("home")
    _enter(folder, monkeypatch)
    return folder


@pytest.fixture(scope="session")
def _repository_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_repository(tmp_path_factory.mktemp("template") / "project")


@pytest.fixture
def repo(_repository_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh repository of one commit on main, identity set; cwd is it."""
    folder = tmp_path / "project"
    shutil.copytree(_repository_template, folder, symlinks=True)
    monkeypatch.chdir(folder)
    return folder


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Judge the test by what it touched, even where it swallowed the guard's error."""
    GUARD.active = True
    try:
        result = yield
    finally:
        GUARD.active = False
        breaches = GUARD.take()
    if breaches:
        raise TouchedTheRealHome(f"{item.nodeid}: {'; '.join(breaches)}")
    return result
