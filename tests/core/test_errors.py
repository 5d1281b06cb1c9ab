"""baton.core.errors: every code has one exit."""

from __future__ import annotations

import pytest

from baton.core.errors import EXITS, BatonError, way_out


@pytest.mark.parametrize(("code", "exit_"), EXITS.items(), ids=EXITS)
def test_exit(code: str, exit_: int) -> None:
    error = BatonError(code, "what is wrong", "what to type")
    assert (error.exit, error.message, error.hint) == (exit_, "what is wrong", "what to type")
    assert str(error) == "what is wrong"
    assert 1 <= exit_ <= 5


def test_an_error_without_a_hint() -> None:
    assert BatonError("usage", "x").hint == ""


WAYS = {
    "closed": (PermissionError(13, "x", "/a b/c"), "ls -ld '/a b'"),
    "closed, named by bytes": (PermissionError(13, "x", b"/a/c"), "ls -ld /a"),
    "closed, from here": (PermissionError(13, "x", "c"), "ls -ld ."),
    "closed, without a name": (PermissionError(13, "x"), "again"),
    "full": (OSError(28, "x", "/a/c"), "again"),
}


@pytest.mark.parametrize(("error", "way"), WAYS.values(), ids=WAYS)
def test_the_way_out(error: OSError, way: str) -> None:
    assert way_out(error, "again") == way
