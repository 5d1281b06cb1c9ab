"""baton.core.passport.append: every way to write a ledger, and not a byte elsewhere."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from baton.core.passport import append, document
from baton.core.passport.append import appended
from baton.core.passport.document import Document
from baton.core.passport.entry import Entry, Resume
from baton.core.passport.errors import LedgerError
from baton.core.passport.spelling import Flow
from baton.edge.yaml_events import events
from passport_samples import ENTRIES, EXPECTED, LEDGERS, VECTORS, block_lines, read

NEW = Resume("aaefcfa5ad5e", "2026-04-23T15:00:00Z", 'sess "b"')
LINES = [
    'kind: "resume"',
    'consumes_hash: "aaefcfa5ad5e"',
    'generated_at: "2026-04-23T15:00:00Z"',
    'session_marker: "sess \\"b\\""',
]
ONE = Flow().spelled(NEW.to_mapping())
KEYS = "kind: resume\nconsumes_hash: aaefcfa5ad5e\ngenerated_at: 2026-04-23T14:00:00Z\nsession_marker: s"
OLD = "{" + KEYS.replace("\n", ", ") + "}"


def block(dash: str, keys: str = "") -> str:
    """The new entry behind a dash."""
    first, *rest = LINES
    keys = keys or dash + "  "
    return "".join(
        f"{line}\n"
        for line in [f"{dash}-{keys[len(dash) + 1 :]}{first}", *(keys + r for r in rest)]
    )


def old(indent: str) -> str:
    return KEYS.replace("\n", f"\n{indent}")


def pretty(indent: str, unit: str = "  ") -> str:
    return Flow(indent, unit, "\n").spelled(NEW.to_mapping())


# text before → text after; @ stands for an old entry in flow style, $ for the new one
CASES: dict[str, tuple[str, str]] = {
    # ---- no ledger yet ----
    "absent": ("a: 1\n", f"a: 1\nreset_boundary:\n{block('  ')}"),
    "absent, no final newline": ("a: 1", f"a: 1\nreset_boundary:\n{block('  ')}"),
    "absent, indented": ("  a: 1\n", f"  a: 1\n  reset_boundary:\n{block('    ')}"),
    "absent, comments at the end": (
        "a: 1\n\n# end\n",
        f"a: 1\n\n# end\nreset_boundary:\n{block('  ')}",
    ),
    "absent, document end": ("a: 1\n...\n# x\n", f"a: 1\nreset_boundary:\n{block('  ')}...\n# x\n"),
    "absent, text block": ("a: |\n  x\n", f"a: |\n  x\nreset_boundary:\n{block('  ')}"),
    "absent, kept line ends": ("a: |+\n  x\n\n", f"a: |+\n  x\n\nreset_boundary:\n{block('  ')}"),
    "absent, nothing behind the key": ("a:", f"a:\nreset_boundary:\n{block('  ')}"),
    # ---- nothing in it ----
    "nothing": ("reset_boundary:\na: 1\n", f"reset_boundary:\n{block('  ')}a: 1\n"),
    "nothing, comment": (
        "reset_boundary:  # c\na: 1\n",
        f"reset_boundary:  # c\n{block('  ')}a: 1\n",
    ),
    "nothing, at the end": ("reset_boundary:", f"reset_boundary:\n{block('  ')}"),
    "null": ("reset_boundary: null\n", f"reset_boundary:\n{block('  ')}"),
    "~ and comment": ("reset_boundary: ~ # c\na: 1", f"reset_boundary: # c\n{block('  ')}a: 1"),
    "null below": (
        "reset_boundary:\n  null # c\na: 1\n",
        "reset_boundary:\n  [$] # c\na: 1\n",
    ),
    "null, explicit key": ("? reset_boundary\n: ~\na: 1\n", "? reset_boundary\n: [$]\na: 1\n"),
    "explicit key alone": ("? reset_boundary\n", "? reset_boundary\n: [$]"),
    "[]": ("reset_boundary: []  # c\na: 1\n", f"reset_boundary:  # c\n{block('  ')}a: 1\n"),
    "[ ] in quotes": ("'reset_boundary':   [ ]\n", f"'reset_boundary':\n{block('  ')}"),
    "[] below": ("reset_boundary:\n  []\n", "reset_boundary:\n  [$]\n"),
    "[] with a comment inside": (
        "reset_boundary: [ # c\n  ]\n",
        "reset_boundary: [ # c\n  $]\n",
    ),
    # ---- a block list ----
    "block": (
        f"reset_boundary:\n  - {old('    ')}\na: 1\n",
        f"reset_boundary:\n  - {old('    ')}\n{block('  ')}a: 1\n",
    ),
    "block, no final newline": (
        f"reset_boundary:\n  - {old('    ')}",
        f"reset_boundary:\n  - {old('    ')}\n{block('  ')}",
    ),
    "block, indentless": (
        f"reset_boundary:\n- {old('  ')}\n",
        f"reset_boundary:\n- {old('  ')}\n{block('')}",
    ),
    "block, wide": (
        f"reset_boundary:\n   -   {old('       ')}\n",
        f"reset_boundary:\n   -   {old('       ')}\n{block('   ', '       ')}",
    ),
    "block, below its dash": (
        f"reset_boundary:\n  - # x - y\n       {old('       ')}\n",
        f"reset_boundary:\n  - # x - y\n       {old('       ')}\n{block('  ')}",
    ),
    "block, flow entries": (
        "reset_boundary:\n  - @ # c\na: 1",
        f"reset_boundary:\n  - @ # c\n{block('  ')}a: 1",
    ),
    "block, comments": (
        f"reset_boundary:\n  - {old('    ')} # one\n    # two\n   # three\n  # last\na: 1\n",
        f"reset_boundary:\n  - {old('    ')} # one\n    # two\n   # three\n{block('  ')}  # last\na: 1\n",
    ),
    "block, comments behind a blank line": (
        f"reset_boundary:\n  - {old('    ')}\n\n    # not its own\na: 1\n",
        f"reset_boundary:\n  - {old('    ')}\n{block('  ')}\n    # not its own\na: 1\n",
    ),
    "block, its comment ends the file": (
        f"reset_boundary:\n  - {old('    ')}\n    # its own",
        f"reset_boundary:\n  - {old('    ')}\n    # its own\n{block('  ')}",
    ),
    "block, a text block last": (
        f"reset_boundary:\n  - {old('    ')}\n    chosen_branch: |\n      x\n\na: 1\n",
        f"reset_boundary:\n  - {old('    ')}\n    chosen_branch: |\n      x\n\n{block('  ')}a: 1\n",
    ),
    "block, document end": (
        f"---\nreset_boundary:\n  - {old('    ')}\n...\n",
        f"---\nreset_boundary:\n  - {old('    ')}\n{block('  ')}...\n",
    ),
    # ---- a flow list ----
    "flow": ("reset_boundary: [@] # c\n", "reset_boundary: [@, $] # c\n"),
    "flow, comma": ("reset_boundary: [@, ]\n", "reset_boundary: [@, $, ]\n"),
    "flow, lines": (
        "reset_boundary: [\n  @ # a, b\n  # c\n  ]\n",
        "reset_boundary: [\n  @, # a, b\n  # c\n  $\n  ]\n",
    ),
    "flow, lines, comma": (
        "reset_boundary: [\n  @, # a\n  ]\n",
        "reset_boundary: [\n  @, # a\n  $,\n  ]\n",
    ),
    "flow, lines, comma by the bracket": (
        "reset_boundary: [\n  @ # a,\n  ,]\n",
        "reset_boundary: [\n  @ # a,\n  , $,]\n",
    ),
    "flow, beside the bracket": (
        "reset_boundary: [@\n  ]\n",
        f"reset_boundary: [@,\n{' ' * 17}$\n  ]\n",
    ),
    # ---- a flow mapping ----
    "flow root, absent": ("{a: 1}\n", '{a: 1, "reset_boundary": [$]}\n'),
    "flow root, empty": ("{}", '{"reset_boundary": [$]}'),
    "flow root, comma": ("{a: 1,}", '{a: 1, "reset_boundary": [$],}'),
    "flow root, lines": ("{ a: 1\n}", '{ a: 1,\n "reset_boundary": [$]\n}'),
    "flow root, []": ("{reset_boundary: [ ], a: 1}", "{reset_boundary: [$], a: 1}"),
    "flow root, null": ("{reset_boundary: ~, a: 1}", "{reset_boundary: [$], a: 1}"),
    "flow root, nothing": ("{reset_boundary: , a: 1}", "{reset_boundary: [$], a: 1}"),
    "flow root, no colon": ("{reset_boundary, a: 1}", "{reset_boundary: [$], a: 1}"),
    "flow root, colon alone": ("{'reset_boundary':, a: 1}", "{'reset_boundary': [$], a: 1}"),
    "flow root, entries": ("{reset_boundary: [@], a: 1}", "{reset_boundary: [@, $], a: 1}"),
    # ---- JSON ----
    "json, absent": ('{"a": "\\ud83d"}', '{"a": "\\ud83d", "reset_boundary": [$]}'),
    "json, absent, pretty": (
        '{\n\t"a": 1\n}\n',
        '{\n\t"a": 1,\n\t"reset_boundary": [\n\t\t' + pretty("\t\t", "\t") + "\n\t]\n}\n",
    ),
    "json, [], pretty": (
        '{\n  "reset_boundary": []\n}',
        '{\n  "reset_boundary": [\n    ' + pretty("    ") + "\n  ]\n}",
    ),
    "json, null": ('{"reset_boundary": null}', '{"reset_boundary": [$]}'),
    "json, pretty": (
        '{\n "reset_boundary": [\n  ' + pretty("  ", " ") + '\n ],\n "a": 1\n}',
        '{\n "reset_boundary": [\n  '
        + pretty("  ", " ")
        + ",\n  "
        + pretty("  ", " ")
        + '\n ],\n "a": 1\n}',
    ),
    "json, nothing to step by": (
        '{"reset_boundary": [\n{\n' + ONE[1:] + "\n]}",
        '{"reset_boundary": [\n{\n' + ONE[1:] + ",\n" + pretty("") + "\n]}",
    ),
}


def filled(text: str) -> str:
    return text.replace("@", OLD).replace("$", ONE)


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("bom", ["", "\ufeff"], ids=["", "bom"])
@pytest.mark.parametrize("case", CASES)
def test_where_it_goes(case: str, bom: str, end: str) -> None:
    before, after = (bom + filled(text).replace("\n", end) for text in CASES[case])
    if "\n" not in CASES[case][0]:
        after = after.replace("\r\n", "\n")  # nothing tells that lines end otherwise here
    assert appended(read(before), NEW, events).decode() == after


@pytest.mark.parametrize("case", CASES)
def test_another_one_goes_behind_it(case: str) -> None:
    once = read(appended(read(filled(CASES[case][0])), NEW, events))
    twice = read(appended(once, NEW, events))
    assert twice.entries == (*once.entries, NEW)


@pytest.mark.parametrize("name", EXPECTED)
def test_the_vectors(name: str) -> None:
    before = read((VECTORS / name).read_bytes())
    after = appended(before, NEW, events)
    assert read(after).entries == (*before.entries, NEW)
    assert _without_ledger(after.decode()) == _without_ledger(before.source.text)


# text → message, hint
NO_END = (
    "p q.yaml: the file has no line end at its end, where a text block or a comment would take in "
    "what is put behind it; give the file a line end, then try again; nothing was written"
)
NO_PLACE = (
    "no entry can be put behind the ledger's end as it is written here without changing what is not "
    "ours; write it as a block list, `reset_boundary: []` while it is empty"
)
REFUSED = {
    "a text block without line end": ("a: |\n  x", NO_END, "echo >> 'p q.yaml'"),
    "such a block in the ledger": (
        f"reset_boundary:\n  - {old('    ')}\n    chosen_branch: |\n      x",
        NO_END,
        "echo >> 'p q.yaml'",
    ),
    "an explicit key without value": (
        "a: 1\n? reset_boundary # c\n? b\n",
        f"p q.yaml, line 2, column 3: {NO_PLACE}; nothing was written",
        "",
    ),
    "a comment for a value": (
        "{a: 1, reset_boundary: # c\n}",
        f"p q.yaml, line 1, column 8: {NO_PLACE}; nothing was written",
        "",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_extended(case: str) -> None:
    text, message, hint = REFUSED[case]
    with pytest.raises(LedgerError) as caught:
        appended(read(text), NEW, events)
    error = caught.value.in_file("p q.yaml", also="; nothing was written")
    assert (error.code, error.message, error.hint) == ("invalid-ledger", message, hint)


def test_a_passport_that_would_grow_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    found = read("a: 1\n")
    monkeypatch.setattr(append, "LIMIT", len(appended(found, NEW, events)) - 1)
    with pytest.raises(LedgerError) as caught:
        appended(found, NEW, events)
    assert (caught.value.code, caught.value.hint) == ("invalid-ledger", "")
    assert re.fullmatch(
        r"with one more entry it would be larger than \d+ bytes, the most that is read",
        caught.value.message,
    )


def test_what_was_written_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that wrote something else would be caught before a byte left the memory."""
    for text in ("a: 1\n", "a: 2\nreset_boundary:\n" + block("  "), "a: ["):
        monkeypatch.setattr(append._Extended, "text", lambda self, text=text: text)
        with pytest.raises(LedgerError) as caught:
            appended(read("a: 1\n"), NEW, events)
        assert caught.value.what == NO_PLACE


# ---- generated passports ----

FOREIGN = st.sampled_from(
    [
        "a: 1",
        "b: &v {c: [1, 2.5, 2026-04-23], d: !!str 5}  # c",
        "e: *x",
        "f: |\n  reset_boundary:\n    - kind: fake\n",
        "g: |+\n  kept\n\n",
        "h: >-\n  folded\n  text",
        '"i": "two\n  lines # not"',
        "j:\n  - {k: l}\n  - m: [\n      n, # c\n    ]",
        "o:",
        "? p\n: q",
        "# a comment\n\n# another",
        "r: {<<: *x, s: 'it''s'}",
        "t: tiếng Việt 🚀",
        "origin_date: 2026-04-23T13:00:00Z",
    ]
)


def _in_block(entries: list[Entry], style: int) -> str:
    dash = ["", "  ", "    "][style % 3]
    lines = block_lines([entry.to_mapping() for entry in entries], dash)
    comments = ["", f"{dash}  # of the last one\n", f"{dash}# of the list\n", "\n# far away\n"]
    return "reset_boundary:\n" + "\n".join(lines) + "\n" + comments[style % 4]


def _in_flow(entries: list[Entry], style: int) -> str:
    items = [Flow().spelled(entry.to_mapping()) for entry in entries]
    return [
        f"reset_boundary: [{', '.join(items)}]\n",
        f"reset_boundary: [{', '.join(items)} ,]  # c\n",
        "reset_boundary: [\n    " + " # ], [\n    , ".join(items) + " # ,\n  ]\n",
        "reset_boundary:\n  [ # c\n  " + ",\n  ".join(items) + ",\n  ]\n",
    ][style % 4]


def _empty(style: int) -> str:
    return (
        "reset_boundary:"
        + [" []", " ~  # c", "", " null", "\n  []", " [ # c\n  ]"][style % 6]
        + "\n"
    )


@st.composite
def passports(draw: st.DrawFn) -> tuple[str, list[Entry]]:
    """A YAML passport with a block root, and the entries in it."""
    entries = draw(LEDGERS)
    chunks = draw(st.lists(FOREIGN, max_size=5, unique=True))
    style = draw(st.integers(0, 11))
    spell = _in_block if draw(st.booleans()) else _in_flow
    ledger = spell(entries, style) if entries else draw(st.sampled_from(["", _empty(style)]))
    place = draw(st.integers(0, len(chunks)))
    body = [
        *(f"{chunk}\n" for chunk in chunks[:place]),
        ledger,
        *(f"{chunk}\n" for chunk in chunks[place:]),
    ]
    text = "".join(["z: &x {y: 1}\n", *body])
    if draw(st.booleans()):
        text = f"---\n{text}...\n"
    if draw(st.booleans()):
        text = text.rstrip("\n")
    text = text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    return draw(st.sampled_from(["", "\ufeff"])) + text, entries


def _without_ledger(text: str) -> Any:
    """What the Python parser and the base loader make of everything but the ledger."""
    loaded = yaml.load(text.lstrip("\ufeff"), yaml.BaseLoader)
    return {key: value for key, value in loaded.items() if key != "reset_boundary"}


def _common(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _only_grown(before: str, after: str) -> bool:
    """Whether one piece was put in, and perhaps a comma somewhere before it."""
    head = _common(before, after)
    tail = min(_common(before[::-1], after[::-1]), len(before) - head)
    middle, grown = before[head : len(before) - tail], after[head : len(after) - tail]
    return grown.startswith(middle) or grown.startswith(f",{middle}")


# A value that stands for no entries may go; nothing else.
NOTHING = re.compile(r"(?m)^(reset_boundary:\s*?)( *)(\[\]|~|null)")


def _grown_from(before: str, after: str) -> bool:
    without = [NOTHING.sub(r"\1\2", before), NOTHING.sub(r"\1", before)]
    return any(_only_grown(text, after) for text in [before, *without])


@settings(max_examples=60)
@given(passports(), ENTRIES)
def test_nothing_changes_outside_the_ledgers_end(
    made: tuple[str, list[Entry]], entry: Entry
) -> None:
    text, entries = made
    before = read(text)
    assert list(before.entries) == entries
    try:
        after = appended(before, entry, events).decode()
    except LedgerError as error:
        assert error.what.startswith("the file has no line end at its end")
        after = appended(read(f"{text}\n"), entry, events).decode()
        text = f"{text}\n"
    assert _without_ledger(after) == _without_ledger(text)
    found = yaml.load(after.lstrip("\ufeff"), yaml.CSafeLoader)["reset_boundary"]
    assert found == [one.to_mapping() for one in (*entries, entry)]
    assert _grown_from(text, after)


def _json_text(entries: list[Entry], indent: int | None, first: bool) -> str:
    ledger = {"reset_boundary": [entry.to_mapping() for entry in entries]}
    rest = {"a": ["\U0001f680", {"b": 1.5}], "c": None}
    return json.dumps({**ledger, **rest} if first else {**rest, **ledger}, indent=indent)


@settings(max_examples=40)
@given(LEDGERS, ENTRIES, st.sampled_from([None, 0, 2]), st.booleans())
def test_json_stays_json(
    entries: list[Entry], entry: Entry, indent: int | None, first: bool
) -> None:
    text = _json_text(entries, indent, first)
    after = appended(read(text, True), entry, events).decode()
    expected = json.loads(_json_text([*entries, entry], None, first))
    assert json.loads(after) == expected
    assert list(json.loads(after)) == list(expected)


@given(st.data())
def test_of_mutated_passports_none_is_written_wrongly(data: st.DataObject) -> None:
    """Characters thrown in, taken out: whatever still reads is extended, or refused with the reason."""
    text, _ = data.draw(passports())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(text)))
        piece = data.draw(
            st.sampled_from(
                ["", " ", "\n", "#", "- ", "[", "]", "{", "}", ",", ":", "'", "&x ", "?"]
            )
        )
        text = text[:place] + piece + text[place + data.draw(st.integers(0, 2)) :]
    try:
        before: Document = document.read(text.encode(), events)
    except LedgerError:
        return
    try:
        after = appended(before, NEW, events)
    except LedgerError as error:
        assert error.code == "invalid-ledger"
        return
    assert read(after).entries == (*before.entries, NEW)
    assert read(after).foreign == before.foreign
