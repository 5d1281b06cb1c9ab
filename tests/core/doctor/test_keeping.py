"""baton.core.doctor.keeping: whether state files are kept, each check with each of its answers."""

from __future__ import annotations

import pytest

from baton.core.doctor import keeping
from baton.core.doctor.finding import Finding, ok, unknown, wrong
from baton.core.doctor.keeping import Destination, LastFlush, Locks, Notes, OwnLock

REF_ADVICE = "baton setup --persist ref"
KEPT = "kept 14:03 on branch main"
CHAIN = ".claude/WAL.md"


def _last(
    kind: str = "committed",
    reason: str = "",
    refused: tuple[tuple[str, str], ...] = (),
    kept: str = KEPT,
    *,
    saved: bool = True,
    chain: bool = True,
    inside: bool = False,
) -> Finding:
    return keeping.last_flush(LastFlush(kind, reason, refused, kept, saved, chain, inside, "/a b"))


def _lock(held: bool = True, pid: int = 7, age: int = 61) -> Finding:
    return keeping.own_lock(OwnLock("/s/lock", held, pid, "python3 x", age))


def _paths(*faults: tuple[str, str]) -> Finding:
    return keeping.paths(faults, "/a b")


DUBIOUS = "fatal: detected dubious ownership in repository at '/a b'"
CASES: dict[str, tuple[Finding, Finding]] = {
    "flush-goes-to: the branch": (
        keeping.destination(Destination(keeping.BRANCH, "main")),
        ok("flush-goes-to", "the branch main"),
    ),
    "flush-goes-to: the ref": (
        keeping.destination(
            Destination(keeping.REF, "refs/baton/wal/main", "a rebase is in progress")
        ),
        ok("flush-goes-to", "refs/baton/wal/main, not the branch: a rebase is in progress"),
    ),
    "flush-goes-to: the disk": (
        keeping.destination(Destination(keeping.DISK)),
        ok("flush-goes-to", "the disk alone: this is not a git repository"),
    ),
    "flush-goes-to: nowhere": (
        keeping.destination(Destination(keeping.OFF)),
        wrong(
            "flush-goes-to",
            'nothing is kept: persist = "off" in .claude/baton.toml',
            "baton setup --persist branch",
        ),
    ),
    "flush-goes-to: disabled": (
        keeping.destination(Destination(keeping.DISABLED)),
        wrong("flush-goes-to", "nothing is kept: BATON_DISABLED is set", "unset BATON_DISABLED"),
    ),
    "flush-goes-to: git refuses": (
        keeping.destination(Destination(keeping.REFUSED, why=DUBIOUS, top="/a b")),
        wrong(
            "flush-goes-to",
            f"nothing is kept: git does not trust this repository: {DUBIOUS}",
            "git config --global --add safe.directory '/a b'",
        ),
    ),
    "flush-goes-to: broken": (
        keeping.destination(Destination(keeping.REFUSED, why="fatal: bad config", top="/a b")),
        wrong(
            "flush-goes-to",
            "nothing is kept: git cannot work in this repository: fatal: bad config",
            "git -C '/a b' status",
        ),
    ),
    "last-flush: good": (_last(), ok("last-flush", KEPT)),
    "last-flush: nothing to keep": (
        _last("", kept="", saved=False, chain=False),
        ok("last-flush", "there is no chain yet, so nothing has to be kept"),
    ),
    "last-flush: the chain was deleted": (_last(saved=False, chain=False), ok("last-flush", KEPT)),
    "last-flush: never": (
        _last("", kept="", saved=False),
        unknown(
            "last-flush", "there is a chain, and no flush has left a note here", "baton wal flush"
        ),
    ),
    "last-flush: the chain is newer": (
        _last(saved=False),
        wrong("last-flush", f"{KEPT}; the chain on disk is newer", "baton wal flush"),
    ),
    "last-flush: in the middle of a turn": (
        _last(saved=False, inside=True),
        ok("last-flush", f"{KEPT}; the chain has changed since, and this turn's end keeps it"),
    ),
    "last-flush: deferred": (
        _last("deferred", "another baton held its lock for 5 s"),
        wrong(
            "last-flush",
            "not saved (deferred): another baton held its lock for 5 s",
            "baton wal flush",
        ),
    ),
    "last-flush: failed": (
        _last("failed", "fatal: disk full"),
        wrong("last-flush", "not saved (failed): fatal: disk full", "baton wal flush"),
    ),
    "last-flush: one too large": (
        _last("refused", "x", ((CHAIN, "larger than 32 MiB"),)),
        wrong(
            "last-flush",
            f"left out: {CHAIN}: larger than 32 MiB",
            "\"${EDITOR:-vi}\" '/a b/.claude/baton.toml' && baton wal flush",
        ),
    ),
    "last-flush: a secret, and more": (
        _last(refused=(("x", "secret in line 3: AWS access key"), ("c", "d"))),
        wrong(
            "last-flush",
            "left out: x: secret in line 3: AWS access key (and 1 more)",
            "\"${EDITOR:-vi}\" '/a b/x' && baton wal flush",
        ),
    ),
    "last-flush: a link that leads out": (
        _last(refused=(("x", "a symbolic link out of the project, to /etc/passwd"),)),
        wrong(
            "last-flush",
            "left out: x: a symbolic link out of the project, to /etc/passwd",
            "rm '/a b/x' && baton wal flush",
        ),
    ),
    "last-flush: too much at once": (
        _last(refused=(("x", "not searched for secrets yet: too much has changed at once"),)),
        wrong(
            "last-flush",
            "left out: x: not searched for secrets yet: too much has changed at once",
            "baton wal flush",
        ),
    ),
    "ignored: none": (keeping.ignored((), "branch"), ok("ignored", "git ignores no state file")),
    "ignored: and it hurts": (
        keeping.ignored(((CHAIN, ".gitignore:1 .claude"),), "branch"),
        wrong(
            "ignored",
            f"git ignores {CHAIN} (.gitignore:1 .claude): kept on baton's ref, not on the branch",
            REF_ADVICE,
        ),
    ),
    "ignored: and it is meant": (
        keeping.ignored(((CHAIN, ".gitignore:1 .claude"),), "ref"),
        ok(
            "ignored",
            f"git ignores {CHAIN} (.gitignore:1 .claude), and nothing goes to the branch anyway",
        ),
    ),
    "ignored: many": (
        keeping.ignored(tuple((name, "r") for name in "abcde"), "branch"),
        wrong(
            "ignored",
            "git ignores a (r), b (r), c (r) and 2 more: kept on baton's ref, not on the branch",
            REF_ADVICE,
        ),
    ),
    "git-locks: none": (
        keeping.git_locks(Locks((), "")),
        ok("git-locks", "no lock of git's lies about"),
    ),
    "git-locks: young": (
        keeping.git_locks(Locks((("/g/index.lock", 59),), "")),
        unknown("git-locks", "/g/index.lock is 59 s old: a git may be at work", "baton doctor"),
    ),
    "git-locks: of a git at work": (
        keeping.git_locks(Locks((("/g/index.lock", 600),), "commit")),
        unknown("git-locks", "/g/index.lock is held; git commit is running here", "baton doctor"),
    ),
    "git-locks: left behind": (
        keeping.git_locks(Locks((("/g h/index.lock", 600), ("/g/HEAD.lock", 61)), "")),
        wrong(
            "git-locks",
            "/g/HEAD.lock is 61 s old and no git is seen here: flushes go to baton's ref",
            "rm -f '/g h/index.lock' /g/HEAD.lock",
        ),
    ),
    "own-lock: free": (_lock(False), ok("own-lock", "nobody holds baton's lock")),
    "own-lock: at work": (
        _lock(age=59),
        unknown(
            "own-lock",
            "process 7 (python3 x), 59 s old, holds baton's lock: it may be at work",
            "baton doctor",
        ),
    ),
    "own-lock: held": (
        _lock(),
        wrong("own-lock", "process 7 (python3 x), 61 s old, holds baton's lock", "kill -KILL 7"),
    ),
    "own-lock: by whom?": (
        _lock(pid=0),
        unknown(
            "own-lock",
            "/s/lock is held, and this system does not show by whom",
            "fuser /s/lock",
        ),
    ),
    "state-paths: good": (
        _paths(),
        ok("state-paths", "every state path lies inside the project and can be read"),
    ),
    "state-paths: a link": (
        _paths((CHAIN, "a symbolic link: git would keep the link alone"), ("x", "y")),
        wrong(
            "state-paths",
            f"{CHAIN}: a symbolic link: git would keep the link alone (and 1 more)",
            f"cp -RL '/a b/{CHAIN}' '/a b/{CHAIN}.copy' && rm '/a b/{CHAIN}' && "
            f"mv '/a b/{CHAIN}.copy' '/a b/{CHAIN}'",
        ),
    ),
    "state-paths: a link that leads out": (
        _paths((CHAIN, "a symbolic link out of the project, to /etc/passwd")),
        wrong(
            "state-paths",
            f"{CHAIN}: a symbolic link out of the project, to /etc/passwd",
            f"rm '/a b/{CHAIN}'",
        ),
    ),
    "state-paths: unread": (
        _paths(("x", "cannot be read: Permission denied")),
        unknown("state-paths", "x: cannot be read: Permission denied", "chmod -R u+rwX '/a b/x'"),
    ),
    "state-paths: a repository": (
        _paths(("x", "a repository of its own")),
        wrong(
            "state-paths",
            "x: a repository of its own",
            "\"${EDITOR:-vi}\" '/a b/.claude/baton.toml'",
        ),
    ),
    "state-paths: a FIFO": (
        _paths(("x", "neither a file nor a folder")),
        wrong("state-paths", "x: neither a file nor a folder", "rm '/a b/x'"),
    ),
    "notes: good": (keeping.notes(Notes("/s", True)), ok("notes", "in /s")),
    "notes: not to be written": (
        keeping.notes(Notes("/a b", False)),
        wrong("notes", "nothing can be written to /a b", "chmod u+rwx '/a b'"),
    ),
    "settings: good": (
        keeping.config((), "/p/t"),
        ok("settings", "nothing in .claude/baton.toml is ignored"),
    ),
    "settings: bad": (
        keeping.config(("unknown key 'x'", "another"), "/p/t"),
        wrong("settings", "unknown key 'x' (and 1 more)", '"${EDITOR:-vi}" /p/t'),
    ),
    "settings: unread": (
        keeping.config((".claude/baton.toml cannot be read: Is a directory",), "/p/t"),
        unknown("settings", ".claude/baton.toml cannot be read: Is a directory", "ls -ld /p/t"),
    ),
    "chain: none": (keeping.chain("absent", "", ""), ok("chain", "there is none")),
    "chain: good": (keeping.chain("unfinished", "", ""), ok("chain", "unfinished")),
    "chain: incomplete": (
        keeping.chain("unfinished", "no-next: no next step", ""),
        wrong("chain", f"{CHAIN}: no-next: no next step", "baton wal check"),
    ),
    "chain: unreadable": (
        keeping.chain("unreadable", "binary: no text", ""),
        wrong("chain", f"{CHAIN} cannot be read as a chain: binary: no text", "baton wal check"),
    ),
    "chain: unreadable, and git keeps a good one": (
        keeping.chain("unreadable", "binary: no text", "abc"),
        wrong(
            "chain", f"{CHAIN} cannot be read as a chain: binary: no text", "baton wal restore abc"
        ),
    ),
}


@pytest.mark.parametrize(("found", "expected"), CASES.values(), ids=CASES)
def test_what_is_found(found: Finding, expected: Finding) -> None:
    assert found == expected
