"""The commands of a group whose modules are loaded when they run: each costs what it needs itself."""

from __future__ import annotations

import argparse
import gc
import importlib
from collections.abc import Callable

from baton.cli.context import Context

Add = Callable[[str, str, str, str], argparse.ArgumentParser]
"""Adds one command: its name, what runs it as `module.function`, its help in one line, an example."""


def commands(parser: argparse.ArgumentParser, group: str) -> Add:
    """Give what adds commands to a group's parser; `module.function` is `baton.cli.GROUP_module`'s."""
    below = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def add(name: str, run: str, line: str, example: str) -> argparse.ArgumentParser:
        added = below.add_parser(
            name, help=line, description=line, epilog=f"example: {example}", allow_abbrev=False
        )
        added.add_argument("--json", action="store_true", help="one JSON object on stdout")
        added.set_defaults(run=_late(group, run))
        return added

    return add


def _late(group: str, name: str) -> Callable[[argparse.Namespace, Context], int]:
    module, _, function = name.partition(".")

    def run(arguments: argparse.Namespace, context: Context) -> int:
        # Entries are many and hold no cycles: searching them for garbage costs more than reading them.
        gc.disable()
        try:
            found = getattr(importlib.import_module(f"baton.cli.{group}_{module}"), function)
            return int(found(arguments, context))
        finally:
            gc.enable()

    return run
