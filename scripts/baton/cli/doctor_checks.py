"""The checks of `baton doctor`, each by its name: the facts come from edge, their meaning from core."""

from __future__ import annotations

from collections.abc import Callable

from baton.cli.context import Context
from baton.core.doctor import keeping, program, surroundings, wiring
from baton.core.doctor.finding import Finding, Unseen
from baton.edge import versions
from baton.edge.chain_file import ChainFile, Version
from baton.edge.doctor import keeping as keeping_facts
from baton.edge.doctor import program as program_facts
from baton.edge.doctor import surroundings as surrounding_facts
from baton.edge.doctor import wiring as wiring_facts
from baton.hot import config as configs
from baton.hot import passports, pipelines
from baton.hot.chain import UNFINISHED, UNREADABLE
from baton.hot.config import Config
from baton.hot.moments import clock
from baton.hot.project import CONFIG

_NEVER = "never"


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
    held = passports.candidates(context.project, context.state)
    needed = bool(held) or pipelines.exist(context.project)
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


def _command(context: Context) -> Finding | Unseen:
    facts = wiring_facts.wiring(context.environ, context.project, context.state)
    if isinstance(facts, Unseen):
        return facts
    return program.command(program_facts.command(context.environ, facts))


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
    facts = keeping_facts.ignored(context.project, config, context.state)
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
