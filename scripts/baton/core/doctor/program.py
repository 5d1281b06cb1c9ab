"""What baton runs on: the interpreter of the hooks, its packages, git, Claude Code, its own copy."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from baton.core.doctor.finding import Finding, ok, unknown, wrong

Version = tuple[int, ...]
OLDEST_PYTHON: Version = (3, 11)
# core.fsync, by which git's own share of a commit reaches the disk, is of this version.
OLDEST_GIT: Version = (2, 36)
_UNSEEN_BY_CLAUDE = "'\"$`\\"


@dataclass(frozen=True, slots=True)
class Python:
    """memory: the file in which hooks/run remembers its interpreter, "" where it has no place for one.

    remembered: what stands there, "" when nothing does. version: its answer, () when it gives none.
    """

    memory: str
    remembered: str
    version: Version


@dataclass(frozen=True, slots=True)
class Packages:
    """folder: where the packages are kept. there: whether it exists. missing: those it lacks. needed:
    whether a passport or pipeline in the project needs them."""

    folder: str
    there: bool
    missing: tuple[str, ...]
    needed: bool


@dataclass(frozen=True, slots=True)
class Plugin:
    """root: baton's own folder. running: its version. installed: (name, version) of each installed copy."""

    root: str
    running: str
    installed: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Command:
    """root: baton's own folder. plugin: whether that is a plugin's. inside: whether a session asks.
    found: the `baton` on the PATH of who asks, "" when there is none. registered: whether a plugin or a
    project's hooks put one on the PATH of sessions. install: the command that makes it so."""

    root: str
    plugin: bool
    inside: bool
    found: str
    registered: bool
    install: str


def shown(version: Version) -> str:
    """Give a version as people write it."""
    return ".".join(map(str, version))


def python(facts: Python) -> Finding:
    """The interpreter that every turn starts."""
    name = "python"
    if not facts.memory:
        return unknown(
            name, "neither HOME nor XDG_DATA_HOME says where the interpreter is remembered"
        )
    folder = shlex.quote(facts.memory.rpartition("/")[0])
    if not facts.remembered:
        message = f"no interpreter is remembered in {facts.memory}: each turn pays for a search"
        return wrong(name, message, f"mkdir -p {folder} && chmod u+rwx {folder} && baton --version")
    forget = f"rm -f {shlex.quote(facts.memory)} && baton --version"
    if not facts.version:
        return wrong(name, f"the hooks' interpreter {facts.remembered} does not answer", forget)
    if facts.version < OLDEST_PYTHON:
        message = (
            f"the hooks' interpreter {facts.remembered} is {shown(facts.version)}; 3.11 is needed"
        )
        return wrong(name, message, forget)
    return ok(name, f"hooks start {facts.remembered} ({shown(facts.version)})")


def packages(facts: Packages) -> Finding:
    """What passports and pipelines need besides Python."""
    name = "packages"
    if not facts.there and not facts.needed:
        return ok(
            name,
            "not made yet; the first passport or pipeline command makes them (needs the network once)",
        )
    if not facts.there:
        message = "passports and pipelines could not be checked: the packages that they need are not made yet"
        return wrong(name, message, "baton environment")
    if facts.missing:
        message = f"{facts.folder} lacks {', '.join(facts.missing)}"
        return wrong(name, message, f"rm -rf {shlex.quote(facts.folder)} && baton environment")
    return ok(name, f"in {facts.folder}")


def git(version: Version) -> Finding:
    """The git that flushes talk to; () when none is on PATH."""
    if not version:
        return wrong("git", "git is not on PATH: nothing is kept", "sudo apt-get install git")
    if version < OLDEST_GIT:
        message = f"git {shown(version)}: a commit reaches the disk for certain from 2.36 on"
        return wrong("git", message, "sudo apt-get install git")
    return ok("git", f"git {shown(version)}")


def claude(version: Version, oldest: Version) -> Finding:
    """Claude Code beside what the plugin's manifest asks for; () when none is on PATH."""
    name = "claude-code"
    if not version:
        return unknown(name, "no `claude` on this PATH, so its version could not be asked")
    if version < oldest:
        message = f"Claude Code {shown(version)}: the plugin needs {shown(oldest)} or newer"
        return wrong(name, message, "claude update")
    return ok(name, f"Claude Code {shown(version)}, the plugin needs {shown(oldest)}")


def copies(facts: Plugin) -> Finding:
    """The installed plugin beside the baton that answers here: two versions read each other's notes."""
    name = "version"
    if not facts.installed:
        return ok(name, f"baton {facts.running}, no other copy is installed as a plugin")
    for plugin, version in facts.installed:
        if version != facts.running:
            message = f"this is baton {facts.running}, the installed plugin {plugin} is {version}"
            return wrong(name, message, f"claude plugin update {shlex.quote(plugin)}")
    return ok(name, f"baton {facts.running}, as installed")


def command(facts: Command) -> Finding:
    """Whether Claude finds `baton`: from some plugin folders it does not, without a word (design page host)."""
    name = "command"
    odd = sorted(set(_UNSEEN_BY_CLAUDE) & set(facts.root))
    move = f"mv {shlex.quote(facts.root)} ~/baton"
    if facts.plugin and odd:
        message = f"{facts.root} holds {' '.join(odd)}: Claude Code leaves its bin/ off the PATH"
        return wrong(name, message, move)
    if facts.inside and facts.found:
        return ok(name, f"`baton` is {facts.found}")
    if facts.inside:
        message = "this session has no `baton` on its PATH: its plugin was not loaded at the start"
        return wrong(name, message, "claude")
    if facts.registered:
        typed = facts.found or shlex.quote(f"{facts.root}/bin/baton")
        return ok(name, f"sessions find `baton`; at this terminal it is {typed}")
    message = "nothing registers baton, so only a session can tell whether it finds `baton`"
    return unknown(name, message, facts.install)
