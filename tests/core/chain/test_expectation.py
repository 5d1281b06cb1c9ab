"""baton.core.chain.expectation: what stands behind a command, and whether its output shows it."""

from __future__ import annotations

import shlex
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.core.chain.expectation import Expectation, split

COMMAND = "grep -c 'H-22' doc.md"
# written → operator and value, None: nothing is expected
SPLITS: dict[str, tuple[str, str] | None] = {
    "": None,
    "  # expect >= 1": (">=", "1"),
    "  # expect >=1": (">=", "1"),
    " # expect ≥ 1": (">=", "1"),
    "\t# expect <= 3": ("<=", "3"),
    " # expect ≤ 3": ("<=", "3"),
    " # expect > 0": (">", "0"),
    " # expect < -2": ("<", "-2"),
    " # expect = done": ("=", "done"),
    " # expect == done": ("=", "done"),
    " # expect != done": ("!=", "done"),
    ' # expect = "all is done"': ("=", "all is done"),
    " # expect = 'all is done' or so": ("=", "all is done"),
    " # expect ok": ("ok", ""),
    " # expect OK.": ("ok", ""),
    " # expected: ok": ("ok", ""),
    " # EXPECT >= 2 when the section is in": (">=", "2"),
    " #expect >= 1": (">=", "1"),
    "   # kỳ-vọng ≥ 1 sau khi append": (">=", "1"),
    " # kỳ vọng: = xong": ("=", "xong"),
    " # expect >= many": None,
    " # expect >= 1.5": None,
    " # expect >= ": None,
    " # expect = ": None,
    " # expect = ''": None,
    " # expect something": None,
    " # expect": None,
    f" # expect >= {'9' * 5000}": None,
}


@pytest.mark.parametrize(
    ("comment", "expected"), SPLITS.items(), ids=[ascii(c)[:40] for c in SPLITS]
)
def test_split(comment: str, expected: tuple[str, str] | None) -> None:
    command, found = split(COMMAND + comment)
    assert command == COMMAND
    assert found == (Expectation(*expected) if expected else None)


BARE = [
    f"`{COMMAND}`",
    f"$ {COMMAND}",
    f"`$ {COMMAND}`",
    f"` {COMMAND} `",
    f"`{COMMAND}`  # expect >= 1",
    f"`{COMMAND}  # expect >= 1`",
]


@pytest.mark.parametrize("written", BARE)
def test_what_markdown_puts_round_a_command_is_no_part_of_it(written: str) -> None:
    expected = Expectation(">=", "1") if "#" in written else None
    assert split(written) == (COMMAND, expected)


@pytest.mark.parametrize("written", ["`", "``", "`which a` `which b`", "echo `date`", "$HOME/x"])
def test_other_backticks_and_dollars_stay(written: str) -> None:
    assert split(written) == (written, None)


def test_split_in_decomposed_letters() -> None:
    written = unicodedata.normalize("NFD", COMMAND + " # kỳ-vọng ≥ 1")
    assert split(written) == (COMMAND, Expectation(">=", "1"))


WHOLE = (
    "make test",
    "a#expect ok",
    "echo '# expect ok'",
    "make test # all of it",
    "# comment",
    # In quotes, behind a blank: it is the command's own text.
    "grep -c ' # expect >= 1' notes.md",
    'grep -c "the # expect ok" notes.md',
    'grep -c "a \\" # expect ok" notes.md',
    "grep -c 'a'\"'\"' # expect ok' notes.md",
    "echo \\# expect ok",
    "echo a\\ # expect ok",
    "echo 'a\n # expect ok'",
)
BEHIND_QUOTES = {
    "echo ' # expect = no' # expect = yes": ("echo ' # expect = no'", Expectation("=", "yes")),
    "echo it's # expect ok": ("echo it's", Expectation("ok", "")),
    'echo 5" # expect ok': ('echo 5"', Expectation("ok", "")),
    "make # it's all # expect ok": ("make # it's all", Expectation("ok", "")),
    "make # 'all # expect ok'": ("make # 'all", Expectation("ok", "")),
}


@pytest.mark.parametrize("command", WHOLE)
def test_no_expectation_at_all(command: str) -> None:
    assert split(f" {command} ") == (command, None)


@pytest.mark.parametrize(("written", "parts"), BEHIND_QUOTES.items())
def test_behind_quotes(written: str, parts: tuple[str, Expectation | None]) -> None:
    """Quotes that are closed are over, one that is not closed is none, and a comment has none."""
    assert split(written) == parts


@given(st.text(alphabet="#'\" \\aexpctok=", max_size=30))
def test_what_is_quoted_is_no_expectation(text: str) -> None:
    command = f"echo {shlex.quote(text)}"
    assert split(command) == (command, None)
    assert split(f"{command} # expect ok") == (command, Expectation("ok", ""))


def test_nothing_but_an_expectation() -> None:
    assert split("# expect ok") == ("", Expectation("ok", ""))


@given(st.text())
def test_any_text_is_split(text: str) -> None:
    command, found = split(text)
    assert command in text
    if found and not set(command) & set("'\"\\"):
        assert split(f"{command}  # expect {found}") == (command, found)


@given(
    st.sampled_from(["=", "!=", ">=", "ok"]),
    st.text("ab '\"=#1", min_size=1, max_size=8),
    st.sampled_from(["", " and more", " 'so'"]),
)
def test_an_expectation_is_written_as_it_was_read(sign: str, value: str, more: str) -> None:
    found = split(f"x  # expect {sign} {value}{more}")[1]
    if found:
        assert split(f"x  # expect {found}") == ("x", found)


# expectation, exit code, output → met
MET = {
    "more": (">= 1", 0, "3\n", True),
    "as many": (">= 1", 0, "1", True),
    "too few": (">= 1", 1, "0", False),
    "the first number counts": (">= 5", 0, "passed 7 of 3", True),
    "negative": ("< 0", 0, "-1", True),
    "at most": ("<= 1", 0, "2", False),
    "above": ("> 1", 0, "1", False),
    "no number, yet it succeeded": (">= 1", 0, "many", None),
    "no number, and it failed": (">= 1", 2, "", False),
    "the text": ("= done", 0, "done\n", True),
    "the text on the first line": ("= done", 0, " done \nand more", True),
    "another text": ("= done", 0, "not done", False),
    "no text": ("= done", 1, "", False),
    "not the text": ("!= done", 0, "open", True),
    "the text that must not be": ("!= done", 0, "done", False),
    "success": ("ok", 0, "whatever", True),
    "failure": ("ok", 1, "ok", False),
    "a number of more digits than Python takes": (">= 1", 0, "9" * 10_000, True),
}


@pytest.mark.parametrize(("wanted", "code", "output", "met"), MET.values(), ids=MET)
def test_met(wanted: str, code: int, output: str, met: bool | None) -> None:
    expectation = split(f"x  # expect {wanted}")[1]
    assert expectation is not None
    assert str(expectation) == wanted
    assert expectation.met(code, output) is met


@given(st.sampled_from([">= 1", "< 2", "= a", "!= a", "ok"]), st.integers(0, 255), st.text())
def test_any_output_can_be_judged(wanted: str, code: int, output: str) -> None:
    expectation = split(f"x  # expect {wanted}")[1]
    assert expectation is not None
    assert expectation.met(code, output) in (True, False, None)
