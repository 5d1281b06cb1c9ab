"""baton.hot.jsons against the json package, which it stands in for."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.hot import jsons

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda below: st.lists(below) | st.dictionaries(st.text(), below),
    max_leaves=20,
)


@given(VALUES)
def test_what_is_rendered_is_read_back(value: object) -> None:
    text = jsons.render(value)
    assert text.isascii()
    assert "\n" not in text
    assert json.loads(text) == value
    assert jsons.parse(text.encode()) == value


@given(VALUES | st.floats(allow_nan=False))
def test_what_json_writes_is_read(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    if b"\xed" not in text:
        assert jsons.parse(b" \t" + text + b"\r\n") == value


READ = {
    "a lone surrogate": (b'"\\ud800"', "\ud800"),
    "a control character in a string": (b'"a\nb"', "a\nb"),
    "infinity": (b"[Infinity, -Infinity]", [math.inf, -math.inf]),
    "the last of two equal keys": (b'{"a": 1, "a": 2}', {"a": 2}),
}


@pytest.mark.parametrize(("data", "expected"), READ.values(), ids=READ)
def test_read(data: bytes, expected: object) -> None:
    assert jsons.parse(data) == expected


REFUSED = {
    "nothing": b"",
    "blanks": b" \n",
    "words": b"hello",
    "two documents": b"{} {}",
    "cut": b'{"a": [1, 2',
    "not UTF-8": b'"\xff"',
    "a BOM": b"\xef\xbb\xbf{}",
    "100,000 deep": b"[" * 100_000,
    "a number of 5,000 digits": b"9" * 5000,
}


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED)
def test_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        jsons.parse(data)


@given(st.binary())
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        jsons.parse(data)
    except ValueError:
        return
    json.loads(data)


@pytest.mark.parametrize(
    "value", [1.5, b"a", {1, 2}, object()], ids=lambda value: type(value).__name__
)
def test_not_rendered(value: object) -> None:
    with pytest.raises(TypeError, match=f"^no JSON for {type(value).__name__}$"):
        jsons.render([value])
