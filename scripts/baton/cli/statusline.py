"""`baton statusline`: one line for Claude Code's status line (design page notice).

The launcher's door knows this command and goes straight to the hot tier; this is the way round by
the options.
"""

from __future__ import annotations

import argparse
import os

from baton.cli.context import Context
from baton.hot import statusline


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.epilog = "example: baton statusline"
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Print the line."""
    named = arguments.project
    statusline.main(context.environ, named=os.path.abspath(named) if named else "")
    return 0
