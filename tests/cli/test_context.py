"""baton.cli.context: where a command works, who asks, and how it answers."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from baton.cli.context import Context, warn
from baton.hot import reply
from commands import BATON, Here
from support import git

SESSIONS = {
    "a UUID": ("4f1c2a00-1111-2222", "4f1c2a"),
    "short": ("ab-c", "abc"),
    "signs of the header": ("x|y: z\n", "xyz"),
    "none": ("", ""),
    "no text": ("\udcff\x1b", ""),
}


@pytest.mark.parametrize(("session", "mark"), SESSIONS.values(), ids=SESSIONS)
def test_session(session: str, mark: str) -> None:
    context = Context({"CLAUDE_CODE_SESSION_ID": session}, "", False)
    assert (context.session, context.session_mark) == (session, mark)
    assert Context({}, "", False).session_mark == ""


def test_inside_claude() -> None:
    assert Context({"CLAUDECODE": "1"}, "", False).inside_claude
    assert not Context({}, "", False).inside_claude


BRANCHES = {
    "a branch": (["switch", "-q", "-c", "topic/ổ"], "topic/ổ"),
    "detached": (["switch", "-q", "--detach"], "(detached)"),
    "in a bisect": (["bisect", "start", "HEAD"], "main"),
    "in a bisect of no branch": (["bisect", "start"], "(detached)"),
    "not UTF-8": (["symbolic-ref", "HEAD", b"refs/heads/a\xff"], "a?"),
}


@pytest.mark.parametrize(("words", "branch"), BRANCHES.values(), ids=BRANCHES)
def test_branch(words: list[str], branch: str, repo: Path) -> None:
    if branch == "(detached)":
        git("switch", "-q", "--detach", cwd=repo)
    git(*words, cwd=repo)
    assert Context({"HOME": "/"}, "", False).branch == branch


def test_a_note_of_a_rebase_that_cannot_be_read(repo: Path) -> None:
    git("switch", "-q", "--detach", cwd=repo)
    (repo / ".git/rebase-merge").mkdir()
    os.mkfifo(repo / ".git/rebase-merge/head-name")
    assert Context({"HOME": "/"}, "", False).branch == "(detached)"


def test_branch_outside_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Context({"HOME": "/"}, "", False).branch == ""


def test_wrong_settings_are_said_on_stderr_and_the_rest_holds(baton: Here, repo: Path) -> None:
    (repo / ".claude").mkdir()
    (repo / ".claude/baton.toml").write_text('lang = "vi"\nlock_wait = "\\u001b[1m"\npush = 1\n')
    said = baton("wal", "init")
    assert (said.code, said.out) == (0, ".claude/WAL.md is there, empty\n")
    assert said.err == (
        "baton: .claude/baton.toml: lock_wait must be a whole number from 0 to 60; it is '\\x1b[1m'\n"
        "baton: .claude/baton.toml: unknown key 'push'\n"
    )
    assert "goal: (trống" in (repo / ".claude/WAL.md").read_text()


def test_a_warning_that_nobody_can_read_changes_nothing(repo: Path) -> None:
    """Whoever closed stderr gets the answer, the exit code of a refusal, and no success that was none."""
    (repo / ".claude").mkdir()
    (repo / ".claude/baton.toml").write_text("push = 1\n")
    told = []
    for words in (("wal", "init"), ("wal", "frob")):
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run([BATON, *words], cwd=repo, stdout=subprocess.PIPE, stderr=write)
        os.close(write)
        told.append((done.returncode, done.stdout))
    assert told == [(0, b".claude/WAL.md is there, empty\n"), (2, b"")]


def test_answers(capfd: pytest.CaptureFixture[str]) -> None:
    Context({}, "", False).answer("sổ\n\n", {"a": 1})
    Context({}, "", True).answer("text", {"a": "sổ \ud800"})
    warn("red \x1b[1m\udcff")
    assert capfd.readouterr() == ('sổ\n{"a": "sổ ?"}\n', "baton: red \ufffd[1m?\n")


def test_an_answer_for_nobody(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(_: str) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(reply, "put", nobody)
    Context({"HOME": "/"}, "", False).answer("x", {})
