"""baton.core.passport.canonical: RFC 8785's own examples, as far as entries have such values."""

from __future__ import annotations

import pytest
from hypothesis import given

from baton.core.passport.canonical import NotCanonical, encode
from baton.core.passport.entry import Entry, Mapping
from passport_samples import ENTRIES, canonical

# RFC 8785, sections 3.2.2.2 and 3.2.3, and what follows from them
EXAMPLES: dict[str, tuple[Mapping, str]] = {
    "strings (3.2.2)": (
        {"string": "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/"},
        '{"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    ),
    "sorting by UTF-16 units (3.2.3)": (
        {
            "\u20ac": "Euro Sign",
            "\r": "Carriage Return",
            "\ufb33": "Hebrew Letter Dalet With Dagesh",
            "1": "One",
            "\U0001f600": "Emoji: Grinning Face",
            "\x80": "Control",
            "\xf6": "Latin Small Letter O With Diaeresis",
        },
        '{"\\r":"Carriage Return","1":"One","\x80":"Control","ö":"Latin Small Letter O With Diaeresis",'
        '"€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    ),
    "control characters": (
        {"a": "\b\t\n\f\r\x00\x1f\x7f\u2028"},
        '{"a":"\\b\\t\\n\\f\\r\\u0000\\u001f\x7f\u2028"}',
    ),
    "null, nesting, nothing": (
        {"b": [{"d": None, "c": ""}], "a": {}},
        '{"a":{},"b":[{"c":"","d":null}]}',
    ),
}


@pytest.mark.parametrize("case", EXAMPLES)
def test_examples(case: str) -> None:
    mapping, expected = EXAMPLES[case]
    assert encode(mapping) == expected.encode()


def test_the_bytes_of_an_example() -> None:
    """RFC 8785, section 3.2.4: bytes, not only text."""
    mapping: Mapping = {"string": "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/"}
    assert encode(mapping).hex() == (
        "7b22737472696e67223a22e282ac245c75303030665c6e4127425c225c5c5c5c5c222f227d"
    )


@pytest.mark.parametrize(
    "mapping", [{"a": "\ud83d"}, {"\ud83d": "a"}, {"a": [{"b": "x\udcff"}]}], ids=repr
)
def test_a_lone_surrogate_has_no_bytes(mapping: Mapping) -> None:
    with pytest.raises(NotCanonical) as caught:
        encode(mapping)
    assert str(caught.value) == "a lone surrogate (half of a character) has no UTF-8 bytes to hash"


@given(ENTRIES)
def test_entries_as_the_standard_library_writes_them(entry: Entry) -> None:
    assert encode(entry.to_mapping()) == canonical(entry)
