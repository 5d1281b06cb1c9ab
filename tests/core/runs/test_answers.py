"""baton.core.runs.answers: the service's own words are no answer, whatever speaks of them is."""

from __future__ import annotations

import pytest

from baton.core.runs.answers import is_limit_message

CASES = {
    "You've hit your session limit · resets 3am": True,
    "You\u2019ve reached your weekly usage limit.": True,
    "Claude usage limit reached. Your limit will reset at 5pm.": True,
    "Claude AI usage limit reached|1750000000": True,
    "API Error: Request rejected (429) · slow down": True,
    "  API Error: 500\n": True,
    "The text that users see is: You've hit your session limit": False,
    "You've hit your stride. No limit": False,
    "API Errors are handled in three places": False,
    "API Error: handled in\n- a.py": False,
    "You've hit your limit " + "and so on " * 40: False,
    "": False,
}


@pytest.mark.parametrize("text", CASES)
def test_text(text: str) -> None:
    assert is_limit_message(text) is CASES[text]


def test_an_object_is_never_one() -> None:
    assert not is_limit_message({"text": "API Error: 500"})
