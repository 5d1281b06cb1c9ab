"""`baton wal …`: everything that changes or shows the work chain (design page chain)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from baton.cli import flushing, run_line, wal_versions
from baton.cli.context import Context, warn
from baton.cli.stamping import stamped
from baton.core import secrecy
from baton.core.chain import edit, show
from baton.core.errors import BatonError
from baton.edge import evidence
from baton.edge.chain_file import ChainFile, Version
from baton.edge.runs import folder
from baton.hot.chain import (
    ABSENT,
    DOING,
    DONE,
    EMPTY,
    MAX_BYTES,
    TODO,
    UNFINISHED,
    UNREADABLE,
    Chain,
)
from baton.hot.project import CHAIN

Step = Callable[[Chain], Chain]


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the group's commands."""
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def command(
        name: str, run: Callable[..., int], line: str, example: str = ""
    ) -> argparse.ArgumentParser:
        epilog = f"example: {example or f'baton wal {name}'}"
        below = commands.add_parser(
            name, help=line, description=line, epilog=epilog, allow_abbrev=False
        )
        below.add_argument("--json", action="store_true", help="one JSON object on stdout")
        below.set_defaults(run=run)
        return below

    command("init", init, "make the empty chain file where there is none")
    for name, run, line in (
        ("show", show_chain, "print the chain"),
        ("check", check, "check the chain's grammar; exit 1 when something is wrong"),
        ("flush", flush, "put the state files into git now, as the Stop hook does"),
        ("log", wal_versions.log, "list the versions of the chain that git keeps"),
    ):
        command(name, run, line)
    _configure_changes(command)


def _configure_changes(command: Callable[..., argparse.ArgumentParser]) -> None:
    below = command(
        "start",
        start,
        "start a chain",
        "baton wal start 'Ship X' --item 'write it' --next 'write it' --verify 'make test'",
    )
    below.add_argument("goal", metavar="GOAL", help="what the work is for, in one sentence")
    below.add_argument(
        "--item",
        action="append",
        required=True,
        metavar="TEXT",
        help="one step, again for each; '[!] text — evidence' is fine",
    )
    below.add_argument(
        "--next", required=True, metavar="TEXT", help="the one instruction to go on with"
    )
    below.add_argument(
        "--verify",
        action="append",
        required=True,
        metavar="CMD",
        help="a command that proves the state, again for each",
    )
    below.add_argument(
        "--force", action="store_true", help="replace a chain that is unfinished or unreadable"
    )

    below = command("add", add, "add an item", "baton wal add 'announce it'")
    below.add_argument("text", metavar="TEXT", help="the step, in a few words")
    below.add_argument(
        "--mark", choices=(TODO, DOING, DONE), default=TODO, help="how far it is (default: todo)"
    )
    _evidence(below)

    below = command("mark", mark, "mark an item", "baton wal mark 2 done --evidence 'ls docs/x.md'")
    below.add_argument("number", metavar="N", type=int, help="the item's number, from 1")
    below.add_argument("mark", choices=(TODO, DOING, DONE), help="how far it is")
    _evidence(below)

    below = command("next", set_next, "say what comes next", "baton wal next 'run the tests'")
    below.add_argument("text", metavar="TEXT", help="the one instruction to go on with")
    command(
        "verify",
        set_verify,
        "set the commands that prove the state",
        "baton wal verify 'grep -c X doc.md  # expect >= 1'",
    ).add_argument(
        "commands", metavar="CMD", nargs="+", help="each can be run now and shows where the work is"
    )

    below = command(
        "run",
        put_run,
        "put a workflow run's line into the chain, or bring it in step",
        "baton wal run wf_0b147f76-b4d",
    )
    below.add_argument("name", metavar="RUN", help="its folder's name, or a run id")

    below = command(
        "write",
        write,
        "overwrite the chain with a whole document from stdin",
        "baton wal write --base 3f2a9c1d0b7e < chain.md",
    )
    below.add_argument(
        "--base",
        metavar="REV",
        required=True,
        help="the revision that was read: baton wal show --json",
    )
    below.add_argument("--force", action="store_true", help="overwrite a chain that is unreadable")

    command("compact", compact, "fold the done items at the head of the chain into one line")
    below = command(
        "restore", wal_versions.restore, "bring back a kept version", "baton wal restore newest"
    )
    below.add_argument("version", metavar="VERSION", help="an id out of `baton wal log`, or newest")
    below.add_argument(
        "--force", action="store_true", help="although an unfinished chain stands here"
    )
    below = command("reset", reset, "make the chain empty again")
    below.add_argument(
        "--abandon", action="store_true", help="although it is unfinished or unreadable"
    )


def _evidence(below: argparse.ArgumentParser) -> None:
    below.add_argument(
        "--evidence", metavar="E", default="", help="a command, a path or a commit id that shows it"
    )
    below.add_argument(
        "--verify",
        action="append",
        default=[],
        metavar="CMD",
        help="one more command that proves the state",
    )


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


def start(arguments: argparse.Namespace, context: Context) -> int:
    """Start a chain; refused while another is unfinished."""

    def step(before: Version) -> Chain:
        if before.state == UNFINISHED and not arguments.force:
            stands = show.summary(before.chain).splitlines()[0]
            message = f"an unfinished chain stands here ({stands}); nothing was written"
            raise BatonError(
                "unsafe-state",
                message,
                "/tiep goes on with it; baton wal start --force … replaces it",
            )
        lang = before.chain.lang if before.data else context.config.lang
        return edit.start(lang, arguments.goal, arguments.item, arguments.next, arguments.verify)

    return _changed(
        context, context.chain_file.change(stamped(context, step), force=arguments.force)
    )


def add(arguments: argparse.Namespace, context: Context) -> int:
    """Add an item."""
    return _edit(
        context,
        lambda chain: edit.add(
            chain, arguments.text, arguments.evidence, arguments.mark, arguments.verify
        ),
    )


def mark(arguments: argparse.Namespace, context: Context) -> int:
    """Mark an item."""
    return _edit(
        context,
        lambda chain: edit.mark(
            chain, arguments.number, arguments.mark, arguments.evidence, arguments.verify
        ),
    )


def set_next(arguments: argparse.Namespace, context: Context) -> int:
    """Set the next step."""
    return _edit(context, lambda chain: edit.set_next(chain, arguments.text))


def set_verify(arguments: argparse.Namespace, context: Context) -> int:
    """Set the verify commands."""
    return _edit(context, lambda chain: edit.set_verify(chain, arguments.commands))


def put_run(arguments: argparse.Namespace, context: Context) -> int:
    """Put a run's line, with its five fields as its folder shows them."""
    run = folder.load(folder.find(context.project, context.state, arguments.name))
    return _changed(context, run_line.put(context, run))


def compact(_: argparse.Namespace, context: Context) -> int:
    """Fold what is done."""
    return _edit(context, edit.compact)


def reset(arguments: argparse.Namespace, context: Context) -> int:
    """Put the empty file in the chain's place."""

    def step(before: Version) -> Chain:
        if before.state in (UNFINISHED, UNREADABLE) and not arguments.abandon:
            message = f"the chain is {before.state}; nothing was written"
            raise BatonError(
                "unsafe-state",
                message,
                "/tiep goes on with it; baton wal reset --abandon gives it up",
            )
        return edit.empty(before.chain.lang if before.data else context.config.lang)

    version = context.chain_file.change(step, force=arguments.abandon)
    context.answer(f"{CHAIN} is empty", {"rev": version.revision})
    return 0


def write(arguments: argparse.Namespace, context: Context) -> int:
    """Overwrite the chain with a document from stdin, if it still is what the writer read."""
    document = sys.stdin.buffer.read(MAX_BYTES + 1)
    if not document.strip():
        raise BatonError(
            "usage", "no document came on stdin; nothing was written", "baton wal write --help"
        )
    # Before all else: a text that is refused for another reason may be kept beside the chain.
    secrecy.check(document, "the document", "nothing was written, nor was it kept beside the chain")

    def step(before: Version) -> Chain:
        if before.revision != arguments.base:
            raise _moved(context.chain_file, before, arguments.base, document)
        return edit.whole(document, before.chain)

    return _changed(
        context, context.chain_file.change(stamped(context, step), force=arguments.force)
    )


def _moved(file: ChainFile, before: Version, base: str, document: bytes) -> BatonError:
    kept = file.keep_refused(document)
    message = (
        f"the chain is no longer {base} but {before.revision} (session {before.chain.session or 'unknown'}, "
        f"{before.chain.updated or 'time unknown'}); it was not overwritten, your text is kept in {kept}"
    )
    return BatonError("chain-changed", message, "baton wal show --json")


def flush(_: argparse.Namespace, context: Context) -> int:
    """Put the state files into git."""
    outcome = flushing.flush(context)
    context.answer(flushing.sentence(outcome, context), flushing.data(outcome))
    return flushing.exit_code(outcome)


def _edit(context: Context, step: Step) -> int:
    def on_version(before: Version) -> Chain:
        if before.state == ABSENT or before.state == EMPTY:
            message = "there is no chain here yet; nothing was written"
            raise BatonError("invalid-chain", message, show.START)
        return step(before.chain)

    return _changed(context, context.chain_file.change(stamped(context, on_version)))


def _changed(context: Context, version: Version) -> int:
    for doubt in evidence.doubts(version.chain, context.project):
        warn(doubt)
    context.answer(
        show.summary(version.chain), show.data(version.state, version.chain, version.revision)
    )
    return 0
