"""baton.cli.environment: one call of baton.edge.packages, which has its own tests."""

from __future__ import annotations

import pytest

from baton.core.errors import BatonError
from baton.edge import packages
from commands import Here, Said, refused


def test_made(baton: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    def ensure(say: object) -> str:
        assert callable(say)
        say("preparing its packages")
        return "/data/packages"

    monkeypatch.setattr(packages, "ensure", ensure)
    said = "baton: preparing its packages\n"
    assert baton("environment") == Said(0, "the packages are in /data/packages\n", said)
    assert baton("environment", "--json") == Said(0, '{"folder": "/data/packages"}\n', said)


def test_refused(baton: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    def ensure(_: object) -> str:
        raise BatonError("no-environment", "no network", "try later")

    monkeypatch.setattr(packages, "ensure", ensure)
    assert baton("environment") == refused(5, "no network", "try later")
