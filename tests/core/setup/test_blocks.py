"""baton.core.setup.blocks and texts: marked lines in files that belong to others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.core.setup import texts
from baton.core.setup.blocks import Block, Damaged, put, take

CLOSE = Block("# >>> x", "# <<< x", ["one", "two"])
APART = Block("<!-- x -->", "<!-- /x -->", ["one"], apart=True)
TEXTS = {
    "none": ("", "# >>> x\none\ntwo\n# <<< x\n", "<!-- x -->\none\n<!-- /x -->\n"),
    "a line": ("a\n", "a\n# >>> x\none\ntwo\n# <<< x\n", "a\n\n<!-- x -->\none\n<!-- /x -->\n"),
    "no final newline": ("a", "a\n# >>> x\none\ntwo\n# <<< x", "a\n\n<!-- x -->\none\n<!-- /x -->"),
    "a blank line": (
        "a\n\n",
        "a\n\n# >>> x\none\ntwo\n# <<< x\n",
        "a\n\n\n<!-- x -->\none\n<!-- /x -->\n",
    ),
    "CRLF": (
        "a\r\nb\r\n",
        "a\r\nb\r\n# >>> x\r\none\r\ntwo\r\n# <<< x\r\n",
        "a\r\nb\r\n\r\n<!-- x -->\r\none\r\n<!-- /x -->\r\n",
    ),
    "CRLF, no final newline": (
        "a\r\nb",
        "a\r\nb\r\n# >>> x\r\none\r\ntwo\r\n# <<< x",
        "a\r\nb\r\n\r\n<!-- x -->\r\none\r\n<!-- /x -->",
    ),
}


@pytest.mark.parametrize(("text", "close", "apart"), TEXTS.values(), ids=TEXTS)
def test_put_and_taken(text: str, close: str, apart: str) -> None:
    assert (put(text, CLOSE), put(text, APART)) == (close, apart)
    assert (put(close, CLOSE), put(apart, APART)) == (close, apart)
    assert (take(close, CLOSE), take(apart, APART)) == (text, text)
    assert (take(text, CLOSE), take(text, APART)) == (text, text)


@pytest.mark.parametrize("block", [CLOSE, APART], ids=["close", "apart"])
@given(text=st.text(alphabet="ab# \r\n\t", max_size=12), more=st.text(alphabet="ab#\n", max_size=6))
def test_any_text_comes_back(block: Block, text: str, more: str) -> None:
    assert take(put(text, block), block) == text
    if text.endswith("\n") and "\r" not in text:
        assert take(put(text, block) + more, block) == text + more
        assert take(more + put(text, block), block) == more + text


def test_a_block_is_renewed_where_it_stands() -> None:
    text = "a\n# >>> x\nold\n# <<< x  \nb\n"
    assert put(text, CLOSE) == "a\n# >>> x\none\ntwo\n# <<< x  \nb\n"
    assert take("a\n\n<!-- x -->\n<!-- /x -->\nb\n", APART) == "a\nb\n"
    assert take("a\n<!-- x -->\n<!-- /x -->\nb\n", APART) == "a\nb\n"


DAMAGED = {
    "no end": "# >>> x\n",
    "no begin": "# <<< x\n",
    "twice": "# >>> x\n# <<< x\n# >>> x\n# <<< x\n",
    "the wrong way round": "# <<< x\n# >>> x\n",
}


@pytest.mark.parametrize("text", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_block_is_refused(text: str) -> None:
    begins, ends = text.count(">>>"), text.count("<<<")
    for step in (put, take):
        with pytest.raises(Damaged) as refusal:
            step(text, CLOSE)
        assert str(refusal.value) == (
            f"'# >>> x' stands there {begins} times, '# <<< x' {ends} times;"
            " a block has one of each, in this order"
        )


# ---- what baton puts there ----


def test_the_attributes() -> None:
    assert put("", texts.attributes()).splitlines()[2:5] == [
        "*.sh text eol=lf",
        "/.claude/WAL.md text eol=lf",
        "/.claude/baton/** text eol=lf",
    ]


@pytest.mark.parametrize("lang", ["en", "vi"])
def test_the_pointer_names_the_one_way_back(lang: str) -> None:
    lines = put("", texts.pointer(lang)).splitlines()
    assert len(lines) == 4
    assert "`.claude/WAL.md`" in lines[1]
    assert "`/tiep`" in lines[1]
    assert max(map(len, lines)) <= 120


def test_the_pointer_of_one_language_replaces_the_other() -> None:
    assert put(put("a\n", texts.pointer("en")), texts.pointer("vi")) == put(
        "a\n", texts.pointer("vi")
    )


def test_what_git_is_not_to_list() -> None:
    block = texts.exclude("sub [1]", ["sub [1]/.claude/WAL.md", "sub [1]/a*?\\b "])
    assert put("", block).splitlines() == [
        "# >>> baton setup of sub [1]",
        "/sub \\[1]/.claude/WAL.md",
        "/sub \\[1]/a\\*\\?\\\\b\\ ",
        "# <<< baton setup of sub [1]",
    ]
    top = texts.exclude("", [".claude/WAL.md"])
    assert take(put(put("", top), block), block) == put("", top)
