"""baton.hot.left_out: what a note names, and nothing that only looks like it."""

from __future__ import annotations

import pytest

from baton.hot import left_out

NOTES = {
    "two": ({"refused": [["a", "x"], ["b", "y"]]}, [("a", "x"), ("b", "y")]),
    "numbers": ({"refused": [[1, None]]}, [("1", "None")]),
    "none": ({"refused": []}, []),
    "not said": ({}, []),
    "no list": ({"refused": {"a": "x"}}, []),
    "rows of another shape": ({"refused": [1, [2], ["a", "x", "y"], "ab", ["a", "x"]]}, [("a", "x")]),
}  # fmt: skip


@pytest.mark.parametrize(("note", "expected"), NOTES.values(), ids=NOTES)
def test_rows(note: dict[str, object], expected: list[tuple[str, str]]) -> None:
    assert left_out.rows(note) == expected
