"""Every test of the launcher runs under every shell."""

from __future__ import annotations

from pathlib import Path

import pytest

from launcher.stage import SHELLS, Stage


@pytest.fixture(params=SHELLS.values(), ids=list(SHELLS))
def shell(request: pytest.FixtureRequest) -> list[str]:
    """The command of one shell."""
    command: list[str] = request.param
    return command


@pytest.fixture
def stage(shell: list[str], tmp_path: Path) -> Stage:
    """A stage under one shell; its machine has no Python yet."""
    return Stage(tmp_path, shell)
