"""baton.hot.prompt, nudge: what a submitted prompt leaves and what the model is told."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from baton.hot import acts, nudge, project, prompt
from baton.hot.state import State
from chain_cases import EXAMPLE
from doors import Answer, Door
from support import git, run_hook

WAL = ".claude/WAL.md"
SESSION = "4f1c2a00-0000"
Q = "passport/0123456789ab"
HASH = "0123456789ab"


@pytest.fixture
def door(capfd: pytest.CaptureFixture[str]) -> Door:
    """The prompt door in this process."""
    return Door(prompt.main, capfd)


def submitted(words: str, session: str = SESSION) -> dict[str, object]:
    """Give what Claude Code sends for a submitted prompt."""
    return {
        "session_id": session,
        "cwd": os.getcwd(),
        "hook_event_name": "UserPromptSubmit",
        "prompt": words,
    }


def _state(root: Path) -> State:
    found = project.locate({"HOME": os.environ["HOME"]}, str(root))
    assert found is not None
    return State(found, dict(os.environ))


def _write(repo: Path, document: bytes = EXAMPLE) -> Path:
    path = repo / WAL
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(document)
    return path


NOBODY = {
    "a task's notification": ("<task-notification>\n<task-id>1</task-id>", SESSION),
    "another session": ("yes", "another"),
    "no session": ("yes", ""),
}


def test_a_prompt_answers_the_question_put_before(repo: Path, door: Door) -> None:
    acts.ask(_state(repo), SESSION, Q)
    assert door(submitted("yes, revise")).out == ""
    assert acts.take(_state(repo), SESSION, Q)


@pytest.mark.parametrize(("words", "session"), NOBODY.values(), ids=NOBODY)
def test_what_answers_nothing(words: str, session: str, repo: Path, door: Door) -> None:
    acts.ask(_state(repo), SESSION, Q)
    assert door(submitted(words, session)).out == ""
    assert not acts.take(_state(repo), SESSION, Q)


def test_in_a_process(repo: Path) -> None:
    acts.ask(_state(repo), SESSION, Q)
    done = run_hook("prompt", submitted("yes"), cwd=repo)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert acts.take(_state(repo), SESSION, Q)


def compact(event: dict[str, object]) -> bytes:
    """Give an event's line as Claude Code writes it."""
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


SPELLED = {
    "plain": ("yes", True),
    "with quotes": ('say "session_id":"evil"', True),
    "in other letters": ("được rồi", True),
    "a notification": ("<task-notification>\n<task-id>1</task-id>", False),
}


@pytest.mark.parametrize(("words", "answers"), SPELLED.values(), ids=SPELLED)
def test_as_the_host_writes_it(words: str, answers: bool, repo: Path, door: Door) -> None:
    acts.ask(_state(repo), SESSION, Q)
    assert door(compact(submitted(words))).out == ""
    assert acts.take(_state(repo), SESSION, Q) is answers


def test_another_event_as_the_host_writes_it(repo: Path, door: Door) -> None:
    event = {**submitted("/other"), "hook_event_name": "UserPromptExpansion", "command_name": "x"}
    assert door(compact(event)).out == ""


def test_nothing_is_noted_of_its_text(repo: Path, door: Door) -> None:
    _state(repo).make()
    _write(repo)
    door(submitted("my secret plan"))
    notes = [path.read_bytes() for path in (repo / ".git/baton").rglob("*") if path.is_file()]
    assert notes
    assert not any(b"secret" in note or b"plan" in note for note in notes)


def test_a_project_where_it_was_never_used_stays_untouched(repo: Path, door: Door) -> None:
    _write(repo)
    assert door(submitted("hello")).out == ""
    assert not (repo / ".git/baton").exists()


def test_switched_off(repo: Path, door: Door) -> None:
    acts.ask(_state(repo), SESSION, Q)
    assert door(submitted(f"resume_from_passport={HASH}"), BATON_DISABLED="1").out == ""
    assert not acts.take(_state(repo), SESSION, Q)


def test_no_project(tmp_path: Path, door: Door) -> None:
    event = {**submitted("hello"), "cwd": str(tmp_path / "gone")}
    assert door(event, CLAUDE_PROJECT_DIR="").out == ""


def test_a_pasted_hand_over(repo: Path, door: Door) -> None:
    answer = door(submitted(f"resume_from_passport={HASH}"))
    assert (answer.event, answer.person) == ("UserPromptSubmit", "")
    assert f"baton passport resume {HASH}" in answer.model or HASH in answer.model


# ---- the nudge ----


def _prompts(door: Callable[..., Answer], count: int) -> list[str]:
    return [door(submitted(f"step {number}")).model for number in range(count)]


@pytest.fixture
def working(repo: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project where baton is used, its chain two minutes old."""
    _state(repo).make()
    path = _write(repo)
    old = time.time() - 120
    os.utime(path, (old, old))
    git("add", ".claude", cwd=repo)
    return repo


def _age_the_commits(repo: Path) -> None:
    day = str(int(time.time()) - 86400)
    os.environ["GIT_COMMITTER_DATE"] = f"{day} +0000"
    git("commit", "--quiet", "--amend", "--no-edit", "--date", f"{day} +0000", cwd=repo)
    del os.environ["GIT_COMMITTER_DATE"]


KEEP = nudge._KEEP.format(count=5)
START = nudge._START.format(count=5)


def test_files_change_and_the_chain_does_not(working: Path, door: Door) -> None:
    _age_the_commits(working)
    (working / "new.txt").write_text("work")
    assert _prompts(door, 12) == ["", "", "", "", KEEP, *[""] * 7]


def test_once_an_hour(working: Path, door: Door) -> None:
    (working / "new.txt").write_text("work")
    assert _prompts(door, 5)[-1] == KEEP
    count, chain, told = _state(working).read("nudge").split()
    hour = b"%d" % (int(told) - 3601 * 10**9)
    _state(working).write("nudge", b" ".join((count, chain, hour)))
    assert _prompts(door, 5)[-1] == KEEP


def test_a_commit_of_the_users_counts(working: Path, door: Door) -> None:
    git("commit", "--quiet", "--message", "wal: flush", cwd=working)
    git("commit", "--quiet", "--allow-empty", "--message", "work", cwd=working)
    assert _prompts(door, 5)[-1] == KEEP


def test_a_deleted_file_counts(working: Path, door: Door) -> None:
    _age_the_commits(working)
    (working / "README.md").unlink()
    assert _prompts(door, 5)[-1] == KEEP


def test_without_a_chain_in_work(working: Path, door: Door) -> None:
    path = _write(working, b"")
    old = time.time() - 120
    os.utime(path, (old, old))
    (working / "new.txt").write_text("work")
    assert _prompts(door, 5)[-1] == START


def _nothing(repo: Path) -> None:
    _age_the_commits(repo)


def _only_the_state_files(repo: Path) -> None:
    _age_the_commits(repo)
    (repo / ".claude/agent-memory").mkdir()
    (repo / ".claude/agent-memory/x.md").write_text("memory")


def _older_files(repo: Path) -> None:
    _age_the_commits(repo)
    (repo / "old.txt").write_text("x")
    os.utime(repo / "old.txt", (1, 1))


def _git_is_broken(repo: Path) -> None:
    (repo / "new.txt").write_text("work")
    (repo / ".git/HEAD").write_text("ref: nonsense\n\n")
    (repo / ".git/config").write_text("[broken")


def _locked(repo: Path) -> None:
    (repo / "new.txt").write_text("work")


QUIET = {
    "nothing changed": _nothing,
    "only state files": _only_the_state_files,
    "only older files": _older_files,
    "git cannot say": _git_is_broken,
}


@pytest.mark.parametrize("make", QUIET.values(), ids=list(QUIET))
def test_no_nudge(make: Callable[[Path], None], working: Path, door: Door) -> None:
    make(working)
    assert _prompts(door, 6) == [""] * 6


def test_a_chain_that_is_kept_is_never_nudged(working: Path, door: Door) -> None:
    (working / "new.txt").write_text("work")
    told = []
    for number in range(8):
        _write(working, EXAMPLE + b"\n" * (number % 2 + 1))
        told += _prompts(door, 1)
    assert told == [""] * 8


def test_no_chain_at_all(repo: Path, door: Door) -> None:
    _state(repo).make()
    assert _prompts(door, 6) == [""] * 6


def test_two_hooks_of_one_prompt_nudge_once(working: Path, door: Door) -> None:
    (working / "new.txt").write_text("work")
    _prompts(door, 4)
    with _state(working).lock(1):
        assert _prompts(door, 1) == [""]
    assert _prompts(door, 1) == [KEEP]


def test_looked_at_by_another_meanwhile(working: Path) -> None:
    state = _state(working)
    found = project.locate({"HOME": os.environ["HOME"]}, str(working))
    assert found is not None
    assert nudge.look(found, state, "nudge", 5) == ""
    assert state.read("nudge").split()[0] == b"0"


def test_outside_git(tmp_path: Path) -> None:
    found = project.Project(str(tmp_path), None)
    state = State(found, {"XDG_STATE_HOME": str(tmp_path / "notes"), "HOME": str(tmp_path)})
    state.make()
    _write(tmp_path)
    (tmp_path / "new.txt").write_text("work")
    st = os.lstat(tmp_path / WAL)
    state.write("nudge", b"5 %d.%d 0" % (st.st_mtime_ns, st.st_size))
    assert nudge.look(found, state, "nudge", 5) == ""


def test_a_note_that_cannot_be_written(working: Path, door: Door) -> None:
    (working / ".git/baton/nudge").mkdir()
    assert _prompts(door, 6) == [""] * 6
