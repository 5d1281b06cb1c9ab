"""What baton writes, judged by JavaScript: a YAML 1.2 reader and another RFC 8785 writer.

The two npm packages come from the registry once, into the tests' cache (tests/npm_package.py).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import npm_package
from baton.core.passport.append import appended
from baton.core.passport.canonical import encode
from baton.core.passport.entry import Entry
from baton.core.passport.spelling import Flow, block, quoted
from baton.edge.yaml_events import events
from passport_samples import ENTRIES, LEDGERS, passport, read

pytestmark = pytest.mark.slow

MANY = st.lists(ENTRIES, min_size=20, max_size=40)
CHARACTERS = [chr(code) for code in range(0x10000) if not 0xD800 <= code < 0xE000]
ASTRAL = [chr(0x10000 + step * 349) for step in range(3000)]


@pytest.fixture(scope="module")
def yaml_reader() -> Path:
    """The npm package `yaml`, which reads YAML 1.2 unless it is told otherwise."""
    return npm_package.folder("yaml@2.9.1")


@pytest.fixture(scope="module")
def canonicalize() -> Path:
    """The npm package `canonicalize`, by the authors of RFC 8785."""
    return npm_package.folder("canonicalize@2.1.0")


def parsed(package: Path, texts: list[str], version: str = "1.2") -> list[object]:
    inputs: list[object] = list(texts)
    return npm_package.run(f'it.parse(input, {{version: "{version}"}})', package, inputs)


@settings(max_examples=8)
@given(MANY)
def test_the_same_bytes_as_canonicalize(canonicalize: Path, entries: list[Entry]) -> None:
    mappings: list[object] = [entry.to_mapping() for entry in entries]
    theirs = npm_package.run("it(input)", canonicalize, mappings)
    assert [encode(entry.to_mapping()).decode() for entry in entries] == theirs


@pytest.mark.parametrize("version", ["1.1", "1.2"])
def test_every_character_is_read_back(yaml_reader: Path, version: str) -> None:
    texts = [f" {sign}x {sign}" for sign in [*CHARACTERS, *ASTRAL]]
    assert parsed(yaml_reader, ["\n".join(f"- {quoted(t)}" for t in texts)], version) == [texts]


@settings(max_examples=5)
@given(MANY)
def test_entries_are_read_back(yaml_reader: Path, entries: list[Entry]) -> None:
    mappings = [entry.to_mapping() for entry in entries]
    layouts = [
        "\n".join(line for mapping in mappings for line in block(mapping, "", "  ")),
        Flow().spelled(list(mappings)),
        Flow("", "  ", "\n").spelled(list(mappings)),
    ]
    assert parsed(yaml_reader, layouts) == [mappings] * 3


@settings(max_examples=10)
@given(LEDGERS, ENTRIES, st.sampled_from(["\n", "\r\n"]))
def test_a_passport_that_was_appended_to(
    yaml_reader: Path, entries: list[Entry], entry: Entry, end: str
) -> None:
    text = passport(entries, head="# c\na: &x {b: [1, 2]}\n", tail="c: *x\nd: |\n  text\n").replace(
        "\n", end
    )
    after = appended(read(text), entry, events).decode()
    assert parsed(yaml_reader, [after]) == [
        {
            "a": {"b": [1, 2]},
            "reset_boundary": [one.to_mapping() for one in (*entries, entry)],
            "c": {"b": [1, 2]},
            "d": "text\n",
        }
    ]
