"""baton.hot.state: where the notes are, and that nothing needs them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from baton.hot import files
from baton.hot.git import checkout
from baton.hot.lock import Locked
from baton.hot.project import Project
from baton.hot.state import State
from support import git, make_repository


def _state(root: Path, **environ: str) -> State:
    return State(Project(str(root), checkout.find(str(root))), environ)


def test_folder_in_a_repository(repo: Path) -> None:
    assert _state(repo).folder == f"{repo}/.git/baton"


def test_folder_of_a_project_below_the_root(repo: Path) -> None:
    (repo / "a/b").mkdir(parents=True)
    assert _state(repo / "a/b").folder == f"{repo}/.git/baton/at/a%2Fb"


def test_folder_in_a_linked_work_tree(repo: Path, tmp_path: Path) -> None:
    git("worktree", "add", "-q", tmp_path / "other", cwd=repo)
    assert _state(tmp_path / "other").folder == f"{repo}/.git/worktrees/other/baton"


OUTSIDE = {
    "state home": ({"XDG_STATE_HOME": "/s", "HOME": "/h"}, "/s/baton"),
    "a state home that is not absolute": (
        {"XDG_STATE_HOME": "s", "HOME": "/h"},
        "/h/.local/state/baton",
    ),
    "no state home": ({"HOME": "/h"}, "/h/.local/state/baton"),
    "Windows": ({"USERPROFILE": "/u"}, "/u/.local/state/baton"),
}


@pytest.mark.parametrize(("environ", "base"), OUTSIDE.values(), ids=OUTSIDE)
def test_folder_outside_git(environ: dict[str, str], base: str) -> None:
    project = Project("/p/my work:100%", None)
    assert State(project, environ).folder == f"{base}/p%2Fmy work%3A100%25"


def test_folder_with_no_environment_at_all(home: Path) -> None:
    assert State(Project("/p", None), {}).folder == f"{home}/.local/state/baton/p"


@pytest.mark.parametrize("owner", ["somebody else's", "gone"])
def test_folder_of_a_repository_that_is_not_ours(
    owner: str, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = Project(str(repo), checkout.find(str(repo)))
    if owner == "gone":
        (repo / ".git").rename(repo / "git")
    else:
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    name = str(repo).lstrip("/").replace("/", "%2F")
    assert State(project, {"HOME": "/h"}).folder == f"/h/.local/state/baton/{name}"


def test_folder_of_a_long_path() -> None:
    """At most 200 bytes, readable at its end, and another one for another path."""
    names = []
    for first in "ab":
        path = f"/{first}/" + "/".join(["ổ" * 20] * 20) + "/end"
        names.append(State(Project(path, None), {"HOME": "/h"}).folder.rpartition("/")[2])
    assert all(len(os.fsencode(name)) <= 200 for name in names)
    assert all("%2Fend-" in name for name in names)
    assert names[0] != names[1]


def test_notes(tmp_path: Path) -> None:
    state = _state(tmp_path, HOME=str(tmp_path))
    assert not state.exists
    assert state.read("a/b") == b""
    assert not state.exists
    state.write("a/b", b"note")
    assert state.exists
    assert state.read("a/b") == b"note"
    assert state.read("a") == b""


def test_notes_that_must_outlive_a_power_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = _state(tmp_path, XDG_STATE_HOME=str(tmp_path))
    synced: list[str] = []
    monkeypatch.setattr(files, "sync_folder", synced.append)
    state.make()
    assert synced == [str(tmp_path), f"{tmp_path}/baton"]
    state.write("a", b"1")
    assert synced[2:] == []
    state.set_record("a", {"n": 2}, durable=True)
    assert (synced[2:], state.record("a")) == ([state.folder], {"n": 2})


RECORDS: dict[str, tuple[bytes, dict[str, object]]] = {
    "whole": (b'{"a": 1, "b": "x"}', {"a": 1, "b": "x"}),
    "cut": (b'{"a": 1, "b', {}),
    "empty": (b"", {}),
    "no object": (b"[1]", {}),
}


@pytest.mark.parametrize(("data", "expected"), RECORDS.values(), ids=RECORDS)
def test_records(data: bytes, expected: dict[str, object], tmp_path: Path) -> None:
    state = _state(tmp_path, HOME=str(tmp_path))
    state.write("r", data)
    assert state.record("r") == expected
    state.set_record("r", {"n": 2})
    assert state.record("r") == {"n": 2}
    assert state.record("absent") == {}


def test_lock(tmp_path: Path) -> None:
    state = _state(make_repository(tmp_path / "p"))
    with state.lock(0), pytest.raises(Locked), state.lock(0):
        pass
