"""baton.core.errors: every code has one exit."""

from __future__ import annotations

import pytest

from baton.core.errors import EXITS, BatonError


@pytest.mark.parametrize(("code", "exit_"), EXITS.items(), ids=EXITS)
def test_exit(code: str, exit_: int) -> None:
    error = BatonError(code, "what is wrong", "what to type")
    assert (error.exit, error.message, error.hint) == (exit_, "what is wrong", "what to type")
    assert str(error) == "what is wrong"
    assert 1 <= exit_ <= 5


def test_an_error_without_a_hint() -> None:
    assert BatonError("usage", "x").hint == ""
