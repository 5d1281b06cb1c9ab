"""Tests of the hot tier, in this process, have the time that a busy machine takes."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

import pytest

import patience
from baton.hot.git import speaker


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in map(importlib.import_module, patience.BOUNDS):
        for where, name, value in patience.longer(module):
            monkeypatch.setattr(where, name, value)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What is asked of baton itself, by its group."""
    names: list[str] = []
    start = speaker.start

    def counted(name: str, *rest: object) -> object:
        if name in ("passport", "pipeline"):
            names.append(name)
        return start(name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(speaker, "start", counted)
    yield names
