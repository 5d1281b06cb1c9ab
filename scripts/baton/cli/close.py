"""`baton close`: the branch without baton's trailing commits, the chain empty (design page chain)."""

from __future__ import annotations

import argparse
import os

from baton.cli import consent, flushing
from baton.cli.context import Context
from baton.core import close, close_report, secrecy
from baton.core.chain import edit
from baton.core.close import AGAIN, UNTOUCHED, Facts, Run
from baton.core.close_report import Closing
from baton.core.errors import BatonError
from baton.edge import closing
from baton.edge.chain_file import Version
from baton.edge.closing import Closed
from baton.hot.chain import Chain
from baton.hot.flush import flush as flushes
from baton.hot.flush import record
from baton.hot.flush.routes import OWN_REF
from baton.hot.lock import Locked
from baton.hot.project import CHAIN

Looked = tuple[Facts | None, Run, Closed]
_NOTHING: Looked = (None, Run((), "", ""), Closed("", "", False))


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.epilog = "example: baton close -m 'The grammar is complete'"
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, do nothing")
    help_ = "make the closing commit; without it all is left staged, for your own git commit"
    parser.add_argument("-m", "--message", metavar="MSG", help=help_)
    help_ = "although the chain is unfinished: only a person may say so"
    parser.add_argument("--abandon", action="store_true", help=help_)
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Squash, then empty the chain; or say what would be done."""
    message: str | None = arguments.message
    close.check_message(message)
    secrecy.check(os.fsencode(message or ""), "-m", UNTOUCHED)
    if arguments.dry_run:
        return _rehearse(message, arguments.abandon, context)
    before = context.chain_file.read()
    close.check_chain(before.state, before.chain, abandon=arguments.abandon)
    facts, _, _ = _look(context)
    if facts:
        close.check_repository(facts, message)
    if arguments.abandon:
        consent.give_up(context, before.state, f"{AGAIN} --abandon")
    _keep(context)
    looked = _squash(message, context)
    emptied = _empty(arguments.abandon, context)
    report = _closing(looked, message, emptied, context)
    context.answer("\n".join(close_report.done(report)), close_report.data(report, ""))
    return 0


def _rehearse(message: str | None, abandon: bool, context: Context) -> int:
    looked, refusal = _NOTHING, None
    before = context.chain_file.read()
    try:
        looked = _look(context)
        if looked[0]:
            close.check_repository(looked[0], message)
        close.check_chain(before.state, before.chain, abandon=abandon)
    except BatonError as error:
        refusal = error
    report = _closing(looked, message, before.data is not None, context)
    keeps = context.config.persist != "off"
    changed = keeps and record.look(context.project, context.state) == record.CHANGED
    if refusal is None:
        lines = close_report.planned(report, changed)
        context.answer("\n".join(lines), close_report.data(report, ""))
        return 0
    lines = close_report.refused(refusal.message, refusal.hint)
    context.answer("\n".join(lines), close_report.data(report, refusal.message))
    return refusal.exit


def _closing(looked: Looked, message: str | None, chain: bool, context: Context) -> Closing:
    facts, found, made = looked
    off = OWN_REF if context.config.persist == "ref" else ""
    return Closing(facts, found, message, off, made.backup, made.commit, made.waits, chain)


def _look(context: Context) -> Looked:
    checkout = context.project.checkout
    if checkout is None:
        return _NOTHING
    with closing.git_of(checkout) as git:
        facts = closing.look(git, context.project, checkout, context.config.paths)
    return facts, close.trailing(facts), _NOTHING[2]


def _keep(context: Context) -> None:
    """What is on disk is kept before anything is taken away. Raises unsafe-state when it is not."""
    outcome = flushes.flush(context.project, context.state, context.config)
    failed = outcome.reason if flushing.exit_code(outcome) == 5 else ""
    why = failed or dict(outcome.refused).get(CHAIN, "")
    if why:
        message = f"the chain could not be kept first ({why}); {UNTOUCHED}"
        raise BatonError("unsafe-state", message, "baton wal flush")


def _squash(message: str | None, context: Context) -> Looked:
    checkout, wait = context.project.checkout, context.config.lock_wait
    if checkout is None:
        return _NOTHING
    try:
        with context.state.lock(wait), closing.git_of(checkout) as git:
            facts = closing.look(git, context.project, checkout, context.config.paths)
            close.check_repository(facts, message)
            found = close.trailing(facts)
            made = closing.squash(git, checkout, context.state, facts, found, message)
            return facts, found, made
    except Locked:
        text = f"another baton held its lock for {wait} s; {UNTOUCHED}"
        raise BatonError("locked", text, AGAIN) from None
    except OSError as error:
        text = f"{error.filename or 'the repository'}: {error.strerror}; the chain is as it was"
        raise BatonError("io", text, AGAIN) from error


def _empty(abandon: bool, context: Context) -> bool:
    """Put the empty file in the chain's place; whether there was a chain."""

    def step(before: Version) -> Chain:
        close.check_chain(before.state, before.chain, abandon=abandon)
        return edit.empty(before.chain.lang)

    if context.chain_file.read().data is None:
        return False
    context.chain_file.change(step, force=True)
    return True
