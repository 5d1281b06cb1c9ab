"""baton.edge.doctor.surroundings: what a project lies in, and what its repository asks of commits."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from baton.core.doctor.surroundings import Ahead, Protection, Rules
from baton.edge.doctor import surroundings
from baton.hot import config
from baton.hot.project import Project
from desk import Desk
from support import git


@pytest.fixture
def desk(repo: Path) -> Desk:
    (repo / ".claude").mkdir()
    return Desk(repo)


NAMES = {
    "Dropbox": "Dropbox",
    "Dropbox (Personal)": "Dropbox",
    "dropbox-work": "Dropbox",
    "OneDrive - Contoso": "OneDrive",
    "Google Drive": "Google Drive",
    "Mobile Documents": "iCloud Drive",
    "Nextcloud": "Nextcloud",
    "dropboxes": "",
    "cloud": "",
    "onedriver": "",
}


@pytest.mark.parametrize(("name", "service"), NAMES.items(), ids=NAMES)
def test_folders_named_for_a_service(name: str, service: str, tmp_path: Path) -> None:
    root = tmp_path / name / "code/project"
    root.mkdir(parents=True)
    assert surroundings.cloud(Project(str(root), None)) == service


TRACES = {
    ".dropbox.cache": "Dropbox",
    ".sync_3f2a.db": "Nextcloud",
    ".stfolder": "Syncthing",
    ".sync": "",
}


@pytest.mark.parametrize(("name", "service"), TRACES.items(), ids=TRACES)
def test_what_a_service_leaves(name: str, service: str, tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / name).touch()
    assert surroundings.cloud(Project(str(root), None)) == service


def test_folders_of_others_are_not_looked_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".dropbox").touch()
    monkeypatch.setattr(os, "geteuid", lambda: os.stat(tmp_path).st_uid + 1)
    assert surroundings.cloud(Project(str(tmp_path), None)) == ""


def _touch(name: str, mode: int = 0o755) -> Callable[[Desk], None]:
    def make(desk: Desk) -> None:
        path = desk.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{", encoding="utf-8")
        path.chmod(mode)

    return make


def _configured(name: str, value: str) -> Callable[[Desk], object]:
    return lambda desk: git("config", name, value, cwd=desk.root)


def _husky(desk: Desk) -> None:
    """husky 9: stubs for every hook in .husky/_, the project's own beside it."""
    _touch(".husky/_/commit-msg")(desk)
    _touch(".husky/pre-commit")(desk)
    git("config", "core.hooksPath", ".husky/_", cwd=desk.root)


def _older_husky(desk: Desk) -> None:
    """Up to husky 8 git itself runs the project's own; named once."""
    _touch(".husky/commit-msg")(desk)
    git("config", "core.hooksPath", ".husky", cwd=desk.root)


def _husky_with_rules(desk: Desk) -> None:
    _husky(desk)
    _touch(".husky/commit-msg")(desk)


def _hooks_elsewhere(desk: Desk) -> None:
    _touch("tools/pre-push")(desk)
    git("config", "core.hooksPath", "tools", cwd=desk.root)


ASKED: dict[str, tuple[Callable[[Desk], object], tuple[str, ...]]] = {
    "nothing": (lambda desk: None, ()),
    "samples alone": (_touch(".git/hooks/commit-msg.sample"), ()),
    "a hook that cannot run": (_touch(".git/hooks/commit-msg", 0o644), ()),
    "a hook that looks at code": (_touch(".git/hooks/pre-commit"), ()),
    "a hook on messages": (
        _touch(".git/hooks/commit-msg"),
        ("a commit-msg hook in {root}/.git/hooks",),
    ),
    "hooks elsewhere": (_hooks_elsewhere, ("a pre-push hook in {root}/tools",)),
    "husky for code": (_husky, ()),
    "husky for messages": (_husky_with_rules, (".husky/commit-msg",)),
    "an older husky": (_older_husky, (".husky/commit-msg",)),
    "commitlint": (_touch("commitlint.config.mjs"), ("commitlint.config.mjs",)),
    "a package file that is no JSON": (_touch("package.json"), ()),
    "signing": (_configured("commit.gpgSign", "true"), ("commit.gpgsign = true",)),
    "no signing": (_configured("commit.gpgSign", "false"), ()),
}


@pytest.mark.parametrize(("make", "found"), ASKED.values(), ids=ASKED)
def test_what_is_asked_of_commits(
    make: Callable[[Desk], object], found: tuple[str, ...], desk: Desk
) -> None:
    make(desk)
    expected = tuple(text.replace("{root}", str(desk.root)) for text in found)
    settings = config.load(desk.project)
    assert surroundings.commit_rules(desk.project, settings) == Rules(expected, "branch", False)


def test_a_choice_in_the_settings_and_no_repository(desk: Desk) -> None:
    desk.write('persist = "branch"\n', ".claude/baton.toml")
    (desk.root / "commitlint.config.js").touch()
    settings = config.load(desk.project)
    found = surroundings.commit_rules(desk.project, settings)
    assert found == Rules(("commitlint.config.js",), "branch", True)
    (desk.root / ".git").rename(desk.root / "away")
    assert surroundings.commit_rules(desk.project, settings) == Rules((), "branch", True)
    assert surroundings.ahead(desk.project, True) == Ahead(False, (), True)
    assert surroundings.protection(desk.project, settings) == Protection("", "", (), "branch")


def _origin(desk: Desk) -> None:
    bare = desk.root.parent / "origin.git"
    git("init", "--quiet", "--bare", "--initial-branch=main", str(bare), cwd=desk.root)
    git("remote", "add", "origin", str(bare), cwd=desk.root)


def test_commits_that_no_remote_has(desk: Desk) -> None:
    assert surroundings.ahead(desk.project, False) == Ahead(False, (), False)
    _origin(desk)
    assert surroundings.ahead(desk.project, False) == Ahead(True, ("begin",), False)
    git("push", "--quiet", "origin", "main", cwd=desk.root)
    # A file may be called like a revision.
    desk.commit("wal: flush 1", HEAD="1\n")
    assert surroundings.ahead(desk.project, True) == Ahead(True, ("wal: flush 1",), True)
    git("checkout", "--quiet", "--orphan", "new", cwd=desk.root)
    assert surroundings.ahead(desk.project, True) == Ahead(True, (), True)


def test_branches_that_others_start_from(desk: Desk) -> None:
    settings = config.load(desk.project)
    assert surroundings.protection(desk.project, settings) == Protection("main", "", (), "branch")
    _origin(desk)
    git("push", "--quiet", "origin", "main", cwd=desk.root)
    git("remote", "set-head", "origin", "main", cwd=desk.root)
    found = surroundings.protection(desk.project, settings)
    assert found == Protection("main", "origin/main", (), "branch")
    git("switch", "--quiet", "-c", "topic", cwd=desk.root)
    git("push", "--quiet", "origin", "topic", cwd=desk.root)
    assert surroundings.protection(desk.project, settings) == Protection("topic", "", (), "branch")


def test_reports_of_batons_own_faults(home: Path) -> None:
    environ = {"HOME": str(home), "XDG_STATE_HOME": str(home / "s")}
    assert surroundings.reports(environ) == ("", 0)
    folder = home / "s/baton/faults"
    folder.mkdir(parents=True)
    assert surroundings.reports(environ) == ("", 0)
    for moment, name in enumerate(("fault-b.txt", "fault-a.txt", "other")):
        (folder / name).touch()
        os.utime(folder / name, (moment, moment))
    assert surroundings.reports(environ) == (str(folder / "fault-a.txt"), 2)
