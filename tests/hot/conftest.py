"""Tests of the hot tier, in this process, have the time that a busy machine takes."""

from __future__ import annotations

import importlib

import pytest

import patience


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in map(importlib.import_module, patience.BOUNDS):
        for where, name, value in patience.longer(module):
            monkeypatch.setattr(where, name, value)
