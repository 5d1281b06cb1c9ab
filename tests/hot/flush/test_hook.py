"""The Stop hook and its siblings: as functions in this process, and as Claude Code starts them."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from baton.hot import stop
from baton.hot.flush import flush
from baton.hot.state import State
from desk import CHAIN, Desk
from measured import patient
from support import HOOKS, SCRIPTS, run_hook

REF = "refs/baton/wal/main"
GOOD = "# WAL\ngoal: build it\n\nchain:\n[x] one — ls\n[!] two — ls\n\nnext: go on\nverify: ls\n"


@pytest.fixture
def desk(repo: Path) -> Desk:
    return Desk(repo)


def _event(name: str = "Stop", **fields: object) -> dict[str, object]:
    whole = {"session_id": "8500ed5f-2343", "hook_event_name": name, "background_tasks": []}
    return {**whole, **fields}


def _turn(desk: Desk, capfdbinary: pytest.CaptureFixture[bytes], payload: object = None) -> str:
    """Run the hook in this process and give what a person is told; nothing else may be said."""
    reading, writing = os.pipe()
    line = payload if isinstance(payload, bytes) else json.dumps(payload or _event()).encode()
    os.write(writing, line + b"\n")
    os.close(writing)
    try:
        stop.main({**os.environ, "CLAUDE_PROJECT_DIR": str(desk.root)}, reading)
    finally:
        os.close(reading)
    out, err = capfdbinary.readouterr()
    assert err == b""
    return _said(out)


def _said(out: bytes) -> str:
    if not out:
        return ""
    assert out.endswith(b"}\n") and out.count(b"\n") == 1
    answer = json.loads(out)
    assert list(answer) == ["systemMessage"]
    text = answer["systemMessage"]
    assert isinstance(text, str) and "\n" not in text
    return text


def test_ordinary_turns_say_nothing(desk: Desk, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert _turn(desk, capfdbinary) == ""
    assert not (desk.root / ".git/baton").exists()
    for text in (GOOD, GOOD, GOOD.replace("[!]", "[x]")):
        desk.write(text)
        assert _turn(desk, capfdbinary) == ""
        assert desk.at("HEAD") == text
    desk.git("checkout", "--quiet", "--detach")
    desk.write(GOOD)
    assert (
        _turn(desk, capfdbinary)
        == "baton: the chain went back: 1 done, 2 at the last flush of the same goal"
    )
    assert _turn(desk, capfdbinary) == ""
    assert desk.at(REF) == GOOD


def test_what_went_wrong_is_said_once_until_it_changes(
    desk: Desk, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    desk.write(GOOD)
    desk.git("config", "filter.x.clean", "false")
    desk.git("config", "filter.x.required", "true")
    desk.write("WAL.md filter=x\n", ".git/info/attributes")
    said = [_turn(desk, capfdbinary, _event(stop_hook_active=True)) for _ in range(10)]
    assert said[0] == (
        "baton: not saved on the branch (failed): git hash-object: external filter 'false' failed 1"
    )
    assert said[1:] == [""] * 9
    sizes = {path: path.stat().st_size for path in (desk.root / ".git/baton").iterdir()}
    _turn(desk, capfdbinary)
    assert {path: path.stat().st_size for path in (desk.root / ".git/baton").iterdir()} == sizes
    desk.git("config", "core.worktree", str(desk.root.parent))
    assert "core.worktree says" in _turn(desk, capfdbinary)
    desk.git("config", "--unset", "core.worktree")
    desk.git("config", "--unset", "filter.x.clean")
    desk.git("config", "--unset", "filter.x.required")
    assert _turn(desk, capfdbinary) == ""
    assert desk.at("HEAD") == GOOD
    desk.git("config", "filter.x.required", "true")
    desk.git("config", "filter.x.clean", "false")
    desk.write(GOOD + "\n")
    assert _turn(desk, capfdbinary) == said[0]


def test_a_lock_of_somebody_elses_is_said(
    desk: Desk, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    defaults: dict[str, object] = flush.flush.__kwdefaults__ or {}
    monkeypatch.setattr(flush.flush, "__kwdefaults__", {**defaults, "seconds": 0.1})
    desk.write(GOOD)
    with desk.state.lock(1):
        assert _turn(desk, capfdbinary) == (
            "baton: not saved on the branch (deferred): another baton held its lock for 0.1 s"
        )


def test_what_was_left_out_is_named_once(
    desk: Desk, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    desk.write(GOOD)
    memory = desk.root / ".claude/agent-memory"
    memory.mkdir()
    for number in range(5):
        os.mkfifo(memory / f"fifo{number}")
    names = ", ".join(
        f".claude/agent-memory/fifo{number} (neither a file nor a folder)" for number in range(3)
    )
    assert _turn(desk, capfdbinary) == f"baton: left out of the flush: {names} and 2 more"
    desk.write(GOOD + "\n")
    assert _turn(desk, capfdbinary) == ""
    for number in range(1, 5):
        (memory / f"fifo{number}").unlink()
    one = ".claude/agent-memory/fifo0 (neither a file nor a folder)"
    assert _turn(desk, capfdbinary) == f"baton: left out of the flush: {one}"


@pytest.mark.parametrize("count", [1, 2])
def test_ignored_state_is_said_once_with_its_place(
    desk: Desk, capfdbinary: pytest.CaptureFixture[bytes], count: int
) -> None:
    desk.write(".claude/\n", ".git/info/exclude")
    for number in range(1, count):
        desk.write("x\n", f".claude/agent-memory/{number}")
    desk.write(GOOD)
    files = "1 state file is" if count == 1 else "2 state files are"
    assert _turn(desk, capfdbinary) == f"baton: {files} git-ignored; kept on {REF}, not the branch"
    desk.write(GOOD + "\n")
    assert _turn(desk, capfdbinary) == ""
    assert desk.at(REF) == GOOD + "\n"


CHAINS = {
    "unreadable": (
        "<<<<<<< ours\n",
        "the chain cannot be read, and is kept as it is: line 1: a merge conflict is not resolved"
        " here",
    ),
    "too-long": (
        GOOD.replace("[!] two — ls\n", "[!] two — ls\n" + "[ ] more\n" * 40),
        "the chain is too long: 49 lines; a chain has at most 40 (`baton wal compact` folds what"
        " is done)",
    ),
}


@pytest.mark.parametrize("kind", CHAINS)
def test_a_chain_that_needs_care_is_kept_and_said_once(
    desk: Desk, capfdbinary: pytest.CaptureFixture[bytes], kind: str
) -> None:
    text, words = CHAINS[kind]
    desk.write(text)
    assert _turn(desk, capfdbinary) == f"baton: {words}"
    assert desk.at("HEAD") == text
    desk.write(text + "\n")
    assert _turn(desk, capfdbinary) == ""
    desk.write(GOOD)
    assert _turn(desk, capfdbinary) == ""
    desk.write(text)
    assert _turn(desk, capfdbinary) == f"baton: {words}"


def test_fewer_done_items_matter_under_the_same_goal_alone(
    desk: Desk, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    done = GOOD.replace("[!]", "[x]")
    for text in (done, GOOD.replace("build it", "something else"), done, "goal: (none)\n", done):
        desk.write(text)
        assert _turn(desk, capfdbinary) == ""
    folded = GOOD.replace("[x] one — ls\n[!] two — ls\n", "[x] (2 done) one; two — ls\n")
    desk.write(folded)
    assert _turn(desk, capfdbinary) == ""
    desk.write(GOOD)
    words = "baton: the chain went back: 1 done, 2 at the last flush of the same goal"
    assert _turn(desk, capfdbinary) == words


def test_a_chain_that_is_gone_or_no_file_is_no_matter_for_remarks(
    desk: Desk, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    desk.write(GOOD)
    _turn(desk, capfdbinary)
    (desk.root / CHAIN).unlink()
    assert _turn(desk, capfdbinary) == ""
    (desk.root / CHAIN).mkdir()
    os.mkfifo(desk.root / CHAIN / "x")
    assert "left out" in _turn(desk, capfdbinary)
    shutil.rmtree(desk.root / CHAIN)
    os.mkfifo(desk.root / CHAIN)
    assert "left out" in _turn(desk, capfdbinary)


def test_what_cannot_be_remembered_is_not_said_every_turn(
    desk: Desk, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    desk.write("<<<<<<< ours\n")
    (desk.root / ".git/baton/said").mkdir(parents=True)
    (desk.root / ".git/baton/progress").mkdir()
    (desk.root / ".git/baton/outcome").mkdir()
    (desk.root / ".git/baton/death").mkdir()
    (desk.root / ".git/baton/tasks").mkdir()
    for text in ("<<<<<<< ours\n", GOOD):
        desk.write(text)
        assert _turn(desk, capfdbinary, _event(background_tasks=[{}])) == ""
        assert desk.at("HEAD") == text


@pytest.mark.parametrize(
    ("number", "said"), [(errno.ENOSPC, True), (errno.EROFS, False)], ids=["full", "read-only"]
)
def test_a_disk_that_is_full_is_worth_a_line_every_turn(
    desk: Desk,
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    said: bool,
) -> None:
    """Nothing can be kept then, not even that it was said."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(State, "write", refuse)
    desk.write(GOOD)
    (desk.root / ".git/index").write_text("no index\n" * 9)
    for _ in range(2):
        assert ("not saved on the branch (failed): " in _turn(desk, capfdbinary)) == said


def test_events_whose_words_nobody_hears_use_no_words_up(
    desk: Desk, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    desk.write(".claude/\n", ".git/info/exclude")
    for number, name in enumerate(("StopFailure", "SessionEnd", "PreCompact")):
        desk.write(GOOD + "\n" * number)
        assert _turn(desk, capfdbinary, _event(name)) == ""
        assert desk.at(REF) == GOOD + "\n" * number
    desk.write(GOOD)
    assert "git-ignored" in _turn(desk, capfdbinary)


def test_the_cause_of_death_is_noted_and_forgotten(
    desk: Desk, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    desk.write(GOOD)
    begun = int(time.time())
    for error in ("overloaded", "rate_limit"):
        _turn(desk, capfdbinary, _event("StopFailure", error=error))
    death = desk.state.record("death")
    assert begun <= int(str(death.pop("time"))) <= time.time()
    assert death == {"error": "rate_limit", "session": "8500ed5f-2343"}
    for name in ("SessionEnd", "PreCompact"):
        _turn(desk, capfdbinary, _event(name))
    _turn(desk, capfdbinary, b"")
    assert desk.state.record("death")["error"] == "rate_limit"
    _turn(desk, capfdbinary, _event(session_id="another"))
    assert not (desk.root / ".git/baton/death").exists()
    _turn(desk, capfdbinary, _event("StopFailure", error="rate_limit", agent_id="a1"))
    assert not (desk.root / ".git/baton/death").exists()


def test_each_stop_leaves_its_time_and_nothing_else_does(
    desk: Desk, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """What `baton doctor` goes by: a quiet turn counts as well, another event or a command does not."""
    note = desk.root / ".git/baton/stopped"
    desk.write(GOOD)
    desk.flush()
    _turn(desk, capfdbinary, _event("PreCompact"))
    assert not note.exists()
    for _ in range(2):
        begun = time.time()
        _turn(desk, capfdbinary)
        # The clock of a file system may be some milliseconds behind.
        assert note.stat().st_mtime > begun - 1
        assert note.read_bytes() == b""
        os.utime(note, (1, 1))


def test_running_tasks_are_counted(desk: Desk, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    desk.write(GOOD)
    tasks = [{"id": "w9", "type": "workflow"}, {"id": "b1", "type": "shell"}]
    note = desk.root / ".git/baton/tasks"
    for running, told in ((tasks, "2"), (tasks, "2"), (tasks[:1], "1"), ([], ""), ("odd", "")):
        _turn(desk, capfdbinary, _event(background_tasks=running))
        assert (note.read_text() if note.exists() else "") == told
    _turn(desk, capfdbinary, _event(background_tasks=tasks))
    _turn(desk, capfdbinary, _event("SessionEnd"))
    assert note.read_text() == "2"


@pytest.mark.parametrize("how", ["persist", "variable"])
def test_switched_off_it_is_silent_and_leaves_no_trace(
    desk: Desk,
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
    how: str,
) -> None:
    if how == "persist":
        desk.write('persist = "off"\n', ".claude/baton.toml")
    else:
        monkeypatch.setenv("BATON_DISABLED", "1")
    desk.write("<<<<<<< ours\n")
    assert _turn(desk, capfdbinary, _event("StopFailure", error="x")) == ""
    assert not (desk.root / ".git/baton").exists()


def test_the_payloads_folder_serves_when_the_sessions_is_gone(
    desk: Desk, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    desk.write(GOOD)
    gone = Desk(tmp_path / "gone")
    assert _turn(gone, capfdbinary, _event(cwd=str(desk.root))) == ""
    assert desk.at("HEAD") == GOOD
    (tmp_path / "cwd").mkdir()
    os.chdir(tmp_path / "cwd")
    (tmp_path / "cwd").rmdir()
    assert _turn(gone, capfdbinary, b"") == ""
    assert _turn(gone, capfdbinary, _event(cwd=str(tmp_path / "cwd"))) == ""


ODD_INPUT = {
    "empty": b"",
    "no-json": b"Stop!\n",
    "a-list": b"[1, 2]\n",
    "deep": b"[" * 100_000 + b"\n",
    "five-megabytes": b'{"hook_event_name": "Stop", "x": "' + b"x" * 5_000_000 + b'"}\n',
    "no-utf8": b'{"hook_event_name": "\xff"}\n',
    "cut": b'{"hook_event_name": "Stop", "cwd": "/x',
}


@pytest.mark.parametrize("kind", ODD_INPUT)
def test_whatever_stands_on_standard_input_the_flush_is_done(desk: Desk, kind: str) -> None:
    desk.write(GOOD)
    done = run_hook("flush", ODD_INPUT[kind], cwd=desk.root)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert desk.at("HEAD") == GOOD


def test_standard_input_that_is_never_closed(desk: Desk) -> None:
    desk.write(GOOD)
    command = patient(HOOKS / "flush.py")
    environment = {**os.environ, "CLAUDE_PROJECT_DIR": str(desk.root)}
    begun = time.monotonic()
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.wait(timeout=120) == 0
    assert time.monotonic() - begun < 60
    process.communicate()
    assert desk.at("HEAD") == GOOD


def test_places_locales_and_start_up_files_that_others_stumble_over(tmp_path: Path) -> None:
    plugin = tmp_path / "plug in (é)"
    project = tmp_path / "it's $HOME & more"
    home = tmp_path / "empty home"
    home.mkdir()
    shutil.copytree(SCRIPTS, plugin / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(HOOKS, plugin / "hooks", ignore=shutil.ignore_patterns("__pycache__"))
    (home / "profile").write_text("echo noise\n")
    project.mkdir()
    desk = Desk(project)
    desk.git("init", "--quiet")
    text = "goal: Dựng tính-năng 🚀\n"
    desk.write(text)
    environment = {
        "CLAUDE_PROJECT_DIR": str(project),
        "HOME": str(home),
        "LC_ALL": "C",
        "PYTHONIOENCODING": "cp1252",
        "BASH_ENV": str(home / "profile"),
        "PATH": os.environ["PATH"],
    }
    done = subprocess.run(
        patient(plugin / "hooks/flush.py"),
        cwd="/",
        env=environment,
        input=json.dumps(_event()).encode() + b"\n",
        capture_output=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert desk.at("HEAD") == text


def test_an_empty_environment_gets_one_clear_line_or_nothing(desk: Desk, tmp_path: Path) -> None:
    desk.write(GOOD)
    command = ["env", "-i", f"HOME={tmp_path}", sys.executable, "-I", "-S", str(HOOKS / "flush.py")]
    line = json.dumps(_event(cwd=str(desk.root))).encode()
    done = subprocess.run(command, cwd=tmp_path, input=line, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    assert _said(done.stdout) in (
        "",
        "baton: not saved on the branch (failed): git was not found on PATH",
    )


def _recording_git(folder: Path, log: Path) -> Path:
    real = shutil.which("git")
    script = folder / "git"
    script.parent.mkdir()
    script.write_text(f"#!/bin/sh\necho \"$*\" >>'{log}'\nexec '{real}' \"$@\"\n")
    script.chmod(0o755)
    return folder


def test_thirty_turns_without_a_change_start_no_git(desk: Desk, tmp_path: Path) -> None:
    log = tmp_path / "log"
    path = f"{_recording_git(tmp_path / 'bin', log)}:{os.environ['PATH']}"
    desk.write(GOOD)
    run_hook("flush", _event(), cwd=desk.root, env={"PATH": path})
    assert "commit-tree" in log.read_text()
    log.unlink()
    head = desk.head()
    for _ in range(30):
        done = run_hook("flush", _event(), cwd=desk.root, env={"PATH": path})
        assert (done.returncode, done.stdout) == (0, b"")
    assert not log.exists()
    assert desk.head() == head


DEAR = (
    "json re enum signal subprocess hashlib dataclasses typing pathlib argparse tomllib logging"
    " threading traceback importlib.metadata".split()
)
ALLOWED = {
    "baton.hot", "baton.hot.door", "baton.hot.files", "baton.hot.guarded", "baton.hot.jsons",
    "baton.hot.passports", "baton.hot.project", "baton.hot.state", "baton.hot.stop",
    "baton.hot.git", "baton.hot.git.checkout", "baton.hot.git.head",
    "baton.hot.flush", "baton.hot.flush.record", "baton.hot.flush.signature",
    "baton.hot.flush.sources",
}  # fmt: skip
LISTING = """
import os, sys
def leave(code):
    os.write(2, "\\n".join(sorted(sys.modules)).encode())
    end(code)
end, os._exit = os._exit, leave
with open(sys.argv[1]) as file:
    exec(compile(file.read(), sys.argv[1], "exec"), {"__file__": sys.argv[1], "__name__": "x"})
"""


def _modules(desk: Desk, environment: Mapping[str, str]) -> set[str]:
    command = [sys.executable, "-I", "-S", "-c", LISTING, str(HOOKS / "flush.py")]
    line = json.dumps(_event()).encode() + b"\n"
    done = subprocess.run(command, env=environment, input=line, capture_output=True)
    assert done.returncode == 0
    return set(done.stderr.decode().split())


def test_an_unchanged_turn_loads_little(desk: Desk) -> None:
    environment = {**os.environ, "CLAUDE_PROJECT_DIR": str(desk.root)}
    desk.write(GOOD)
    changed = _modules(desk, environment)
    unchanged = _modules(desk, environment)
    assert "baton.hot.flush.flush" in changed
    assert {name for name in unchanged if name.startswith("baton.")} == ALLOWED
    assert not (changed | unchanged) & set(DEAR)
