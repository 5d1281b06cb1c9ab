"""`baton doctor`: every check says ok, wrong or could-not-check, with the command that mends it (design
page cli)."""

from __future__ import annotations

import argparse
import os

from baton.cli import flushing
from baton.cli.busy import busy
from baton.cli.context import Context
from baton.cli.doctor_checks import CHECKS
from baton.core.doctor import finding
from baton.core.doctor.finding import Finding, Unseen
from baton.core.errors import BatonError
from baton.edge import rehearsal
from baton.hot import clean
from baton.hot import config as configs
from baton.hot.flush import outcome as outcomes
from baton.hot.flush.outcome import Outcome

_COLOURS = {
    finding.OK: "\033[32m{}\033[0m",
    finding.WRONG: "\033[31m{}\033[0m",
    finding.UNKNOWN: "\033[33m{}\033[0m",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.epilog = "example: baton doctor --simulate"
    parser.add_argument(
        "--simulate",
        action="store_true",
        help="say what a Stop would commit now; nothing is changed",
    )
    parser.add_argument("--json", action="store_true", help="the findings as JSON on stdout")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Check, or rehearse a Stop; exit 1 when something is wrong."""
    if arguments.simulate:
        return _simulate(context)
    found = [checked(name, context) for name in CHECKS]
    data = finding.data(found)
    context.answer(finding.text(found, _colours(context)), data)
    return 0 if data["ok"] else 1


def checked(name: str, context: Context) -> Finding:
    """Make one check. What keeps it from being made keeps no other: it is a finding of its own."""
    try:
        with busy(f"checking {name}"):
            found = CHECKS[name](context)
    except (OSError, ValueError) as error:
        place = getattr(error, "filename", None)
        words = getattr(error, "strerror", None) or str(error)
        found = Unseen(f"{os.fsdecode(place)}: {words}" if place else words)
    except BatonError as error:
        found = Unseen(error.message, error.hint)
    if isinstance(found, Unseen):
        return finding.unknown(name, found.reason, found.fix)
    return found


def _colours(context: Context) -> dict[str, str]:
    return _COLOURS if os.isatty(1) and not context.environ.get("NO_COLOR") else {}


# ---- a Stop without consequences ----


def _simulate(context: Context) -> int:
    try:
        config = configs.load(context.project)
        outcome = rehearsal.rehearse(context.project, context.state, config)
    except OSError as error:
        outcome = Unseen(f"{error.filename or context.project.root}: {error.strerror}")
    if isinstance(outcome, Unseen):
        raise BatonError("io", f"a Stop cannot be rehearsed here: {outcome.reason}", "baton doctor")
    context.answer(_rehearsed(outcome), flushing.data(outcome))
    return 1 if outcome.refused or flushing.exit_code(outcome) else 0


_WOULD = {
    outcomes.COMMITTED: "would commit on {ref}:",
    outcomes.PARKED: "would keep on {ref}:",
    outcomes.UNCHANGED: "would change nothing",
    outcomes.REFUSED: "would keep nothing new",
    outcomes.DISABLED: "would keep nothing",
    outcomes.DEFERRED: "would leave it to the next one",
    outcomes.FAILED: "would fail",
}


def _rehearsed(outcome: Outcome) -> str:
    """Say what a Stop would come to."""
    words = _WOULD[outcome.kind].format(ref=outcome.ref.removeprefix("refs/heads/"))
    lines = [f"a Stop now {words}"]
    lines += [f"  {clean.line(path)}" for path in outcome.paths]
    lines += [f"  left out {clean.line(path)}: {clean.line(why)}" for path, why in outcome.refused]
    return "\n".join([*lines, *([f"  because: {outcome.reason}"] if outcome.reason else [])])
