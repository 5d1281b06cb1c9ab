"""baton.hot.secrets: a vector for each kind, and a corpus that must stay silent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.hot import secrets
from baton.hot.secret_shapes import ALNUM, SHAPES
from baton.hot.secrets import Secret, described, find, find_bytes
from secret_cases import AWS, HARMLESS, PASSWORD, VECTORS


@pytest.mark.parametrize(("text", "kind", "line"), VECTORS.values(), ids=VECTORS)
def test_a_vector(text: str, kind: str, line: int) -> None:
    assert find(text) == [Secret(line, kind)]
    around = f"first line\n(see {text})\nlast line: `x`\n"
    assert find(around) == [Secret(line + 1, kind)]


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS)
def test_harmless(text: str) -> None:
    assert [(found, text.splitlines()[found.line - 1]) for found in find(text)] == []


SHAPED = [
    (kind, prefix, alphabet, least, most)
    for kind, prefixes, alphabet, least, most in SHAPES
    for prefix in prefixes
]


def _body(alphabet: bytes, size: int) -> bytes:
    """Signs of an alphabet in an order of their own: letters and digits mixed."""
    signs = bytes(sign for sign in alphabet if sign in ALNUM)
    return bytes(signs[7 * at % len(signs)] for at in range(size))


@pytest.mark.parametrize(
    ("kind", "prefix", "alphabet", "least", "most"), SHAPED, ids=[row[1].decode() for row in SHAPED]
)
def test_a_shape_at_its_limits(
    kind: str, prefix: bytes, alphabet: bytes, least: int, most: int
) -> None:
    for size in {least, most or least + 1}:
        text = prefix + _body(alphabet, size)
        assert find_bytes(b"key " + text + b" end") == [Secret(1, kind)]
        assert find_bytes(text + b"\n" + text) == [Secret(1, kind), Secret(2, kind)]
    for size in {least - 1, *([most + 1] if most else [])}:
        assert Secret(1, kind) not in find_bytes(b"key " + prefix + _body(alphabet, size) + b" end")


def test_no_shape_hides_behind_another() -> None:
    prefixes = [row[1] for row in SHAPED]
    assert len(set(prefixes)) == len(prefixes)
    for at, prefix in enumerate(prefixes):
        assert not [later for later in prefixes[at + 1 :] if later.startswith(prefix + b"-")]


def test_the_lines_of_several() -> None:
    text = f"a\n{AWS} and password={PASSWORD}\n\n{AWS}\n"
    found = find(text)
    assert found == [
        Secret(2, "AWS access key"),
        Secret(2, "password"),
        Secret(4, "AWS access key"),
    ]
    assert described(found) == "line 2: AWS access key; line 2: password; line 4: AWS access key"
    assert described(found * 2) == described(found) + " (and 3 more)"
    assert AWS not in repr(found)


def test_what_one_value_passes_for_twice_is_named_once() -> None:
    assert find(f"token={AWS}") == [Secret(1, "AWS access key")]


def test_nobody_reads_on_for_ever() -> None:
    found = find(f"{AWS}\n" * 50)
    assert [secret.line for secret in found] == list(range(1, 21))


def test_a_file_of_nothing_but_beginnings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "_PLACES", 3)
    assert find(f"{'token: x ' * 3}token={AWS[:4]}{PASSWORD * 3}") == []
    assert find(f"{'token: x ' * 2}token={AWS[:4]}{PASSWORD * 3}") == [Secret(1, "token")]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "latin-1"])
def test_encodings(encoding: str) -> None:
    assert find_bytes(f"a\nkey: {AWS}\n".encode(encoding)) == [Secret(2, "AWS access key")]


def test_binary_and_surrogates() -> None:
    assert find_bytes(b"\0\x01" + AWS.encode() + b"\0") == [Secret(1, "AWS access key")]
    assert find(f"\udc80 {AWS}") == [Secret(1, "AWS access key")]


@given(st.binary(max_size=400) | st.text(max_size=200).map(lambda text: text.encode("utf-8")))
def test_any_bytes(data: bytes) -> None:
    find_bytes(data)
    assert find_bytes(data + b"\n" + AWS.encode() + b"\n")[-1].kind == "AWS access key"


def test_a_secret_is_its_line_and_kind() -> None:
    assert Secret(1, "a") != Secret(2, "a") != Secret(2, "b")
    assert Secret(1, "a") != "line 1: a"
    assert len({Secret(1, "a"), Secret(1, "a")}) == 1
