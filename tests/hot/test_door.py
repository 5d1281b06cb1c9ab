"""baton.hot.door: whatever stands on standard input, an event or {} in bounded time (case H9)."""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.hot import door


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """A pipe's two ends; a test closes the second one by itself where that matters."""
    read, write = os.pipe()
    yield read, write
    for fd in (read, write):
        with contextlib.suppress(OSError):
            os.close(fd)


WRITTEN = {
    "nothing": (b"", b""),
    "a line": (b'{"a": 1}\n', b'{"a": 1}\n'),
    "a line without its end": (b'{"a": 1}', b'{"a": 1}'),
    "more than a pipe holds": (b"x" * 5_000_000 + b"\n", b"x" * 5_000_000 + b"\n"),
    "more than is taken": (b"x" * 20_000_000, b"x" * (16 << 20)),
}


@pytest.mark.parametrize(("written", "expected"), WRITTEN.values(), ids=WRITTEN)
def test_a_writer_who_closes(pipe: tuple[int, int], written: bytes, expected: bytes) -> None:
    read, write = pipe

    def writer() -> None:
        with contextlib.suppress(BrokenPipeError), open(write, "wb") as file:
            file.write(written)

    thread = threading.Thread(target=writer)
    thread.start()
    taken = door.read_line(read, seconds=200)
    os.close(read)
    thread.join()
    assert taken == expected


def test_a_line_is_enough_where_the_writer_never_closes(pipe: tuple[int, int]) -> None:
    os.write(pipe[1], b"{}\n")
    began = time.monotonic()
    assert door.read_line(pipe[0], seconds=200) == b"{}\n"
    assert time.monotonic() - began < 100


def test_a_writer_who_neither_closes_nor_ends_the_line(pipe: tuple[int, int]) -> None:
    os.write(pipe[1], b'{"a"')
    began = time.monotonic()
    assert door.read_line(pipe[0], seconds=0.2) == b'{"a"'
    assert 0.2 <= time.monotonic() - began < 60


def test_a_closed_descriptor(pipe: tuple[int, int]) -> None:
    os.close(pipe[0])
    assert door.read_line(pipe[0]) == b""


def test_a_folder_cannot_be_read() -> None:
    fd = os.open("/", os.O_RDONLY)
    try:
        assert door.read_line(fd) == b""
    finally:
        os.close(fd)


EVENTS: dict[str, tuple[bytes, dict[str, object]]] = {
    "an object": (b'{"cwd": "/a", "n": 1}\n', {"cwd": "/a", "n": 1}),
    "nothing": (b"", {}),
    "words": (b"hello\n", {}),
    "a list": (b"[1]\n", {}),
    "not UTF-8": (b'{"a": "\xff"}\n', {}),
}


@pytest.mark.parametrize(("line", "expected"), EVENTS.values(), ids=EVENTS)
def test_event(line: bytes, expected: dict[str, object]) -> None:
    assert door.event(line) == expected


@pytest.mark.parametrize(
    ("key", "expected"), [("cwd", "/a"), ("n", ""), ("none", ""), ("absent", "")]
)
def test_text(key: str, expected: str) -> None:
    assert door.text({"cwd": "/a", "n": 1, "none": None}, key) == expected


FLAT = {
    "as the host writes it": (b'{"a":"1","b":"two"}\n', {"a": "1", "b": "two"}),
    "in another order": (b'{"b":"","c":5,"a":"x y"}\n', {"a": "x y", "b": ""}),
    "a name inside a text": (
        rb'{"c":"\"a\":\"evil\",\"b\":\"evil\"","a":"1","b":"2"}' + b"\n",
        {"a": "1", "b": "2"},
    ),
    "blanks": (b'{"a": "1", "b": "2"}\n', None),
    "an escape": (rb'{"a":"1\n","b":"2"}' + b"\n", None),
    "other letters": ('{"a":"é","b":"2"}\n'.encode(), None),
    "a field that is missing": (b'{"a":"1"}\n', None),
    "no text": (b'{"a":"1","b":2}\n', None),
    "cut off": (b'{"a":"1","b":"2', None),
    "cut off behind a text": (b'{"a":"1","b":"2"', None),
    "nothing": (b"", None),
}


@pytest.mark.parametrize(("line", "expected"), FLAT.values(), ids=FLAT)
def test_fields(line: bytes, expected: dict[str, object] | None) -> None:
    assert door.fields(line, "a", "b") == expected


@given(st.dictionaries(st.sampled_from(["a", "b", "c"]), st.text()))
def test_fields_agree_with_the_whole_event(event: dict[str, str]) -> None:
    line = (
        json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        + b"\n"
    )
    found = door.fields(line, "a", "b")
    assert found is None or found == {name: event[name] for name in ("a", "b")}
