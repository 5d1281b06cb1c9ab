"""The guard of the tests: each way to touch the real home fails the test that takes it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support import ROOT, git

PERSONS_CONFIG = "[user]\nname = Person\n"
BREACHES = {
    "reads the git configuration": "open(REAL + '/.gitconfig').read()",
    "swallows the error": "try: open(REAL + '/.gitconfig').read()\n    except Exception: pass",
    "writes into the Claude folder": "os.mkdir(REAL + '/.claude/plugins')",
    "lists baton's own data": "os.listdir(REAL + '/.local/share/baton')",
    "hands the real home to git": "run(['git', 'version'], env={**os.environ, 'HOME': REAL})",
    "hands it on by posix_spawn": "os.posix_spawn('/bin/true', ['true'], {'HOME': REAL})",
    "sets it back": "monkeypatch.setenv('HOME', REAL)\n    run(['true'])",
    "names the real git configuration": "run(['true'], env={'GIT_CONFIG_GLOBAL': CONFIG})",
    "hands the real data home to git": "run(['true'], env={'XDG_DATA_HOME': DATA})",
}
HARMLESS = {
    "reads its own": "open(os.environ['HOME'] + '/.gitconfig', 'w').close()",
    "reads something else of the real home": "open(REAL + '/notes').read()",
    "starts a process with an empty environment": "run(['true'], env={'PATH': os.environ['PATH']})",
    "starts git": "run(['git', 'config', '--global', 'user.name', 'Somebody'])",
}
HEAD = """\
import os
from subprocess import run as _run
REAL = {real!r}
CONFIG, DATA = REAL + "/.gitconfig", REAL + "/.local/share"
def run(command, **more):
    _run(command, check=True, **more)
"""


def _person(real: Path) -> Path:
    """Make the home of somebody who runs the tests."""
    (real / ".claude").mkdir(parents=True)
    (real / ".local/share/baton").mkdir(parents=True)
    (real / ".gitconfig").write_text(PERSONS_CONFIG, encoding="utf-8")
    (real / "notes").write_text("mine\n", encoding="utf-8")
    return real


def _suite(folder: Path, person: Path) -> None:
    """Write a small project that is tested under this conftest, one test for each case."""
    folder.mkdir()
    helpers = ("guard.py", "support.py", "measured.py", "measured_door.py", "patience.py")
    for name in ("conftest.py", *helpers):
        shutil.copy(ROOT / "tests" / name, folder)
    tests = [
        f"def test_{kind}_{number}(monkeypatch):\n    {body}\n"
        for kind, cases in (("breach", BREACHES), ("harmless", HARMLESS))
        for number, body in enumerate(cases.values())
    ]
    text = "\n\n".join([HEAD.format(real=str(person)), *tests])
    (folder / "test_it.py").write_text(text, encoding="utf-8")
    settings = f"[pytest]\npythonpath = . {ROOT / 'scripts'}\n"
    (folder / "pytest.ini").write_text(settings, encoding="utf-8")


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Test name → the line of pytest's summary that tells how it went."""
    top = tmp_path_factory.mktemp("guarded")
    person = _person(top / "person")
    _suite(top / "suite", person)
    env = {"PATH": os.environ["PATH"], "HOME": str(person), "COLUMNS": "200"}
    command = [sys.executable, "-m", "pytest", "-qrA", "-p", "no:cacheprovider", "test_it.py"]
    done = subprocess.run(command, cwd=top / "suite", env=env, capture_output=True, text=True)
    assert (person / ".gitconfig").read_text(encoding="utf-8") == PERSONS_CONFIG
    summary = done.stdout.partition("short test summary info")[2].splitlines()
    return {line.split("::")[1].split(" ")[0]: line for line in summary if "::" in line}


@pytest.mark.parametrize("number", range(len(BREACHES)), ids=list(BREACHES))
def test_a_breach_fails_the_test(number: int, outcomes: dict[str, str]) -> None:
    line = outcomes[f"test_breach_{number}"]
    assert line.startswith("FAILED")
    assert "TouchedTheRealHome" in line


@pytest.mark.parametrize("number", range(len(HARMLESS)), ids=list(HARMLESS))
def test_what_is_no_breach_passes(number: int, outcomes: dict[str, str]) -> None:
    assert outcomes[f"test_harmless_{number}"].startswith("PASSED")


def test_the_environment_of_a_test(home: Path) -> None:
    named = {key for key in os.environ if key.startswith(("CLAUDE", "GIT_", "ANTHROPIC", "BATON_"))}
    told_to_the_tests = {key for key in named if key.startswith("BATON_TEST_")}
    assert named - told_to_the_tests == {"GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM"}
    assert Path(os.environ["HOME"]) == home == Path.cwd()
    assert (os.environ["TZ"], os.environ["LANG"]) == ("UTC", "C.UTF-8")


def test_a_repository_is_fresh(repo: Path) -> None:
    assert git("status", "--porcelain", "--branch", cwd=repo) == "## main\n"
    assert git("log", "--format=%an %ae %s", cwd=repo) == "Ada Example ada@example.org begin\n"
