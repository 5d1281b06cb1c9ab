"""Whether the state files are kept, where, and what is in the way (design page persist)."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from baton.core.doctor.finding import Finding, editing, ok, unknown, wrong
from baton.hot.flush import outcome as outcomes
from baton.hot.project import CHAIN, CONFIG

# Git holds index.lock for moments; an editor of a commit message does not hold it at all.
OLD_SECONDS = 60
DISABLED, OFF, DISK, REF, BRANCH, REFUSED = "disabled", "off", "disk", "ref", "branch", "refused"
_REF_ADVICE = "baton setup --persist ref"
_FLUSH = "baton wal flush"
_NAMED = 3
LEADS_OUT = "a symbolic link out of the project"


@dataclass(frozen=True, slots=True)
class Destination:
    """Where the next flush goes. kind: one of the above. where: branch or ref. why: the reason, or git's words."""

    kind: str
    where: str = ""
    why: str = ""
    top: str = ""


@dataclass(frozen=True, slots=True)
class LastFlush:
    """kind, reason, refused: the last outcome, "" when there was none. kept: when and where content was
    last kept, in words, "" when never. saved: whether that was the chain as it is. chain: whether
    there is one. inside: whether a session asks, whose turn will end. root: the project's folder."""

    kind: str
    reason: str
    refused: tuple[tuple[str, str], ...]
    kept: str
    saved: bool
    chain: bool
    inside: bool
    root: str


@dataclass(frozen=True, slots=True)
class Locks:
    """locks: (path, age in seconds) of git's lock files. git: a running git's subcommand, "" for none."""

    locks: tuple[tuple[str, int], ...]
    git: str


@dataclass(frozen=True, slots=True)
class OwnLock:
    """held: whether somebody holds baton's lock for longer than a moment. pid: 0 when it cannot be told.

    age: for how many seconds that process has run.
    """

    path: str
    held: bool
    pid: int
    command: str
    age: int


@dataclass(frozen=True, slots=True)
class Notes:
    """folder: the state directory, or its nearest parent that exists. writable: whether notes can be put there."""

    folder: str
    writable: bool


def destination(facts: Destination) -> Finding:
    """Where flushes go and why."""
    name = "flush-goes-to"
    found = {
        DISABLED: wrong(name, "nothing is kept: BATON_DISABLED is set", "unset BATON_DISABLED"),
        OFF: wrong(
            name, f'nothing is kept: persist = "off" in {CONFIG}', "baton setup --persist branch"
        ),
        REFUSED: _refused(name, facts),
        DISK: ok(name, "the disk alone: this is not a git repository"),
        REF: ok(name, f"{facts.where}, not the branch: {facts.why}"),
        BRANCH: ok(name, f"the branch {facts.where}"),
    }
    return found[facts.kind]


def _refused(name: str, facts: Destination) -> Finding:
    top = shlex.quote(facts.top)
    if "dubious ownership" in facts.why:
        message = f"nothing is kept: git does not trust this repository: {facts.why}"
        return wrong(name, message, f"git config --global --add safe.directory {top}")
    message = f"nothing is kept: git cannot work in this repository: {facts.why}"
    return wrong(name, message, f"git -C {top} status")


def last_flush(facts: LastFlush) -> Finding:
    """What the last flush came to, and whether the chain is as it was then."""
    name = "last-flush"
    if facts.kind in (outcomes.DEFERRED, outcomes.FAILED):
        return wrong(name, f"not saved ({facts.kind}): {facts.reason}", _FLUSH)
    if facts.refused:
        path, reason = facts.refused[0]
        more = f" (and {len(facts.refused) - 1} more)" if len(facts.refused) > 1 else ""
        fix = _mending(facts.root, path, reason)
        again = "" if fix == _FLUSH else f" && {_FLUSH}"
        return wrong(name, f"left out: {path}: {reason}{more}", fix + again)
    if not facts.chain:
        return ok(name, facts.kept or "there is no chain yet, so nothing has to be kept")
    if not facts.kept:
        return unknown(
            name, "there is a chain, and no flush has left a note here", "baton wal flush"
        )
    if facts.saved:
        return ok(name, facts.kept)
    if facts.inside:
        return ok(name, f"{facts.kept}; the chain has changed since, and this turn's end keeps it")
    return wrong(name, f"{facts.kept}; the chain on disk is newer", _FLUSH)


def ignored(paths: tuple[tuple[str, str], ...], persist: str) -> Finding:
    """State files that git ignores. paths: (path, the rule that ignores it)."""
    name = "ignored"
    if not paths:
        return ok(name, "git ignores no state file")
    told = ", ".join(f"{path} ({rule})" for path, rule in paths[:_NAMED])
    told += f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    if persist != "branch":
        return ok(name, f"git ignores {told}, and nothing goes to the branch anyway")
    message = f"git ignores {told}: kept on baton's ref, not on the branch"
    return wrong(name, message, _REF_ADVICE)


def git_locks(facts: Locks) -> Finding:
    """Locks of git's that lie about. baton deletes none that is not its own."""
    name = "git-locks"
    if not facts.locks:
        return ok(name, "no lock of git's lies about")
    path, age = min(facts.locks, key=lambda lock: lock[1])
    if facts.git:
        return unknown(name, f"{path} is held; git {facts.git} is running here", "baton doctor")
    if age < OLD_SECONDS:
        return unknown(name, f"{path} is {age} s old: a git may be at work", "baton doctor")
    message = f"{path} is {age} s old and no git is seen here: flushes go to baton's ref"
    return wrong(name, message, f"rm -f {shlex.join(path for path, _ in facts.locks)}")


def own_lock(facts: OwnLock) -> Finding:
    """baton's own lock, which nobody holds for longer than a flush takes."""
    name = "own-lock"
    if not facts.held:
        return ok(name, "nobody holds baton's lock")
    if not facts.pid:
        message = f"{facts.path} is held, and this system does not show by whom"
        return unknown(name, message, f"fuser {shlex.quote(facts.path)}")
    message = f"process {facts.pid} ({facts.command}), {facts.age} s old, holds baton's lock"
    if facts.age < OLD_SECONDS:
        return unknown(name, f"{message}: it may be at work", "baton doctor")
    return wrong(name, message, f"kill -KILL {facts.pid}")


def paths(faults: tuple[tuple[str, str], ...], root: str) -> Finding:
    """State paths that cannot be kept as they are. faults: (path, why)."""
    name = "state-paths"
    if not faults:
        return ok(name, "every state path lies inside the project and can be read")
    path, why = faults[0]
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    message = f"{path}: {why}{more}"
    if why.startswith("cannot be"):
        return unknown(name, message, _mending(root, path, why))
    return wrong(name, message, _mending(root, path, why))


def _mending(root: str, path: str, why: str) -> str:
    """Give the command that lets a state path be kept; by the reason for which it was left out."""
    whole, copy = shlex.quote(f"{root}/{path}"), shlex.quote(f"{root}/{path}.copy")
    known = {
        # Copied in, whatever lies there would be committed: a clone can bring such a link along.
        LEADS_OUT: f"rm {whole}",
        "a symbolic link": f"cp -RL {whole} {copy} && rm {whole} && mv {copy} {whole}",
        "cannot be": f"chmod -R u+rwX {whole}",
        "neither a file nor a folder": f"rm {whole}",
        # Its owner takes it out of the list of paths, or out of the way.
        "a repository": editing(f"{root}/{CONFIG}"),
        "larger than": editing(f"{root}/{CONFIG}"),
        "not searched": _FLUSH,
    }
    fits = (command for begin, command in known.items() if why.startswith(begin))
    return next(fits, editing(f"{root}/{path}"))


def notes(facts: Notes) -> Finding:
    """The state directory, without which every turn is a first one."""
    name = "notes"
    if facts.writable:
        return ok(name, f"in {facts.folder}")
    folder = shlex.quote(facts.folder)
    return wrong(name, f"nothing can be written to {facts.folder}", f"chmod u+rwx {folder}")


def config(problems: tuple[str, ...], path: str) -> Finding:
    """What baton.toml says and baton ignores."""
    name = "settings"
    if not problems:
        return ok(name, f"nothing in {CONFIG} is ignored")
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    if "cannot be read" in problems[0]:
        return unknown(name, problems[0], f"ls -ld {shlex.quote(path)}")
    return wrong(name, f"{problems[0]}{more}", editing(path))


def chain(state: str, problem: str, good: str) -> Finding:
    """The chain itself. problem: the first one, in words. good: the id of the newest good version kept."""
    name = "chain"
    if state == "unreadable":
        fix = f"baton wal restore {good}" if good else "baton wal check"
        return wrong(name, f"{CHAIN} cannot be read as a chain: {problem}", fix)
    if problem:
        return wrong(name, f"{CHAIN}: {problem}", "baton wal check")
    return ok(name, {"absent": "there is none"}.get(state, state))
