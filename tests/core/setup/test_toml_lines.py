"""baton.core.setup.toml_lines: one key of a TOML file's head, every other byte the same."""

from __future__ import annotations

import pytest

from baton.core.setup.toml_lines import Malformed, put, restore, take

MARKED = 'persist = "ref"  # baton setup\n'
PUT = {
    "none": ("", MARKED),
    "other keys": ('lang = "vi"\n', MARKED + 'lang = "vi"\n'),
    "a comment, no final newline": ("# mine", MARKED + "# mine"),
    "a table": ('[other]\npersist = "off"\n', MARKED + '[other]\npersist = "off"\n'),
    "CRLF": ("a = 1\r\n", MARKED.replace("\n", "\r\n") + "a = 1\r\n"),
    "the same": ('persist = "ref"\n', 'persist = "ref"\n'),
    "the same in another spelling": ("persist='ref'", "persist='ref'"),
    "another value": ('persist = "off"  # why\nx = 1\n', 'persist = "ref"  # why\nx = 1\n'),
    "quoted key": ("  'persist'=\t'off'", "  'persist'=\t\"ref\""),
    "a bad value": ("persist = 3 # x\n", 'persist = "ref" # x\n'),
    "the key in a string": (
        's = """\npersist = "off"\n"""\npersist = "branch"\n',
        's = """\npersist = "off"\n"""\npersist = "ref"\n',
    ),
}


@pytest.mark.parametrize(("text", "wanted"), PUT.values(), ids=PUT)
def test_put(text: str, wanted: str) -> None:
    assert put(text, "persist", "ref") == wanted
    assert put(wanted, "persist", "ref") == wanted
    assert restore(take(wanted, "persist"), "persist", text) == _double_quoted(text, wanted)


def _double_quoted(text: str, wanted: str) -> str:
    """The text before; where the value was the same, nothing was changed."""
    return wanted if wanted == text else text


def test_only_the_marked_line_is_taken() -> None:
    assert take('persist = "ref"\n', "persist") == 'persist = "ref"\n'
    assert take(MARKED + "x = 1\n", "lang") == MARKED + "x = 1\n"
    assert take(MARKED + "x = 1\n", "persist") == "x = 1\n"
    in_string = 's = """\n' + MARKED + '"""\n'
    assert take(in_string, "persist") == in_string


def test_the_user_changed_the_marked_value() -> None:
    assert take(MARKED.replace("ref", "off"), "persist") == ""


def test_nothing_to_restore() -> None:
    assert restore("", "persist", 'persist = "ref"') == ""
    assert restore('persist = "ref"\n', "persist", "") == 'persist = "ref"\n'
    multi = 'persist = """\noff"""\n'
    assert restore('persist = "ref"\n', "persist", multi) == 'persist = "ref"\n'


REFUSED = {
    "no TOML": ("a =\n", "Invalid value (at line 1, column 4)"),
    "deep": ("a = " + "[" * 5000, None),
    "on several lines": (
        'persist = """\noff"""\n',
        'persist is not written as `persist = "…"` on a line of its own',
    ),
    "a table of that name": (
        "[persist]\na = 1\n",
        'persist is not written as `persist = "…"` on a line of its own',
    ),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_refused(text: str, message: str | None) -> None:
    with pytest.raises(Malformed) as refusal:
        put(text, "persist", "ref")
    assert message in (str(refusal.value), None)
