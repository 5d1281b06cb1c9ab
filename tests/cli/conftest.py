"""What tests of the command line share."""

from __future__ import annotations

from pathlib import Path

import pytest

from chain_cases import EXAMPLE
from commands import Here


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
