"""baton.hot.waiting: the facts behind a notice, each seen in a real repository."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from baton.hot import config, project
from baton.hot.flush.flush import flush
from baton.hot.state import State
from baton.hot.waiting import Waiting, look
from chain_cases import EMPTY, EXAMPLE, PROBLEMS, changed, finished
from support import git, make_repository


def _located(root: Path) -> tuple[project.Project, State]:
    found = project.locate({"HOME": os.environ["HOME"]}, str(root))
    assert found is not None
    return found, State(found, dict(os.environ))


def _look(root: Path) -> Waiting:
    found, state = _located(root)
    return look(found, state, config.load(found))


def _write(root: Path, data: bytes = EXAMPLE) -> Path:
    path = root / ".claude/WAL.md"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


def _flush(root: Path) -> None:
    found, state = _located(root)
    assert flush(found, state, config.load(found)).kind in ("committed", "unchanged")


UNFINISHED = {
    "no file": (None, False),
    "empty": (EMPTY, False),
    "0 bytes": (b"", False),
    "all done": (finished(), False),
    "unfinished": (EXAMPLE, True),
    "unreadable": (PROBLEMS["binary"].document, True),
}


@pytest.mark.parametrize(("data", "expected"), UNFINISHED.values(), ids=UNFINISHED)
def test_unfinished(data: bytes | None, expected: bool, repo: Path) -> None:
    if data is not None:
        _write(repo, data)
    waits = _look(repo)
    assert waits.unfinished is expected
    assert (waits.owner, waits.behind, waits.death, waits.tasks, waits.faults) == ("", 0, "", 0, [])


RUNNING = {
    "unfinished": (EXAMPLE, True),
    "all done is not finished yet": (finished(), True),
    "empty": (EMPTY, False),
}


@pytest.mark.parametrize(("data", "expected"), RUNNING.values(), ids=RUNNING)
def test_tasks_that_still_ran(data: bytes, expected: bool, repo: Path) -> None:
    """Case H8."""
    _write(repo, data)
    _located(repo)[1].write("tasks", b"3\n")
    waits = _look(repo)
    assert (waits.tasks, waits.unfinished) == (3, expected)


@pytest.mark.parametrize("note", [b"", b"some", b"-1", b"\xff"], ids=repr)
def test_a_damaged_count_of_tasks(note: bytes, repo: Path) -> None:
    _write(repo)
    _located(repo)[1].write("tasks", note)
    assert _look(repo).tasks == 0


def test_when_it_was_written(repo: Path) -> None:
    os.utime(_write(repo), (1_700_000_000, 1_700_000_000))
    assert _look(repo).written == 1_700_000_000


def test_newer_than_the_last_flush(repo: Path) -> None:
    """Case H7: changed, and the session dies before Stop."""
    began = int(time.time())
    path = _write(repo)
    _flush(repo)
    assert _look(repo).behind == 0
    path.write_bytes(EXAMPLE.replace(b"[ ] draft", b"[!] draft"))
    assert began <= _look(repo).behind <= time.time()
    _flush(repo)
    assert _look(repo).behind == 0


@pytest.mark.parametrize(
    "outcome",
    [{}, {"kept_at": "soon", "chain": [1, 2]}, {"kept_at": 5, "chain": "1 2"}],
    ids=["none", "time", "chain"],
)
def test_a_damaged_note_of_the_flush(outcome: dict[str, object], repo: Path) -> None:
    _write(repo)
    _located(repo)[1].set_record("outcome", outcome)
    assert _look(repo).behind == 0


def _strftime(
    real: Callable[..., str], now: time.struct_time, form: str, *moment: time.struct_time
) -> str:
    return real(form, *(moment or (now,)))


DEATHS = {
    "usage limit": ("rate_limit", "a usage limit at 01:58"),
    "service": ("overloaded", "an overloaded service at 01:58"),
    "sign-in": ("authentication_failed", "a sign-in that failed at 01:58"),
    "billing": ("billing_error", "a billing error at 01:58"),
    "server": ("server_error", "a server error at 01:58"),
    "output": ("max_output_tokens", "the output limit at 01:58"),
    "one that is not known yet": ("moon\x1b_phase", "moon\ufffd_phase at 01:58"),
    "none": ("", "an error at 01:58"),
}


@pytest.mark.parametrize(("error", "expected"), DEATHS.values(), ids=DEATHS)
def test_cause_of_death(
    error: str, expected: str, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.localtime()
    # It is today until the end.
    today = partial(_strftime, time.strftime, now)
    monkeypatch.setattr(time, "strftime", today)
    when = int(time.mktime((*now[:3], 1, 58, 0, 0, 0, -1)))
    _write(repo)
    _located(repo)[1].set_record("death", {"error": error, "session": "s", "time": when})
    assert _look(repo).death == expected


@pytest.mark.parametrize("note", [{}, {"error": 1, "time": 5}, {"error": "x", "time": "5"}])
def test_a_damaged_cause_of_death(note: dict[str, object], repo: Path) -> None:
    _write(repo)
    _located(repo)[1].set_record("death", note)
    assert _look(repo).death == ""


def test_settings_that_are_wrong(repo: Path) -> None:
    (repo / ".claude").mkdir()
    (repo / ".claude/baton.toml").write_text('push = true\nlang = "fr"\n')
    assert _look(repo).faults == [
        ".claude/baton.toml: unknown key 'push'",
        ".claude/baton.toml: lang must be one of en, vi; it is 'fr'",
    ]


def test_a_chain_that_is_no_file(repo: Path) -> None:
    (repo / ".claude/WAL.md").mkdir(parents=True)
    waits = _look(repo)
    assert (waits.chain, waits.unfinished) == (None, False)
    assert waits.faults == [".claude/WAL.md cannot be read: not a regular file"]


class Colleague:
    """A repository of somebody else's, with a chain in it, and a clone of it."""

    def __init__(self, folder: Path, below: str = "") -> None:
        self.origin = make_repository(folder / "origin")
        git("config", "user.name", "Bob \x1b[1mExample", cwd=self.origin)
        git("config", "user.email", "bob@example.org", cwd=self.origin)
        (self.origin / below / ".claude").mkdir(parents=True)
        _write(self.origin / below)
        git("add", ".", cwd=self.origin)
        git("commit", "-q", "-m", "wal: flush", "--date=2026-03-04T05:06:07Z", cwd=self.origin)
        self.clone = folder / "clone"
        git("clone", "-q", self.origin, self.clone, cwd=folder)
        git("config", "user.email", "ada@example.org", cwd=self.clone)
        git("config", "user.name", "Ada Example", cwd=self.clone)


BOB = "Bob \ufffd[1mExample, 2026-03-04"


def test_a_chain_that_came_with_git(tmp_path: Path) -> None:
    assert _look(Colleague(tmp_path).clone).owner == BOB


def test_it_is_still_theirs_after_a_turn_of_ours(tmp_path: Path) -> None:
    clone = Colleague(tmp_path).clone
    _flush(clone)
    assert _look(clone).owner == BOB


def test_a_project_below_the_root(tmp_path: Path) -> None:
    assert _look(Colleague(tmp_path, "sub").clone / "sub").owner == BOB


def test_written_here(tmp_path: Path) -> None:
    clone = Colleague(tmp_path).clone
    _located(clone)[1].write("written", EXAMPLE)
    assert _look(clone).owner == ""


def test_written_here_once_and_theirs_again(tmp_path: Path) -> None:
    colleague = Colleague(tmp_path)
    _located(colleague.clone)[1].write("written", b"another")
    assert _look(colleague.clone).owner == BOB


def test_committed_by_this_user(tmp_path: Path) -> None:
    clone = Colleague(tmp_path).clone
    _write(clone, changed(("[ ] draft", "[!] draft")))
    git("commit", "-q", "-a", "-m", "wal: flush", cwd=clone)
    assert _look(clone).owner == ""


def test_a_user_without_an_address_is_nobody_else(tmp_path: Path) -> None:
    """The commits of such a user carry the neutral identity."""
    clone = Colleague(tmp_path).clone
    git("config", "--unset", "user.email", cwd=clone)
    assert _look(clone).owner == BOB


def test_not_committed(repo: Path) -> None:
    _write(repo)
    assert _look(repo).owner == ""


def test_git_cannot_be_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = Colleague(tmp_path).clone
    monkeypatch.setenv("PATH", str(tmp_path))
    assert _look(clone).owner == ""
