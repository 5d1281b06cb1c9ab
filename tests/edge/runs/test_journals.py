"""baton.edge.runs.journals: the right journal, wherever it lies, and never another project's."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest

from baton.edge.runs import journals
from baton.hot.runs import layout
from runs_desk import RUN_ID, Desk, Host, asked, said, text

LONG = "a" * 120


def _search(desk: Desk, *places: Path, noted: tuple[str, ...] = ()) -> journals.Search:
    roots = [str(place) for place in places] or [desk.project.root]
    return journals.search(RUN_ID, [str(desk.config)], noted, roots)


def _host(desk: Desk, session: str, slug: str, config: Path | None = None) -> Host:
    host = Host(config or desk.config, desk.repo, session, slug)
    host.agent("a1")
    host.result("a1", "x")
    return host


def test_under_another_session(desk: Desk) -> None:
    """Case W2."""
    for number in range(3):
        _host(desk, f"session-{number}", "-p").folder().rename(
            desk.config / f"projects/-p/session-{number}/elsewhere"
        )
    host = _host(desk, "the-one", "-p")
    desk.cwd(desk.repo, host)
    assert [found.folder for found in _search(desk).found] == [str(host.folder())]


def test_the_one_that_holds_most_of_several_copies(desk: Desk) -> None:
    for session in ("s1", "s2"):
        desk.cwd(desk.repo, _host(desk, session, "-p"))
    more = Host(desk.config, desk.repo, "s2", "-p")
    more.agent("a2")
    more.result("a2", "y")
    search = _search(desk)
    assert len(search.found) == 2
    assert search.best is not None
    assert search.best.folder == str(more.folder())
    assert journals.Search().best is None


def test_another_accounts_folder(desk: Desk, tmp_path: Path) -> None:
    config = tmp_path / "other account"
    desk.cwd(desk.repo, _host(desk, "s", "-p", config))
    assert _search(desk).found == []
    configs = journals.config_folders(dict(os.environ), [str(config)])
    assert len(journals.search(RUN_ID, configs, [], [desk.project.root]).found) == 1


def test_config_folders(home: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(home / ".claude")
    environ = {"HOME": str(home), "CLAUDE_CONFIG_DIR": str(link)}
    assert journals.config_folders(environ, ["~/x"]) == [
        os.path.realpath(home / "x"),
        os.path.realpath(home / ".claude"),
    ]
    assert journals.config_folders({}, []) == [os.path.realpath(home / ".claude")]


# Two project folders whose names Claude Code turns into one and the same.
TWINS = {
    "dots and spaces": ("my.pro ject", "my-pro-ject"),
    "accents": ("Dự án", "Dx xx"),
    "composed and decomposed": (
        "é",
        unicodedata.normalize("NFD", "é"),
    ),
    "over 200 characters": (f"{LONG}/{LONG}/{LONG}", f"{LONG}/{LONG}/{LONG}b"),
}


@pytest.mark.parametrize("name", TWINS)
def test_never_another_projects(name: str, desk: Desk, tmp_path: Path) -> None:
    """Case W6: the working folder that the records name decides, not the folder's name."""
    mine, other = (tmp_path / "w" / each for each in TWINS[name])
    for folder in (mine, other):
        folder.mkdir(parents=True)
        host = _host(desk, f"of-{folder is mine}", journals.slug_of(str(folder))[:200])
        desk.cwd(folder, host)
    search = _search(desk, mine)
    assert [found.folder for found in search.found] == [str(_folder(desk, mine, "of-True"))]
    assert [owner for _, owner in search.foreign] == [str(other)]


def _folder(desk: Desk, project: Path, session: str) -> Path:
    slug = journals.slug_of(str(project))[:200]
    return Host(desk.config, project, session, slug).folder()


SLUGS = {
    "/home/u/proj": "-home-u-proj",
    "/w/Dự án Tiếp v1.0": "-w-D---n-Ti-p-v1-0",
    "/w/🙂": "-w---",
    "/w/" + unicodedata.normalize("NFD", "ự"): "-w-u--",
}


@pytest.mark.parametrize("path", SLUGS)
def test_slug(path: str) -> None:
    assert journals.slug_of(path) == SLUGS[path]


def test_where_nothing_names_a_folder_the_slug_decides(desk: Desk, tmp_path: Path) -> None:
    long = tmp_path / LONG / LONG
    long.mkdir(parents=True)
    own = journals.slug_of(str(long))
    for slug in (own[:200] + "-1abc", own[:200], journals.slug_of(desk.project.root), "-else"):
        _host(desk, "s", slug)
    assert len(_search(desk, long).found) == 1
    assert len(_search(desk).found) == 1
    assert [owner for _, owner in _search(desk).foreign] == [""] * 3


def test_a_folder_inside_the_project_and_one_beside_it(desk: Desk) -> None:
    for name, cwd in (("in", desk.repo / "sub"), ("beside", f"{desk.repo}-2")):
        desk.cwd(cwd, _host(desk, name, "-p"))
    assert [owner for _, owner in _search(desk).foreign] == [f"{desk.repo}-2"]
    assert len(_search(desk).found) == 1


def test_an_agent_says_where_when_the_session_does_not(desk: Desk) -> None:
    row = asked("x") | {"cwd": str(desk.repo)}
    desk.host.folder().mkdir(parents=True)
    (desk.host.folder() / "agent-a0.jsonl").mkdir()
    desk.host.agent("a1", row, said(text("y")))
    assert len(_search(desk).found) == 1


def test_what_a_hook_noted_is_looked_at_first(desk: Desk) -> None:
    """And nothing else, where it still holds a journal of this project's."""
    host = _host(desk, "noted", "-p")
    desk.cwd(desk.repo, _host(desk, "other", "-p"))
    search = _search(desk, noted=(str(host.folder()),))
    assert [found.folder for found in search.found] == [str(host.folder())]
    assert search.looked == []
    desk.cwd("/somebody/else", host)
    search = _search(desk, noted=(str(host.folder()),))
    assert [owner for _, owner in search.foreign] == ["/somebody/else"]
    assert len(search.found) == 1


def test_missing(desk: Desk) -> None:
    search = _search(desk)
    assert (search.found, search.unreadable, search.empty, search.foreign) == ([], [], [], [])
    assert search.looked == [str(desk.config / "projects")]


def test_empty_unreadable_and_too_big(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.cwd(desk.repo)
    desk.host.journal({"type": "launched"})
    path = desk.host.folder() / "journal.jsonl"
    assert _search(desk).empty == [str(path)]
    path.write_bytes(b"\0\0\0\n{")
    assert _search(desk).unreadable == [(str(path), "none of its 2 lines is a journal's")]
    path.unlink()
    path.mkdir()
    assert _search(desk).unreadable == [(str(path), "not a regular file")]
    path.rmdir()
    desk.ran("a1")
    monkeypatch.setattr(layout, "LIMIT", 10)
    assert _search(desk).unreadable == [(str(path), "it has more than 0 MB")]


def test_no_journal_in_the_folder(desk: Desk) -> None:
    desk.host.folder().mkdir(parents=True)
    assert _search(desk).found == []


def test_status(desk: Desk) -> None:
    folder = str(desk.host.folder())
    path = desk.host.base / "workflows" / f"{RUN_ID}.json"
    assert journals.status(folder, RUN_ID) == ""
    path.mkdir(parents=True)
    assert journals.status(folder, RUN_ID) == ""
    path.rmdir()
    path.write_text('{"status": "completed", "runId": "x"}')
    assert journals.status(folder, RUN_ID) == "completed"
    path.write_text('{"status": 1}')
    assert journals.status(folder, RUN_ID) == ""
