"""What a command line that was mistyped is told: what is wrong, what was meant, what to type instead."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable, Sequence

from baton.core.errors import BatonError

_PROJECT = "--project"
_LIKE = 0.65


def no_choice(
    parser: argparse.ArgumentParser, action: argparse.Action, value: object
) -> BatonError:
    """Give usage for a word that is none of an argument's choices."""
    choices = [str(choice) for choice in action.choices or ()]
    near = _near(str(value), choices)
    name = "/".join(action.option_strings) or action.metavar or action.dest
    message = f"argument {name}: {str(value)!r} is none of {', '.join(choices)}{_meant(near)}"
    below = f" {near}" if near and isinstance(action.choices, dict) else ""
    return BatonError("usage", message, f"{parser.prog}{below} --help")


def unknown(
    parser: argparse.ArgumentParser, argv: Sequence[str], words: Sequence[str]
) -> BatonError:
    """Give usage for words that no argument takes. argv: the whole command line."""
    message = f"unrecognized arguments: {' '.join(words)}"
    command = parser
    for word in argv:
        command = commands_of(command).get(word, command)
    option, _, value = words[0].partition("=")
    if option == _PROJECT:
        folder = shlex.quote(value or (words[1] if words[1:] else "DIR"))
        hint = f"{parser.prog} {option} {folder} {command.prog.removeprefix(f'{parser.prog} ')}"
        return BatonError("usage", f"{message}; {option} stands before the group", hint)
    near = _near(option, _options(command)) if option.startswith("-") else ""
    return BatonError("usage", message + _meant(near), f"{command.prog} --help")


def _near(word: str, known: Iterable[str]) -> str:
    import difflib  # only where somebody mistyped

    found = difflib.get_close_matches(word, list(known), 1, _LIKE)
    return found[0] if found else ""


def _meant(near: str) -> str:
    return f"; did you mean {near}?" if near else ""


def _options(parser: argparse.ArgumentParser) -> list[str]:
    return [
        option
        for action in parser._actions
        if not isinstance(action, argparse._HelpAction)
        for option in action.option_strings
    ]


def commands_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Give the parsers of the commands below one, by name."""
    found: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found.update(action.choices)
    return found
