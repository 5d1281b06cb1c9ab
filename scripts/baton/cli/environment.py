"""`baton environment`: makes the packages that passport and pipeline commands need."""

from __future__ import annotations

import argparse

from baton.cli.context import Context, warn
from baton.edge import packages


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.epilog = "example: baton environment"
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    parser.set_defaults(run=run)


def run(_: argparse.Namespace, context: Context) -> int:
    """Make sure of the packages and say where they are."""
    folder = packages.ensure(warn)
    context.answer(f"the packages are in {folder}", {"folder": folder})
    return 0
