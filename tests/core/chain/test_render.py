"""baton.core.chain.render: the inverse of parse, and the empty files byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from baton.core.chain import edit
from baton.core.chain.render import item_line, render
from baton.core.errors import BatonError
from baton.hot.chain import Chain, Item, parse
from chain_cases import EMPTY, EXAMPLE, VI_EXAMPLE, VI_TEMPLATE

VI_TITLE = "# WAL — do baton ghi; muốn sửa, dùng `baton wal`"


def facts(chain: Chain) -> tuple[object, ...]:
    """All that a chain holds, for comparison."""
    items = [(item.mark, item.text, item.evidence, bool(item.run)) for item in chain.items]
    header = (chain.lang, chain.updated, chain.session, chain.branch)
    return header, chain.goal, items, chain.next, chain.verify


def test_empty_file() -> None:
    assert render(edit.empty("en")) == EMPTY


def test_empty_file_in_vietnamese() -> None:
    """But for its first line, which no longer says that a machine alone writes it."""
    title, rest = VI_TEMPLATE.decode().split("\n", 1)
    assert title == "# WAL — auto-generated, không sửa tay"
    assert render(edit.empty("vi")).decode() == f"{VI_TITLE}\n{rest}"


def test_example() -> None:
    assert render(parse(EXAMPLE)) == EXAMPLE


def test_vietnamese_example_keeps_its_language() -> None:
    written = render(parse(VI_EXAMPLE))
    assert written.decode().startswith(VI_TITLE + "\n")
    assert facts(parse(written)) == facts(parse(VI_EXAMPLE))
    assert render(parse(written)) == written


@pytest.mark.parametrize(
    ("item", "line"),
    [
        (Item("done", "a", "ls a"), "[x] a — ls a"),
        (Item("doing", "a", "ls a"), "[!] a — ls a"),
        (Item("todo", "a"), "[ ] a"),
    ],
    ids=["done", "doing", "todo"],
)
def test_item_line(item: Item, line: str) -> None:
    assert item_line(item) == line


DASHES = st.sampled_from(["—", " — ", "-", "[x] ", "[!]", "wf:", "(none)", "goal: ", "# ", "• "])
WORDS = st.text(max_size=8) | st.text("ab —[]x!", max_size=8) | DASHES
TEXTS = st.lists(WORDS, min_size=1, max_size=4).map("".join)
SOMETHING = TEXTS.map("x".__add__) | TEXTS
RUNS = st.just("wf:a run=b runId=pending args=c done=0/1 harvested=no")


@given(
    st.sampled_from(["en", "vi"]),
    SOMETHING,
    st.lists(SOMETHING | RUNS, min_size=1, max_size=4),
    SOMETHING,
    st.lists(SOMETHING, min_size=1, max_size=3),
)
def test_what_a_writer_makes_is_read_back(
    lang: str, goal: str, items: list[str], next_step: str, verify: list[str]
) -> None:
    try:
        chain = edit.start(lang, goal, items, next_step, verify)
    except BatonError as error:
        assert (error.code, error.exit) == ("invalid-chain", 1)
        assume(False)
    chain.updated, chain.session, chain.branch = "2026-07-11T14:03:22+07:00", "4f1c2a", "a|b"
    data = render(chain)
    assert facts(parse(data)) == facts(chain)
    assert render(parse(data)) == data


@given(TEXTS, TEXTS)
def test_text_and_evidence_are_what_was_given(text: str, evidence: str) -> None:
    """To the letter, or refused; white space in the text alone may shrink."""
    before = parse(EXAMPLE)
    try:
        after = edit.add(before, "x" + text, evidence, "todo", [])
    except BatonError as error:
        assert error.code == "invalid-chain"
        return
    item = after.items[-1]
    if evidence:
        assert item.evidence == evidence.strip()
        assert len(item.text) <= len("x" + text)
    assert facts(parse(render(after))) == facts(after)


LINES = st.sampled_from(
    [
        *EXAMPLE.decode().splitlines(),
        *VI_EXAMPLE.decode().splitlines(),
        "verify:",
        "chain:",
        "  ls a",
    ]
)
ODD = st.builds(
    str.__add__,
    st.sampled_from(["[ ] ", "[x]", "• [!] ", "next: ", "goal:", "verify: ", "  ", "updated: "]),
    TEXTS,
)


@given(st.lists(LINES | ODD, max_size=14))
def test_what_is_read_is_written_back_the_same(lines: list[str]) -> None:
    chain = parse("\n".join(["# WAL", *lines]).encode("utf-8", "replace"))
    if chain.readable:
        assert facts(parse(render(chain))) == facts(chain)
