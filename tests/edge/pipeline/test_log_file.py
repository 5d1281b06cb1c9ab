"""A pipeline's log on the disk: made, read, appended to, and refused where it cannot be."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from baton.core.errors import BatonError
from baton.core.pipeline import event as events
from baton.core.pipeline import log as logs
from baton.edge.pipeline.log_file import LogFile, checked_name, names
from baton.hot import files
from baton.hot import project as projects

STARTED = events.Started("1", "full", None, 0, False)
ENTERED = events.Entered("1", "full")
SHOWN = ".claude/pipelines/main.jsonl"
END = "; nothing was recorded"


@pytest.fixture
def said() -> list[str]:
    """What was said on one line."""
    return []


@pytest.fixture
def project(repo: Path) -> projects.Project:
    """A project in a repository."""
    found = projects.locate({}, str(repo))
    assert found is not None
    return found


@pytest.fixture
def file(project: projects.Project, said: list[str]) -> LogFile:
    """The log of the pipeline main."""
    return LogFile("main", project, "sess-a", 0.05, said.append)


def start(file: LogFile) -> bytes:
    """Start a pipeline; give its log's bytes."""
    with file.hold(make=True) as held:
        held.append(STARTED, ENTERED)
    return Path(file.path).read_bytes()


def refusal(file: LogFile, *, make: bool = False) -> tuple[str, str, str]:
    """The error by which an append is refused."""
    with pytest.raises(BatonError) as caught, file.hold(make=make) as held:
        held.append(events.Paused(""))
    error = caught.value
    return error.code, error.message, error.hint


def test_a_log_is_made_and_appended_to(file: LogFile, project: projects.Project) -> None:
    assert (file.read(), names(project)) == (logs.Log(), [])
    start(file)
    with file.hold() as held:
        assert held.pipeline == held.standing
        held.append(events.Finished("1", ()))
    found = file.read()
    assert [events.kind_of(each.event) for each in found.entries] == [
        "started",
        "entered",
        "finished",
    ]
    assert {each.session for each in found.entries} == {"sess-a"}
    assert names(project) == ["main"]


def test_what_is_no_pipelines_log_is_none(file: LogFile, project: projects.Project) -> None:
    start(file)
    folder = Path(file.path).parent
    (folder / "notes.txt").write_text("x")
    (folder / "a b.jsonl").write_text("x")
    assert names(project) == ["main"]


def test_one_that_was_never_started(file: LogFile) -> None:
    assert refusal(file) == (
        "usage",
        f"there is no pipeline main ({SHOWN}){END}",
        "baton pipeline start --name main --entry 1",
    )


@pytest.mark.parametrize("name", ["", ".hidden", "a/b", "a b", "x.jsonl", "dot.", "ü", "n" * 65])
def test_names_that_no_file_may_have(name: str) -> None:
    with pytest.raises(BatonError, match="a pipeline's name is letters, digits, dots and dashes"):
        checked_name(name)


def test_an_event_that_was_not_written_to_its_end_is_cut_off(
    file: LogFile, said: list[str]
) -> None:
    data = start(file)
    Path(file.path).write_bytes(data + b'{"n":3,"prev"')
    assert len(file.read().entries) == 2
    with file.hold() as held:
        held.append(events.Finished("1", ()))
    assert said == [f"{SHOWN}: an event that was not written to its end is cut off"]
    assert Path(file.path).read_bytes().startswith(data)
    assert len(file.read().entries) == 3


def test_a_last_line_that_an_editor_left_open_is_ended(file: LogFile) -> None:
    data = start(file)
    Path(file.path).write_bytes(data[:-1])
    with file.hold() as held:
        held.append(events.Finished("1", ()))
        held.append(events.Stalled("1", ""))
    assert Path(file.path).read_bytes().startswith(data)
    assert len(file.read().entries) == 4


def test_a_log_that_was_changed_is_refused(file: LogFile) -> None:
    data = start(file)
    Path(file.path).write_bytes(data.replace(b'"full"', b'"FULL"', 1))
    code, message, hint = refusal(file)
    assert (code, hint) == ("log-broken", f"git log -p -- {SHOWN}")
    assert message.startswith(
        f"{SHOWN}, line 1: the line was changed: its digest does not follow: expected "
    )
    with pytest.raises(BatonError):
        file.read()


def test_marks_of_a_merge(file: LogFile) -> None:
    data = start(file)
    Path(file.path).write_bytes(data + b"<<<<<<< HEAD\n" + data)
    assert refusal(file)[1] == (
        f"{SHOWN}, line 3: a merge left its marks: two histories cannot become one, take one side whole{END}"
    )


def test_a_log_that_is_too_big(file: LogFile, monkeypatch: pytest.MonkeyPatch) -> None:
    start(file)
    monkeypatch.setattr(logs, "LIMIT", 100)
    assert refusal(file)[:2] == ("log-broken", f"{SHOWN} is larger than 100 bytes{END}")


def test_a_link_is_refused(file: LogFile, tmp_path: Path) -> None:
    data = start(file)
    (tmp_path / "elsewhere").write_bytes(data)
    os.unlink(file.path)
    os.symlink(tmp_path / "elsewhere", file.path)
    for make in (False, True):
        assert refusal(file, make=make)[:2] == (
            "bad-path",
            f"{SHOWN} is a link; git would keep the link alone{END}",
        )
    with pytest.raises(BatonError, match="is a link"):
        file.read()
    assert (tmp_path / "elsewhere").read_bytes() == data


def test_a_folder_in_its_place(file: LogFile) -> None:
    os.makedirs(file.path)
    with pytest.raises(BatonError) as caught:
        file.read()
    assert (caught.value.code, caught.value.message) == ("io", f"{SHOWN}: not a regular file{END}")
    assert refusal(file)[0] == "bad-path"


def test_a_file_where_its_folder_should_be(file: LogFile, repo: Path) -> None:
    (repo / ".claude").mkdir()
    (repo / ".claude/pipelines").write_text("x")
    assert refusal(file, make=True)[:2] == ("io", f"{SHOWN}: Not a directory{END}")


def test_somebody_else_has_it(file: LogFile, said: list[str]) -> None:
    start(file)
    with file.hold():
        code, message, _ = refusal(file)
    assert code == "locked"
    assert message.startswith(
        f"pipeline locked by another session: {SHOWN} was not free within 0.05 s"
    )
    assert said[0].startswith(f"{SHOWN} is locked by ")


def test_one_that_vanishes_under_its_lock(file: LogFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os.path, "lexists", lambda _: True)
    assert refusal(file) == ("usage", f"{SHOWN}: there is no such pipeline", "baton pipeline list")


@pytest.mark.parametrize("where", ["write_all", "fsync"])
def test_a_disk_that_is_full_leaves_the_log_as_it_was(
    file: LogFile, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    data = start(file)

    def refuse(fd: int, *_: object) -> None:
        os.write(fd, b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(
            *((files, "write_all", refuse) if where == "write_all" else (os, "fsync", refuse))
        )
        assert refusal(file)[:2] == ("io", f"{SHOWN}: No space left on device{END}")
    assert Path(file.path).read_bytes() == data


def test_a_disk_that_cannot_be_read(file: LogFile, monkeypatch: pytest.MonkeyPatch) -> None:
    start(file)

    def refuse(*_: object) -> bytes:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(files, "read_open", refuse)
    assert refusal(file)[:2] == ("io", f"{SHOWN}: Input/output error{END}")


def test_what_fails_while_it_is_held_is_not_the_logs_fault(file: LogFile) -> None:
    start(file)
    with pytest.raises(OSError, match="somebody else's"), file.hold():
        raise OSError(errno.EIO, "somebody else's")
