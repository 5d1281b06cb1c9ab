"""The flush's parts by themselves: refs read, records noted, trees grafted, objects synced."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baton.hot import files
from baton.hot.flush import branch, record, signature
from baton.hot.flush.attempt import Attempt
from baton.hot.flush.record import Record
from baton.hot.git import durable, head, index
from baton.hot.git.checkout import Checkout
from baton.hot.git.graft import Grafter
from baton.hot.git.speaker import Failed, Git
from baton.hot.git.trees import NOTHING, Trees
from desk import CHAIN, Desk
from support import make_repository

REF = "refs/baton/wal/main"


@pytest.fixture
def desk(repo: Path) -> Desk:
    return Desk(repo)


def _checkout(desk: Desk) -> Checkout:
    found = desk.project.checkout
    assert found is not None
    return found


def _heads(desk: Desk) -> tuple[str, str]:
    found = head.read(_checkout(desk))
    return found.name, found.oid


def test_head_on_loose_packed_and_symbolic_branches(desk: Desk) -> None:
    oid = desk.head()
    assert _heads(desk) == ("refs/heads/main", oid)
    desk.git("branch", "mainland")
    desk.git("pack-refs", "--all")
    assert _heads(desk) == ("refs/heads/main", oid)
    new = desk.commit("more", more="x\n")
    assert _heads(desk) == ("refs/heads/main", new)
    desk.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    desk.git("symbolic-ref", "HEAD", "refs/heads/alias")
    assert _heads(desk) == ("refs/heads/main", new)
    desk.write("goal: one\n")
    outcome = desk.flush()
    assert (outcome.ref, desk.git("rev-parse", "main").strip()) == (
        "refs/heads/main",
        outcome.commit,
    )


def test_head_as_old_gits_wrote_it(desk: Desk) -> None:
    (desk.root / ".git/HEAD").unlink()
    os.symlink("refs/heads/main", desk.root / ".git/HEAD")
    assert _heads(desk)[0] == "refs/heads/main"
    desk.write("goal: one\n")
    assert desk.flush().kind == "committed"


def test_head_on_nothing_that_can_be_read(desk: Desk) -> None:
    git_dir = desk.root / ".git"
    for number in range(6):
        (git_dir / f"refs/heads/l{number}").write_text(f"ref: refs/heads/l{number + 1}\n")
    (git_dir / "HEAD").write_text("ref: refs/heads/l0\n")
    assert _heads(desk) == ("refs/heads/l5", "")
    (git_dir / "HEAD").write_text("ref: refs/heads/born later\n")
    assert _heads(desk) == ("refs/heads/born later", "")
    (git_dir / "HEAD").unlink()
    assert head.read(Checkout(str(desk.root), str(git_dir), str(git_dir))).on_branch is False


def test_where_only_git_reads_refs_everything_is_parked(desk: Desk) -> None:
    (desk.root / ".git/reftable").mkdir()
    for text in ("goal: one\n", "goal: two\n"):
        desk.write(text)
        outcome = desk.flush()
        assert (outcome.kind, outcome.reason) == (
            "parked",
            "this repository keeps its refs in reftables",
        )
        assert (desk.at(REF), desk.looks()) == (text, "same")
    durable.sync_ref(_checkout(desk), "refs/heads/in-a-table")


FOLDERS = {
    "refs/heads/main": ["heads"],
    "refs/heads/a/b": ["heads/a", "heads"],
    "refs/baton/wal/main": ["baton/wal", "baton", ""],
}


@pytest.mark.parametrize(("name", "folders"), FOLDERS.items())
def test_a_refs_new_folders_are_brought_to_the_disk(
    desk: Desk, name: str, folders: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.git("update-ref", name, "HEAD")
    synced: list[str] = []
    monkeypatch.setattr(files, "sync_folder", synced.append)
    durable.sync_ref(_checkout(desk), name)
    refs = desk.root / ".git/refs"
    assert synced == [str(refs / folder) for folder in folders]


def test_the_index_is_on_the_disk_before_a_record_says_that_it_is_in_step(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record that outlives a power cut which the index does not would hide that it is behind."""
    synced: list[tuple[str, bool]] = []
    note = desk.root / ".git/baton/flush"
    whole = files.sync_folder

    def sync(folder: str) -> None:
        synced.append((os.path.relpath(folder, desk.root), note.exists()))
        whole(folder)

    desk.write("goal: old\n")
    desk.flush()
    old = (desk.root / ".git/index").read_bytes()
    desk.write("goal: new\n")
    note.unlink()
    monkeypatch.setattr(files, "sync_folder", sync)
    desk.flush()
    assert synced == [(".git", False), (".git/refs/heads", False)]
    (desk.root / ".git/index").write_bytes(old)
    note.unlink()
    desk.flush()
    assert synced[2:] == [(".git", False)]
    assert desk.git("status", "--porcelain") == ""


FIELD = st.text(st.characters(exclude_characters="\n\0", exclude_categories=["Cs"]))
LINE = st.binary(min_size=1).map(lambda data: data.replace(b"\0", b""))


@given(
    fields=st.tuples(FIELD, FIELD, FIELD, FIELD, FIELD, FIELD),
    paths=st.lists(FIELD),
    ids=st.lists(st.from_regex(rb"[0-9]{6} [0-9a-f]{40}| ", fullmatch=True), min_size=1),
    kept_off=st.lists(LINE),
    lines=st.lists(LINE),
)
def test_a_record_reads_back_as_written(
    fields: tuple[str, ...],
    paths: list[str],
    ids: list[bytes],
    kept_off: list[bytes],
    lines: list[bytes],
) -> None:
    where, persist, configured, written_head, oid, tip = fields
    written = Record(where, persist, configured, paths)
    written.head, written.oid, written.tip = written_head, oid, tip
    written.ids, written.kept_off, written.lines = ids, kept_off, lines
    read = record.parse(written.render())
    assert read is not None
    assert all(getattr(read, name) == getattr(written, name) for name in Record.__slots__)


@given(st.binary() | st.binary().map(lambda data: b"baton flush 1\n" + data))
def test_a_damaged_record_is_no_record(data: bytes) -> None:
    record.parse(data)
    whole = Record("branch", "branch", "", []).render()
    assert record.parse(whole) is not None
    assert record.parse(b"other" + whole) is None


ROOTS = [
    ([".claude/WAL.md", ".claude/", "docs"], [b".claude", b"docs"]),
    (["a/b", "a", "ab", "./a//b/"], [b"a", b"ab"]),
    ([], []),
]


@pytest.mark.parametrize(("paths", "roots"), ROOTS)
def test_roots_are_plain_and_none_inside_another(
    desk: Desk, paths: list[str], roots: list[bytes]
) -> None:
    assert signature.roots(desk.project, paths) == roots


def test_a_file_that_goes_while_its_folder_is_read(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("x\n", ".claude/agent-memory/x.md")
    name = signature._name

    def gone(entry: os.DirEntry[bytes]) -> bytes:
        os.unlink(entry.path)
        return name(entry)

    monkeypatch.setattr(signature, "_name", gone)
    survey = signature.take(desk.project, [".claude/agent-memory"], {})
    assert (survey.files, survey.lines, survey.faults) == ({}, [], {})


def test_no_paths_at_all_and_a_word_to_keep(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.git("init", "--quiet")
    desk.write("paths = []\n", ".claude/baton.toml")
    outcome = desk.flush(subject="wal: pause", body="words", always=True)
    assert (outcome.kind, desk.tree_of("HEAD")) == ("committed", [])
    desk.fsck()


def test_no_paths_at_all_and_somebody_elses_commit_meanwhile(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("paths = []\n", ".claude/baton.toml")
    real = branch._still_safe

    def late(attempt: Attempt) -> None:
        monkeypatch.setattr(branch, "_still_safe", real)
        desk.commit("slipped in", other="x\n")
        real(attempt)

    monkeypatch.setattr(branch, "_still_safe", late)
    assert desk.flush(always=True).kind == "committed"
    assert desk.git("log", "-1", "--format=%s", "HEAD^").strip() == "slipped in"


NAMES = st.sampled_from("abc")
PATHS = st.lists(NAMES, min_size=1, max_size=4).map(lambda names: "/".join(names).encode())
CHANGES = st.dictionaries(PATHS, st.booleans(), max_size=12)


@pytest.fixture(scope="module")
def grafting() -> Iterator[tuple[Git, Desk]]:
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(make_repository(Path(folder).resolve() / "r"))
        with Git(str(desk.root), time.monotonic() + 1000) as git:
            yield git, desk


@settings(max_examples=60)
@given(first=CHANGES, second=CHANGES)
def test_a_grafted_tree_holds_what_was_asked_for(
    grafting: tuple[Git, Desk], first: dict[bytes, bool], second: dict[bytes, bool]
) -> None:
    """A model: paths → blob; a file in the way of a folder goes, as on disk."""
    git, desk = grafting
    blob = b"587be6b4c3f93f93c489c0111bba5596147a26cb"
    trees = Trees(git)
    model: set[bytes] = set()
    tree = b""
    for changes in (first, second):
        wanted = {path for path, there in changes.items() if there}
        wanted = {p for p in wanted if not any(q.startswith(p + b"/") for q in wanted)}
        gone = {p for p in model if p in changes and not changes[p]}
        gone |= {
            p for p in model for q in wanted if q.startswith(p + b"/") or p.startswith(q + b"/")
        }
        asked = {**dict.fromkeys(gone, NOTHING), **dict.fromkeys(wanted, (b"100644", blob))}
        grafter = Grafter(git, trees)
        tree = grafter.graft(tree, asked)
        grafter.hang_up()
        model = (model - gone) | wanted
        assert (
            set(trees.below(tree, b"a") | trees.below(tree, b"b") | trees.below(tree, b"c"))
            == model
        )
        assert grafter.made[-1] == tree
    listed = desk.git("ls-tree", "-r", "--name-only", tree.decode()).split()
    assert listed == sorted(path.decode() for path in model)


def test_an_object_that_was_packed_before_needs_no_sync(desk: Desk) -> None:
    desk.write("goal: one\n")
    desk.flush()
    desk.write("goal: two\n")
    desk.flush()
    desk.git("gc", "--quiet")
    desk.write("goal: one\n")
    assert desk.flush().kind == "committed"
    desk.fsck()


def test_a_write_that_git_did_not_notice_to_fail(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """mktree ends well although a tree was not written: HEAD must not move to such a commit."""
    desk.write("note\n", ".claude/agent-memory/deep/n.md")
    before = desk.head()
    real = Grafter.graft

    def losing(self: Grafter, tree: bytes, changes: dict[bytes, tuple[bytes, bytes]]) -> bytes:
        made = real(self, tree, changes)
        lost = self.made[0].decode()
        (desk.root / ".git/objects" / lost[:2] / lost[2:]).unlink()
        return made

    monkeypatch.setattr(Grafter, "graft", losing)
    outcome = desk.flush()
    assert (outcome.kind, outcome.commit, desk.head()) == ("failed", "", before)
    assert outcome.reason.startswith("git lost the object ")
    monkeypatch.undo()
    os.chdir(desk.root)
    assert desk.flush().kind == "committed"
    desk.fsck()


def test_a_listing_that_fails_and_an_index_that_cannot_be_made(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("goal: one\n")
    desk.flush()
    monkeypatch.setattr(index, "_UPDATE", (*index._UPDATE[:-1], "--no-such-option", "--stdin"))
    monkeypatch.setattr(index, "_RETRIES", 2)
    desk.write("goal: two\n")
    assert desk.flush().kind == "committed"
    assert desk.looks() == "changed"
    assert desk.git("status", "--porcelain") == f"MM {CHAIN}\n"
    monkeypatch.undo()
    (desk.root / ".git/index").write_bytes(b"DIRC broken")
    with pytest.raises(Failed), Git(str(desk.root), time.monotonic() + 120) as git:
        index.Listing(git, [b".claude"]).wait()


def test_without_user_ids_every_repository_is_ours(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "geteuid")
    desk.write("goal: one\n")
    assert desk.flush().kind == "committed"


def test_ignored_files_have_one_name_for_all_who_tell_of_them() -> None:
    assert branch.IGNORED == "git-ignored"
