"""What tests of the command line share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from chain_cases import EXAMPLE
from commands import Here
from passports import Shelf, give_packages
from pipelines import PipelineDesk


@pytest.fixture
def baton(capfd: pytest.CaptureFixture[str]) -> Here:
    """Runs a command line in this process."""
    return Here(capfd)


@pytest.fixture
def chain(repo: Path) -> Path:
    """A repository with the example for its chain; its path."""
    path = repo / ".claude/WAL.md"
    path.parent.mkdir()
    path.write_bytes(EXAMPLE)
    return path


@pytest.fixture
def packages(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package environment, in the test's home."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    return give_packages(home)


@pytest.fixture
def shelf(repo: Path, packages: Path, baton: Here) -> Shelf:
    """A project for a passport, in a repository."""
    return Shelf(repo, baton)


@pytest.fixture
def pipeline(repo: Path, packages: Path, baton: Here) -> PipelineDesk:
    """A project with the files of a paper, for its pipeline."""
    return PipelineDesk(repo, baton)
