"""No secret is committed: baton's own search over baton's own repository."""

from __future__ import annotations

from baton.hot import secrets
from house.sources import tracked
from support import ROOT


def test_no_secret_is_committed() -> None:
    found = {
        file.relative_to(ROOT).as_posix(): list(map(str, secrets.find_bytes(file.read_bytes())))
        for file in tracked()
    }
    assert {name: told for name, told in found.items() if told} == {}
