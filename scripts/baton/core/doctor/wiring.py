"""Whether Claude Code knows baton: its hooks, whether they fired, and what Claude may run unasked."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from baton.core.doctor.finding import Finding, editing, ok, unknown, wrong

PLUGIN = "baton@baton"
# What a session runs by itself; the others are a person's to type.
EVERY_DAY = ("wal", "tiep", "pause", "status")


@dataclass(frozen=True, slots=True)
class Source:
    """One place that registers baton's hooks.

    where: in words. missing: the events that it leaves out. fault: why it cannot work, "" when it
    can. plugin: the plugin's id, "" for a settings file.
    """

    where: str
    missing: tuple[str, ...] = ()
    fault: str = ""
    plugin: str = ""


@dataclass(frozen=True, slots=True)
class Wiring:
    """sources: all that register hooks. off: a plugin that is installed and switched off, "" else.

    faults: (settings file, why Claude Code ignores it). disabled: the settings file that switches
    all hooks off, "" else. marketplace: a folder or address to install from. fired: whether notes of
    hooks are there.
    """

    sources: tuple[Source, ...] = ()
    off: str = ""
    faults: tuple[tuple[str, str], ...] = ()
    disabled: str = ""
    install: str = f"claude plugin install {PLUGIN}"
    fired: bool = False


@dataclass(frozen=True, slots=True)
class Firing:
    """What the hooks left behind, epoch seconds, 0 when nothing: when the newest session began, when
    a person last submitted a prompt in it, when a Stop hook last ran. running: whether that session
    is the one that asks."""

    begun: int
    prompted: int
    stopped: int
    running: bool


@dataclass(frozen=True, slots=True)
class Rules:
    """The permission rules of all settings together, as written. unasked: whether nothing is asked
    for anyway. faults: (settings file, why it could not be read)."""

    allow: tuple[str, ...]
    deny: tuple[tuple[str, str], ...]
    unasked: bool
    faults: tuple[tuple[str, str], ...]


def registered(facts: Wiring) -> Finding:
    """Whether something tells Claude Code of every hook."""
    name = "hooks"
    for path, fault in facts.faults:
        return wrong(name, f"Claude Code ignores {path}: {fault}", editing(path))
    if facts.disabled:
        message = f'"disableAllHooks" in {facts.disabled} switches every hook off'
        return wrong(name, message, editing(facts.disabled))
    working = [source for source in facts.sources if not source.fault]
    if not working:
        return _unregistered(facts)
    missing = set.intersection(*(set(source.missing) for source in working))
    if missing:
        message = f"{_listed(working)} leaves out {', '.join(sorted(missing))}"
        return wrong(name, message, _renewed(working[0]))
    return ok(name, f"registered by {_listed(working)}")


def _unregistered(facts: Wiring) -> Finding:
    name = "hooks"
    if facts.sources:
        source = facts.sources[0]
        return wrong(name, f"{source.where}: {source.fault}", _renewed(source))
    if facts.off:
        message = f"the plugin {facts.off} is installed and switched off"
        return wrong(name, message, f"claude plugin enable {shlex.quote(facts.off)}")
    if facts.fired:
        message = "no settings file and no installed plugin registers them, yet they fired (--plugin-dir?)"
        return unknown(name, message, facts.install)
    return wrong(name, "nothing registers baton's hooks: nothing is saved", facts.install)


def _listed(sources: list[Source]) -> str:
    return " and ".join(source.where for source in sources)


def _renewed(source: Source) -> str:
    if source.plugin:
        return f"claude plugin update {shlex.quote(source.plugin)}"
    return "baton setup --with-hooks"


def fired(facts: Firing, when: tuple[str, str, str]) -> Finding:
    """Whether the hooks really ran in the last session. when: the three times of the facts, in words."""
    name = "fired"
    begun, prompted, stopped = when
    if not facts.begun and not facts.stopped:
        message = "no session has left a note here yet; hooks load when a session starts"
        return unknown(name, message, "claude")
    if facts.stopped and facts.stopped >= facts.begun:
        since = (
            f"in the session begun {begun}"
            if facts.begun
            else "in a session that left no note of its start"
        )
        return ok(name, f"the Stop hook ran {stopped}, {since}")
    if facts.running or facts.prompted < facts.begun:
        message = f"the session began {begun}; no turn of it has ended yet"
        return unknown(name, message, "baton doctor")
    message = (
        f"the last session began {begun} and was last asked something {prompted}, but no Stop hook ran: "
        "it was killed in mid-turn, or the hook is not loaded"
    )
    return wrong(name, message, "claude")


def permission(facts: Rules) -> Finding:
    """Whether Claude may run baton's everyday commands without asking each time."""
    name = "permission"
    for path, rule in facts.deny:
        return wrong(name, f"{path} denies {rule}", editing(path))
    if facts.unasked:
        return ok(name, "this permission mode asks for nothing")
    asked = [group for group in EVERY_DAY if not any(_covers(rule, group) for rule in facts.allow)]
    if not asked:
        return ok(name, "Claude may run baton's everyday commands unasked")
    if facts.faults:
        path, fault = facts.faults[0]
        return unknown(name, f"{path} could not be read: {fault}", editing(path))
    commands = ", ".join(f"`baton {group}`" for group in asked)
    return wrong(name, f"no settings allow {commands}: Claude asks each time", "baton setup")


def _covers(rule: str, group: str) -> bool:
    if rule in ("Bash", "Bash(*)"):
        return True
    inner = rule.removeprefix("Bash(").removesuffix(")")
    stem = inner.removesuffix("*").rstrip(": ")
    return inner != rule and inner.endswith("*") and stem in ("baton", f"baton {group}")
