"""Reading from git for reports.

No hooks, no pager, no command that a repository names, nothing fetched; no lock but the one with
which `git diff` renews the times in the index, whoever calls it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from baton.core.errors import BatonError
from baton.edge import process
from baton.hot.git.head import BRANCHES
from baton.hot.git.speaker import GUARDS, alone
from baton.hot.git.talk import words

_SAFE = (
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.fsmonitor=false",
    "-c", "diff.external=",
    *GUARDS,
    "--no-pager",
    "--no-optional-locks",
)  # fmt: skip
_NO_DRIVERS = {
    "diff": ("--no-ext-diff", "--no-textconv"),
    "log": ("--no-ext-diff", "--no-textconv"),
}
_FILTERS = r"^filter\..*\.(clean|process|required)$"
_SECONDS = 10.0
_CAP = 1 << 20
_ABSENT, _USAGE = 1, 129
_WORK_TREES = ("worktree", "list", "--porcelain")


def read(
    folder: str, *words: str, cap: int = _CAP, stdin: bytes | None = None
) -> process.Completed:
    """Run a git command that only reads, in `folder`, for at most 10 s and `cap` bytes of output.

    stdin: what it is asked; None is the null device.
    """
    argv = ["git", *_SAFE, words[0], *_NO_DRIVERS.get(words[0], ()), *words[1:]]
    env = alone()
    return process.run(argv, cwd=folder, env=env, stdin=stdin, timeout=_SECONDS, cap=cap)


def knows(folder: str, name: str) -> bool:
    """Whether there is a ref, or HEAD, of that name with a commit on it. Raises git-failed."""
    done = read(folder, "rev-parse", "--quiet", "--verify", name)
    if done.exit not in (0, _ABSENT):
        raise failed("rev-parse", done)
    return done.exit == 0


class WorkTree(NamedTuple):
    """A work tree of a repository. branch: "" when it has none. bare: the repository itself, without one."""

    folder: str
    branch: str
    bare: bool


def work_trees(folder: str) -> list[WorkTree] | None:
    """Give every work tree of a repository, the main one first; None when git cannot say."""
    done, end = read(folder, *_WORK_TREES, "-z"), "\0"
    if done.exit == _USAGE:
        # Before 2.36 there was no -z.
        done, end = read(folder, *_WORK_TREES), "\n"
    if done.exit != 0:
        return None
    entries = os.fsdecode(done.output).split(end * 2)
    found = (dict(row.partition(" ")[::2] for row in entry.split(end)) for entry in entries)
    return [
        WorkTree(rows["worktree"], rows.get("branch", "").removeprefix(BRANCHES), "bare" in rows)
        for rows in found
        if "worktree" in rows
    ]


def filters(folder: str, scopes: Sequence[str]) -> list[str]:
    """Give the keys that set filters for files, in configurations of these scopes (git-config(1))."""
    done = read(folder, "config", "-z", "--show-scope", "--name-only", "--get-regexp", _FILTERS)
    words = os.fsdecode(done.output).split("\0")
    rows = zip(words[0::2], words[1::2], strict=False)
    return list(dict.fromkeys(key for scope, key in rows if scope in scopes))


def ignored(folder: str, names: Sequence[str]) -> list[tuple[str, str]] | None:
    """Give (name, the rule) of each file that git ignores, None when it cannot say.

    names: as seen from `folder`. What git tracks it does not ignore.
    """
    if not names:
        return []
    asked = os.fsencode("".join(f"{name}\0" for name in names))
    done = read(folder, "check-ignore", "-v", "-z", "--stdin", stdin=asked)
    if done.exit not in (0, 1):
        return None
    fields = os.fsdecode(done.output).split("\0")
    rows = zip(fields[0::4], fields[1::4], fields[2::4], fields[3::4], strict=False)
    # A rule with `!` is named as well; it is the one by which a file is not ignored.
    return [
        (name, f"{source}:{line} {rule}")
        for source, line, rule, name in rows
        if not rule.startswith("!")
    ]


def failed(
    command: str, done: process.Completed, state: str = "", hint: str = "git status"
) -> BatonError:
    """Give git-failed, in git's own words. command: its name. state: how that leaves things."""
    if done.timed_out:
        told = f"git {command}: no answer in time"
    elif done.exit is None:
        told, hint = done.errors.decode("utf-8", "replace"), "baton doctor"
    else:
        told = words(command, done.errors, done.exit)
    return BatonError("git-failed", f"{told}; {state}" if state else told, hint)
