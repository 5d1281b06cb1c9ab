"""Where a project may lie, and the kinds of repository it may lie in."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from desk import CHAIN, Desk
from support import make_repository

REF = "refs/baton/wal/main"


def _inner(desk: Desk, name: str) -> Desk:
    (desk.root / name).mkdir(parents=True)
    return Desk(desk.root / name)


def test_a_project_below_the_root_of_the_repository(repo: Path) -> None:
    top = Desk(repo)
    desk = _inner(top, "pack ages/web")
    desk.write("goal: web\n")
    outcome = desk.flush()
    assert outcome.paths == [CHAIN]
    assert top.files_of("HEAD") == [f"pack ages/web/{CHAIN}"]
    assert top.git("status", "--porcelain") == ""
    assert (repo / ".git/baton/at/pack ages%2Fweb/flush").exists()
    assert desk.looks() == "same"


def test_several_projects_stand_side_by_side_on_the_ref(repo: Path) -> None:
    desks = [Desk(repo), _inner(Desk(repo), "a"), _inner(Desk(repo), "b/c")]
    desks[0].git("checkout", "--quiet", "--detach")
    for number, desk in enumerate(desks):
        desk.write(f"goal: {number}\n")
    for desk in desks:
        assert desk.flush().kind == "parked"
    desks[1].write("goal: new\n")
    desks[1].flush()
    assert [desks[0].at(REF, f"{at}{CHAIN}") for at in ("", "a/", "b/c/")] == [
        "goal: 0\n",
        "goal: new\n",
        "goal: 2\n",
    ]
    # Another project's commit on the ref is no reason to make one.
    assert desks[0].looks() == "changed"
    assert desks[0].flush().kind == "unchanged"
    assert desks[0].looks() == "same"


def test_a_linked_work_tree_has_its_own_branch_ref_and_record(repo: Path, tmp_path: Path) -> None:
    main = Desk(repo)
    main.git("worktree", "add", "--quiet", "-b", "topic", str(tmp_path / "linked"))
    linked = Desk(tmp_path / "linked")
    main.write("goal: main\n")
    linked.write("goal: linked\n")
    assert main.flush().ref == "refs/heads/main"
    assert linked.flush().ref == "refs/heads/topic"
    assert linked.git("status", "--porcelain") == main.git("status", "--porcelain") == ""
    linked.git("checkout", "--quiet", "--detach")
    linked.write("goal: parked\n")
    assert linked.flush().ref == "refs/baton/wal/linked"
    assert (repo / ".git/worktrees/linked/baton/flush").exists()
    assert (linked.looks(), main.looks()) == ("same", "same")


@pytest.mark.parametrize("name", ["main", "main.linked"])
def test_a_linked_work_tree_may_be_called_like_the_main_ones_ref(
    repo: Path, tmp_path: Path, name: str
) -> None:
    main = Desk(repo)
    main.git("worktree", "add", "--quiet", "--detach", str(tmp_path / name))
    linked = Desk(tmp_path / name)
    main.git("checkout", "--quiet", "--detach")
    main.write("goal: main\n")
    linked.write("goal: linked\n")
    assert (main.flush().ref, linked.flush().ref) == (REF, f"refs/baton/wal/{name}.linked")
    assert main.at(REF) == "goal: main\n"


def _submodule(folder: Path) -> Path:
    make_repository(folder / "library")
    outer = Desk(make_repository(folder / "outer"))
    allow = ("-c", "protocol.file.allow=always")
    outer.git(*allow, "submodule", "--quiet", "add", str(folder / "library"), "lib")
    outer.git("commit", "--quiet", "-m", "library")
    inner = Desk(folder / "outer/lib")
    inner.git("config", "user.email", "ada@example.org")
    inner.git("config", "user.name", "Ada Example")
    return folder / "outer/lib"


def _bare_with_work_tree(folder: Path) -> Path:
    source = make_repository(folder / "source")
    Desk(source).git("clone", "--quiet", "--bare", ".", str(folder / "bare.git"))
    bare = Desk(folder / "bare.git")
    bare.git("worktree", "add", "--quiet", str(folder / "work"), "-b", "topic")
    return folder / "work"


def _separate_git_dir(folder: Path) -> Path:
    make_repository(folder / "work")
    Desk(folder / "work").git("init", "--quiet", "--separate-git-dir", str(folder / "elsewhere"))
    return folder / "work"


def _clone(*args: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        source = Desk(make_repository(folder / "source"))
        source.git("config", "uploadpack.allowFilter", "true")
        source.commit("more", more="x\n")
        (folder / "source/deep").mkdir()
        source.commit("deep", **{"deep/x": "x\n"})
        source.git("clone", "--quiet", *args, f"file://{folder}/source", str(folder / "clone"))
        if "--reference" not in args:
            shutil.rmtree(folder / "source")
        return folder / "clone"

    return make


def _set(*commands: tuple[str, ...]) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        desk = Desk(make_repository(folder / "work"))
        (desk.root / "in").mkdir()
        (desk.root / "out").mkdir()
        desk.commit("more", **{"in/x": "x\n", "out/x": "x\n", "y": "y\n"})
        for command in commands:
            desk.git(*command)
        return desk.root

    return make


def _sha256(folder: Path) -> Path:
    Desk(folder).git("init", "--quiet", "--object-format=sha256", "-b", "main")
    return folder


def _symlinked(folder: Path) -> Path:
    make_repository(folder / "real")
    os.symlink("real", folder / "link")
    return folder / "link"


def _odd_name(folder: Path) -> Path:
    return make_repository(folder / "it's $HOME & (ünïcödé)\n;x")


KINDS: dict[str, Callable[[Path], Path]] = {
    "submodule": _submodule,
    "bare-with-work-tree": _bare_with_work_tree,
    "separate-git-dir": _separate_git_dir,
    "shallow": _clone("--depth", "1"),
    "blobless": _clone("--filter=blob:none"),
    "treeless": _clone("--filter=tree:0"),
    "split-index": _set(("update-index", "--split-index")),
    "index-v4": _set(("update-index", "--index-version", "4")),
    "untracked-cache": _set(("update-index", "--force-untracked-cache")),
    "sparse-cone": _set(("sparse-checkout", "set", "--cone", "in")),
    "sparse-index": _set(("sparse-checkout", "set", "--cone", "--sparse-index", "in")),
    "sparse-no-cone": _set(("sparse-checkout", "set", "--no-cone", "/in", "/.claude")),
    "packed": _set(("gc", "--quiet"), ("pack-refs", "--all", "--prune")),
    "replaced": _set(("replace", "--graft", "HEAD")),
    "ignored-case": _set(("config", "core.ignoreCase", "true")),
    "sha256": _sha256,
    "symlinked": _symlinked,
    "odd-name": _odd_name,
}


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_repository(tmp_path: Path, kind: str) -> None:
    desk = Desk(KINDS[kind](tmp_path))
    before = desk.users_own()
    for text in ("goal: one\n", "goal: two\n"):
        desk.write(text)
        desk.write(text, ".claude/agent-memory/n.md")
        outcome = desk.flush()
        assert (outcome.kind, outcome.reason) == ("committed", "")
        assert sorted(outcome.paths) == [CHAIN, ".claude/agent-memory/n.md"]
        assert desk.at("HEAD") == text
        assert desk.git("status", "--porcelain") == ""
        assert desk.looks() == "same"
    assert desk.users_own() == before
    (desk.root / ".claude/agent-memory/n.md").unlink()
    assert desk.flush().paths == [".claude/agent-memory/n.md"]
    desk.git("checkout", "--quiet", "--detach")
    desk.write("goal: parked\n")
    outcome = desk.flush()
    assert (outcome.kind, desk.at(outcome.commit)) == ("parked", "goal: parked\n")
    assert desk.looks() == "same"


def test_sparse_checkout_without_the_state_folder_deletes_nothing(repo: Path) -> None:
    desk = Desk(repo)
    (repo / "in").mkdir()
    desk.commit("more", **{"in/x": "x\n"})
    desk.write("goal: one\n")
    desk.write("note\n", ".claude/agent-memory/n.md")
    desk.flush()
    desk.git("sparse-checkout", "set", "--no-cone", "/in")
    assert not (repo / CHAIN).exists()
    assert desk.flush().kind == "unchanged"
    assert CHAIN in desk.tree_of("HEAD")
    before = desk.users_own()
    desk.write("goal: again\n")
    assert desk.flush().paths == [CHAIN]
    assert desk.at("HEAD") == "goal: again\n"
    assert ".claude/agent-memory/n.md" in desk.tree_of("HEAD")
    assert desk.users_own() == before
    assert desk.git("status", "--porcelain") == ""
    assert desk.looks() == "same"


@pytest.mark.parametrize("flag", ["skip-worktree", "assume-unchanged"])
def test_a_chain_that_git_was_told_to_overlook_is_parked(repo: Path, flag: str) -> None:
    desk = Desk(repo)
    desk.write("goal: one\n")
    desk.write("note\n", ".claude/agent-memory/n.md")
    desk.flush()
    desk.git("update-index", f"--{flag}", CHAIN)
    listing = desk.git("ls-files", "-s", "-v", CHAIN)
    desk.write("goal: two\n")
    desk.write("note 2\n", ".claude/agent-memory/n.md")
    outcome = desk.flush()
    assert (outcome.kind, outcome.ref) == ("committed", "refs/heads/main")
    assert (outcome.paths, outcome.parked) == ([".claude/agent-memory/n.md"], [CHAIN])
    assert outcome.reason == f"{flag}; kept on {REF}"
    assert (desk.at("HEAD"), desk.at(REF)) == ("goal: one\n", "goal: two\n")
    assert desk.tree_of(REF) == [CHAIN]
    assert desk.git("ls-files", "-s", "-v", CHAIN) == listing
    assert desk.looks() == "same"
    desk.write("goal: three\n")
    outcome = desk.flush()
    assert (outcome.kind, outcome.ref, outcome.paths) == ("parked", REF, [CHAIN])
    (repo / CHAIN).unlink()
    assert desk.flush().kind == "unchanged"
    desk.git("update-index", f"--no-{flag}", CHAIN)
    desk.write("goal: four\n")
    assert desk.flush().ref == "refs/heads/main"
    assert desk.looks() == "same"


def test_variables_that_point_git_elsewhere_point_us_nowhere(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_repository(tmp_path / "other")
    trace = tmp_path / "trace"
    for name, value in {
        "GIT_DIR": str(other / ".git"),
        "GIT_WORK_TREE": str(other),
        "GIT_INDEX_FILE": str(tmp_path / "index"),
        "GIT_OBJECT_DIRECTORY": str(tmp_path / "objects"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.bare",
        "GIT_CONFIG_VALUE_0": "true",
        "GIT_TRACE": str(trace),
        "GIT_AUTHOR_NAME": "Somebody Else",
    }.items():
        monkeypatch.setenv(name, value)
    desk = Desk(repo)
    desk.write("goal: one\n")
    outcome = desk.flush()
    for name in list(os.environ):
        if name.startswith("GIT_") and name != "GIT_CONFIG_NOSYSTEM":
            monkeypatch.delenv(name)
    assert outcome.commit == desk.head()
    assert desk.git("log", "-1", "--format=%an").strip() == "Ada Example"
    assert desk.git("status", "--porcelain") == ""
    assert not trace.exists()


def test_core_worktree_elsewhere_is_named_and_nothing_is_written(
    repo: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    desk = Desk(repo)
    desk.write("goal: one\n")
    desk.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    outcome = desk.flush()
    assert (outcome.kind, outcome.commit) == ("failed", "")
    assert outcome.reason == (
        f"core.worktree says that {tmp_path}/elsewhere is the work tree, not {repo}"
    )
    desk.git("config", "core.worktree", str(repo))
    assert desk.flush().kind == "committed"


def test_outside_git_the_files_are_synced_and_picked_up_when_git_comes(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "plain")
    path = desk.write("goal: one\n")
    desk.write("note\n", ".claude/agent-memory/n.md")
    words = "not a git repository: the files are on disk"
    outcome = desk.flush()
    assert (outcome.kind, outcome.reason, outcome.commit) == ("unchanged", words, "")
    note = desk.state.record("outcome")
    assert note["kept_where"] == "disk"
    assert note["chain"] == [path.stat().st_size, path.stat().st_mtime_ns]
    assert desk.looks() == "same"
    desk.write("goal: two\n")
    assert desk.looks() == "changed"
    (tmp_path / "plain/.git").mkdir()
    assert (desk.flush().kind, desk.looks()) == ("unchanged", "same")
    desk.git("init", "--quiet")
    assert desk.looks() == "changed"
    assert desk.flush().kind == "committed"


def test_outside_git_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "plain")
    desk.write("goal: one\n")
    (desk.root / ".claude/agent-memory").mkdir()
    os.mkfifo(desk.root / ".claude/agent-memory/fifo")
    os.symlink("not there", desk.root / ".claude/agent-memory/dangling")
    outcome = desk.flush()
    assert outcome.kind == "refused"
    assert outcome.refused == [(".claude/agent-memory/fifo", "neither a file nor a folder")]
    assert desk.looks() == "same"


def test_the_overlay_is_parked_in_the_chains_place(repo: Path) -> None:
    desk = Desk(repo)
    desk.commit("crlf", __gitattributes="*.md text\n")
    desk.write("goal: tracked\n")
    desk.flush()
    desk.git("checkout", "--quiet", "--detach")
    desk.write("goal: overlay\r\n", ".git/baton/overlay")
    assert desk.looks() == "changed"
    outcome = desk.flush()
    assert (outcome.kind, desk.at(REF)) == ("parked", "goal: overlay\n")
    assert desk.git("status", "--porcelain") == ""
    assert desk.looks() == "same"
    desk.write("goal: overlay 2\n", ".git/baton/overlay")
    assert desk.looks() == "changed"


def test_the_overlay_also_where_the_chain_is_found_in_a_folder(repo: Path) -> None:
    desk = Desk(repo)
    desk.write('paths = [".claude/"]\n', ".claude/baton.toml")
    desk.write("goal: tracked\n")
    desk.flush()
    desk.git("checkout", "--quiet", "--detach")
    desk.write("goal: overlay\n", ".git/baton/overlay")
    desk.flush()
    assert desk.at(REF) == "goal: overlay\n"
