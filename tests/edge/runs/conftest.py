"""A project with workflow runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from runs_desk import Desk


@pytest.fixture
def desk(repo: Path, home: Path) -> Desk:
    return Desk(repo, home)
