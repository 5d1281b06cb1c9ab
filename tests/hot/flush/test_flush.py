"""The flush on an ordinary branch: what is committed, and all that must stay as it was."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from baton.hot.flush import attempt
from desk import CHAIN, SETTLE_SECONDS, Desk


@pytest.fixture
def desk(repo: Path) -> Desk:
    return Desk(repo)


def test_a_changed_chain_becomes_a_commit_of_it_alone(desk: Desk) -> None:
    before = desk.head()
    desk.write("goal: one\n")
    outcome = desk.flush()
    assert (outcome.kind, outcome.ref, outcome.reason) == ("committed", "refs/heads/main", "")
    assert outcome.paths == [CHAIN]
    assert outcome.refused == []
    assert outcome.commit == desk.head()
    assert desk.files_of("HEAD") == [CHAIN]
    assert desk.at("HEAD") == "goal: one\n"
    assert desk.git("rev-parse", "HEAD^").strip() == before
    assert desk.git("status", "--porcelain") == ""
    assert desk.looks() == "same"
    desk.fsck()


def test_the_subject_has_the_local_time_and_the_reflog_says_what_happened(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Asia/Ho_Chi_Minh")
    time.tzset()
    desk.write("goal: one\n")
    begun = time.strftime("%Y%m%dT%H%M")
    desk.flush()
    subject = desk.git("log", "-1", "--format=%s").strip()
    assert subject in (f"wal: flush {begun}", f"wal: flush {time.strftime('%Y%m%dT%H%M')}")
    assert desk.git("reflog", "-1", "--format=%gs").strip() == f"commit: {subject}"


def test_thirty_turns_without_a_change_make_no_commit(desk: Desk) -> None:
    desk.write("goal: one\n")
    head = desk.flush().commit
    for _ in range(30):
        outcome = desk.flush()
        assert (outcome.kind, outcome.commit, outcome.ref) == ("unchanged", "", "")
    assert desk.head() == head


def test_where_there_is_nothing_nothing_is_made(desk: Desk) -> None:
    assert desk.looks() == "absent"
    assert desk.flush().kind == "unchanged"
    assert not (desk.root / ".git/baton").exists()


def test_all_state_paths_go_along_and_nothing_else(desk: Desk) -> None:
    wanted = [
        CHAIN,
        ".claude/agent-memory/deep/er/x.md",
        ".claude/agent-memory/notes.md",
        ".claude/pipeline.jsonl",
        ".claude/pipelines/p/log.jsonl",
        ".claude/workflows/runs/r1/journal.jsonl",
    ]
    for path in [*wanted, ".claude/settings.json", ".claude/workflows/other.js", "stray.txt"]:
        desk.write(f"{path}\n", path)
    assert sorted(desk.flush().paths) == wanted
    assert desk.files_of("HEAD") == wanted
    untracked = [".claude/settings.json", ".claude/workflows/other.js", "stray.txt"]
    assert desk.git("ls-files", "-o", "--exclude-standard").split() == untracked


def test_deleted_moved_and_retyped_state_files_are_recorded(desk: Desk) -> None:
    notes = desk.root / ".claude/agent-memory"
    for name in ("gone.md", "file-to-folder", "folder-to-file/a", "folder-to-file/b", "kept.md"):
        desk.write(name, f".claude/agent-memory/{name}")
    desk.flush()
    (notes / "gone.md").unlink()
    (notes / "file-to-folder").unlink()
    desk.write("inner", ".claude/agent-memory/file-to-folder/inner")
    for name in "ab":
        (notes / "folder-to-file" / name).unlink()
    (notes / "folder-to-file").rmdir()
    desk.write("now a file", ".claude/agent-memory/folder-to-file")
    outcome = desk.flush()
    assert sorted(outcome.paths) == [
        ".claude/agent-memory/file-to-folder",
        ".claude/agent-memory/file-to-folder/inner",
        ".claude/agent-memory/folder-to-file",
        ".claude/agent-memory/folder-to-file/a",
        ".claude/agent-memory/folder-to-file/b",
        ".claude/agent-memory/gone.md",
    ]
    assert desk.tree_of("HEAD") == [
        ".claude/agent-memory/file-to-folder/inner",
        ".claude/agent-memory/folder-to-file",
        ".claude/agent-memory/kept.md",
        "README.md",
    ]
    assert desk.git("status", "--porcelain") == ""
    desk.fsck()


def test_the_last_state_file_deleted_leaves_no_empty_folder_behind(desk: Desk) -> None:
    desk.write("goal: one\n")
    desk.flush()
    (desk.root / CHAIN).unlink()
    assert desk.flush().paths == [CHAIN]
    assert desk.tree_of("HEAD") == ["README.md"]
    desk.fsck()


def test_an_unborn_branch_is_born_with_the_state_alone(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.git("init", "--quiet", "-b", "trunk")
    desk.git("config", "user.email", "ada@example.org")
    (tmp_path / "staged.txt").write_text("the user's\n")
    desk.git("add", "staged.txt")
    before = desk.users_own()
    desk.write("goal: one\n")
    outcome = desk.flush()
    assert (outcome.kind, outcome.ref) == ("committed", "refs/heads/trunk")
    assert desk.tree_of("HEAD") == [CHAIN]
    assert desk.git("rev-list", "--count", "HEAD").strip() == "1"
    assert desk.users_own() == before
    assert desk.git("status", "--porcelain") == "A  staged.txt\n"


def test_an_unborn_branch_without_an_index(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.git("init", "--quiet", "-b", "trunk")
    desk.write("goal: one\n")
    assert desk.flush().kind == "committed"
    assert desk.git("status", "--porcelain") == ""


def test_staged_and_half_staged_work_is_the_same_to_the_bit(desk: Desk) -> None:
    desk.commit("more", half="1\n2\n", removed="x\n", cached="x\n", flagged="x\n")
    desk.write("goal: one\n")
    desk.flush()
    (desk.root / "half").write_text("staged\n2\n")
    desk.git("add", "half")
    (desk.root / "half").write_text("staged\nnot staged\n")
    desk.write("new and staged\n", "staged.txt")
    desk.git("add", "staged.txt")
    desk.git("rm", "--quiet", "removed")
    desk.git("rm", "--quiet", "--cached", "cached")
    desk.git("update-index", "--assume-unchanged", "flagged")
    desk.write("untracked\n", "third.txt")
    desk.write("intent\n", "intent.txt")
    desk.git("add", "-N", "intent.txt")
    desk.write("ignored\n", "ignored.log")
    (desk.root / ".git/info/exclude").write_text("*.log\n")
    before, status = desk.users_own(), desk.git("status", "--porcelain")
    desk.write("goal: two\n")
    outcome = desk.flush()
    assert desk.files_of(outcome.commit) == [CHAIN]
    assert desk.users_own() == before
    assert desk.git("status", "--porcelain") == status
    desk.git("commit", "--quiet", "-m", "the user's own")
    assert desk.files_of("HEAD") == ["cached", "half", "removed", "staged.txt"]
    desk.fsck()


@pytest.mark.parametrize(
    "stage",
    [
        ("add", CHAIN),
        ("add", "-N", CHAIN),
        ("rm", "--quiet", "--cached", "--force", CHAIN),
        ("update-index", "--chmod=+x", CHAIN),
    ],
    ids=["staged", "intent", "rm-cached", "chmod"],
)
def test_whatever_the_user_did_to_the_state_in_the_index(
    desk: Desk, stage: tuple[str, ...]
) -> None:
    desk.write("goal: one\n")
    desk.flush()
    desk.write("goal: two\n")
    desk.git(*stage)
    desk.write("goal: three\n")
    outcome = desk.flush()
    assert (outcome.kind, desk.at("HEAD")) == ("committed", "goal: three\n")
    assert desk.git("status", "--porcelain") == ""
    desk.fsck()


def test_a_touched_chain_is_not_a_change(desk: Desk) -> None:
    desk.write("goal: one\n")
    head = desk.flush().commit
    os.utime(desk.root / CHAIN)
    time.sleep(0.012)
    assert desk.looks() == "changed"
    assert desk.flush().kind == "unchanged"
    assert desk.head() == head
    assert desk.looks() == "same"


def test_commits_of_the_user_are_gone_along_with(desk: Desk) -> None:
    desk.write("goal: one\n")
    desk.flush()
    head = desk.commit("mine", mine="x\n")
    assert desk.looks() == "changed"
    assert desk.flush().kind == "unchanged"
    assert (desk.head(), desk.looks()) == (head, "same")
    desk.git("reset", "--quiet", "--soft", "HEAD~2")
    outcome = desk.flush()
    assert outcome.paths == [CHAIN]
    assert desk.git("status", "--porcelain") == "A  mine\n"


def test_another_branch_with_another_chain(desk: Desk) -> None:
    desk.write("goal: main\n")
    desk.flush()
    desk.git("checkout", "--quiet", "-b", "topic")
    desk.write("goal: topic\n")
    assert desk.flush().ref == "refs/heads/topic"
    desk.git("checkout", "--quiet", "main")
    time.sleep(0.012)
    assert desk.flush().kind == "unchanged"
    assert (desk.root / CHAIN).read_text() == "goal: main\n"
    assert desk.at("topic") == "goal: topic\n"


def test_a_file_too_young_to_be_trusted_is_compared_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = desk.write("goal: one\n")
    with monkeypatch.context() as patch:
        # However late the flush comes on a busy machine.
        patch.setattr(attempt, "_COARSE_NS", 600 * 10**9)
        for number in range(100, 105):
            path.write_text(f"goal: {number}\n")
            assert desk.flush().kind == "committed"
            assert desk.at("HEAD") == f"goal: {number}\n"
            assert desk.looks() == "changed"
            assert desk.flush().kind == "unchanged"
            assert desk.looks() == "changed"
    time.sleep(SETTLE_SECONDS)
    assert desk.flush().kind == "unchanged"
    assert desk.looks() == "same"


ODD_NAMES = [
    "new\nline",
    '"quoted"',
    "back\\slash",
    "sp ace",
    "-dash",
    "tab\t",
    "ünïcödé",
    "*",
    ":x",
]


@pytest.mark.parametrize("name", [*ODD_NAMES, os.fsdecode(b"no-utf8-\xff")], ids=repr)
def test_names_that_others_stumble_over(desk: Desk, name: str) -> None:
    path = f".claude/agent-memory/{name}"
    desk.write("one\n", path)
    desk.write("old\n", f".claude/agent-memory/{name}-2")
    outcome = desk.flush()
    assert sorted(outcome.paths) == sorted([path, f"{path}-2"])
    (desk.root / path).unlink()
    desk.write("new\n", f"{path}-2")
    assert sorted(desk.flush().paths) == sorted([path, f"{path}-2"])
    assert desk.git("status", "--porcelain") == ""
    assert desk.flush().kind == "unchanged"
    note = desk.state.record("outcome")
    assert note["kind"] == "committed"


def test_more_files_than_a_pipe_holds(desk: Desk) -> None:
    for number in range(3000):
        path = desk.root / f".claude/workflows/runs/r/{'n' * 60}-{number}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(number))
    desk.write("goal: one\n")
    outcome = desk.flush()
    assert (outcome.kind, len(outcome.paths)) == ("committed", 3001)
    assert desk.git("status", "--porcelain") == ""
    assert len(desk.state.record("outcome")["paths"]) == 100  # type: ignore[arg-type]


def test_links_and_the_executable_bit_are_kept_as_git_keeps_them(desk: Desk) -> None:
    desk.write("one\n", ".claude/agent-memory/real.md")
    os.symlink("real.md", desk.root / ".claude/agent-memory/link.md")
    script = desk.write("#!/bin/sh\n", ".claude/agent-memory/run.sh")
    script.chmod(0o755)
    time.sleep(0.012)
    desk.flush()
    listing = desk.git("ls-tree", "HEAD:.claude/agent-memory").splitlines()
    assert [row.split()[0] for row in listing] == ["120000", "100644", "100755"]
    assert desk.at("HEAD", ".claude/agent-memory/link.md") == "real.md"
    assert desk.git("status", "--porcelain") == ""
    script.chmod(0o644)
    time.sleep(0.012)
    assert desk.flush().paths == [".claude/agent-memory/run.sh"]


@pytest.mark.parametrize("tracked", [True, False])
def test_where_the_file_system_cannot_tell_modes(desk: Desk, tracked: bool) -> None:
    path = desk.write("one\n")
    if tracked:
        desk.flush()
    desk.git("config", "core.fileMode", "false")
    path.chmod(0o755)
    desk.write("two\n")
    desk.flush()
    assert desk.git("ls-tree", "HEAD:.claude").split()[0] == "100644"
    assert desk.git("status", "--porcelain") == ""


def test_where_links_are_files_they_stay_links_in_git(desk: Desk) -> None:
    desk.write("one\n", ".claude/agent-memory/real.md")
    link = desk.root / ".claude/agent-memory/link.md"
    link.symlink_to("real.md")
    desk.flush()
    link.unlink()
    desk.git("config", "core.symlinks", "false")
    desk.write("real.md", ".claude/agent-memory/link.md")
    assert desk.flush().kind == "unchanged"
    desk.git("config", "core.symlinks", "true")
    desk.write("a file now\n", ".claude/agent-memory/link.md")
    assert desk.flush().paths == [".claude/agent-memory/link.md"]
    assert desk.git("ls-tree", "HEAD:.claude/agent-memory", "link.md").startswith("100644")


FILTERS = {
    "crlf": ("* text=auto eol=crlf\n", "a\r\nb\r\n", "a\nb\n"),
    "autocrlf-off": ("* -text\n", "a\r\nb\r\n", "a\r\nb\r\n"),
    "encoding": ("*.md working-tree-encoding=UTF-16LE\n", "a\0\n\0", "a\n"),
    "clean": ("*.md filter=shout\n", "quiet\n", "QUIET\n"),
}


@pytest.mark.parametrize("kind", FILTERS)
def test_filters_of_the_project_are_honoured(desk: Desk, kind: str) -> None:
    attributes, on_disk, in_git = FILTERS[kind]
    desk.git("config", "filter.shout.clean", "tr a-z A-Z")
    desk.git("config", "core.autocrlf", "input")
    desk.commit("attributes", __gitattributes=attributes)
    desk.git("config", "core.safecrlf", "true")
    desk.write(on_disk)
    assert desk.flush().kind == "committed"
    assert desk.at("HEAD") == in_git
    assert desk.git("status", "--porcelain", ".claude") == ""
    assert desk.flush().kind == "unchanged"


def test_words_of_a_pause_are_kept_although_nothing_changed(desk: Desk) -> None:
    desk.write("goal: one\n")
    desk.flush()
    outcome = desk.flush(subject="wal: pause", body="-m oops\n\x1b[31mlook at #3\x00", always=True)
    assert (outcome.kind, outcome.paths) == ("committed", [])
    message = "wal: pause\n\n-m oops\n�[31mlook at #3�\n"
    assert desk.git("log", "-1", "--format=%B") == message + "\n"
    assert desk.git("rev-parse", "HEAD^{tree}") == desk.git("rev-parse", "HEAD^^{tree}")
    assert desk.git("status", "--porcelain") == ""


def test_included_files_go_into_the_same_commit_by_name(desk: Desk) -> None:
    desk.commit("more", half="1\n", other="1\n")
    for name in ("half", "other", "new.txt"):
        desk.write("changed\n", name)
    desk.write("goal: one\n")
    outcome = desk.flush(subject="wal: pause", include=("half", "new.txt", CHAIN))
    assert sorted(outcome.paths) == [CHAIN, "half", "new.txt"]
    assert sorted(desk.files_of("HEAD")) == [CHAIN, "half", "new.txt"]
    assert desk.git("status", "--porcelain") == " M other\n"
    outcome = desk.flush(subject="wal: pause", include=("half",))
    assert outcome.kind == "unchanged"


def test_what_cannot_be_included_is_named_and_the_rest_is_kept(desk: Desk) -> None:
    desk.write("*.log\n", ".git/info/exclude")
    desk.write("x\n", "x.log")
    (desk.root / "folder").mkdir()
    desk.write("x\n", "real/file")
    os.symlink("README.md", desk.root / "link")
    os.symlink("real", desk.root / "linked")
    desk.write("goal: one\n")
    include = (
        "absent",
        "x.log",
        "folder",
        "link",
        "linked/file",
        "../x",
        ".git/config",
        "README.md",
    )
    outcome = desk.flush(include=include)
    assert (outcome.kind, outcome.paths) == ("committed", [CHAIN])
    assert dict(outcome.refused) == {
        "absent": "No such file or directory",
        "x.log": "git-ignored",
        "folder": "not a regular file",
        "link": "not a regular file",
        "linked/file": "behind a symbolic link",
        "../x": "it leads out of the project",
        ".git/config": "it lies in git's own folder",
    }
    assert desk.git("status", "--porcelain", "README.md", ".claude") == ""


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_vietnamese_and_emoji_come_through_any_locale(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, locale: str
) -> None:
    monkeypatch.setenv("LC_ALL", locale)
    text = "goal: Dựng tính-năng X 🚀\n"
    desk.git("config", "i18n.commitEncoding", "ISO-8859-1")
    desk.write(text)
    outcome = desk.flush(subject="wal: pause", body="tối nay 🌙")
    assert desk.at(outcome.commit) == text
    assert desk.git("cat-file", "commit", outcome.commit).endswith("\n\nwal: pause\n\ntối nay 🌙\n")


def test_the_note_of_the_last_outcome(desk: Desk) -> None:
    path = desk.write("goal: one\n")
    begun = int(time.time())
    outcome = desk.flush()
    note = desk.state.record("outcome")
    stat = path.stat()
    kept_at = note.pop("kept_at")
    assert isinstance(kept_at, int)
    assert begun <= kept_at <= time.time()
    assert note.pop("time") == kept_at
    assert note == {
        "kind": "committed",
        "commit": outcome.commit,
        "ref": "refs/heads/main",
        "reason": "",
        "paths": [CHAIN],
        "refused": [],
        "kept_where": "branch main",
        "chain": [stat.st_size, stat.st_mtime_ns],
    }


def test_a_chain_that_the_user_committed_counts_as_kept(desk: Desk) -> None:
    desk.write("goal: one\n")
    desk.flush()
    path = desk.write("goal: two\n")
    desk.git("commit", "--quiet", "-am", "mine")
    assert desk.flush().kind == "unchanged"
    note = desk.state.record("outcome")
    assert note["chain"] == [path.stat().st_size, path.stat().st_mtime_ns]
    assert note["kind"] == "unchanged"
