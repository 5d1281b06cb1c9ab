"""Commands ↔ command line: what a command tells Claude to type exists, and is allowed to run."""

from __future__ import annotations

import argparse
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from baton.cli.app import GROUPS, Parser
from baton.cli.usage import commands_of
from support import ROOT

# What each may run without asking. A group that changes settings or history is never allowed on the
# way to something else.
ALLOWED = {
    "close": {"close", "wal"},
    "pause": {"pause", "run", "wal"},
    "resume_from_passport": {"passport", "pipeline"},
    "pipeline": {"pipeline"},
    "tiep": {"passport", "pipeline", "run", "tiep", "wal"},
}
COMMANDS = sorted((ROOT / "commands").glob("*.md"))
TYPED = re.compile(r"\bbaton ([a-z]+)((?: +[a-z]+)?)((?: +[^`\n]*)?)")
OPTION = re.compile(r"(?<![\w-])(--?[a-z][a-z-]*)")


def _stem(file: Path) -> str:
    return file.stem


def _front(file: Path) -> dict[str, str]:
    lines = file.read_text(encoding="utf-8").split("---\n")[1].splitlines()
    return dict(line.split(": ", 1) for line in lines)


def _parser(group: str) -> Parser:
    parser = Parser(prog=f"baton {group}")
    importlib.import_module(f"baton.cli.{group}").configure(parser)
    return parser


def _typed(file: Path) -> Iterator[tuple[str, str, str]]:
    """Every `baton GROUP COMMAND REST` between backquotes or in a shell block."""
    text = file.read_text(encoding="utf-8").split("---\n", 2)[2]
    blocks = re.findall(r"^```!?\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S))
    for span in [*blocks, *spans]:
        for group, command, rest in TYPED.findall(span):
            yield group, command.strip(), rest


@pytest.mark.parametrize("file", COMMANDS, ids=_stem)
def test_it_can_be_typed_by_its_bare_name(file: Path) -> None:
    front = _front(file)
    assert front["name"] == file.stem
    assert front["description"]
    assert "baton" in front["allowed-tools"]


@pytest.mark.parametrize("file", COMMANDS, ids=_stem)
def test_what_it_types_exists(file: Path) -> None:
    found = list(_typed(file))
    assert found
    for group, command, rest in found:
        assert group in GROUPS
        parser: argparse.ArgumentParser = _parser(group)
        below = commands_of(parser)
        if below and command:
            assert command in below, f"baton {group} {command}"
            parser = below[command]
        known = {option for action in parser._actions for option in action.option_strings}
        assert set(OPTION.findall(rest)) <= known | {"--inline"}, f"baton {group} {command}{rest}"


@pytest.mark.parametrize("file", COMMANDS, ids=_stem)
def test_what_it_types_is_allowed_and_nothing_else_of_baton(file: Path) -> None:
    """A command that would stop for a permission in its own first line helps nobody."""
    rules = re.findall(r"Bash\((baton[^)]*)\)", _front(file)["allowed-tools"])
    assert set(rules) == {f"baton {group}:*" for group in ALLOWED[file.stem]}
    assert {group for group, _, _ in _typed(file)} <= ALLOWED[file.stem]


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_has_help_for_every_option(group: str) -> None:
    parser = _parser(group)
    for below in [parser, *commands_of(parser).values()]:
        for action in below._actions:
            described = action.help or isinstance(action, argparse._SubParsersAction)
            assert described or not action.option_strings, f"{below.prog} {action.option_strings}"


def test_what_takes_commits_away_is_typed_by_people_alone() -> None:
    """/close is not for the model to run by itself."""
    assert _front(ROOT / "commands/close.md")["disable-model-invocation"] == "true"
