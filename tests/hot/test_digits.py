"""baton.hot.digits: numbers that somebody else wrote."""

from __future__ import annotations

import pytest

from baton.hot import digits

CASES = {
    "0": 0,
    "007": 7,
    "9" * 19: 10**19 - 1,
    "9" * 20: -1,
    "": -1,
    "-1": -1,
    " 1": -1,
    "1.5": -1,
    "²": -1,
    "٣": -1,
}


@pytest.mark.parametrize(("text", "number"), CASES.items())
def test_a_text(text: str, number: int) -> None:
    assert digits.whole(text) == number
    if text.isascii():
        assert digits.whole(text.encode()) == number


def test_more_digits_than_python_reads() -> None:
    """`int` refuses these with a ValueError: in a chain's file that stopped every notice."""
    assert digits.whole("9" * 5000) == -1
    assert digits.whole(b"\xb2") == -1
