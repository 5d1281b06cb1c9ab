"""Conversations with git: bounded, harmless, the same on systems that start processes slowly."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from baton.hot.git import slow_talk, speaker
from baton.hot.git.speaker import Failed, Git, Stuck, Talk, environment, kill
from baton.hot.git.talk import words
from desk import CHAIN, Desk


@pytest.fixture(params=["quick", "slow"])
def git(
    request: pytest.FixtureRequest, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Git]:
    if request.param == "slow":
        monkeypatch.delattr(os, "posix_spawn")
    with Git(str(repo), time.monotonic() + 120) as talker:
        yield talker


def _alias(git: Git, name: str, script: str) -> None:
    git.run("config", f"alias.{name}", f"!{script}")


def test_an_answer(git: Git, repo: Path) -> None:
    assert git.run("rev-parse", "--show-toplevel") == os.fsencode(repo) + b"\n"
    assert (
        git.run("hash-object", "--stdin", data=b"x\n")
        == b"587be6b4c3f93f93c489c0111bba5596147a26cb\n"
    )


def test_more_in_and_out_than_a_pipe_holds(git: Git) -> None:
    _alias(git, "echo", "cat")
    data = b"0123456789\n" * 100_000
    assert git.run("echo", data=data) == data


def test_a_program_that_does_not_read_its_input(git: Git) -> None:
    _alias(git, "deaf", "exit 0 #")
    assert git.run("deaf", data=b"x" * 1_000_000) == b""
    talk = git.start("deaf")
    while not _is_dead(talk.pid):
        time.sleep(0.001)
    talk.say(b"x")
    talk.hang_up()
    assert talk.finish() == b""


def _is_dead(pid: int) -> bool:
    return ") Z " in Path(f"/proc/{pid}/stat").read_text()


def test_a_program_that_takes_its_time_to_read(git: Git) -> None:
    _alias(git, "late", "sleep 0.1; cat #")
    talk = git.start("late")
    if type(talk) is Talk:
        talk.say(b"x" * 100_000)
        talk.say(b"y" * 100_000)
        assert talk.finish() == b"x" * 100_000 + b"y" * 100_000


def test_a_closed_standard_input_is_not_taken_for_a_pipe(repo: Path) -> None:
    saved = os.dup(0)
    os.close(0)
    try:
        with Git(str(repo), time.monotonic() + 120) as git:
            assert git.run("hash-object", "--stdin", data=b"x\n").startswith(b"587be6b")
    finally:
        os.dup2(saved, 0)
        os.close(saved)


def test_questions_and_answers_one_after_another(git: Git) -> None:
    talk = git.start("cat-file", "--batch")
    for _ in range(3):
        talk.say(b"HEAD:README.md\n")
        assert talk.line().endswith(b" blob 10")
        assert talk.read(11) == b"a project\n\n"
    talk.say(b"nothing\n")
    assert talk.finish() == b"nothing missing\n"


REFUSALS = {
    ("rev-parse", "--verify", "absent"): "git rev-parse: Needed a single revision",
    ("-c", "a.b=c", "no-such-command"): (
        "git no-such-command: git: 'no-such-command' is not a git command. See 'git --help'."
    ),
    ("bad",): "git bad: last \ufffd[31mwords",
    ("mute",): "git mute: exit code 3",
}


@pytest.mark.parametrize("args", REFUSALS, ids=lambda args: args[-1])
def test_refusals_in_gits_own_words(git: Git, args: tuple[str, ...]) -> None:
    _alias(git, "bad", 'printf "first\\nerror: last \\033[31mwords\\n" >&2; exit 4 #')
    _alias(git, "mute", "exit 3 #")
    with pytest.raises(Failed) as failed:
        git.run(*args)
    assert failed.value.words == str(failed.value) == REFUSALS[args]
    with pytest.raises(Failed) as failed:
        git.start(*args).line()
    assert failed.value.words == REFUSALS[args]
    with pytest.raises(Failed) as failed:
        git.start(*args).read(1)
    assert failed.value.words == REFUSALS[args]


@pytest.mark.parametrize("kind", ["quick", "slow"])
def test_a_child_that_keeps_standard_error_open_keeps_nobody(
    repo: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """What git itself has said by then is told; where git is content, nobody waits at all."""
    if kind == "slow":
        monkeypatch.delattr(os, "posix_spawn")
    leaving = "sleep 600 >/dev/null & echo $! >child; echo error: words >&2; exit"
    monkeypatch.setattr(slow_talk, "_LAST_WORDS_SECONDS", 2.0)
    with Git(str(repo), time.monotonic() + 120) as git:
        _alias(git, "bad", f"{leaving} 4 #")
        _alias(git, "good", f"{leaving} 0 #")
        begun = time.monotonic()
        with pytest.raises(Failed, match=r"^git bad: words$"):
            git.run("bad")
        os.kill(int((repo / "child").read_text()), signal.SIGKILL)
        assert git.run("good") == b""
        os.kill(int((repo / "child").read_text()), signal.SIGKILL)
        assert time.monotonic() - begun < 100


def test_exit_codes_that_are_answers(git: Git) -> None:
    assert git.run("config", "no.such", good=(0, 1)) == b""


@pytest.mark.parametrize("kind", ["quick", "slow"])
@pytest.mark.parametrize("how", ["run", "line", "sealed"])
def test_a_git_that_never_ends_is_ended(
    repo: Path, monkeypatch: pytest.MonkeyPatch, kind: str, how: str
) -> None:
    if kind == "slow":
        monkeypatch.delattr(os, "posix_spawn")
    monkeypatch.setattr(speaker, "_BURIAL_SECONDS", 120.0)
    script = "exec sleep 600 #" if how != "sealed" else "exec sleep 600 >&- 2>&- #"
    subprocess.run(["git", "config", "alias.stuck", f"!{script}"], cwd=repo, check=True)
    begun = time.monotonic()
    with pytest.raises(Stuck), Git(str(repo), begun + 0.3) as git:
        talk = git.start("stuck")
        if how == "line":
            talk.line()
        talk.finish()
    assert time.monotonic() - begun < 120
    assert talk.ended()
    with pytest.raises(ProcessLookupError):
        os.kill(talk.pid, 0)


def test_what_is_not_needed_any_more_is_ended_on_leaving(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speaker, "_GRACE_SECONDS", 120.0)
    with Git(str(repo), time.monotonic() + 120) as git:
        git.run("config", "alias.stuck", "!exec sleep 600 #")
        reading = git.start("cat-file", "--batch")
        git.deadline = time.monotonic()
        stuck = git.start("stuck")
    assert (reading.code, stuck.code) == (0, -signal.SIGTERM)


def test_a_signal_to_what_has_gone_harms_nobody(repo: Path) -> None:
    with Git(str(repo), time.monotonic() + 120) as git:
        talk = git.start("rev-parse", "HEAD")
        talk.finish()
        talk.signal(signal.SIGKILL)
        kill([talk])


def test_a_program_that_cannot_be_started(repo: Path) -> None:
    broken = repo / "bin/git"
    broken.parent.mkdir()
    broken.write_bytes(b"\x7fELF nothing")
    broken.chmod(0o755)
    gc.collect()  # what other tests left open is closed now, not between the two counts
    before = len(os.listdir("/proc/self/fd"))
    os.environ["PATH"] = f"{broken.parent}:{os.environ['PATH']}"
    with pytest.raises(OSError, match="Exec format error"):
        Git(str(repo), time.monotonic() + 120).start("version")
    assert len(os.listdir("/proc/self/fd")) == before


def test_the_environment_points_nowhere_and_never_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/elsewhere")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    clean = environment()
    assert {name for name in clean if name.startswith("GIT_")} == {
        "GIT_TERMINAL_PROMPT",
        "GIT_EDITOR",
    }
    assert clean["LC_ALL"] == "C"
    assert clean["HOME"] == os.environ["HOME"]


def test_words_of_a_git_that_said_nothing() -> None:
    assert words("x", b"", -9) == "git x: exit code -9"
    assert words("x", b"warning: w\nfatal: f\xff\n", 1) == "git x: f\ufffd"


def test_a_whole_flush_where_processes_start_slowly(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(repo)
    monkeypatch.delattr(os, "posix_spawn")
    for text in ("goal: one\n", "goal: two\n"):
        desk.write(text)
        assert desk.flush().paths == [CHAIN]
    assert desk.git("status", "--porcelain") == ""
    desk.git("checkout", "--quiet", "--detach")
    desk.write("goal: three\n")
    assert desk.flush().kind == "parked"
    (desk.root / "hang.sh").write_text("sleep 60\n")
    desk.git("config", "filter.x.clean", "sh hang.sh")
    desk.write("WAL.md filter=x\n", ".git/info/attributes")
    desk.write("goal: four\n")
    assert desk.flush(seconds=1).kind == "deferred"
