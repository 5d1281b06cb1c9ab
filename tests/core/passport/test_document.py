"""baton.core.passport.document: what is read, and each thing that is refused with its place (cases P1, P2)."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baton.core.passport import document
from baton.core.passport.asking import status
from baton.core.passport.document import Field
from baton.core.passport.entry import Boundary, Entry
from baton.core.passport.errors import LedgerError
from baton.edge.yaml_events import events
from passport_samples import EXPECTED, LEDGERS, VECTORS, passport, read

ENTRY = (
    "kind: boundary\n    hash: aaefcfa5ad5e\n    stage: 1\n    next: 2\n"
    "    generated_at: 2026-04-23T14:00:00Z\n    session_marker: s\n    version_label: v1.0\n"
)
LEDGER = f"reset_boundary:\n  - {ENTRY}"
SEEN = "line 1, column 1: "


@pytest.mark.parametrize("name", EXPECTED)
def test_the_vectors(name: str) -> None:
    found = read((VECTORS / name).read_bytes())
    assert [entry.to_mapping() for entry in found.entries] == EXPECTED[name]["entries"]
    assert found.verification_status == "VERIFIED"
    assert found.version_label == "paper_draft_v1"
    assert found.text_of("origin_date") == "2026-04-23T13:00:00Z"
    lines = (VECTORS / name).read_text(encoding="utf-8").split("\n")
    assert all("kind: " in lines[line - 1] for line in found.lines)


@given(LEDGERS)
def test_what_was_written_is_read(entries: list[Entry]) -> None:
    found = read(passport(entries, tail="x: *a\n", head="b: &a 1\n"))
    assert list(found.entries) == entries
    assert found.fields == (Field("b", "1", 1), Field("x", None, found.fields[1].line))


# What foreign parts of a passport may be, and where the ledger may stand
FINE = {
    "bom, crlf, comments": "\ufeff# c\r\n---\r\n" + LEDGER.replace("\n", "\r\n") + "# c\r\n...\r\n",
    "anchors, tags, merges elsewhere": "a: &x {b: 1}\nc: {<<: *x}\nd: !!set {e}\nf: *x\n" + LEDGER,
    "nested duplicates elsewhere": "a: {b: 1, b: 2}\n" + LEDGER,
    "the word in other places": "a: {reset_boundary: [1]}\nb: |\n  reset_boundary:\n    - x\n"
    + LEDGER,
    "tabs that do not indent": "a:\t1\t# c\n" + LEDGER,
    "line ends of others, quoted": "a: \"\u2028\x85\ufeff\"\nb: '\u2029'\n" + LEDGER,
    "a quoted key that looks like a merge": '"<<": 1\n' + LEDGER,
    "indented": "  " + LEDGER.replace("\n", "\n  "),
    "a yaml directive": "%YAML 1.1\n---\n" + LEDGER,
    "no final newline": LEDGER.rstrip("\n"),
    "explicit keys": LEDGER.replace("reset_boundary:", "? reset_boundary\n:"),
    "indentless": LEDGER.replace("  - ", "- ").replace("    ", "  "),
}


@pytest.mark.parametrize("case", FINE)
def test_what_is_fine(case: str) -> None:
    [entry] = read(FINE[case]).entries
    assert entry.to_mapping()["stage"] == "1"


@pytest.mark.parametrize("word", ["~", "null", "Null", "NULL", "nULL", "", "[]"])
def test_a_ledger_without_entries(word: str) -> None:
    assert read(f"reset_boundary: {word}\n").entries == ()


@pytest.mark.parametrize("word", ["~", "null", "Null", "NULL", "nULL", ""])
def test_no_status(word: str) -> None:
    assert read(f"a: 1\nverification_status: {word}\n").verification_status is None


@pytest.mark.parametrize("word", ["[STALE]", "[]", "{overall: STALE}"])
def test_what_is_no_status_is_not_taken_for_none(word: str) -> None:
    """It counts as UNVERIFIED, whatever the boundary says of itself."""
    found = read(f"verification_status: {word}\n{LEDGER}    verification_status: VERIFIED\n")
    [boundary] = found.entries
    assert isinstance(boundary, Boundary)
    assert status(boundary, found.verification_status) == "UNVERIFIED"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2.5", "2.5"),
        ("075173601107", "075173601107"),
        ("12:30:45", "12:30:45"),
        ("true", "true"),
        ("'null'", "null"),
        ('"~"', "~"),
        ("~", None),
        ("", None),
        ("NULL", None),
        ("|-\n      x", "x"),
    ],
)
def test_a_scalar_is_the_text_as_written(written: str, meant: str | None) -> None:
    [entry] = read(LEDGER.replace("next: 2", f"next: {written}")).entries
    assert entry.to_mapping()["next"] == meant


def entry_with(line: str) -> str:
    return LEDGER + f"    {line}\n"


# text → code, message
BAD: dict[str, tuple[str | bytes, str, str]] = {
    "empty": ("", "bad-yaml", SEEN + "there is nothing in it, not even a mapping"),
    "comments": ("# x\n", "bad-yaml", SEEN + "there is nothing in it, not even a mapping"),
    "null": (
        "---\n",
        "bad-yaml",
        "line 2, column 1: the top level is not a mapping of keys to values",
    ),
    "list": ("- a\n", "bad-yaml", SEEN + "the top level is not a mapping of keys to values"),
    "two documents": (
        "a: 1\n---\nb: 2\n",
        "bad-yaml",
        "line 2, column 1: a second document begins here",
    ),
    "not utf-8": (b"a: 1\nb: \xc3\xa4\xff", "bad-yaml", "line 2, column 5: not UTF-8 text"),
    "utf-16": ("a: 1".encode("utf-16"), "bad-yaml", SEEN + "not UTF-8 text"),
    "nul": ("a: 1\nb\0", "bad-yaml", "line 2, column 2: a NUL character: this is not a text file"),
    "lone cr": (
        "a: 1\r\nb: 2\rc: 3",
        "bad-yaml",
        "line 2, column 5: a carriage return without a line feed",
    ),
    "cr at the end": (
        "a: 1\r",
        "bad-yaml",
        "line 1, column 5: a carriage return without a line feed",
    ),
    "conflict": (
        "a: 1\n<<<<<<< HEAD\nb: 2\n=======\nb: 3\n>>>>>>> x\n",
        "bad-yaml",
        "line 2, column 1: a merge conflict is not resolved here",
    ),
    "tab": ("a:\n\tb: 1\n", "bad-yaml", "line 2, column 1: a tab where blanks must indent"),
    "not yaml": (
        "a: [1\n",
        "bad-yaml",
        "line 2, column 1: not YAML: did not find expected ',' or ']'",
    ),
    "control": (
        "a: \x07",
        "bad-yaml",
        "line 1, column 4: not YAML: control characters are not allowed",
    ),
    "undefined alias": ("a: *b\n", "bad-yaml", "line 1, column 4: an alias of no anchor"),
    "%TAG": ("%TAG !e! tag:e,\n---\na: 1\n", "bad-yaml", SEEN + "a %TAG directive"),
    "U+2028 in a comment": (
        "a: 1 # x\u2028reset_boundary: []\n",
        "bad-yaml",
        "line 1, column 9: U+2028 outside of quotes, where some readers end the line and some do not",
    ),
    "U+0085 in plain text": (
        "a: 1\nb: x\x85 y\n",
        "bad-yaml",
        "line 2, column 5: U+0085 outside of quotes, where some readers end the line and some do not",
    ),
    "U+FEFF in a block text": (
        'b: "\ufeff"\na: |\n  x\ufeff\n',
        "bad-yaml",
        "line 3, column 4: U+FEFF outside of quotes, where some readers end the line and some do not",
    ),
    "U+2028 that leaves half a line": (
        "b: 1\na: x\u2028y\n",
        "bad-yaml",
        "line 2, column 5: U+2028 stands here, and behind it this is not YAML: could not find expected ':'",
    ),
    "U+2028 in quotes, and a fault far behind it": (
        'b: "x\u2028y"\nc: 1\na: x\n]\n',
        "bad-yaml",
        "line 4, column 1: not YAML: did not find expected key",
    ),
    "too deep": (
        "a: " + "[" * 64,
        "bad-yaml",
        "line 1, column 67: more than 64 collections lie in each other",
    ),
    # ---- the top level ----
    "anchored root": ("&a\nb: 1\n", "bad-yaml", SEEN + "the top level bears an anchor"),
    "tagged root": ("!!map\nb: 1\n", "bad-yaml", SEEN + "the top level bears a tag"),
    "merge": (
        "a: &x {reset_boundary: []}\n<<: *x\n",
        "bad-yaml",
        "line 2, column 1: a merge key; the keys must be written out",
    ),
    "alias key": (
        "a: &x reset_boundary\n*x : []\n",
        "bad-yaml",
        "line 2, column 1: a key is an alias; it must be written out",
    ),
    "anchored key": ("&a b: 1\n", "bad-yaml", SEEN + "a key bears an anchor"),
    "list key": ("? [a]\n: 1\n", "bad-yaml", "line 1, column 3: a key that is a list or a mapping"),
    "twice": (
        "reset_boundary: []\na: 1\n'reset_boundary': []\n",
        "duplicate-key",
        'line 3, column 1: the key "reset_boundary" stands here twice (first on line 1)',
    ),
    "twice, escaped": (
        'a: 1\n"\\u0061": 2\n',
        "duplicate-key",
        'line 2, column 1: the key "a" stands here twice (first on line 1)',
    ),
    "anchored status": (
        "verification_status: &a VERIFIED\n",
        "bad-yaml",
        "line 1, column 22: verification_status bears an anchor",
    ),
    # ---- the ledger ----
    "a text": (
        "reset_boundary: x\n",
        "invalid-ledger",
        'line 1, column 17: reset_boundary must be a list of entries, got "x"',
    ),
    "a quoted null": (
        "reset_boundary: 'null'\n",
        "invalid-ledger",
        'line 1, column 17: reset_boundary must be a list of entries, got "null"',
    ),
    "a mapping": (
        "reset_boundary: {}\n",
        "invalid-ledger",
        "line 1, column 17: reset_boundary must be a list of entries, got a mapping",
    ),
    "an aliased ledger": (
        "a: &x []\nreset_boundary: *x\n",
        "bad-yaml",
        "line 2, column 17: reset_boundary is an alias; it must be written out",
    ),
    "a tagged ledger": (
        "reset_boundary: !!seq []\n",
        "bad-yaml",
        "line 1, column 17: reset_boundary bears a tag",
    ),
    "an entry that is a text": (
        "reset_boundary: [x]\n",
        "invalid-ledger",
        'line 1, column 18, reset_boundary[0]: an entry must be a mapping, got "x"',
    ),
    "an entry that is an alias": (
        "a: &x 1\nreset_boundary: [*x]\n",
        "bad-yaml",
        "line 2, column 18, reset_boundary[0]: an entry is an alias; it must be written out",
    ),
    "an anchor within": (
        entry_with("mode: &a full"),
        "bad-yaml",
        "line 9, column 11, reset_boundary[0]: mode bears an anchor",
    ),
    "a tag within": (
        entry_with("mode: !!str full"),
        "bad-yaml",
        "line 9, column 11, reset_boundary[0]: mode bears a tag",
    ),
    "a merge within": (
        "a: &x {}\n" + entry_with("<<: *x"),
        "bad-yaml",
        "line 10, column 5, reset_boundary[0]: a merge key; the keys must be written out",
    ),
    "a key twice": (
        entry_with("stage: 2"),
        "duplicate-key",
        'line 9, column 5, reset_boundary[0]: the key "stage" stands here twice (first on line 4)',
    ),
    "an unknown key": (
        entry_with("colour: {a: [b]}"),
        "invalid-ledger",
        'line 9, column 5, reset_boundary[0]: unknown key "colour"; a boundary has kind, hash, stage, next, '
        "generated_at, session_marker, version_label, mode, verification_status, observer_snapshot_ref, "
        "pending_decision",
    ),
    "an option's key": (
        entry_with(
            "pending_decision: {question: q, options: [{value: a, next_stage: 1},\n {value: b}]}"
        ),
        "invalid-ledger",
        "line 10, column 2, reset_boundary[0]: an option needs the key next_stage",
    ),
    "a null within": (
        entry_with("mode:"),
        "invalid-ledger",
        "line 9, column 5, reset_boundary[0]: mode must be a text, got null",
    ),
    "deep within": (
        entry_with("mode: [[[[[[[]]]]]]]"),
        "bad-yaml",
        "line 9, column 16, reset_boundary[0]: more than 6 collections lie in each other",
    ),
    "U+2028 within": (
        entry_with('mode: "a\u2028b"'),
        "bad-yaml",
        "line 9, column 13: U+2028 written as it is, which some readers fold into a blank; write \\u2028",
    ),
    "the second entry": (
        LEDGER + "  - {kind: resume}\n",
        "invalid-ledger",
        "line 9, column 5, reset_boundary[1]: a resume entry needs the key consumes_hash",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_refused(case: str) -> None:
    text, code, message = BAD[case]
    with pytest.raises(LedgerError) as caught:
        read(text)
    assert (caught.value.code, caught.value.message) == (code, message)


def test_an_error_says_what_it_says_as_data_too() -> None:
    with pytest.raises(LedgerError) as caught:
        read(LEDGER.replace("aaefcfa5ad5e", "AAEFCFA5AD5E"))
    error = caught.value
    assert (error.index, error.line, error.column) == (0, 3, 5)
    assert (error.expected, error.got) == ("12 of the digits 0-9a-f", '"AAEFCFA5AD5E"')
    named = error.in_file("p/my.yaml", "baton passport verify p/my.yaml", "; nothing was written")
    assert named.message == (
        "p/my.yaml, line 3, column 5, reset_boundary[0]: hash must be 12 of the digits 0-9a-f, "
        'got "AAEFCFA5AD5E"; nothing was written'
    )
    assert (named.hint, named.code, named.line) == (
        "baton passport verify p/my.yaml",
        "invalid-ledger",
        3,
    )


def test_too_large() -> None:
    fits = b"a: 1\n" + b"#" * (document.LIMIT - 5)
    assert document.read(fits, events).entries == ()
    with pytest.raises(LedgerError) as caught:
        document.read(fits + b"#", events)
    assert caught.value.message == "it is larger than 16777216 bytes, the most that is read"
    assert caught.value.in_file("p.yaml").message == f"p.yaml: {caught.value.message}"


# ---- JSON ----


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("ascii_", [True, False])
def test_the_vectors_as_json(name: str, ascii_: bool) -> None:
    value = {"a": "\U0001f680", "reset_boundary": EXPECTED[name]["entries"]}
    text = json.dumps(value, ensure_ascii=ascii_, indent=1)
    for as_json in (False, True):
        found = read(text, as_json)
        assert [entry.to_mapping() for entry in found.entries] == EXPECTED[name]["entries"]
        assert found.json
        assert found.text_of("a") == "\U0001f680"


def test_numbers_in_json_are_the_text_as_written() -> None:
    text = json.dumps({"reset_boundary": [read(LEDGER).entries[0].to_mapping()]})
    [entry] = read(text.replace('"stage": "1"', '"stage": 2.50'), True).entries
    assert entry.to_mapping()["stage"] == "2.50"


def test_flow_yaml_that_is_no_json() -> None:
    text = "{a: 1, reset_boundary: []}"
    assert not read(text).json
    with pytest.raises(LedgerError) as caught:
        read(text, True)
    assert caught.value.message == "line 1, column 2: not JSON: expected a key in double quotes"


JSON_BAD = {
    "twice": (
        '{"reset_boundary": [],\n "reset_boundary": []}',
        "duplicate-key",
        'line 2, column 2: the key "reset_boundary" stands here twice (first on line 1)',
    ),
    "half a character": (
        '{"reset_boundary": [{"kind": "resume", "consumes_hash": "aaefcfa5ad5e",'
        '\n"generated_at": "2026-04-23T14:00:00Z", "session_marker": "\\ud83d"}]}',
        "invalid-ledger",
        "line 2, column 41, reset_boundary[0]: session_marker holds a lone surrogate (half of a character), "
        "which has no UTF-8 bytes",
    ),
    "too deep": (
        '{"a":' + "[" * 2000,
        "bad-yaml",
        "line 1, column 69: more than 64 collections lie in each other",
    ),
}


@pytest.mark.parametrize("case", JSON_BAD)
def test_json_is_read_as_strictly(case: str) -> None:
    text, code, message = JSON_BAD[case]
    with pytest.raises(LedgerError) as caught:
        read(text, True)
    assert (caught.value.code, caught.value.message) == (code, message)


def test_json_has_texts_that_yaml_has_not() -> None:
    text = '{"a": "\\ud83d \x7f", "reset_boundary": [{"kind": "resume", "consumes_hash": "aaefcfa5ad5e", '
    text += '"generated_at": "2026-04-23T14:00:00Z", "session_marker": "\u2028\\/"}]}'
    [entry] = read(text).entries
    assert entry.session_marker == "\u2028/"


# ---- whatever comes ----

PIECES = st.sampled_from(
    [
        *(LEDGER, ENTRY, "reset_boundary", "kind: resume\n", '"a": 1', "\\ud83d"),
        *(": ", "\n", "  ", "- ", "{", "}", "[", "]", ",", "#", "?", "~", '"', "'", "<<"),
        *("&a ", "*a", "!!str ", "|\n", ">-\n", "---\n", "...\n", "%TAG ! x"),
        *("\t", "\r", "\r\n", "\u2028", "\ufeff", "\0"),
    ]
)
SOUP = st.lists(PIECES, max_size=20).map("".join)


@settings(max_examples=300)
@given(st.binary(max_size=200) | SOUP.map(str.encode) | SOUP.map(lambda s: (LEDGER + s).encode()))
def test_arbitrary_bytes_raise_its_own_errors_alone(data: bytes) -> None:
    for as_json in (False, True):
        try:
            read(data, as_json)
        except LedgerError as error:
            assert error.code in ("bad-yaml", "duplicate-key", "invalid-ledger")
            assert "\n" not in error.message


BOMBS = {
    "aliases": "a0: &a0 [x]\n"
    + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 60)),
    "brackets": "[" * 100_000,
    "braces": "a: " + "{a: " * 100_000,
    "json": '{"a": ' * 100_000,
    "question marks": "? " * 100_000,
    "dashes": "- " * 100_000,
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_cheap(name: str) -> None:
    begun = time.process_time()
    try:
        read(BOMBS[name])
    except LedgerError as error:
        assert error.code == "bad-yaml"
    assert time.process_time() - begun < 2


# ---- the digest of what is not ours ----


def foreign(text: str) -> bytes:
    return read(text).foreign


def test_the_digest_knows_nothing_of_places_and_of_the_ledger() -> None:
    assert foreign("a: [1, 'x']\n" + LEDGER) == foreign("# c\n" + LEDGER + "a:   [1,\n  'x']\n")
    assert foreign("a: 1\n") == foreign("reset_boundary:\na: 1\n")


@pytest.mark.parametrize(
    "other",
    [
        "a: [1, x]\n",  # quotes gone
        "a: [1, 'x', '']\n",
        "a: [1, &b 'x']\n",
        "a: [1, !!str 'x']\n",
        "a: [1 'x']\n",
        "a:\n- 1\n- 'x'\n",
        "a: [1, ' x']\n",
        "b: [1, 'x']\n",
        "a: [1, 'x']\nc:\n",
    ],
)
def test_the_digest_sees_everything_else(other: str) -> None:
    assert foreign("a: [1, 'x']\n") != foreign(other)


def test_the_digest_of_very_much() -> None:
    many = [f"k{number}: 1\n" for number in range(3000)]
    whole = foreign("".join(many))
    assert whole == foreign("".join(many) + LEDGER)
    for place in (0, 1500, 2999):
        assert whole != foreign("".join([*many[:place], f"k{place}: 2\n", *many[place + 1 :]]))
