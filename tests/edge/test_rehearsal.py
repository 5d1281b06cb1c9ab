"""baton.edge.rehearsal: what a Stop would come to, told without touching anything.

In each state the rehearsal is compared with what the real flush then comes to.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from baton.core.doctor.finding import Unseen
from baton.edge import rehearsal
from baton.hot import config, passports
from baton.hot.flush.outcome import Outcome
from baton.hot.project import Project, locate
from baton.hot.state import State
from desk import CHAIN, Desk
from repository_states import diverge
from support import make_repository

GOOD = "# WAL\ngoal: build it\n\nchain:\n[!] two — ls\n\nnext: go on\nverify: ls\n"
MEMORY = ".claude/agent-memory"


@pytest.fixture
def desk(repo: Path) -> Desk:
    return Desk(repo)


def _new(desk: Desk) -> None:
    desk.write(GOOD)


def _nothing(desk: Desk) -> None:
    """No state file at all."""


def _kept(desk: Desk) -> None:
    desk.write(GOOD)
    desk.flush()


def _changed(desk: Desk) -> None:
    _kept(desk)
    desk.write("other\n", f"{MEMORY}/ổ a.md")
    desk.write(GOOD.replace("[!]", "[x]"))
    (desk.root / "README.md").write_text("staged\n", encoding="utf-8")
    desk.git("add", "README.md")


def _deleted(desk: Desk) -> None:
    desk.write("other\n", f"{MEMORY}/a.md")
    _kept(desk)
    (desk.root / MEMORY / "a.md").unlink()


def _ignored(desk: Desk) -> None:
    (desk.root / ".gitignore").write_text(f"{CHAIN}\n", encoding="utf-8")
    desk.write("memory\n", f"{MEMORY}/a.md")
    desk.write(GOOD)


def _ignored_below(desk: Desk) -> None:
    desk.write("*.md\n", f"{MEMORY}/.gitignore")
    desk.write("memory\n", f"{MEMORY}/a.md")


def _excluded(desk: Desk) -> None:
    with (desk.root / ".git/info/exclude").open("a") as file:
        file.write(".claude\n")
    desk.write(GOOD)


def _own_ref(desk: Desk) -> None:
    desk.write('persist = "ref"\n', ".claude/baton.toml")
    _changed(desk)


def _merging(desk: Desk) -> None:
    diverge(desk)
    desk.try_git("merge", "topic")
    desk.write(GOOD)


def _detached(desk: Desk) -> None:
    _kept(desk)
    desk.git("switch", "--quiet", "--detach")
    desk.write(GOOD + "\n")


def _unborn(desk: Desk) -> None:
    desk.git("checkout", "--quiet", "--orphan", "new")
    desk.write(GOOD)


def _locked(desk: Desk) -> None:
    desk.write(GOOD)
    (desk.root / ".git/index.lock").touch()


def _links(desk: Desk) -> None:
    desk.write(GOOD)
    desk.write("x\n", f"{MEMORY}/a.md")
    (desk.root / MEMORY / "inside").symlink_to("a.md")
    (desk.root / MEMORY / "outside").symlink_to("/etc/passwd")


def _only_a_link(desk: Desk) -> None:
    (desk.root / ".claude").mkdir()
    (desk.root / MEMORY).symlink_to("/etc")


def _line_ends(desk: Desk) -> None:
    (desk.root / ".gitattributes").write_text("*.md text eol=crlf\n", encoding="utf-8")
    desk.git("config", "core.autocrlf", "input")
    _kept(desk)
    desk.write(GOOD.replace("\n", "\r\n"))


def _split_index(desk: Desk) -> None:
    _kept(desk)
    desk.git("update-index", "--split-index")
    desk.write(GOOD + "\n")


def _own_configuration(desk: Desk) -> None:
    desk.git("config", "extensions.worktreeConfig", "true")
    desk.git("config", "--worktree", "core.worktree", str(desk.root))
    desk.write(GOOD)


def _passport(desk: Desk) -> None:
    """What baton has written, named in its notes; the other's append was cut short."""
    for name in ("material_passport.yaml", "material_passport_2.yaml"):
        desk.write("reset_boundary: []\n", name)
        passports.note(desk.state, name)
    desk.write("", ".material_passport_2.yaml.baton-undo")


def _secret(desk: Desk) -> None:
    _kept(desk)
    desk.write("token " + "ghp_" + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ\n", f"{MEMORY}/a.md")


def _secret_and_a_link(desk: Desk) -> None:
    _secret(desk)
    (desk.root / MEMORY / "outside").symlink_to("/etc/passwd")


def _secret_among_others(desk: Desk) -> None:
    _secret(desk)
    desk.write(GOOD + "\n")


CASES: dict[str, tuple[Callable[[Desk], None], str]] = {
    "nothing there": (_nothing, "unchanged"),
    "new": (_new, "committed"),
    "kept already": (_kept, "unchanged"),
    "changed": (_changed, "committed"),
    "deleted": (_deleted, "committed"),
    "unborn": (_unborn, "committed"),
    "line ends that git evens out": (_line_ends, "unchanged"),
    "a split index": (_split_index, "committed"),
    "a work tree's own configuration": (_own_configuration, "committed"),
    "ignored in part": (_ignored, "committed"),
    "ignored below": (_ignored_below, "committed"),
    "ignored altogether": (_excluded, "parked"),
    "persist is ref": (_own_ref, "parked"),
    "in a merge": (_merging, "parked"),
    "detached": (_detached, "parked"),
    "locked": (_locked, "parked"),
    "a passport": (_passport, "committed"),
    "links": (_links, "committed"),
    "nothing but a secret": (_secret, "refused"),
    "a secret among others": (_secret_among_others, "committed"),
    "a secret and a link": (_secret_and_a_link, "refused"),
    "nothing but a link": (_only_a_link, "refused"),
}


def _everything(folder: Path) -> dict[str, object]:
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        st = path.lstat()
        held: object = path.is_file() and not path.is_symlink() and path.read_bytes()
        # git renews the time of an object that it has already.
        moment = 0 if "objects" in path.parts else st.st_mtime_ns
        found[str(path)] = (st.st_mode, moment, st.st_ino, held)
    return found


def _rehearsed(project: Project, state: State) -> Outcome | Unseen:
    return rehearsal.rehearse(project, state, config.load(project))


def _told(outcome: Outcome | Unseen) -> dict[str, object]:
    assert isinstance(outcome, Outcome)
    names = ("kind", "ref", "reason", "paths", "refused", "parked")
    return {
        name: sorted(v) if isinstance(v := getattr(outcome, name), list) else v for name in names
    }


@pytest.mark.parametrize(("make", "kind"), CASES.values(), ids=CASES)
def test_a_rehearsal_tells_what_the_flush_then_does(
    make: Callable[[Desk], None], kind: str, desk: Desk
) -> None:
    make(desk)
    before = _everything(desk.root)
    rehearsed = _rehearsed(desk.project, desk.state)
    assert _everything(desk.root) == before
    real = desk.flush()
    assert _told(rehearsed) == _told(real)
    assert isinstance(rehearsed, Outcome)
    assert (rehearsed.kind, rehearsed.commit) == (kind, "")


def test_a_project_below_the_root_in_a_linked_work_tree(desk: Desk, tmp_path: Path) -> None:
    tree = tmp_path / "a tree"
    desk.git("worktree", "add", "--quiet", "-b", "topic", str(tree))
    below = Desk(tree / "pro ject")
    below.write('persist = "ref"\npaths = [".claude/WAL.md"]\n', ".claude/baton.toml")
    below.write(GOOD)
    before = _everything(tmp_path)
    rehearsed = _rehearsed(below.project, below.state)
    assert _everything(tmp_path) == before
    assert _told(rehearsed) == _told(below.flush())
    assert isinstance(rehearsed, Outcome)
    assert rehearsed.ref == "refs/baton/wal/a-tree"


def test_a_submodule(desk: Desk, tmp_path: Path) -> None:
    inner = make_repository(tmp_path / "inner")
    desk.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "sub")
    sub = Desk(desk.root / "sub")
    sub.git("config", "user.name", "Ada")
    sub.git("config", "user.email", "ada@example.org")
    sub.write(GOOD)
    found = locate({"HOME": "/"}, str(sub.root))
    assert found is not None
    before = _everything(tmp_path)
    rehearsed = _rehearsed(found, State(found, dict(os.environ)))
    assert _everything(tmp_path) == before
    assert _told(rehearsed)["paths"] == [CHAIN]
    assert _told(rehearsed)["ref"] == "refs/heads/main"


def test_the_overlay_is_what_would_be_kept(desk: Desk) -> None:
    diverge(desk)
    _kept(desk)
    desk.try_git("merge", "topic")
    desk.state.write("overlay", GOOD.replace("two", "three").encode())
    rehearsed = _rehearsed(desk.project, desk.state)
    assert _told(rehearsed)["paths"] == [CHAIN]
    assert desk.at("HEAD") == GOOD


def test_where_nothing_is_committed(desk: Desk) -> None:
    desk.write(GOOD)
    desk.write('persist = "off"\n', ".claude/baton.toml")
    assert _told(_rehearsed(desk.project, desk.state))["kind"] == "disabled"
    (desk.root / ".claude/baton.toml").unlink()
    (desk.root / ".git/reftable").mkdir()
    found = _rehearsed(desk.project, desk.state)
    told = "this repository keeps its refs in reftables, which cannot be copied file by file"
    assert found == Unseen(told)
    (desk.root / ".git").rename(desk.root / "away")
    told = "not a git repository: the files are on disk"
    assert _told(_rehearsed(desk.project, desk.state))["reason"] == told


def _distrusted(desk: Desk) -> str:
    os.chown(desk.root / ".git", 65534, 65534)
    return f"git rev-parse: detected dubious ownership in repository at '{desk.root}'"


def _damaged(desk: Desk) -> str:
    (desk.root / ".git/config").write_text("[core\n")
    return "git rev-parse: bad config line 1 in file .git/config"


@pytest.mark.parametrize("make", [_distrusted, _damaged])
def test_a_repository_that_git_refuses(make: Callable[[Desk], str], desk: Desk) -> None:
    """The copy would pass for trusted and whole; the real flush fails."""
    if make is _distrusted and os.getuid() != 0:
        pytest.skip("only root can make another user's repository")
    desk.write(GOOD)
    why = make(desk)
    told = _told(_rehearsed(desk.project, desk.state))
    assert (told["kind"], told["reason"]) == ("failed", why)
    real = desk.flush()
    assert real.kind == "failed"


def _trap(desk: Desk, ran: Path, name: str = "trap") -> None:
    desk.write(GOOD)
    desk.git("config", f"filter.{name}.clean", f"touch '{ran}'; cat")
    desk.git("config", f"filter.{name}.required", "true")


def test_a_state_file_behind_a_filter_of_the_repository(desk: Desk, tmp_path: Path) -> None:
    _trap(desk, tmp_path / "ran")
    desk.write("* filter=trap\n", ".gitattributes")
    told = f"{CHAIN} goes through this repository's filter trap, and a rehearsal runs none"
    assert _rehearsed(desk.project, desk.state) == Unseen(told)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("name", ["trap", 'a "b\\c', "\udcff"])
def test_no_filter_of_the_repository_runs(name: str, desk: Desk, tmp_path: Path) -> None:
    _trap(desk, tmp_path / "ran", name)
    desk.write("/.gitattributes filter=trap\n", ".gitattributes")
    # As young as any index: whoever writes one looks at it again, through its filter.
    desk.git("config", "core.checkStat", "minimal")
    desk.git("config", "core.trustctime", "false")
    os.utime(desk.root / ".gitattributes", (4 * 10**9, 4 * 10**9))
    desk.git("add", ".gitattributes")
    (tmp_path / "ran").unlink(missing_ok=True)
    assert _told(_rehearsed(desk.project, desk.state))["kind"] == "committed"
    assert not (tmp_path / "ran").exists()


def test_attributes_that_git_cannot_say(desk: Desk, tmp_path: Path) -> None:
    _trap(desk, tmp_path / "ran")
    (desk.root / ".git/index").write_bytes(b"no index")
    found = _rehearsed(desk.project, desk.state)
    assert isinstance(found, Unseen)
    assert found.reason.startswith("git check-attr: ")


def test_a_git_folder_that_cannot_be_written(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write(GOOD)
    time.sleep(0.02)
    desk.flush()
    access = os.access
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda path, mode: mode != os.W_OK and access(path, mode))
        assert _told(_rehearsed(desk.project, desk.state))["kind"] == "unchanged"
        desk.write(GOOD + "\n")
        told = _told(_rehearsed(desk.project, desk.state))
    assert (told["kind"], told["reason"]) == (
        "failed",
        f"Permission denied: {desk.state.path('lock')}",
    )
    (desk.root / ".git/config").chmod(0o444)
    assert _told(_rehearsed(desk.project, desk.state))["kind"] == "committed"
    assert (desk.root / ".git/config").stat().st_mode & 0o777 == 0o444


def test_too_much_to_copy(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rehearsal, "_MOST_BYTES", 10)
    desk.write(GOOD)
    with pytest.raises(OSError, match="the state files hold more than 0 MiB"):
        _rehearsed(desk.project, desk.state)
