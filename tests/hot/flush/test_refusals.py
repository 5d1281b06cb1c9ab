"""What keeps content off the branch, or out altogether: said, and the rest is kept all the same."""

from __future__ import annotations

import importlib
import os
import pkgutil
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from baton import hot
from baton.hot.flush import blobs
from desk import CHAIN, SETTLE_SECONDS, Desk
from support import make_repository

REF = "refs/baton/wal/main"
NOBODY = 65534
MEMORY = ".claude/agent-memory"


@pytest.fixture
def desk(repo: Path) -> Desk:
    return Desk(repo)


def _exclude(desk: Desk) -> None:
    desk.write(".claude/\n", ".git/info/exclude")


def _gitignore(desk: Desk) -> None:
    desk.commit("ignore", __gitignore=".claude\n")


def _global(desk: Desk) -> None:
    ignore = Path(os.environ["XDG_CONFIG_HOME"]) / "git/ignore"
    ignore.parent.mkdir(parents=True)
    ignore.write_text(".claude/\n")


@pytest.mark.parametrize("level", [_exclude, _gitignore, _global], ids=lambda f: f.__name__[1:])
def test_ignored_state_is_parked_and_never_forced_in(
    desk: Desk, level: Callable[[Desk], None]
) -> None:
    level(desk)
    head, before = desk.head(), desk.users_own()
    desk.write("goal: one\n")
    outcome = desk.flush()
    assert (outcome.kind, outcome.ref, outcome.paths) == ("parked", REF, [CHAIN])
    assert outcome.parked == [CHAIN]
    assert outcome.reason == f"git-ignored; kept on {REF}"
    assert (desk.at(REF), desk.head()) == ("goal: one\n", head)
    assert desk.users_own() == before
    assert desk.looks() == "same"
    note = desk.state.record("outcome")
    assert (note["kept_where"], note["ref"]) == (REF, REF)
    desk.write("goal: two\n")
    assert desk.flush().kind == "parked"
    assert desk.at(REF) == "goal: two\n"
    assert desk.git("rev-list", "--count", REF).strip() == "2"


def test_half_of_the_paths_ignored(desk: Desk) -> None:
    desk.commit("ignore", __gitignore="runs/\n")
    desk.write("goal: one\n")
    desk.write("{}\n", ".claude/workflows/runs/r1/journal.jsonl")
    outcome = desk.flush()
    assert (outcome.kind, outcome.ref, outcome.paths) == ("committed", "refs/heads/main", [CHAIN])
    assert outcome.parked == [".claude/workflows/runs/r1/journal.jsonl"]
    assert desk.tree_of(REF) == outcome.parked
    desk.write("goal: two\n")
    outcome = desk.flush()
    assert (outcome.kind, outcome.paths) == ("committed", [CHAIN])
    assert desk.git("rev-list", "--count", REF).strip() == "1"
    shutil.rmtree(desk.root / ".claude/workflows")
    assert desk.flush().kind == "unchanged"
    desk.write("{}\n", ".claude/workflows/runs/r2/journal.jsonl")
    desk.flush()
    assert desk.tree_of(REF) == [".claude/workflows/runs/r2/journal.jsonl"]


def test_what_is_ignored_no_longer_goes_to_the_branch(desk: Desk) -> None:
    _exclude(desk)
    desk.write("goal: one\n")
    desk.flush()
    desk.write("", ".git/info/exclude")
    desk.write("goal: two\n")
    assert desk.flush().ref == "refs/heads/main"


@pytest.mark.parametrize("end", ["take", "drop"])
def test_a_chain_in_conflict_after_a_stash_is_parked(desk: Desk, end: str) -> None:
    """No file of git's tells of this state; the index does."""
    desk.write("goal: one\n")
    desk.flush()
    desk.write("goal: stashed\n")
    desk.git("stash", "--quiet")
    desk.write("goal: two\n")
    desk.write("note\n", f"{MEMORY}/n.md")
    desk.flush()
    assert desk.try_git("stash", "pop").returncode == 1
    time.sleep(SETTLE_SECONDS)
    conflict = (desk.root / CHAIN).read_text()
    assert "<<<<<<<" in conflict
    listing = desk.git("ls-files", "-s", CHAIN)
    desk.write("note 2\n", f"{MEMORY}/n.md")
    outcome = desk.flush()
    assert (outcome.kind, outcome.paths) == ("committed", [f"{MEMORY}/n.md"])
    assert (outcome.parked, desk.at(REF)) == ([CHAIN], conflict)
    assert outcome.reason == f"unmerged in the index; kept on {REF}"
    assert desk.git("ls-files", "-s", CHAIN) == listing
    assert desk.looks() == "same"
    if end == "take":
        desk.write("goal: joined\n")
        desk.git("add", CHAIN)
        desk.git("commit", "--quiet", "-m", "joined")
        assert desk.flush().kind == "unchanged"
    else:
        desk.git("checkout", "--quiet", "--ours", CHAIN)
        desk.git("reset", "--quiet", CHAIN)
        time.sleep(SETTLE_SECONDS)
        assert desk.flush().kind == "unchanged"
    assert desk.git("status", "--porcelain") == ""
    assert desk.looks() == "same"


def test_tracked_state_is_never_taken_for_ignored(desk: Desk) -> None:
    desk.write("goal: one\n")
    desk.flush()
    _exclude(desk)
    desk.write("goal: two\n")
    assert desk.flush().ref == "refs/heads/main"


def test_untracked_by_the_user_and_ignored_stays_untracked(desk: Desk) -> None:
    desk.write("goal: one\n")
    desk.flush()
    _exclude(desk)
    desk.git("rm", "--cached", "--quiet", CHAIN)
    desk.write("goal: two\n")
    outcome = desk.flush()
    assert (outcome.kind, outcome.ref) == ("parked", REF)
    assert desk.git("status", "--porcelain") == f"D  {CHAIN}\n"


def _nested_file(path: Path) -> None:
    path.mkdir()
    (path / ".git").write_text("gitdir: elsewhere\n")


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(path))


def _too_large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate((32 << 20) + 1)


def _folder(path: Path) -> None:
    path.mkdir()
    (path / "a.md").write_text("a\n")


_TAKEN = "a name that git keeps for itself"
# What makes it, and why it is left out.
BAD_PATHS: dict[str, tuple[Callable[[Path], object], str]] = {
    "fifo": (os.mkfifo, "neither a file nor a folder"),
    "socket": (_socket, "neither a file nor a folder"),
    "link-out": (
        lambda path: path.symlink_to("/etc/hostname"),
        "a symbolic link out of the project",
    ),
    "link-up": (lambda path: path.symlink_to("../../.."), "a symbolic link out of the project"),
    "nested": (make_repository, "a repository of its own"),
    "nested-file": (_nested_file, "a repository of its own"),
    "too-large": (_too_large, "larger than 32 MiB"),
    # A tree that held these could not be checked out again.
    "GIT~1": (_folder, _TAKEN),
    ".gitmodules": (lambda path: path.symlink_to("good.md"), _TAKEN),
}


@pytest.mark.parametrize("kind", BAD_PATHS)
def test_one_bad_path_never_costs_the_rest(desk: Desk, kind: str) -> None:
    make, reason = BAD_PATHS[kind]
    name = kind
    desk.write("goal: one\n")
    desk.write("note\n", f"{MEMORY}/good.md")
    make(desk.root / MEMORY / name)
    time.sleep(SETTLE_SECONDS)
    outcome = desk.flush()
    assert outcome.kind == "committed"
    assert sorted(outcome.paths) == [CHAIN, f"{MEMORY}/good.md"]
    assert outcome.refused == [(f"{MEMORY}/{name}", reason)]
    assert desk.looks() == "same"
    desk.write("goal: two\n")
    assert desk.flush().refused == [(f"{MEMORY}/{name}", reason)]
    (desk.root / ".git/baton/flush").unlink()
    outcome = desk.flush()
    assert (outcome.kind, outcome.reason) == ("refused", f"{MEMORY}/{name}: {reason}")
    desk.git("checkout", "--quiet", "--detach")
    desk.write("goal: three\n")
    outcome = desk.flush()
    assert (outcome.kind, outcome.refused) == ("parked", [(f"{MEMORY}/{name}", reason)])
    assert desk.looks() == "same"


def _unstorable(desk: Desk) -> None:
    """A filter that is missing here, like that of large files kept elsewhere."""
    desk.git("config", "filter.x.clean", "false")
    desk.git("config", "filter.x.required", "true")
    desk.write("*.big filter=x\n", ".git/info/attributes")


def test_a_file_that_git_cannot_store_costs_no_other(desk: Desk) -> None:
    big = [f"{MEMORY}/{name}.big" for name in ("a", "c", "d")]
    for path in (*big, f"{MEMORY}/b.md", f"{MEMORY}/z.md"):
        desk.write("one\n", path)
    (desk.root / MEMORY / "link").symlink_to("b.md")
    desk.write("goal: one\n")
    desk.flush()
    _unstorable(desk)
    for path in (*big, f"{MEMORY}/b.md", f"{MEMORY}/z.md"):
        desk.write("two, and changed\n", path)
    (desk.root / MEMORY / "link").unlink()
    (desk.root / MEMORY / "link").symlink_to("z.md")
    before = desk.users_own()
    time.sleep(SETTLE_SECONDS)

    outcome = desk.flush()

    assert outcome.kind == "committed"
    assert outcome.paths == [f"{MEMORY}/{name}" for name in ("b.md", "z.md", "link")]
    assert [path for path, _ in outcome.refused] == big
    assert {reason.partition(":")[0] for _, reason in outcome.refused} == {"git hash-object"}
    assert [desk.at("HEAD", path) for path in big] == ["one\n"] * 3
    assert desk.users_own() == before
    assert desk.looks() == "same"
    # Off the branch it is the same; where the filter is there again all is kept.
    desk.git("checkout", "--quiet", "--detach")
    desk.write("goal: two\n")
    outcome = desk.flush()
    assert (outcome.kind, [path for path, _ in outcome.refused]) == ("parked", big)
    desk.git("checkout", "--quiet", "main")
    desk.git("config", "filter.x.clean", "cat")
    assert sorted(desk.flush().paths) == [CHAIN, *big]


def test_git_is_not_asked_for_ever_what_it_cannot_store(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blobs, "_FAILURES", 2)
    _unstorable(desk)
    desk.write("goal: one\n")
    for name in "abc":
        desk.write("one\n", f"{MEMORY}/{name}.big")
    outcome = desk.flush()
    assert (outcome.kind, outcome.paths) == ("committed", [CHAIN])
    assert outcome.refused[2] == (f"{MEMORY}/c.big", blobs.NOT_TRIED)


def test_what_a_fault_hides_does_not_look_deleted(desk: Desk) -> None:
    desk.write("goal: one\n")
    desk.write("a\n", f"{MEMORY}/sub/a.md")
    desk.write("b\n", f"{MEMORY}/file.md")
    desk.flush()
    (desk.root / MEMORY / "sub/.git").mkdir()
    (desk.root / MEMORY / "file.md").unlink()
    os.mkfifo(desk.root / MEMORY / "file.md")
    desk.write("goal: two\n")
    outcome = desk.flush()
    assert outcome.paths == [CHAIN]
    assert f"{MEMORY}/sub/a.md" in desk.tree_of("HEAD")
    assert f"{MEMORY}/file.md" in desk.tree_of("HEAD")
    (desk.root / MEMORY / "sub/.git").rmdir()
    (desk.root / MEMORY / "file.md").unlink()
    (desk.root / MEMORY / "sub/a.md").unlink()
    assert sorted(desk.flush().paths) == [f"{MEMORY}/file.md", f"{MEMORY}/sub/a.md"]
    assert desk.git("status", "--porcelain") == ""


LINKED = {
    ".claude": "a symbolic link: git keeps nothing behind it",
    CHAIN: "a symbolic link: git would keep the link alone",
    MEMORY: "a symbolic link: git would keep the link alone",
}


@pytest.mark.parametrize("path", LINKED)
@pytest.mark.parametrize("inside", [True, False], ids=["inside", "outside"])
def test_a_state_path_that_is_a_link_is_named(
    desk: Desk, tmp_path: Path, path: str, inside: bool
) -> None:
    desk.write("goal: one\n")
    desk.write("note\n", f"{MEMORY}/n.md")
    target = (desk.root if inside else tmp_path) / "moved"
    os.rename(desk.root / path, target)
    os.symlink(target, desk.root / path)
    outcome = desk.flush()
    assert outcome.refused == [(path, LINKED[path])]
    assert outcome.kind == ("refused" if path == ".claude" else "committed")
    assert desk.looks() == "same"


def test_a_state_folder_that_is_a_repository_of_its_own(desk: Desk) -> None:
    desk.write("goal: one\n")
    make_repository(desk.root / ".claude")
    outcome = desk.flush()
    assert (outcome.kind, outcome.refused) == (
        "refused",
        [(".claude", "a repository of its own")],
    )
    assert outcome.reason == ".claude: a repository of its own"


def test_a_submodule_that_was_never_filled_is_not_filled_by_us(desk: Desk) -> None:
    desk.git("update-index", "--add", "--cacheinfo", f"160000,{desk.head()},{MEMORY}/lib")
    desk.git("commit", "--quiet", "-m", "submodule")
    desk.write("goal: one\n")
    desk.write("inside\n", f"{MEMORY}/lib/x.md")
    outcome = desk.flush()
    assert (outcome.kind, outcome.paths) == ("committed", [CHAIN])
    assert outcome.refused == [(f"{MEMORY}/lib", "in a submodule")]
    assert desk.git("ls-tree", "HEAD", f"{MEMORY}/lib").startswith("160000 commit")
    assert desk.looks() == "same"


def test_what_cannot_be_included_while_parked_is_named(desk: Desk) -> None:
    desk.git("checkout", "--quiet", "--detach")
    desk.write("goal: one\n")
    desk.write("half\n", "half.txt")
    words = "not kept: the state files had to be parked, and only a branch commit can hold it"
    outcome = desk.flush(include=("half.txt",))
    assert (outcome.kind, outcome.refused) == ("parked", [("half.txt", words)])
    outcome = desk.flush(include=("half.txt",))
    assert (outcome.kind, outcome.refused) == ("refused", [("half.txt", words)])
    outcome = desk.flush(subject="wal: pause", body="words", always=True)
    assert (outcome.kind, desk.git("log", "-1", "--format=%B", REF)) == (
        "parked",
        "wal: pause\n\nwords\n\n",
    )


def _configure(desk: Desk, text: str) -> None:
    desk.write(text, ".claude/baton.toml")


def test_persist_ref_keeps_everything_off_the_branch(desk: Desk) -> None:
    _configure(desk, 'persist = "ref"\n')
    head = desk.head()
    for text in ("goal: one\n", "goal: two\n"):
        desk.write(text)
        outcome = desk.flush()
        assert (outcome.kind, outcome.ref, outcome.reason) == ("parked", REF, 'persist = "ref"')
        assert (desk.at(REF), desk.looks()) == (text, "same")
    assert desk.head() == head
    desk.commit("mine", mine="x\n")
    assert desk.looks() == "same"
    desk.git("update-ref", "-d", REF)
    assert desk.looks() == "changed"
    assert desk.flush().kind == "parked"
    desk.git("pack-refs", "--all")
    assert desk.looks() == "same"
    _configure(desk, 'persist = "branch"\n')
    assert desk.looks() == "changed"
    assert desk.flush().ref == "refs/heads/main"


@pytest.mark.parametrize("how", ["persist", "variable"])
def test_switched_off_means_nothing_at_all(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    if how == "persist":
        _configure(desk, 'persist = "off"\n')
    else:
        monkeypatch.setenv("BATON_DISABLED", "1")
    desk.write("goal: one\n")
    reason = "persist is off" if how == "persist" else "BATON_DISABLED is set"
    outcome = desk.flush(always=True)
    assert (outcome.kind, outcome.reason) == ("disabled", reason)
    assert not (desk.root / ".git/baton").exists()


def test_paths_of_the_projects_own_choice(desk: Desk) -> None:
    paths = '[".claude/WAL.md", "docs//state/", "./docs/state/deep", "../out", ".git/x"]'
    _configure(desk, f"paths = {paths}\n")
    for path in (CHAIN, "docs/state/a", "docs/state/deep/b", "docs/c", f"{MEMORY}/n.md"):
        desk.write("x\n", path)
    assert sorted(desk.flush().paths) == [CHAIN, "docs/state/a", "docs/state/deep/b"]
    assert desk.looks() == "same"
    _configure(desk, 'paths = [".claude/agent-memory"]\n')
    assert desk.flush().paths == [f"{MEMORY}/n.md"]
    _configure(desk, "paths = []\n")
    assert desk.flush().kind == "unchanged"


def _load_all() -> None:
    """Import what a flush may come to: nobody need be able to read the sources."""
    for found in pkgutil.walk_packages(hot.__path__, "baton.hot."):
        importlib.import_module(found.name)


@contextmanager
def as_nobody(desk: Desk) -> Iterator[None]:
    """Go on as a user whom permissions bind, in a folder of theirs; root would read anything."""
    if os.getuid() != 0:
        yield
        return
    _load_all()
    for folder, _, files in os.walk(desk.root):
        for path in (folder, *(os.path.join(folder, name) for name in files)):
            os.lchown(path, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


@pytest.fixture
def open_desk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A desk in a folder that every user can reach."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        monkeypatch.setenv("HOME", folder)
        monkeypatch.delenv("XDG_CONFIG_HOME")
        monkeypatch.setenv("XDG_STATE_HOME", f"{folder}/state")
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", f"{folder}/.gitconfig")
        yield Desk(make_repository(Path(folder).resolve() / "project"))


@pytest.mark.parametrize("where", [f"{MEMORY}/locked", f"{MEMORY}/locked/inner.md"])
def test_what_may_not_be_read_is_named(open_desk: Desk, where: str) -> None:
    desk = open_desk
    with as_nobody(desk):
        desk.write("goal: one\n")
        desk.write("x\n", f"{MEMORY}/locked/inner.md")
        desk.write("y\n", f"{MEMORY}/open.md")
        desk.flush()
        desk.write("goal: two\n")
        path = desk.root / where
        path.chmod(0)
        desk.write("y 2\n", f"{MEMORY}/open.md")
        outcome = desk.flush()
        path.chmod(0o755)
        assert sorted(outcome.paths) == [CHAIN, f"{MEMORY}/open.md"]
        assert outcome.refused == [(where, "cannot be read: Permission denied")]
        assert f"{MEMORY}/locked/inner.md" in desk.tree_of("HEAD")


def test_a_folder_that_may_not_be_entered(open_desk: Desk) -> None:
    desk = open_desk
    with as_nobody(desk):
        desk.write("goal: one\n")
        desk.flush()
        desk.write("goal: two\n")
        (desk.root / ".claude").chmod(0o600)
        outcome = desk.flush()
        (desk.root / ".claude").chmod(0o755)
        reason = "cannot be looked at: Permission denied"
        assert outcome.kind == "refused"
        assert (CHAIN, reason) in outcome.refused
        assert desk.tree_of("HEAD") == [CHAIN, "README.md"]
        assert desk.flush().paths == [CHAIN]


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make another user's repository")
def test_a_repository_of_somebody_elses_is_gits_to_judge(open_desk: Desk) -> None:
    desk = open_desk
    desk.write("goal: one\n")
    os.chown(desk.root / ".git", NOBODY, NOBODY)
    outcome = desk.flush()
    assert (outcome.kind, outcome.commit) == ("failed", "")
    assert outcome.reason == (
        f"git rev-parse: detected dubious ownership in repository at '{desk.root}'"
    )
    assert not (desk.root / ".git/baton").exists()
    assert desk.state.folder.startswith(os.environ["XDG_STATE_HOME"])
    assert desk.state.record("outcome")["kind"] == "failed"
    Path(os.environ["HOME"], ".gitconfig").write_text(f"[safe]\n\tdirectory = {desk.root}\n")
    assert desk.flush().kind == "committed"
    assert desk.git("status", "--porcelain") == ""
    assert desk.looks() == "same"


def test_a_git_directory_that_cannot_be_written(open_desk: Desk) -> None:
    desk = open_desk
    with as_nobody(desk):
        desk.write("goal: one\n")
        (desk.root / ".git").chmod(0o500)
        outcome = desk.flush()
        (desk.root / ".git").chmod(0o755)
        assert (outcome.kind, outcome.reason) == (
            "failed",
            f"Permission denied: {desk.root}/.git/baton",
        )
        assert desk.flush().kind == "committed"


def test_objects_that_cannot_be_written(open_desk: Desk) -> None:
    desk = open_desk
    with as_nobody(desk):
        desk.write("goal: one\n")
        desk.flush()
        head = desk.head()
        for folder in (desk.root / ".git/objects").iterdir():
            folder.chmod(0o500)
        (desk.root / ".git/objects").chmod(0o500)
        desk.write("goal: two\n")
        outcome = desk.flush()
        for folder in [desk.root / ".git/objects", *(desk.root / ".git/objects").iterdir()]:
            folder.chmod(0o755)
        assert (outcome.kind, desk.head()) == ("failed", head)
        assert "insufficient permission for adding an object" in outcome.reason
        desk.fsck()
        assert desk.flush().kind == "committed"


def test_no_git_on_the_path(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write("goal: one\n")
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", f"{desk.root}:relative")
    (desk.root / "git").mkdir()
    outcome = desk.flush()
    monkeypatch.setenv("PATH", path)
    assert (outcome.kind, outcome.reason) == ("failed", "git was not found on PATH")


def test_a_branch_that_does_not_take_it(desk: Desk) -> None:
    """The content is kept all the same, and every turn tries again."""
    desk.write("goal: one\n")
    desk.flush()
    tree = desk.git("rev-parse", "HEAD^{tree}").strip()
    broken = desk.root / ".git/objects" / tree[:2] / tree[2:]
    broken.rename(desk.root / ".git/lost")
    desk.write("goal: two\n")
    outcome = desk.flush()
    words = f"git has no tree {tree}; kept on {REF}"
    assert (outcome.kind, outcome.ref, outcome.reason) == ("failed", REF, words)
    assert desk.looks() == "changed"
    outcome = desk.flush()
    assert (outcome.kind, outcome.commit, outcome.reason) == ("failed", "", words)
    (desk.root / ".git/lost").rename(broken)
    assert desk.flush().ref == "refs/heads/main"
    assert desk.at("HEAD") == "goal: two\n"


def test_a_head_that_is_no_commit(desk: Desk) -> None:
    desk.write("goal: one\n")
    (desk.root / ".git/refs/heads/main").write_text("f" * 40 + "\n")
    outcome = desk.flush()
    assert (outcome.kind, outcome.ref, desk.at(REF)) == ("failed", REF, "goal: one\n")
    assert outcome.reason == f"git has no commit {'f' * 40}; kept on {REF}"


def test_a_record_that_is_damaged_costs_a_comparison(desk: Desk) -> None:
    desk.write("goal: one\n")
    head = desk.flush().commit
    record = desk.root / ".git/baton/flush"
    for damage in (b"", b"\0\0", b"baton flush 1\n", record.read_bytes()[:-30]):
        record.write_bytes(damage)
        assert desk.looks() == "changed"
        assert desk.flush().kind == "unchanged"
        assert (desk.head(), desk.looks()) == (head, "same")


def test_settle_seconds_are_longer_than_what_the_record_waits_for() -> None:
    assert SETTLE_SECONDS > 0.010
