"""Every parser on hostile bytes: it refuses in its own words or understands, soon, and says nothing that a
terminal would obey.

`BATON_FUZZ=100000 scripts/check tests/fuzz` tries so many inputs for each parser.
"""

from __future__ import annotations

import os
import time

import pytest

from fuzz import corpus
from fuzz.mutations import mutated
from fuzz.parsers import PARSERS, Parser

EVERYDAY, MANY = 150, int(os.environ.get("BATON_FUZZ", "3000"))
SECONDS = 20.0
"""For one input, on a machine that does other things as well."""
_CONTROLS = {*map(chr, range(32)), "\x7f", "\u202e", "\x85", "\u2028"} - {"\n"}


def _try(name: str, parser: Parser, count: int) -> str:
    refused = accepted = 0
    slowest = 0.0
    for data in mutated((*parser.seeds, *corpus.NASTY), count, name):
        begun = time.monotonic()
        try:
            said = "\n".join(parser.read(data))
            accepted += 1
        except parser.refusals as error:
            said = str(error)
            refused += 1
        except Exception as error:
            raise AssertionError(f"{name} stumbled over {data[:500]!r}") from error
        slowest = max(slowest, time.monotonic() - begun)
        assert slowest < SECONDS, data[:500]
        assert not _CONTROLS & set(said), (data[:500], said[:500])
    return f"{refused + accepted} inputs, {accepted} understood, {refused} refused"


@pytest.mark.parametrize("name", PARSERS)
def test_some_inputs(name: str) -> None:
    parser = PARSERS[name]
    assert parser.seeds
    for data in parser.seeds:
        parser.read(data)
    _try(name, parser, EVERYDAY)


@pytest.mark.slow
@pytest.mark.timeout(36000)
@pytest.mark.parametrize("name", PARSERS)
def test_many_inputs(name: str) -> None:
    print(f"tried: hostile input, {name}: {_try(name, PARSERS[name], MANY)}")
