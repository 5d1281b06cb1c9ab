"""`baton wal start|add|mark|next|verify|run|write|compact|reset`: what changes the chain's content."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from baton.cli import consent, run_line
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

Run = Callable[[argparse.Namespace, Context], int]
Command = Callable[..., argparse.ArgumentParser]
"""Name, what runs it, a line of help and an example → the command's parser."""
Step = Callable[[Chain], Chain]
_MARKS = (TODO, DOING, DONE)


def configure(command: Command) -> None:
    """Describe the commands."""
    _configure_start(command)
    _configure_items(command)
    _configure_lines(command)
    _configure_write(command)
    command("compact", compact, "fold the done items at the head of the chain into one line")
    below = command("reset", reset, "make the chain empty again")
    help_ = "although it is unfinished or unreadable"
    below.add_argument("--abandon", action="store_true", help=help_)


def _configure_start(command: Command) -> None:
    example = "baton wal start 'Ship X' --item 'write it' --next 'write it' --verify 'make test'"
    below = command("start", start, "start a chain", example)
    below.add_argument("goal", metavar="GOAL", help="what the work is for, in one sentence")
    help_ = "one step, again for each; '[!] text — evidence' is fine"
    below.add_argument("--item", action="append", required=True, metavar="TEXT", help=help_)
    help_ = "the one instruction to go on with"
    below.add_argument("--next", required=True, metavar="TEXT", help=help_)
    help_ = "a command that proves the state, again for each"
    below.add_argument("--verify", action="append", required=True, metavar="CMD", help=help_)
    help_ = "replace a chain that is unfinished or unreadable"
    below.add_argument("--force", action="store_true", help=help_)


def _configure_items(command: Command) -> None:
    below = command("add", add, "add an item", "baton wal add 'announce it'")
    below.add_argument("text", metavar="TEXT", help="the step, in a few words")
    help_ = "how far it is (default: todo)"
    below.add_argument("--mark", choices=_MARKS, default=TODO, help=help_)
    _add_proof(below)
    below = command("mark", mark, "mark an item", "baton wal mark 2 done --evidence 'ls docs/x.md'")
    below.add_argument("number", metavar="N", type=int, help="the item's number, from 1")
    below.add_argument("mark", choices=_MARKS, help="how far it is")
    _add_proof(below)


def _add_proof(below: argparse.ArgumentParser) -> None:
    help_ = "a command, a path or a commit id that shows it"
    below.add_argument("--evidence", metavar="E", default="", help=help_)
    help_ = "one more command that proves the state"
    below.add_argument("--verify", action="append", default=[], metavar="CMD", help=help_)


def _configure_lines(command: Command) -> None:
    below = command("next", set_next, "say what comes next", "baton wal next 'run the tests'")
    below.add_argument("text", metavar="TEXT", help="the one instruction to go on with")
    example = "baton wal verify 'grep -c X doc.md  # expect >= 1'"
    below = command("verify", set_verify, "set the commands that prove the state", example)
    help_ = "each can be run now and shows where the work is"
    below.add_argument("commands", metavar="CMD", nargs="+", help=help_)
    line = "put a workflow run's line into the chain, or bring it in step"
    below = command("run", put_run, line, "baton wal run wf_0b147f76-b4d")
    below.add_argument("name", metavar="RUN", help="its folder's name, or a run id")


def _configure_write(command: Command) -> None:
    line = "overwrite the chain with a whole document from stdin"
    below = command("write", write, line, "baton wal write --base 3f2a9c1d0b7e < chain.md")
    help_ = "the revision that was read: baton wal show --json"
    below.add_argument("--base", metavar="REV", required=True, help=help_)
    help_ = "overwrite a chain that is unreadable"
    below.add_argument("--force", action="store_true", help=help_)
    below.epilog = f"{show.FORM}\n{below.epilog}"


def start(arguments: argparse.Namespace, context: Context) -> int:
    """Start a chain; refused while another is unfinished."""

    def step(before: Version) -> Chain:
        if before.state == UNFINISHED and not arguments.force:
            stands = show.summary(before.chain).splitlines()[0]
            message = f"an unfinished chain stands here ({stands}); nothing was written"
            raise BatonError(
                "unsafe-state",
                message,
                "baton tiep goes on with it; baton wal start --force … replaces it",
            )
        lang = before.chain.lang if before.data else context.config.lang
        return edit.start(lang, arguments.goal, arguments.item, arguments.next, arguments.verify)

    if arguments.force:
        consent.give_up(context, context.chain_file.read().state, "the same command again")
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
    version = run_line.put(context, run)
    return _changed(context, version, version.chain)


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
                "baton tiep goes on with it; baton wal reset --abandon gives it up",
            )
        return edit.empty(before.chain.lang if before.data else context.config.lang)

    if arguments.abandon:
        consent.give_up(context, context.chain_file.read().state, "baton wal reset --abandon")
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

    replaced: list[Chain] = []

    def step(before: Version) -> Chain:
        if before.revision != arguments.base:
            raise _moved(context.chain_file, before, arguments.base, document)
        replaced.append(before.chain)
        return edit.whole(document, before.chain)

    version = context.chain_file.change(stamped(context, step), force=arguments.force)
    return _changed(context, version, replaced[0])


def _moved(file: ChainFile, before: Version, base: str, document: bytes) -> BatonError:
    kept = file.keep_refused(document)
    message = (
        f"the chain is no longer {base} but {before.revision} (session {before.chain.session or 'unknown'}, "
        f"{before.chain.updated or 'time unknown'}); it was not overwritten, your text is kept in {kept}"
    )
    return BatonError("chain-changed", message, "baton wal show --json")


def _edit(context: Context, step: Step) -> int:
    edited: list[Chain] = []

    def on_version(before: Version) -> Chain:
        if before.state == ABSENT or before.state == EMPTY:
            message = "there is no chain here yet; nothing was written"
            raise BatonError("invalid-chain", message, show.START)
        edited.append(before.chain)
        return step(before.chain)

    version = context.chain_file.change(stamped(context, on_version))
    return _changed(context, version, edited[0])


def _changed(context: Context, version: Version, before: Chain | None = None) -> int:
    """Answer with the chain as it is now, and doubts that it did not give `before`."""
    for doubt in evidence.doubts(version.chain, context.project, before):
        warn(doubt)
    context.answer(
        show.summary(version.chain), show.data(version.state, version.chain, version.revision)
    )
    return 0
