"""baton.core.passport.spelling: what is written is read as the same texts by every reader at hand."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
import ruamel.yaml
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from baton.core.passport.entry import Entry, Mapping
from baton.core.passport.spelling import Flow, block, quoted
from passport_samples import ENTRIES, SIGNS

# Where a reader may go wrong: everything that is not plain, and its neighbours
BMP = [chr(code) for code in range(0x10000) if not 0xD800 <= code < 0xE000]
ASTRAL = [chr(0x10000 + step * 349) for step in range(3000)]


def ruamel_safe(text: str) -> Any:
    return ruamel.yaml.YAML(typ="safe", pure=True).load(text)


def ruamel_round_trip(text: str) -> Any:
    return ruamel.yaml.YAML(typ="rt").load(text)


READERS = {
    "PyYAML with libyaml": lambda text: yaml.load(text, yaml.CSafeLoader),
    "PyYAML": yaml.safe_load,
    "ruamel.yaml": ruamel_safe,
    "ruamel.yaml, round trip": ruamel_round_trip,
}


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("", '""'),
        ("plain", '"plain"'),
        ('a"b\\c', '"a\\"b\\\\c"'),
        ("\t\n\r", '"\\t\\n\\r"'),
        ("\x00\x07\x1b\x7f\x85\xa0\xad", '"\\u0000\\u0007\\u001B\\u007F\\u0085\\u00A0\\u00AD"'),
        ("\u2028\ufeff\uffff\u200b", '"\\u2028\\uFEFF\\uFFFF\\u200B"'),
        ("tiếp 🚀 \U000e0001", '"tiếp 🚀 \U000e0001"'),
        ("a/b #: - x", '"a/b #: - x"'),
    ],
)
def test_quoted(text: str, written: str) -> None:
    assert quoted(text) == written


# Every day those that YAML treats in a way of its own, and a sample of the rest.
SOME = [*BMP[:0x100], *BMP[0x2000:0x2070], *BMP[-0x210:], *BMP[::97], *ASTRAL[::97]]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    "signs", [SOME, pytest.param([*BMP, *ASTRAL], marks=pytest.mark.slow)], ids=["some", "all"]
)
def test_each_character_is_read_back(reader: str, signs: list[str]) -> None:
    lines = "\n".join(f"- {quoted(f' {sign}x {sign}')}" for sign in signs)
    assert READERS[reader](lines) == [f" {sign}x {sign}" for sign in signs]


def test_each_character_is_read_back_by_json() -> None:
    assert json.loads(f"[{','.join(map(quoted, [*BMP, *ASTRAL]))}]") == [*BMP, *ASTRAL]


@given(st.text(SIGNS))
def test_one_line_of_what_every_reader_knows(text: str) -> None:
    written = quoted(text)
    assert len(written.splitlines()) == 1
    assert json.loads(written) == text
    assert yaml.load(written, yaml.CSafeLoader) == text


def everything(mapping: Mapping) -> list[str]:
    """An item of a list in every layout."""
    return [
        "\n".join(block(mapping, "", "  ")),
        "\n".join(block(mapping, "   ", "       ")),
        f"[{Flow().spelled(mapping)}]",
        f"[\n  {Flow('  ', '  ', chr(10)).spelled(mapping)}\n  ]",
    ]


@settings(max_examples=30)
@given(ENTRIES)
def test_entries_are_read_back_in_every_layout(entry: Entry) -> None:
    mapping = entry.to_mapping()
    for text in everything(mapping):
        for reader in READERS.values():
            assert reader(text) == [mapping]
    for text in everything(mapping)[2:]:
        assert json.load(io.StringIO(text)) == [mapping]


def test_block() -> None:
    mapping: Mapping = {
        "a": "x",
        "n": None,
        "d": {"q": "?", "o": [{"v": "1", "w": None}, {"v": "2"}]},
        "e": {},
    }
    assert block(mapping, "  ", "     ") == [
        '  -  a: "x"',
        "     n: null",
        "     d:",
        '       q: "?"',
        "       o:",
        '         - v: "1"',
        "           w: null",
        '         - v: "2"',
        "     e: {}",
    ]


def test_flow() -> None:
    mapping: Mapping = {"a": "x", "o": [{"v": None}], "e": {}, "l": []}
    assert Flow().spelled(mapping) == '{"a": "x", "o": [{"v": null}], "e": {}, "l": []}'
    assert Flow("\t", "  ", "\r\n").spelled(mapping).split("\r\n") == [
        "{",
        '\t  "a": "x",',
        '\t  "o": [',
        "\t    {",
        '\t      "v": null',
        "\t    }",
        "\t  ],",
        '\t  "e": {},',
        '\t  "l": []',
        "\t}",
    ]
