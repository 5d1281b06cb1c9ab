"""/close in the real Claude Code: one commit stands for the work, and the next turn's end respects it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from baton.core.chain.edit import empty
from baton.core.chain.render import render
from facts import until
from support import git

from .claude import ALLOW_ALL, run_print
from .conftest import MakeHome, OpenScreen
from .model_server import ModelServer, Text
from .session import CHAIN, bash, begin_chain, has_stopped


@pytest.fixture
def known(work: Path) -> Path:
    """The project of somebody whom git knows."""
    git("config", "user.name", "Ada Example", cwd=work)
    git("config", "user.email", "ada@example.org", cwd=work)
    return work


FINISH = [
    bash("baton wal mark 2 done"),
    bash("baton wal mark 3 done --evidence 'ls grammar.txt'"),
]


def _subjects(work: Path) -> list[str]:
    told = git("log", "--format=%s", cwd=work)
    return re.sub(r"(wal: flush) \S+", r"\1", told).splitlines()


def test_one_commit_stands_for_the_work(
    known: Path, claude_home: MakeHome, model: ModelServer, plugin: Path
) -> None:
    """Typed by a person, it needs no other permission than the command brings with it."""
    begin_chain(known, claude_home("one"), model, plugin)
    tip = git("rev-parse", "HEAD", cwd=known).strip()
    model.play([*FINISH, bash("baton close -m 'Ship the parser'"), Text("Closed.")])
    done = run_print(
        known, "/close Ship the parser", home=claude_home("two"), server=model, plugin_dirs=[plugin]
    )
    assert done.result == "Closed.", done.stderr
    told = model.last().tool_results()[0].text
    assert "2 commits of baton's absorbed by" in told
    assert "with what you had staged: grammar.txt" in told
    # The end of the turn keeps the emptied chain, as a commit that the next close absorbs.
    assert _subjects(known) == ["wal: flush", "Ship the parser", "Start"]
    assert git("show", "HEAD~1:grammar.txt", cwd=known) == "number = digit+\n"
    assert git("show", f"HEAD:{CHAIN}", cwd=known).encode() == render(empty("en"))
    backup = git("for-each-ref", "--format=%(objectname)", "refs/baton/closed", cwd=known).strip()
    assert git("rev-parse", f"{backup}~1", cwd=known).strip() == tip


def test_a_turn_s_end_does_not_commit_again_what_waits_for_the_closing_commit(
    known: Path, claude_home: MakeHome, model: ModelServer, plugin: Path, screen: OpenScreen
) -> None:
    home = claude_home("one")
    begin_chain(known, home, model, plugin)
    model.play([*FINISH, bash("baton close"), Text("Now commit it."), Text("Still there.")])
    terminal = screen(home, plugin_dirs=[plugin], extra_args=ALLOW_ALL)
    for words, answer in (("/close", "Now commit it."), ("hello", "Still there.")):
        stopped = has_stopped(known)
        terminal.submit(words)
        terminal.wait_for(answer)
        assert until(stopped), terminal.text()
        terminal.wait_gone("esc to interrupt")
    assert _subjects(known) == ["Start"]
    staged = git("diff", "--cached", "--name-only", cwd=known).splitlines()
    assert staged == [CHAIN, "grammar.txt"]
    git("commit", "--quiet", "-m", "Ship the parser", cwd=known)
    assert "3/3 done" not in git("show", f"HEAD:{CHAIN}", cwd=known)
    assert git("show", f"HEAD:{CHAIN}", cwd=known).count("[x]") == 3


def test_a_model_cannot_give_up_the_work(
    work: Path, claude_home: MakeHome, model: ModelServer, plugin: Path
) -> None:
    home = claude_home("one")
    begin_chain(work, home, model, plugin)
    before = (work / CHAIN).read_bytes()
    tries = [
        bash("baton close -m Done"),
        bash("baton close --abandon"),
        bash("baton close --abandon"),
    ]
    model.play([*tries, Text("Refused.")])
    run_print(work, "/close Done", home=home, server=model, plugin_dirs=[plugin])
    told = [result.text for request in model.main() for result in request.tool_results()][-3:]
    assert "the chain is unfinished (1/3 done · Ship the parser); nothing was done" in told[0]
    assert all("only a person may decide this" in text for text in told[1:])
    assert (work / CHAIN).read_bytes() == before
    assert _subjects(work)[-1] == "Start"
    assert "Done" not in _subjects(work)
