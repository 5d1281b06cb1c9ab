"""States of a project in which somebody types /pause, and what they are to read."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from chain_cases import EMPTY, EXAMPLE, PROBLEMS, VI_EXAMPLE, changed, finished
from support import git

CHAIN = ".claude/WAL.md"
PARKING = "refs/baton/wal/main"


@dataclass(frozen=True)
class Case:
    """How the project is made, and the report; HEAD8 and REF8 stand for ids that come of it."""

    make: Callable[[Path], object]
    report: str
    safe: bool = True

    def expected(self, repo: Path) -> list[str]:
        """The report's lines, now that the commits are made."""
        text = self.report
        for name, ref in (("HEAD8", "HEAD"), ("REF8", PARKING)):
            if name in text:
                text = text.replace(name, git("rev-parse", "--short=8", ref, cwd=repo).strip())
        return text.split("\n")


def write(repo: Path, data: bytes = EXAMPLE) -> None:
    """Write the chain."""
    (repo / CHAIN).parent.mkdir(exist_ok=True)
    (repo / CHAIN).write_bytes(data)


def _with(data: bytes) -> Callable[[Path], None]:
    return lambda repo: write(repo, data)


def _kept_before(repo: Path) -> None:
    write(repo)
    git("add", ".claude", cwd=repo)
    git("commit", "-q", "-m", "wal: flush", cwd=repo)


def _detached(repo: Path) -> None:
    write(repo)
    git("switch", "-q", "--detach", cwd=repo)


def _ignored(repo: Path) -> None:
    write(repo)
    (repo / ".claude/agent-memory").mkdir()
    (repo / ".claude/agent-memory/a.md").write_text("a\n")
    (repo / ".gitignore").write_text(CHAIN + "\n")


def _configured(text: str) -> Callable[[Path], None]:
    def make(repo: Path) -> None:
        write(repo)
        (repo / ".claude/baton.toml").write_text(text)

    return make


def _no_git(repo: Path) -> None:
    write(repo)
    shutil.rmtree(repo / ".git")


def _symlink(repo: Path) -> None:
    write(repo)
    (repo / ".claude/agent-memory").symlink_to("/etc")


def _chain_out(repo: Path) -> None:
    (repo / ".claude/agent-memory").mkdir(parents=True)
    (repo / ".claude/agent-memory/a.md").write_text("a\n")
    (repo / CHAIN).symlink_to(repo / "README.md")


def _folder(repo: Path) -> None:
    (repo / CHAIN).mkdir(parents=True)


def _tasks(repo: Path) -> None:
    write(repo)
    (repo / ".git/baton").mkdir()
    (repo / ".git/baton/tasks").write_text("2")


STANDS = "goal: Build feature X: codify the rule, then announce it\nin progress: codify the rule\n"
COMMITTED = "kept: committed on main (HEAD8), nothing pushed"
LEFT_OUT = "left out .claude/agent-memory: a symbolic link: git would keep the link a…\n"

PAUSES = {
    "a changed chain": Case(write, f"⏸ Safe to leave · 1/4 done\n{STANDS}{COMMITTED}"),
    "nothing changed": Case(
        _kept_before,
        f"⏸ Safe to leave · 1/4 done\n{STANDS}already kept (branch main), nothing pushed",
    ),
    "no chain": Case(lambda _: None, "⏸ Safe to leave · no chain here"),
    "an empty chain": Case(_with(EMPTY), f"⏸ Safe to leave · no chain here\n{COMMITTED}"),
    "a finished chain": Case(
        _with(finished()),
        "⏸ Safe to leave · 4/4 done\n"
        f"goal: Build feature X: codify the rule, then announce it\n{COMMITTED}",
    ),
    "nothing begun": Case(
        _with(changed(("[!] codify", "[ ] codify"), ("[!] wf:", "[ ] wf:"))),
        "⏸ Safe to leave · 1/4 done\n"
        "goal: Build feature X: codify the rule, then announce it\n"
        f"not begun: codify the rule\n{COMMITTED}",
    ),
    "in Vietnamese": Case(
        _with(VI_EXAMPLE),
        "⏸ Safe to leave · 2/4 done\n"
        "goal: Dựng tính-năng X — codify governance rồi phát broadcast\n"
        f"in progress: codify governance (mục mới)\n{COMMITTED}",
    ),
    "long and wide words": Case(
        _with(changed(("Build feature X: codify the rule, then announce it", "工" * 200))),
        f"⏸ Safe to leave · 1/4 done\ngoal: {'工' * 33}…\nin progress: codify the rule\n{COMMITTED}",
    ),
    "tasks still run": Case(
        _tasks,
        f"⏸ Safe to leave · 1/4 done\n{STANDS}{COMMITTED}\n"
        "still running: 2 background task(s); not in the chain yet",
    ),
    "detached HEAD": Case(
        _detached,
        f"⏸ Safe to leave · 1/4 done\n{STANDS}kept on {PARKING} (REF8), nothing pushed\n"
        "not on the branch: HEAD is detached",
    ),
    "everything on the ref": Case(
        _configured('persist = "ref"\n'),
        f"⏸ Safe to leave · 1/4 done\n{STANDS}kept on {PARKING} (REF8), nothing pushed\n"
        'not on the branch: persist = "ref"',
    ),
    "the chain is ignored": Case(
        _ignored,
        f"⏸ Safe to leave · 1/4 done\n{STANDS}{COMMITTED}\n"
        "not on the branch: .claude/WAL.md: git-ignored; kept on refs/baton/wal/ma…",
    ),
    "not a repository": Case(
        _no_git,
        f"⏸ Safe to leave · 1/4 done\n{STANDS}kept: on disk; this is not a git repository",
    ),
    "persist is off": Case(
        _configured('persist = "off"\n'),
        f"⏸ NOT safe to leave · 1/4 done\nnothing is kept: persist is off\n{STANDS}".rstrip("\n"),
        safe=False,
    ),
    "a gap in the chain": Case(
        _with(PROBLEMS["no-next"].document),
        f"⏸ Kept, but look at this first · 1/4 done\nchain no-next: no next step\n{STANDS}{COMMITTED}",
        safe=False,
    ),
    "an unreadable chain": Case(
        _with(PROBLEMS["conflict-markers"].document),
        "⏸ Kept, but look at this first · unreadable\n"
        "chain conflict-markers: line 7: a merge conflict is not resolved here\n"
        "chain conflict-markers: line 9: a merge conflict is not resolved here\n"
        f"chain conflict-markers: line 11: a merge conflict is not resolved here\n{COMMITTED}",
        safe=False,
    ),
    "more than a chain can be": Case(
        _with(b"x" * 70_000),
        "⏸ Kept, but look at this first · unreadable\n"
        f"chain too-big: it has more than 65536 bytes\n{COMMITTED}",
        safe=False,
    ),
    "a chain that is a folder": Case(
        _folder,
        "⏸ NOT safe to leave · unreadable\nchain io: it cannot be read: not a regular file",
        safe=False,
    ),
    "the chain itself left out": Case(
        _chain_out,
        "⏸ NOT safe to leave · unreadable\n"
        'chain unknown-line: line 1: not a line of a chain: "a project"\n'
        "left out .claude/WAL.md: a symbolic link: git would keep the link alone",
        safe=False,
    ),
    "something left out": Case(
        _symlink,
        f"⏸ Kept, but look at this first · 1/4 done\n{LEFT_OUT}{STANDS}{COMMITTED}",
        safe=False,
    ),
}
