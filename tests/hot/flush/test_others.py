"""Others at work in the same repository: running gits, locks, hooks, signers, filters, races."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from baton.hot.flush import branch, commits, parking
from baton.hot.git import index, operation
from desk import CHAIN, Desk
from measured import patient
from support import HOOKS as DOORS
from support import make_repository

BRANCH, REF = "refs/heads/main", "refs/baton/wal/main"


@pytest.fixture
def desk(repo: Path) -> Desk:
    return Desk(repo)


def _script(path: Path, *lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]), encoding="utf-8")
    path.chmod(0o755)
    return path


def _wait_for(path: Path) -> None:
    end = time.monotonic() + 120
    while not path.exists():
        assert time.monotonic() < end, f"{path} never came"
        time.sleep(0.005)


@contextmanager
def _running(desk: Desk, waiting: Path, *args: str, **env: str) -> Iterator[None]:
    """A git of the user's that has come to `waiting`; then it is let go on and must succeed."""
    whole = {**os.environ, **env}
    process = subprocess.Popen(["git", *args], cwd=desk.root, env=whole, stderr=subprocess.PIPE)
    try:
        _wait_for(waiting)
        yield
    finally:
        # Also where the test has failed: a script that waits for good would busy the machine.
        waiting.with_name("go").touch()
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors


def _pausing(folder: Path, name: str) -> tuple[Path, Path]:
    """A script that says that it was reached, and waits for the word to go on."""
    reached = folder / "reached"
    lines = (f"echo a word >'{folder}/word'", f'[ -z "$1" ] || cat \'{folder}/word\' >"$1"')
    wait = f"while [ ! -e '{folder}/go' ]; do sleep 0.01; done"
    return _script(folder / name, *lines, f"touch '{reached}'", wait), reached


COMMITS = {
    "plain": ("commit",),
    "amend": ("commit", "--amend"),
    "with-options": ("-c", "core.abbrev=7", "--no-pager", "-C", ".", "commit"),
    "alias": ("ci",),
    "subfolder": ("-C", "sub", "commit"),
}


@pytest.mark.parametrize("how", COMMITS)
def test_a_commit_with_its_editor_open_succeeds_afterwards(
    desk: Desk, tmp_path: Path, how: str
) -> None:
    desk.git("config", "alias.ci", "commit")
    desk.write("sub\n", "sub/x")
    desk.write("goal: old\n")
    desk.flush()
    editor, reached = _pausing(tmp_path / "editor", "editor")
    desk.write("mine\n", "mine.txt")
    desk.git("add", "mine.txt")
    with _running(desk, reached, *COMMITS[how], GIT_EDITOR=f"'{editor}'"):
        before = desk.users_own()
        desk.write("goal: newest\n")
        outcome = desk.flush()
        assert (outcome.kind, outcome.ref) == ("parked", REF)
        assert outcome.reason == "git commit is running in this work tree"
        assert (desk.at(REF), desk.looks()) == ("goal: newest\n", "same")
        assert desk.users_own() == before
    assert desk.git("log", "-1", "--format=%s").strip() == "a word"
    assert "mine.txt" in desk.files_of("HEAD")
    assert desk.looks() == "changed"
    assert desk.flush().ref == BRANCH


def test_a_commit_in_a_slow_pre_commit_hook_succeeds_afterwards(desk: Desk, tmp_path: Path) -> None:
    hook, reached = _pausing(tmp_path / "hook", "pre-commit")
    os.symlink(hook, desk.root / ".git/hooks/pre-commit")
    desk.write("mine\n", "mine.txt")
    desk.git("add", "mine.txt")
    with _running(desk, reached, "commit", "--quiet", "-m", "mine"):
        desk.write("goal: newest\n")
        outcome = desk.flush()
        assert (outcome.kind, outcome.ref) == ("parked", REF)
    assert desk.files_of("HEAD") == ["mine.txt"]


def test_commit_all_holds_the_index_lock_through_its_editor(desk: Desk, tmp_path: Path) -> None:
    editor, reached = _pausing(tmp_path / "editor", "editor")
    desk.write("changed\n", "README.md")
    with _running(desk, reached, "commit", "-a", GIT_EDITOR=f"'{editor}'"):
        desk.write("goal: newest\n")
        outcome = desk.flush()
        assert outcome.kind == "parked"
        assert outcome.reason.startswith(f"{desk.root}/.git/index.lock is present")
    assert desk.files_of("HEAD") == ["README.md"]


def test_a_commit_in_another_repository_is_none_of_our_business(desk: Desk, tmp_path: Path) -> None:
    other = Desk(make_repository(desk.root / "vendor"))
    editor, reached = _pausing(tmp_path / "editor", "editor")
    other.write("mine\n", "mine.txt")
    other.git("add", "mine.txt")
    with _running(other, reached, "commit", GIT_EDITOR=f"'{editor}'"):
        desk.write("goal: one\n")
        assert desk.flush().ref == BRANCH


def test_a_git_that_only_reads_is_no_reason_to_park(desk: Desk) -> None:
    pipe = subprocess.PIPE
    command = ["git", "cat-file", "--batch"]
    with subprocess.Popen(command, cwd=desk.root, stdin=pipe, stdout=pipe) as reading:
        assert reading.stdin and reading.stdout
        reading.stdin.write(b"HEAD\n")
        reading.stdin.flush()
        assert b" commit " in reading.stdout.readline()
        desk.write("goal: one\n")
        assert desk.flush().ref == BRANCH
        assert reading.poll() is None


COMMAND_LINES = [
    (b"git\0commit\0", b"commit"),
    (b"git\0-C\0/x\0-c\0a.b=c\0--git-dir\0commit\0status\0", b"status"),
    (b"git\0--git-dir=/x\0--no-pager\0rebase\0-i\0", b"rebase"),
    (b"git\0--version\0", b""),
    (b"git\0-C\0", b""),
    (b"", b""),
]


@pytest.mark.parametrize(("line", "word"), COMMAND_LINES)
def test_the_subcommand_of_a_command_line(line: bytes, word: bytes) -> None:
    assert operation.subcommand(line.rstrip(b"\0").split(b"\0")) == word


def test_a_system_that_shows_no_processes_shows_no_git(desk: Desk, tmp_path: Path) -> None:
    checkout = desk.project.checkout
    assert checkout is not None
    assert operation.foreign_git(checkout, str(tmp_path / "absent")) == ""
    (tmp_path / "proc/123").mkdir(parents=True)
    assert operation.foreign_git(checkout, str(tmp_path / "proc")) == ""


LOCKS = ["index.lock", "HEAD.lock", "refs/heads/main.lock"]


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_that_is_not_ours_is_named_and_never_removed(desk: Desk, name: str) -> None:
    desk.write("goal: old\n")
    desk.flush()
    lock = desk.root / ".git" / name
    lock.touch()
    head_before = desk.head()
    for text in ("goal: one\n", "goal: two\n"):
        desk.write(text)
        begun = time.monotonic()
        outcome = desk.flush()
        assert time.monotonic() - begun < 60
        assert (outcome.kind, outcome.ref) == ("parked", REF)
        assert outcome.reason == (f"{lock} is present: another git is at work, or was killed")
        assert (desk.at(REF), desk.head(), desk.looks()) == (text, head_before, "same")
    assert lock.exists()
    lock.unlink()
    assert desk.looks() == "changed"
    assert desk.flush().ref == BRANCH
    assert desk.git("status", "--porcelain") == ""


def test_a_lock_that_goes_in_time_is_waited_for(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = desk.root / ".git/index.lock"
    lock.touch()
    desk.write("goal: one\n")
    _meanwhile(monkeypatch, operation, "busy", lock.exists, lock.exists, lock.unlink)
    assert desk.flush().ref == BRANCH


def test_a_stale_lock_on_our_own_ref_is_removed(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.git("checkout", "--quiet", "--detach")
    desk.write("goal: one\n")
    desk.flush()
    lock = desk.root / ".git" / f"{REF}.lock"
    lock.touch()
    old = time.time() - 60
    os.utime(lock, (old, old))
    desk.write("goal: two\n")
    assert desk.flush().kind == "parked"
    assert not lock.exists()
    # However long the next flush takes, this one is young.
    monkeypatch.setattr(parking, "_STALE_SECONDS", 600.0)
    lock.touch()
    desk.write("goal: three\n")
    outcome = desk.flush()
    assert outcome.kind == "deferred"
    assert f"Unable to create '{lock}': File exists" in outcome.reason
    assert lock.exists()


def test_our_own_index_lock_left_by_a_kill_is_removed(desk: Desk) -> None:
    desk.write("goal: old\n")
    desk.flush()
    folder = desk.root / ".git"
    aside = folder / "baton/index.new.1"
    aside.write_bytes((folder / "index").read_bytes())
    os.link(aside, folder / "index.lock")
    desk.write("goal: one\n")
    assert desk.flush().ref == BRANCH
    assert not (folder / "index.lock").exists()
    assert not aside.exists()


HOOKS = (
    "pre-commit prepare-commit-msg commit-msg post-commit post-index-change reference-transaction"
    " post-rewrite pre-auto-gc fsmonitor-watchman".split()
)


@pytest.mark.parametrize("configured", [False, True], ids=["hooks", "hooksPath"])
def test_no_hook_of_the_users_runs(desk: Desk, tmp_path: Path, configured: bool) -> None:
    folder = tmp_path / "configured" if configured else desk.root / ".git/hooks"
    ran = tmp_path / "ran"
    for name in HOOKS:
        _script(folder / name, f"echo {name} >>'{ran}'", "exit 1")
    if configured:
        desk.git("config", "core.hooksPath", str(folder))
    configuration = (desk.root / ".git/config").read_bytes()
    for text in ("goal: one\n", "goal: two\n"):
        desk.write(text)
        assert desk.flush().ref == BRANCH
    (desk.root / ".git/MERGE_HEAD").write_text(desk.head() + "\n")
    desk.write("goal: three\n")
    assert desk.flush().ref == REF
    assert not ran.exists()
    assert (desk.root / ".git/config").read_bytes() == configuration


@pytest.mark.parametrize("form", ["openpgp", "ssh", "x509"])
def test_nothing_is_signed(desk: Desk, tmp_path: Path, form: str) -> None:
    ran = tmp_path / "ran"
    signer = _script(tmp_path / "signer", f"touch '{ran}'", "sleep 60")
    for key, value in {
        "commit.gpgSign": "true",
        "user.signingKey": "ABCD",
        "gpg.format": form,
        "gpg.program": str(signer),
        f"gpg.{form}.program": str(signer),
    }.items():
        desk.git("config", key, value)
    desk.write("goal: one\n")
    assert desk.flush().ref == BRANCH
    assert "gpgsig" not in desk.git("cat-file", "commit", "HEAD")
    assert not ran.exists()


NEUTRAL = "baton <baton@localhost>"
IDENTITIES = {
    "none": ({}, {}, NEUTRAL),
    "only-a-name": ({"user.name": "Ada"}, {}, NEUTRAL),
    "use-config-only": ({"user.useConfigOnly": "true"}, {}, NEUTRAL),
    "email-variable": ({"user.name": "Ada"}, {"EMAIL": "a@b.example"}, NEUTRAL),
    "author-differs": (
        {
            "author.name": "Au",
            "author.email": "au@x.example",
            "committer.name": "Com",
            "committer.email": "c@x.example",
        },
        {},
        "Au <au@x.example>",
    ),
    "whole": ({"user.name": "Ada", "user.email": "a@x.example"}, {}, "Ada <a@x.example>"),
}


@pytest.mark.parametrize("kind", IDENTITIES)
def test_whose_commit_it_is(desk: Desk, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    settings, env, author = IDENTITIES[kind]
    desk.git("config", "--unset", "user.name")
    desk.git("config", "--unset", "user.email")
    for key, value in settings.items():
        desk.git("config", key, value)
    for key, value in env.items():
        monkeypatch.setenv(key, value)
    configuration = (desk.root / ".git/config").read_bytes()
    desk.write("goal: one\n")
    assert desk.flush().kind == "committed"
    assert desk.git("log", "-1", "--format=%an <%ae>").strip() == author
    assert (desk.root / ".git/config").read_bytes() == configuration


def _with_argument(word: str) -> list[int]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if word.encode() in (process / "cmdline").read_bytes().split(b"\0"):
                found.append(int(process.name))
        except OSError:
            continue
    return found


def _gone(word: str) -> bool:
    """Whether every process with that argument goes: a killed one is seen for a moment longer."""
    until = time.monotonic() + 60
    while (left := _with_argument(word)) and time.monotonic() < until:
        time.sleep(0.02)
    return not left


@pytest.mark.parametrize("stubborn", [False, True], ids=["plain", "ignores-TERM"])
def test_a_stuck_filter_is_ended_with_its_children(
    desk: Desk, tmp_path: Path, stubborn: bool
) -> None:
    seconds = f"777.{os.getpid()}{int(stubborn)}"
    trap = "trap '' TERM" if stubborn else ":"
    stuck = _script(tmp_path / "stuck", trap, f"sleep {seconds} & wait", f"sleep {seconds}")
    desk.write("goal: old\n")
    desk.flush()
    desk.git("config", "filter.stuck.clean", f"'{stuck}'")
    desk.write("WAL.md filter=stuck\n", ".git/info/attributes")
    before, at = desk.users_own(), desk.head()
    desk.write("goal: one\n")
    begun = time.monotonic()
    outcome = desk.flush(seconds=1.0)
    assert time.monotonic() - begun < 120
    assert (outcome.kind, outcome.commit) == ("deferred", "")
    assert outcome.reason == "git did not finish within 1 s and was ended"
    assert _gone(seconds)
    assert (desk.head(), desk.users_own()) == (at, before)
    assert not (desk.root / ".git/index.lock").exists()
    desk.git("config", "--unset", "filter.stuck.clean")
    assert desk.flush().kind == "committed"


def test_a_filter_that_fails_or_leaves_a_child_behind(desk: Desk, tmp_path: Path) -> None:
    seconds = f"666.{os.getpid()}"
    # The child keeps git's standard error open for good.
    leaving = _script(tmp_path / "leaving", f"sleep {seconds} >/dev/null & cat")
    desk.git("config", "filter.x.clean", f"'{leaving}'")
    desk.write("WAL.md filter=x\n", ".git/info/attributes")
    desk.write("goal: one\n")
    try:
        assert desk.flush().kind == "committed"
    finally:
        for pid in _with_argument(seconds):
            os.kill(pid, signal.SIGKILL)
    desk.git("config", "filter.x.clean", "false")
    desk.git("config", "filter.x.required", "true")
    desk.write("goal: two\n")
    outcome = desk.flush()
    assert (outcome.kind, outcome.ref) == ("failed", "")
    assert outcome.reason.startswith("git hash-object: ")


def test_standard_descriptors_may_be_closed(desk: Desk) -> None:
    desk.write("goal: one\n")
    command = 'exec "$@" <&- >&- 2>&-'
    hook = patient(DOORS / "flush.py")
    environment = {**os.environ, "CLAUDE_PROJECT_DIR": str(desk.root)}
    subprocess.run(["sh", "-c", command, "sh", *hook], env=environment, check=True)
    assert desk.at("HEAD") == "goal: one\n"
    desk.fsck()


def _meanwhile(
    monkeypatch: pytest.MonkeyPatch, module: object, name: str, *acts: Callable[[], object]
) -> None:
    """Let somebody act just before the next calls of a function of ours."""
    real, left = getattr(module, name), list(acts)

    def late(*args: object) -> object:
        if left:
            left.pop(0)()
        return real(*args)

    monkeypatch.setattr(module, name, late)


def test_a_commit_that_slips_in_is_built_upon(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write("goal: old\n")
    desk.flush()
    desk.write("goal: one\n")

    def slip() -> None:
        desk.commit("slipped in", other=str(time.time()))

    _meanwhile(monkeypatch, branch, "_still_safe", slip)
    _meanwhile(monkeypatch, commits, "move", slip)
    outcome = desk.flush()
    assert outcome.kind == "committed"
    subjects = desk.git("log", "--format=%s").splitlines()
    assert subjects[1:3] == ["slipped in", "slipped in"]
    assert desk.files_of("HEAD") == [CHAIN]
    assert desk.git("status", "--porcelain") == ""


def test_an_operation_that_begins_meanwhile_is_seen(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("goal: one\n")
    mark = desk.root / ".git/MERGE_HEAD"
    _meanwhile(monkeypatch, branch, "_still_safe", lambda: mark.write_text(desk.head() + "\n"))
    outcome = desk.flush()
    assert (outcome.kind, outcome.reason) == ("parked", "a merge is in progress")


def test_a_head_that_never_rests_is_parked(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write("goal: one\n")

    def slip() -> None:
        desk.commit("slipped in", other=str(time.time()))

    _meanwhile(monkeypatch, branch, "_still_safe", *[slip] * 5)
    outcome = desk.flush()
    assert (outcome.kind, outcome.reason) == ("parked", "HEAD keeps moving")
    assert desk.at(REF) == "goal: one\n"
    assert desk.looks() == "changed"
    assert desk.flush().ref == BRANCH


def test_files_that_change_while_git_reads_them(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = desk.write("x\n", ".claude/agent-memory/x.md")
    desk.write("goal: one\n")
    _meanwhile(monkeypatch, branch, "Storing", gone.unlink)
    assert desk.flush().paths == [CHAIN]
    os.symlink("WAL.md", desk.root / ".claude/agent-memory/link")
    link = desk.root / ".claude/agent-memory/link"
    _meanwhile(monkeypatch, branch, "Storing", link.unlink)
    assert desk.flush().kind == "unchanged"


def test_the_users_add_between_ref_and_index_is_kept(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("goal: old\n")
    desk.flush()
    desk.write("mine\n", "mine.txt")
    desk.write("goal: one\n")
    _meanwhile(monkeypatch, commits, "move", lambda: desk.git("add", "mine.txt"))
    assert desk.flush().ref == BRANCH
    assert desk.git("status", "--porcelain") == "A  mine.txt\n"
    assert desk.looks() == "same"


def test_an_index_that_stays_locked_is_healed_by_the_next_flush(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("goal: old\n")
    desk.write("old\n", ".claude/agent-memory/n.md")
    desk.flush()
    lock = desk.root / ".git/index.lock"
    desk.write("goal: one\n")
    desk.write("new\n", ".claude/agent-memory/n.md")
    _meanwhile(monkeypatch, commits, "move", lock.touch)
    monkeypatch.setattr(index, "_RETRY_SECONDS", 0.001)
    assert desk.flush().ref == BRANCH
    lock.unlink()
    status = desk.git("status", "--porcelain")
    assert status == "MM .claude/WAL.md\nMM .claude/agent-memory/n.md\n"
    assert desk.looks() == "changed"
    desk.write("goal: two\n")
    assert desk.flush().paths == [CHAIN]
    assert desk.git("status", "--porcelain") == ""
    assert desk.looks() == "same"


def test_an_index_left_behind_is_healed_though_nothing_changed(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = desk.root / ".git/index.lock"
    desk.write("goal: one\n")
    _meanwhile(monkeypatch, commits, "move", lock.touch)
    monkeypatch.setattr(index, "_RETRY_SECONDS", 0.001)
    desk.flush()
    lock.unlink()
    assert desk.flush().kind == "unchanged"
    assert desk.git("status", "--porcelain") == ""
    assert desk.looks() == "same"


def test_an_index_left_behind_is_not_forgotten_while_head_may_not_move(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed inside update-ref: HEAD has moved, its lock is left, the index is behind."""
    lock = desk.root / ".git/index.lock"
    desk.write("goal: one\n")
    _meanwhile(monkeypatch, commits, "move", lock.touch)
    monkeypatch.setattr(index, "_RETRY_SECONDS", 0.001)
    desk.flush()
    lock.rename(desk.root / ".git/HEAD.lock")
    assert desk.flush().kind == "unchanged"
    assert desk.looks() == "changed"
    (desk.root / ".git/HEAD.lock").unlink()
    assert desk.flush().kind == "unchanged"
    assert desk.git("status", "--porcelain") == ""
    assert desk.looks() == "same"


def test_the_users_own_staging_is_not_taken_for_an_index_left_behind(desk: Desk) -> None:
    desk.write("goal: one\n")
    desk.flush()
    desk.write("goal: two\n")
    desk.flush()
    (desk.root / ".git/baton/flush").unlink()
    blob = desk.git("hash-object", "-w", "--stdin", stdin=b"goal: staged\n").strip()
    desk.git("update-index", "--cacheinfo", f"100644,{blob},{CHAIN}")
    before = desk.git("ls-files", "-s", "--debug")
    assert desk.flush().kind == "unchanged"
    assert desk.git("ls-files", "-s", "--debug") == before


def test_a_root_commit_of_ours_with_its_index_behind(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "new")
    desk.root.mkdir()
    desk.git("init", "--quiet")
    desk.write("goal: one\n")
    desk.flush()
    (desk.root / ".git/index").unlink()
    (desk.root / ".git/baton/flush").unlink()
    assert desk.flush().kind == "unchanged"
    assert desk.git("status", "--porcelain") == ""


def test_where_files_cannot_be_linked_the_index_is_updated_in_place(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    desk.write("goal: old\n")
    desk.flush()
    monkeypatch.setattr(os, "link", no_links)
    desk.write("staged\n", "mine.txt")
    desk.git("add", "mine.txt")
    before = desk.users_own()
    desk.write("goal: one\n")
    assert desk.flush().ref == BRANCH
    assert desk.users_own() == before
    assert desk.git("status", "--porcelain") == "A  mine.txt\n"


def test_somebody_elses_turn_on_the_ref_is_built_upon(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.git("checkout", "--quiet", "--detach")
    inner = Desk(desk.root / "inner")
    inner.write("goal: inner\n")
    desk.write("goal: outer\n")
    _meanwhile(monkeypatch, commits, "move", inner.flush)
    assert desk.flush().kind == "parked"
    assert desk.tree_of(REF) == [CHAIN, f"inner/{CHAIN}"]


def test_a_ref_that_never_rests_is_deferred(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.git("checkout", "--quiet", "--detach")
    desk.write("goal: one\n")
    monkeypatch.setattr(parking, "_RETRIES", 2)

    def slip() -> None:
        commit = desk.git("commit-tree", "HEAD:", "-m", str(time.time())).strip()
        desk.git("update-ref", REF, commit)

    _meanwhile(monkeypatch, commits, "move", *[slip] * 2)
    outcome = desk.flush()
    assert outcome.kind == "deferred"
    assert "cannot lock ref" in outcome.reason


def test_the_lock_of_the_state_directory_is_waited_for_and_no_longer(desk: Desk) -> None:
    desk.write("goal: one\n")
    with desk.state.lock(1):
        outcome = desk.flush(seconds=0.2)
    assert (outcome.kind, outcome.reason) == ("deferred", "another baton held its lock for 0.2 s")
    assert desk.flush().kind == "committed"


def test_one_commit_whoever_was_waiting(desk: Desk) -> None:
    desk.write("goal: one\n")
    command = patient(DOORS / "flush.py")
    environment = {**os.environ, "CLAUDE_PROJECT_DIR": str(desk.root)}
    for number in range(4):
        desk.write(f"goal: {number}\n")
        started = [
            subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL) for _ in range(8)
        ]
        assert [process.wait(timeout=120) for process in started] == [0] * 8
        assert desk.at("HEAD") == f"goal: {number}\n"
        assert desk.looks() == "same"
    assert desk.git("rev-list", "--count", "HEAD").strip() == "5"
    assert desk.git("status", "--porcelain") == ""
    desk.fsck()


STATUS_LOOP = 'until [ -e "$1" ]; do git status >/dev/null; done'
COMMIT_LOOP = """
n=0
until [ -e "$1" ]; do
  n=$((n+1)); echo $n >mine.txt
  git add mine.txt && git commit --quiet --message "mine $n" -- mine.txt && echo $n >>../made
  sleep 0.2
done 2>/dev/null
true
"""
FLUSH_LOOP = """
n=0
stop=$1 role=$2
shift 2
until [ -e "$stop" ]; do
  n=$((n+1))
  [ $role != writes ] || { echo "goal: $n" >.claude/new; mv .claude/new .claude/WAL.md; }
  "$@" </dev/null || exit 1
done
"""


def _until_there_is_much(desk: Desk, made: Path) -> None:
    """Wait until the user has made some commits, and flushes some of theirs."""
    end = time.monotonic() + 150
    while time.monotonic() < end:
        ours = desk.git("rev-list", "--count", "--grep=^wal: ", "HEAD")
        if int(ours) > 5 and made.exists() and len(made.read_text().split()) > 5:
            return
        time.sleep(0.5)


@pytest.mark.slow
def test_flushes_beside_a_busy_user(desk: Desk, tmp_path: Path) -> None:
    desk.write("goal: 0\n")
    stop = tmp_path / "stop"
    hook = patient(DOORS / "flush.py")
    environment = {**os.environ, "CLAUDE_PROJECT_DIR": str(desk.root)}
    loops = [
        ("sh", "-c", STATUS_LOOP, "sh", str(stop)),
        ("sh", "-c", COMMIT_LOOP, "sh", str(stop)),
        ("sh", "-c", FLUSH_LOOP, "sh", str(stop), "writes", *hook),
        *[("sh", "-c", FLUSH_LOOP, "sh", str(stop), "looks", *hook)] * 7,
    ]
    running = [
        subprocess.Popen(loop, cwd=desk.root, env=environment, stdout=subprocess.DEVNULL)
        for loop in loops
    ]
    try:
        time.sleep(12)
        _until_there_is_much(desk, tmp_path / "made")
    finally:
        stop.touch()
        ended = [process.wait(timeout=120) for process in running]
    assert ended == [0] * len(loops)

    time.sleep(0.05)
    desk.flush()
    made = [f"mine {number}" for number in (tmp_path / "made").read_text().split()]
    commits = [row.split(" ", 1) for row in desk.git("log", "--format=%H %s").splitlines()]
    assert [subject for _, subject in commits[::-1] if subject.startswith("mine")] == made
    ours = [commit for commit, subject in commits if subject.startswith("wal: ")]
    assert len(ours) > 5 and len(made) > 5
    assert all(desk.files_of(commit) == [CHAIN] for commit in ours)
    assert desk.at("HEAD") == (desk.root / CHAIN).read_text()
    assert desk.git("status", "--porcelain", ".claude") == ""
    assert not (desk.root / ".git/index.lock").exists()
    desk.fsck()
    print(f"tried: flush beside git: {len(made)} commits of the user's, {len(ours)} flushes")
