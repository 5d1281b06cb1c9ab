"""`baton doctor`: every check says ok, wrong or could-not-check, with the command that mends it (design
page cli)."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable

from baton.cli import flushing
from baton.cli.context import Context, json_line
from baton.core.doctor import finding, keeping, program, surroundings, wiring
from baton.core.doctor.finding import Finding, Unseen
from baton.core.errors import BatonError
from baton.edge import rehearsal, versions
from baton.edge.chain_file import ChainFile, Version
from baton.edge.doctor import keeping as keeping_facts
from baton.edge.doctor import program as program_facts
from baton.edge.doctor import surroundings as surrounding_facts
from baton.edge.doctor import wiring as wiring_facts
from baton.hot import clean, passports, reply
from baton.hot import config as configs
from baton.hot.chain import UNFINISHED, UNREADABLE
from baton.hot.config import Config
from baton.hot.flush import outcome as outcomes
from baton.hot.flush.outcome import Outcome
from baton.hot.moments import clock
from baton.hot.project import CONFIG

_COLOURS = {
    finding.OK: "\033[32m{}\033[0m",
    finding.WRONG: "\033[31m{}\033[0m",
    finding.UNKNOWN: "\033[33m{}\033[0m",
}
_NEVER = "never"


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
    if context.as_json:
        reply.write(json_line(finding.data(found)))
    else:
        _clear()
        reply.write(finding.text(found, _colours(context)) + "\n")
    return 1 if any(one.state == finding.WRONG for one in found) else 0


def checked(name: str, context: Context) -> Finding:
    """Make one check. What keeps it from being made keeps no other: it is a finding of its own."""
    _say(f"checking {name}…")
    try:
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


def _say(text: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{text}")
        sys.stderr.flush()


def _clear() -> None:
    _say("")


# ---- the checks: facts from edge, their meaning from core ----


def _config(context: Context) -> Config:
    """The project's settings; what is wrong with them is a finding, not a warning beside it."""
    config = configs.load(context.project)
    config.paths = passports.with_written(config.paths, context.project, context.state)
    return config


def _version(context: Context) -> Version:
    return ChainFile(context.project, context.state, 0).read()


def _python(context: Context) -> Finding:
    return program.python(program_facts.python(context.environ))


def _packages(context: Context) -> Finding:
    needed = bool(passports.candidates(context.project, context.state))
    return program.packages(program_facts.package_folder(context.environ, needed))


def _git(_: Context) -> Finding | Unseen:
    version = program_facts.git()
    return version if isinstance(version, Unseen) else program.git(version)


def _claude(_: Context) -> Finding | Unseen:
    version, oldest = program_facts.claude(), program_facts.engines()
    if isinstance(version, Unseen):
        return version
    return oldest if isinstance(oldest, Unseen) else program.claude(version, oldest)


def _copies(context: Context) -> Finding:
    return program.copies(program_facts.copies(context.environ))


def _command(context: Context) -> Finding:
    return program.command(program_facts.command(context.environ))


def _hooks(context: Context) -> Finding | Unseen:
    facts = wiring_facts.wiring(context.environ, context.project, context.state)
    return facts if isinstance(facts, Unseen) else wiring.registered(facts)


def _fired(context: Context) -> Finding:
    facts = wiring_facts.firing(context.state, context.session)
    moments = (facts.begun, facts.prompted, facts.stopped)
    begun, prompted, stopped = (clock(moment) if moment else _NEVER for moment in moments)
    return wiring.fired(facts, (begun, prompted, stopped))


def _permission(context: Context) -> Finding:
    return wiring.permission(wiring_facts.rules(context.environ, context.project))


def _destination(context: Context) -> Finding | Unseen:
    disabled = context.environ.get("BATON_DISABLED") == "1"
    facts = keeping_facts.destination(context.project, _config(context), disabled)
    return facts if isinstance(facts, Unseen) else keeping.destination(facts)


def _last_flush(context: Context) -> Finding:
    inside = context.inside_claude
    return keeping.last_flush(keeping_facts.last_flush(context.project, context.state, inside))


def _ignored(context: Context) -> Finding | Unseen:
    config = _config(context)
    facts = keeping_facts.ignored(context.project, config)
    return facts if isinstance(facts, Unseen) else keeping.ignored(facts, config.persist)


def _git_locks(context: Context) -> Finding:
    return keeping.git_locks(keeping_facts.git_locks(context.project))


def _own_lock(context: Context) -> Finding:
    return keeping.own_lock(keeping_facts.own_lock(context.state))


def _paths(context: Context) -> Finding:
    facts = keeping_facts.state_paths(context.project, _config(context), context.state)
    return keeping.paths(facts, context.project.root)


def _notes(context: Context) -> Finding:
    return keeping.notes(keeping_facts.notes(context.state))


def _settings(context: Context) -> Finding:
    return keeping.config(tuple(_config(context).problems), context.project.path(CONFIG))


def _chain(context: Context) -> Finding:
    version = _version(context)
    problems = version.chain.problems
    problem = f"{problems[0].code}: {problems[0]}" if problems else ""
    good = versions.newest_readable(context.project) if version.state == UNREADABLE else None
    return keeping.chain(version.state, problem, good.id if good else "")


def _cloud(context: Context) -> Finding:
    return surroundings.cloud(context.project.root, surrounding_facts.cloud(context.project))


def _commit_rules(context: Context) -> Finding | Unseen:
    facts = surrounding_facts.commit_rules(context.project, _config(context))
    return facts if isinstance(facts, Unseen) else surroundings.commit_rules(facts)


def _protection(context: Context) -> Finding | Unseen:
    facts = surrounding_facts.protection(context.project, _config(context))
    return facts if isinstance(facts, Unseen) else surroundings.protection(facts)


def _unsquashed(context: Context) -> Finding | Unseen:
    busy = _version(context).state in (UNFINISHED, UNREADABLE)
    facts = surrounding_facts.ahead(context.project, busy)
    return facts if isinstance(facts, Unseen) else surroundings.unsquashed(facts)


def _reports(context: Context) -> Finding:
    return surroundings.reports(*surrounding_facts.reports(context.environ))


CHECKS: dict[str, Callable[[Context], Finding | Unseen]] = {
    "hooks": _hooks,
    "fired": _fired,
    "last-flush": _last_flush,
    "flush-goes-to": _destination,
    "chain": _chain,
    "settings": _settings,
    "state-paths": _paths,
    "ignored": _ignored,
    "git-locks": _git_locks,
    "own-lock": _own_lock,
    "notes": _notes,
    "permission": _permission,
    "commit-rules": _commit_rules,
    "protected-branch": _protection,
    "unsquashed": _unsquashed,
    "cloud": _cloud,
    "python": _python,
    "packages": _packages,
    "git": _git,
    "claude-code": _claude,
    "version": _copies,
    "command": _command,
    "own-faults": _reports,
}


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
