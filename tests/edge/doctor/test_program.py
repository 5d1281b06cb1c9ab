"""baton.edge.doctor.program: programs asked for their versions."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from baton.core.doctor.program import Command, Packages, Python
from baton.core.doctor.wiring import Source, Wiring
from baton.edge.doctor import program
from support import ROOT

MEMORY = ".local/share/baton/0.1.0/python"


@pytest.fixture
def data(home: Path) -> dict[str, str]:
    """An environment whose data folder is empty."""
    (home / "data").mkdir()
    return {"HOME": str(home), "XDG_DATA_HOME": str(home / "data")}


def _script(folder: Path, text: str) -> Path:
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def _remember(data: dict[str, str], python: object) -> str:
    memory = Path(data["XDG_DATA_HOME"]) / "baton/0.1.0/python"
    memory.parent.mkdir(parents=True, exist_ok=True)
    memory.write_text(f"{python}\n", encoding="utf-8")
    return str(memory)


def test_the_remembered_interpreter(data: dict[str, str], tmp_path: Path) -> None:
    memory = os.path.join(data["XDG_DATA_HOME"], "baton/0.1.0/python")
    assert program.python(data) == Python(memory, "", ())
    _remember(data, "/gone/python")
    assert program.python(data) == Python(memory, "/gone/python", ())
    _remember(data, sys.executable)
    assert program.python(data) == Python(memory, sys.executable, sys.version_info[:3])
    answers = {"echo 3.12.9": (3, 12, 9), "echo no": (), "exit 1": (), "echo 3.12; exit 1": ()}
    for answer, version in answers.items():
        other = _script(tmp_path, answer)
        _remember(data, other)
        assert program.python(data) == Python(memory, str(other), version)


def test_without_xdg_and_without_anything(home: Path) -> None:
    assert program.python({"HOME": str(home / "x")}).memory == str(home / "x" / MEMORY)
    assert program.python({}) == Python("", "", ())


def test_the_package_folder(data: dict[str, str]) -> None:
    folder = Path(data["XDG_DATA_HOME"], f"baton/0.1.0/packages-{sys.implementation.cache_tag}")
    names = ("filelock", "rfc8785", "yaml")
    assert program.package_folder(data, True) == Packages(str(folder), False, names, True)
    (folder / "yaml").mkdir(parents=True)
    assert program.package_folder(data, False) == Packages(str(folder), True, names[:2], False)


def test_git_itself_and_none(monkeypatch: pytest.MonkeyPatch) -> None:
    found = program.git()
    assert isinstance(found, tuple) and found > (2, 0)
    monkeypatch.setenv("PATH", "/nowhere")
    assert program.git() == ()


def test_the_manifest_says_which_claude_code() -> None:
    assert program.engines() == (2, 1, 320)


def test_the_command_in_a_session(tmp_path: Path) -> None:
    path, there = f"/nowhere:{ROOT / 'bin'}", str(ROOT / "bin/baton")
    none, broken = Wiring(install="x"), Wiring((Source("a", fault="gone"),), install="x")
    works = Wiring((*broken.sources, Source("b")), install="x")
    found = program.command({"PATH": path, "CLAUDECODE": "1"}, none)
    assert found == Command(str(ROOT), True, True, there, False, "x")
    assert program.command({"PATH": path}, broken) == Command(
        str(ROOT), True, False, there, False, "x"
    )
    assert program.command({}, works) == Command(str(ROOT), True, False, "", True, "x")
