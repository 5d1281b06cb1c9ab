"""What tests of the passport's file share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from commands import Here
from passports import Shelf, give_packages


@pytest.fixture
def packages(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package environment, in the test's home."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    return give_packages(home)


@pytest.fixture
def shelf(repo: Path, packages: Path, capfd: pytest.CaptureFixture[str]) -> Shelf:
    """A project for a passport, in a repository."""
    return Shelf(repo, Here(capfd))
