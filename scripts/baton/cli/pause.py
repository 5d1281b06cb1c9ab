"""`baton pause`: close cleanly, by name, and say where it is safe (design page chain)."""

from __future__ import annotations

import argparse
import os

from baton.cli import flushing
from baton.cli.context import Context
from baton.core import secrecy
from baton.core.errors import BatonError
from baton.hot.pause import pause


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.epilog = "example: baton pause --include src/parser.py -m 'half of the grammar is in'"
    help_ = "a file in progress to commit as well, by name; once for each"
    parser.add_argument("--include", action="append", default=[], metavar="PATH", help=help_)
    parser.add_argument(
        "-m", "--message", default="", metavar="WORDS", help="kept as the commit's body"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Commit and report; exit 0 only when it is safe to leave."""
    secrecy.check(os.fsencode(arguments.message), "--message", "nothing was committed")
    include = tuple(_relative(path, context) for path in arguments.include)
    paused = pause(context.project, context.state, context.config, arguments.message, include)
    data = {"safe": paused.safe, "report": paused.lines, **flushing.data(paused.outcome)}
    context.answer("\n".join(paused.lines), data)
    return 0 if paused.safe else flushing.exit_code(paused.outcome) or 1


def _relative(path: str, context: Context) -> str:
    """A path as typed, from the working folder, as the project names it."""
    full = os.path.abspath(path)
    root = context.project.root
    inside = os.path.join(os.path.realpath(os.path.dirname(full)), os.path.basename(full))
    if inside != root and not inside.startswith(root.rstrip(os.sep) + os.sep):
        raise BatonError(
            "bad-path",
            f"--include {path}: outside the project {root}; nothing was committed",
            "baton pause --include PATH",
        )
    if not os.path.isfile(inside) or os.path.islink(inside):
        raise BatonError(
            "bad-path",
            f"--include {path}: no regular file; name files one by one; nothing was committed",
            "baton pause --include PATH",
        )
    return os.path.relpath(inside, root).replace(os.sep, "/")
