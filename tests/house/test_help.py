"""Every command says what it is for and gives an example that works; every argument is explained."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterator

import pytest

from baton.cli import app
from baton.cli.usage import commands_of
from core.doctor import test_keeping, test_program, test_surroundings, test_wiring

Words = tuple[str, ...]
_EXAMPLE = re.compile(r"^example: (baton .+)$", re.MULTILINE | re.DOTALL)


def _commands(
    parser: argparse.ArgumentParser, words: Words
) -> Iterator[tuple[Words, argparse.ArgumentParser]]:
    """Every command that can be typed: those that have none below them."""
    below = commands_of(parser)
    for name, inner in below.items():
        yield from _commands(inner, (*words, name))
    if not below:
        yield words, parser


def _all() -> dict[str, tuple[Words, argparse.ArgumentParser]]:
    found = {}
    for group in app.GROUPS:
        for words, parser in _commands(commands_of(app._parser(group))[group], (group,)):
            found[" ".join(words)] = (words, parser)
    return found


COMMANDS = _all()


def test_the_walk_finds_what_is_there() -> None:
    assert {words[0] for words, _ in COMMANDS.values()} == set(app.GROUPS)
    assert {"wal mark", "tiep", "doctor", "status", "statusline"} <= set(COMMANDS)


@pytest.mark.parametrize(("words", "parser"), COMMANDS.values(), ids=COMMANDS)
def test_a_command_says_what_it_is_for(words: Words, parser: argparse.ArgumentParser) -> None:
    assert parser.description
    assert not parser.allow_abbrev


@pytest.mark.parametrize(("words", "parser"), COMMANDS.values(), ids=COMMANDS)
def test_a_command_has_an_example_that_can_be_typed(
    words: Words, parser: argparse.ArgumentParser
) -> None:
    example = _EXAMPLE.search(parser.epilog or "")
    assert example, f"baton {' '.join(words)} has no example in its help"
    typed = shlex.split(example[1].split(" < ")[0].split(" | ")[0])
    assert tuple(word for word in typed[1:] if not word.startswith("-"))[: len(words)] == words
    arguments = app._parser(words[0]).parse_args(typed[1:])
    assert callable(arguments.run)


@pytest.mark.parametrize("group", app.GROUPS)
def test_a_group_has_an_example_too(group: str) -> None:
    example = _EXAMPLE.search(commands_of(app._parser(group))[group].epilog or "")
    assert example, f"baton {group} has no example in its help"
    typed = shlex.split(example[1].split(" < ")[0].split(" | ")[0])
    assert callable(app._parser(group).parse_args(typed[1:]).run)


@pytest.mark.parametrize("group", app.GROUPS)
def test_help_fits_a_terminal(group: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    parser = commands_of(app._parser(group))[group]
    for each in (parser, *(inner for _, inner in _commands(parser, ()))):
        assert [line for line in each.format_help().splitlines() if len(line) > 80] == []


@pytest.mark.parametrize(("words", "parser"), COMMANDS.values(), ids=COMMANDS)
def test_every_argument_is_explained(words: Words, parser: argparse.ArgumentParser) -> None:
    silent = [
        "/".join(action.option_strings) or action.metavar or action.dest
        for action in parser._actions
        if not action.help
    ]
    assert silent == []


@pytest.mark.parametrize("group", app.GROUPS)
def test_help_is_printed(group: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert app.main([group, "--help"]) == 0
    out, err = capfd.readouterr()
    assert out.startswith(f"usage: baton {group}")
    assert app.GROUPS[group][0].split()[0] in out
    assert err == ""


FIXES = sorted(
    {
        part.strip()
        for module in (test_keeping, test_program, test_surroundings, test_wiring)
        for _, expected in module.CASES.values()
        for part in expected.fix.split("&&")
        if part.strip().startswith("baton ")
    }
)


@pytest.mark.parametrize("fix", FIXES)
def test_what_doctor_has_people_type_is_there(fix: str) -> None:
    words = shlex.split(fix)[1:]
    parser = app._parser(words[0])
    if words == ["--version"]:
        with pytest.raises(SystemExit):
            parser.parse_args(words)
    else:
        assert callable(parser.parse_args(words).run)
