"""The stage on which operations are laid."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from commands import Here
from crash.operations import Stage
from passports import give_packages


@pytest.fixture
def stage(tmp_path: Path, home: Path, baton: Here, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """An empty stage; the commands' packages are there."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    give_packages(home)
    return Stage(tmp_path, baton)


@pytest.fixture
def baton(capfd: pytest.CaptureFixture[str]) -> Here:
    """Runs a command line in this process."""
    return Here(capfd)
