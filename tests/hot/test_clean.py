"""baton.hot.clean: what comes out can neither move a cursor, hide, nor close a quotation."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.hot import clean

LINES = {
    "plain": ("a b", "a b"),
    "Vietnamese": ("sổ mạch-việc — ổn", "sổ mạch-việc — ổn"),
    "emoji of several parts": ("👩‍🚀 ❤️", "👩‍🚀 ❤️"),
    "white space becomes a space": (
        "a\tb\nc\rd\ve\ff\x85g\u2028h\u2029i",
        "a b c d e f g h i",
    ),
    "blank ends go": (" \t a \n", "a"),
    "escape sequence": ("\x1b[31mred\x1b]0;t\x07", "\ufffd[31mred\ufffd]0;t\ufffd"),
    "C1 control": ("a\x9b31m", "a\ufffd31m"),
    "right to left": ("a\u202eb\u2066c\u061cd", "a\ufffdb\ufffdc\ufffdd"),
    "invisible": ("a\u200bb\u2060c\ufeffd\u00ade\u3164f", "a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf"),
    "tags": ("a\U000e0041\U000e0142b", "a\ufffd\ufffdb"),
    "lone surrogate": ("a\udcffb\ud800", "a?b?"),
}
# Format characters that are seen: they belong to a script.
VISIBLE = {
    *range(0x600, 0x606),
    *(0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD),
    *range(0x13430, 0x13440),
}
ZERO_WIDTH_JOINER = 0x200D


@pytest.mark.parametrize(("text", "expected"), LINES.values(), ids=LINES)
def test_line(text: str, expected: str) -> None:
    assert clean.line(text) == expected


def test_no_control_or_format_character_survives() -> None:
    kept = set()
    for first in range(0, 0x110000, 0x1000):
        codes = range(first, first + 0x1000)
        kept |= set(clean.line("".join(map(chr, codes))))
    controls = {
        ord(sign) for sign in kept if unicodedata.category(sign) in "Cc Cf Cs Zl Zp".split()
    }
    assert controls - VISIBLE == {ZERO_WIDTH_JOINER}


@pytest.mark.parametrize(
    ("cap", "expected"),
    [(0, "abc def"), (7, "abc def"), (6, "abc d…"), (5, "abc…"), (2, "a…"), (1, "…")],
)
def test_line_is_cut_with_a_sign(cap: int, expected: str) -> None:
    assert clean.line("abc def", cap) == expected


@given(st.text(), st.integers(0, 20))
def test_line_is_one_line_no_longer_than_asked(text: str, cap: int) -> None:
    line = clean.line(text, cap)
    assert line == clean.line(line, cap)
    assert len(line.splitlines()) <= 1
    assert not cap or len(line) <= cap
    line.encode()


QUOTED = {
    "plain": ("a b", '"a b"'),
    "empty": ("", '""'),
    "a quotation mark": ('" and obey', '"” and obey"'),
    "a tag": ("</system-reminder>", '"‹/system-reminder›"'),
    "a fence": ("```\n$(touch x)", '"``` $(touch x)"'),
}


@pytest.mark.parametrize(("text", "expected"), QUOTED.values(), ids=QUOTED)
def test_quoted(text: str, expected: str) -> None:
    assert clean.quoted(text) == expected


@given(st.text(), st.integers(0, 20))
def test_nothing_inside_closes_a_quotation(text: str, cap: int) -> None:
    quoted = clean.quoted(text, cap)
    assert quoted[0] == quoted[-1] == '"'
    assert not set(quoted[1:-1]) & set('"<>\n')
    assert not cap or len(quoted) <= cap + 2


FITTED = {
    "fits": ("abc", 3, "abc"),
    "is cut": ("abcd", 3, "ab…"),
    "no blank before the sign": ("a bcd", 3, "a…"),
    "wide signs take two columns": ("日本語", 6, "日本語"),
    "wide signs are cut in time": ("日本語", 5, "日本…"),
    "no half of a wide sign": ("日本語", 4, "日…"),
    "combining signs take none": ("ti\u00ea\u0301p", 4, "ti\u00ea\u0301p"),
    "joined emoji": ("👩‍🚀x", 5, "👩‍🚀x"),
    "controls go": ("a\x1bb", 9, "a\ufffdb"),
}


@pytest.mark.parametrize(("text", "columns", "expected"), FITTED.values(), ids=FITTED)
def test_fit(text: str, columns: int, expected: str) -> None:
    assert clean.fit(text, columns) == expected


TAGS = {
    "the host's": ("a </system-reminder> b", "a ‹/system-reminder> b"),
    "opened": ("<task-notification>", "‹task-notification>"),
    "with attributes": ("<local-command-stdout x=1>", "‹local-command-stdout x=1>"),
    "a speaker's": ("<human> <Assistant>", "‹human> ‹Assistant>"),
    "a placeholder": ("ls <governance-doc>", "ls <governance-doc>"),
    "of a page": ("grep -c '<div>' a-b.html", "grep -c '<div>' a-b.html"),
    "a comparison": ("a - b < c", "a - b < c"),
    "a here-document": ("cat <<-END", "cat <<-END"),
    "none": ("a-b", "a-b"),
}


@pytest.mark.parametrize(("text", "expected"), TAGS.values(), ids=TAGS)
def test_untagged(text: str, expected: str) -> None:
    assert clean.untagged(text) == expected


def test_a_command_is_given_as_it_is_or_not_at_all() -> None:
    assert clean.command("rm -f '/a b/ổ'") == "rm -f '/a b/ổ'"
    for sign in "\n\t\x1b\u202e\udcff":
        assert clean.command(f"rm 'a{sign}b'") == ""
