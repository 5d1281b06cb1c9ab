"""baton.core.passport.chain_hash against hashes that others made."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from baton.core.passport import chain_hash
from baton.core.passport.chain_hash import Chain
from baton.core.passport.entry import Boundary, Entry, parse
from passport_samples import BOUNDARIES, BOUNDARY, EXPECTED, LEDGERS, hash_after


@pytest.mark.parametrize("name", EXPECTED)
def test_the_vectors(name: str) -> None:
    entries = [parse(mapping) for mapping in EXPECTED[name]["entries"]]
    for index, entry in enumerate(entries):
        if isinstance(entry, Boundary):
            claimed = replace(entry, hash="ffffffffffff")
            assert chain_hash.sealed(entries[:index], claimed) == entry


@given(LEDGERS, BOUNDARIES)
def test_the_running_hash_is_that_of_the_whole(entries: list[Entry], last: Boundary) -> None:
    assert chain_hash.sealed(entries, last).hash == hash_after(entries, last)


def test_asking_does_not_add() -> None:
    chain = Chain()
    assert chain.hash_of(BOUNDARY) == chain.hash_of(BOUNDARY) == hash_after([], BOUNDARY)
    chain.add(BOUNDARY)
    assert chain.hash_of(BOUNDARY) == hash_after([BOUNDARY], BOUNDARY)
