"""Twins to start from, each kind made once and copied for every test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from support import make_repository

from .modes import MODES
from .twins import Twins

Lay = Callable[[str], Twins]


@pytest.fixture(scope="session")
def _laid() -> dict[str, Twins]:
    return {}


@pytest.fixture
def lay(_laid: dict[str, Twins], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Lay:
    """Gives twins whose branches have parted, with the chain kept in one of MODES."""

    def give(mode: str) -> Twins:
        if mode not in _laid:
            _laid[mode] = twins(tmp_path_factory.mktemp(f"laid-{mode}"))
            MODES[mode].lay(_laid[mode])
        return _laid[mode].copy(tmp_path)

    return give


def twins(folder: Path) -> Twins:
    """Give fresh twins of one commit."""
    return Twins(make_repository(folder / "ours"), make_repository(folder / "plain"))
