"""`baton wal …`: everything that changes or shows the work chain (design page chain).

Here is what looks at it, makes its file and puts it into git.
"""

from __future__ import annotations

import argparse

from baton.cli import flushing, wal_edit, wal_versions
from baton.cli.context import Context
from baton.cli.wal_edit import Run
from baton.core.chain import edit, show
from baton.edge import evidence
from baton.hot.chain import ABSENT
from baton.hot.project import CHAIN


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the group's commands."""
    parser.epilog = "example: baton wal show"
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def command(name: str, run: Run, line: str, example: str = "") -> argparse.ArgumentParser:
        epilog = f"example: {example or f'baton wal {name}'}"
        below = commands.add_parser(
            name, help=line, description=line, epilog=epilog, allow_abbrev=False
        )
        below.add_argument("--json", action="store_true", help="one JSON object on stdout")
        below.set_defaults(run=run)
        return below

    command("init", init, "make the empty chain file where there is none")
    command("show", show_chain, "print the chain")
    command("check", check, "check the chain's grammar; exit 1 when something is wrong")
    command("flush", flush, "put the state files into git now, as the Stop hook does")
    wal_edit.configure(command)
    wal_versions.configure(command)


def init(_: argparse.Namespace, context: Context) -> int:
    """Make the empty file; an existing one is left as it is."""
    version = context.chain_file.read()
    if version.state == ABSENT:
        version = context.chain_file.change(
            lambda now: now.chain if now.data is not None else edit.empty(context.config.lang)
        )
        context.answer(f"{CHAIN} is there, empty", {"rev": version.revision})
    else:
        context.answer(
            f"{CHAIN} is there already ({version.state}); it was left as it is",
            {"rev": version.revision},
        )
    return 0


def show_chain(_: argparse.Namespace, context: Context) -> int:
    """Print the chain as it stands in its file."""
    version = context.chain_file.read()
    text = show.text(version.state, version.chain, version.data or b"")
    context.answer(text, show.data(version.state, version.chain, version.revision))
    return 0


def check(_: argparse.Namespace, context: Context) -> int:
    """Name every problem of the chain with its line, and doubtful evidence."""
    version = context.chain_file.read()
    problems = version.chain.problems
    doubts = evidence.doubts(version.chain, context.project)
    lines = [f"{CHAIN}: {problem.code}: {problem}" for problem in problems] + [
        f"warning: {doubt}" for doubt in doubts
    ]
    rows: list[object] = [{"line": p.line, "code": p.code, "message": p.message} for p in problems]
    context.answer(
        "\n".join(lines) or f"{CHAIN}: {version.state}, nothing wrong",
        {"ok": not problems, "problems": rows, "warnings": doubts},
    )
    return 1 if problems else 0


def flush(_: argparse.Namespace, context: Context) -> int:
    """Put the state files into git."""
    outcome = flushing.flush(context)
    context.answer(flushing.sentence(outcome, context), flushing.data(outcome))
    return flushing.exit_code(outcome)
