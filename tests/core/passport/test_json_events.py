"""baton.core.passport.json_events beside the standard library's JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.core.passport import json_events
from baton.core.passport.events import Unreadable

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


def built(text: str) -> object:
    """The value that the events stand for, words as the standard library reads them."""
    stack: list[list[object]] = [[]]
    kinds: list[str] = []
    for event in json_events.events(text):
        if event.kind in ("mapping", "sequence"):
            stack.append([])
            kinds.append(event.kind)
        elif event.kind == "end":
            items = stack.pop()
            pairs = (
                dict(zip(items[::2], items[1::2], strict=True))
                if kinds.pop() == "mapping"
                else items
            )
            stack[-1].append(pairs)
        elif event.kind == "scalar":
            stack[-1].append(event.value if event.style == "double" else json.loads(event.value))
    return stack[0][0]


def test_every_kind_with_its_place() -> None:
    text = ' {"\\u00e4": [1.50, null], "b": {}, "c": []}\r\n'
    events = list(json_events.events(text))
    assert [(e.kind, e.style, e.value, text[e.start : e.end]) for e in events] == [
        ("document", "", "", ""),
        ("mapping", "flow", "", "{"),
        ("scalar", "double", "ä", '"\\u00e4"'),
        ("sequence", "flow", "", "["),
        ("scalar", "plain", "1.50", "1.50"),
        ("scalar", "plain", "null", "null"),
        ("end", "", "", "]"),
        ("scalar", "double", "b", '"b"'),
        ("mapping", "flow", "", "{"),
        ("end", "", "", "}"),
        ("scalar", "double", "c", '"c"'),
        ("sequence", "flow", "", "["),
        ("end", "", "", "]"),
        ("end", "", "", "}"),
        ("document-end", "", "", ""),
    ]


@given(VALUES, st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_whatever_json_writes(value: object, ascii_: bool, indent: int | str | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_, indent=indent)
    assert built(text) == json.loads(text)


# text → index, what was expected
BAD = {
    "": (0, "a value"),
    "nul": (0, "a value"),
    "NaN": (0, "a value"),
    "01": (0, "a value"),
    "1.": (0, "a value"),
    "'a'": (0, "a value"),
    "[1,]": (3, "a value"),
    "[1 2]": (3, "a comma or ]"),
    "[1": (2, "a comma or ]"),
    "[1}": (2, "a comma or ]"),
    "{1: 2}": (1, "a key in double quotes"),
    '{"a": 1,}': (8, "a key in double quotes"),
    '{"a" 1}': (5, "a colon"),
    '{"a": 1]': (7, "a comma or }"),
    '{"a": 1} x': (9, "the end"),
    '{"a": "\t"}': (6, "a value"),
    '"\\x41"': (0, "a value"),
    "{} {}": (3, "the end"),
    "\xa0{}": (0, "a value"),
}


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_json(text: str) -> None:
    with pytest.raises(Unreadable) as caught:
        list(json_events.events(text))
    index, expected = BAD[text]
    assert (caught.value.index, caught.value.what) == (index, f"not JSON: expected {expected}")
    with pytest.raises(ValueError):
        json.loads(text, parse_constant=_refuse)


def _refuse(word: str) -> object:
    raise ValueError(word)


@given(st.text('{}[]":, \\u0123 eE.-+truefalsn\n\t', max_size=30))
def test_it_takes_what_the_standard_library_takes(text: str) -> None:
    try:
        expected = json.loads(text, parse_constant=_refuse)
    except ValueError:
        with pytest.raises(Unreadable):
            list(json_events.events(text))
    else:
        assert built(text) == expected
