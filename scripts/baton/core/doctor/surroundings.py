"""What the project lies in and goes to: synchronised folders, rules for commits, pushes to come."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from baton.core.doctor.finding import Finding, ok, unknown, wrong
from baton.hot import clean
from baton.hot.project import OWN

_REF_ADVICE = "baton setup --persist ref --untrack"


@dataclass(frozen=True, slots=True)
class Rules:
    """found: what asks something of every commit, in words. persist: where state files go. chosen:
    whether the project's settings say so themselves."""

    found: tuple[str, ...]
    persist: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Ahead:
    """remotes: whether there are any. subjects: of the commits that no remote has. busy: whether the
    chain is unfinished."""

    remotes: bool
    subjects: tuple[str, ...]
    busy: bool


@dataclass(frozen=True, slots=True)
class Protection:
    """branch: where HEAD is, "" when detached or outside git. shared: the remote's branches of that
    name that others start from. rules: files in the repository that say what is protected. persist:
    where state files go."""

    branch: str
    shared: str
    rules: tuple[str, ...]
    persist: str


def cloud(root: str, service: str) -> Finding:
    """A folder that a service synchronises. service: its name, "" when no sign of one is there."""
    if not service:
        return ok("cloud", "no sign of a service that synchronises this folder")
    name = root.rstrip("/").rpartition("/")[2]
    message = f"{service} synchronises this folder; it can hold git's locks at a bad moment"
    return wrong("cloud", message, f"mv {shlex.quote(root)} ~/{shlex.quote(name)}")


def commit_rules(facts: Rules) -> Finding:
    """Hooks for messages and signing, which baton's own commits on the branch pass by."""
    name = "commit-rules"
    if not facts.found:
        return ok(name, "nothing here asks for a form of commit messages or for signatures")
    told = ", ".join(facts.found[:3])
    if facts.persist != "branch":
        return ok(name, f"{told}; baton commits nothing to the branch")
    if facts.chosen:
        return ok(name, f'{told}; persist = "branch" is set all the same')
    message = f"{told}: baton's commits `wal: …` on the branch are unsigned and pass no hook"
    return wrong(name, message, _REF_ADVICE)


def protection(facts: Protection) -> Finding:
    """A branch that a server may refuse pushes to."""
    name = "protected-branch"
    if not facts.branch or facts.persist != "branch":
        return ok(name, "baton commits nothing to a branch here")
    if facts.rules:
        message = f"{facts.rules[0]} protects branches; `wal: …` commits would be pushed with {facts.branch}"
        return wrong(name, message, _REF_ADVICE)
    if facts.shared:
        message = (
            f"whether the server protects {facts.branch} ({facts.shared}) cannot be seen from here"
        )
        return unknown(name, message, _REF_ADVICE)
    return ok(name, f"no sign that anybody protects {facts.branch}")


def unsquashed(facts: Ahead) -> Finding:
    """`wal: …` commits that the next push would publish."""
    name = "unsquashed"
    flushes = [subject for subject in facts.subjects if subject.startswith(OWN)]
    if not facts.remotes:
        return ok(name, "there is no remote to push to")
    if not flushes:
        return ok(name, "no `wal: …` commit waits to be pushed")
    plural = "s" if len(flushes) > 1 else ""
    told = f"{len(flushes)} commit{plural} `wal: …` would be pushed"
    if facts.busy:
        return ok(name, f"{told}; `/close` folds them up when the work is done")
    last = clean.quoted(flushes[0], 40)
    return wrong(name, f"{told} (the last: {last}), and the work is done", "baton close")


def reports(newest: str, count: int) -> Finding:
    """Faults of baton's own that hooks have written down. newest: the path of the last report."""
    name = "own-faults"
    if not count:
        return ok(name, "no fault of baton's own is on record")
    folder = shlex.quote(newest.rpartition("/")[0])
    plural = "s" if count > 1 else ""
    message = f"{count} fault{plural} of baton's own, the last in {newest}: report it, then"
    return wrong(name, message, f"rm {folder}/fault-*.txt")
