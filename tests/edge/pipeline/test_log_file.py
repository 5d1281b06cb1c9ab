"""A pipeline's log on the disk: made, read, appended to, and refused where it cannot be."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from baton.core.errors import BatonError
from baton.core.pipeline import event as events
from baton.core.pipeline import log as logs
from baton.edge.pipeline.log_file import LogFile
from baton.edge.pipeline.place import names
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
    for odd in ("a b", "dot.", "x.jsonl", "nul"):
        (folder / f"{odd}.jsonl").write_text("x")
    assert names(project) == ["main"]


def test_one_that_was_never_started(file: LogFile) -> None:
    assert refusal(file) == (
        "usage",
        f"there is no pipeline main ({SHOWN}){END}",
        "baton pipeline start --name main --entry 1",
    )


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


def test_a_log_that_was_changed_is_refused(file: LogFile, project: projects.Project) -> None:
    root = project.root
    data = start(file)
    Path(file.path).write_bytes(data.replace(b'"full"', b'"FULL"', 1))
    code, message, hint = refusal(file)
    assert (code, hint) == ("log-broken", f"git -C {root} log -p -- {SHOWN}")
    assert message.startswith(
        f"{SHOWN}, line 1: the line was changed: its digest does not follow: expected "
    )
    with pytest.raises(BatonError):
        file.read()


def test_marks_of_a_merge(file: LogFile) -> None:
    data = start(file)
    Path(file.path).write_bytes(data + b"<<<<<<< HEAD\n" + data)
    assert refusal(file)[1] == (
        f"{SHOWN}, line 3: a merge left its marks: two histories cannot become one, take one side whole, "
        f"by git checkout --ours or --theirs{END}"
    )


def test_without_git_there_is_the_file_to_look_at(tmp_path: Path) -> None:
    root = tmp_path / "plain folder"
    (root / ".claude/pipelines").mkdir(parents=True)
    file = LogFile("main", projects.Project(str(root), None), "sess-a", 0.05, print)
    Path(file.path).write_bytes(b"hello\n")
    assert refusal(file) == (
        "log-broken",
        f"{SHOWN}, line 1: the line is no event: it does not end in its own digest{END}",
        f"ls -l '{file.path}'",
    )


def test_what_somebody_else_wrote_is_quoted_harmless(file: LogFile) -> None:
    """Its digest follows, its `prev` is an order to the terminal."""
    start(file)
    entry = events.Entry("2026-12-01T09:00:00Z", "s", STARTED)
    Path(file.path).write_bytes(logs.Log(last="\x1b[2J\n" + "x" * 90).with_entry(entry)[1])
    message = refusal(file)[1]
    assert message.endswith(f": expected {'0' * 64}, got \ufffd[2J {'x' * 58}…{END}")


def test_a_log_that_is_too_big(file: LogFile, monkeypatch: pytest.MonkeyPatch) -> None:
    start(file)
    monkeypatch.setattr(logs, "LIMIT", 100)
    assert refusal(file) == (
        "log-broken",
        f"{SHOWN} is larger than 100 bytes{END}",
        f"ls -l {file.path}",
    )


def test_a_log_never_grows_too_big_to_be_read(
    file: LogFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = start(file)
    monkeypatch.setattr(logs, "LIMIT", len(data) + 100)
    assert refusal(file)[:2] == ("io", f"{SHOWN}: File too large{END}")
    assert Path(file.path).read_bytes() == data


@pytest.mark.parametrize("link", [".claude", ".claude/pipelines"])
def test_a_folder_that_is_a_link_is_refused(
    file: LogFile, repo: Path, tmp_path: Path, link: str
) -> None:
    """It would lead into what may be another project's."""
    data = start(file)
    os.rename(repo / link, tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", repo / link)
    for make in (False, True):
        assert refusal(file, make=make) == (
            "bad-path",
            f"{SHOWN} is reached by a link; git would keep the link alone{END}",
            f"ls -ld {repo}/.claude {repo}/.claude/pipelines",
        )
    with pytest.raises(BatonError, match="is reached by a link"):
        file.read()
    assert Path(file.path).read_bytes() == data


def test_a_link_is_refused(file: LogFile, tmp_path: Path) -> None:
    data = start(file)
    (tmp_path / "elsewhere").write_bytes(data)
    os.unlink(file.path)
    os.symlink(tmp_path / "elsewhere", file.path)
    for make in (False, True):
        assert refusal(file, make=make) == (
            "bad-path",
            f"{SHOWN} is a link; git would keep the link alone{END}",
            f"ls -ld {file.path}",
        )
    with pytest.raises(BatonError, match="is a link"):
        file.read()
    assert (tmp_path / "elsewhere").read_bytes() == data


@pytest.mark.parametrize("make_it", [os.mkdir, os.mkfifo])
def test_what_is_no_file_in_its_place(file: LogFile, make_it: Callable[[str], None]) -> None:
    os.makedirs(os.path.dirname(file.path))
    make_it(file.path)
    refused = (
        "bad-path",
        f"{SHOWN} is no regular file (a folder or a device){END}",
        f"ls -ld {file.path}",
    )
    for make in (False, True):
        assert refusal(file, make=make) == refused
    with pytest.raises(BatonError) as caught:
        file.read()
    assert (caught.value.code, caught.value.message, caught.value.hint) == refused


@pytest.mark.parametrize("name", [".claude", ".claude/pipelines"])
def test_a_file_where_its_folder_should_be(
    file: LogFile, repo: Path, project: projects.Project, name: str
) -> None:
    (repo / name).parent.mkdir(exist_ok=True)
    (repo / name).write_text("x")
    assert (file.read(), names(project)) == (logs.Log(), [])
    assert refusal(file)[0] == "usage"
    assert refusal(file, make=True) == (
        "io",
        f"{SHOWN}: Not a directory{END}",
        f"ls -ld {file.path}",
    )
    assert (repo / name).read_text() == "x"


def _no_write(closed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that is closed to us. Tests may run as root, to whom none is."""
    real = os.mkdir, os.open

    def refuse(path: str) -> None:
        if Path(path).parent == closed:
            raise PermissionError(errno.EACCES, "Permission denied", path)

    def mkdir(path: str) -> None:
        refuse(path)
        real[0](path)

    def open_(path: str, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_CREAT:
            refuse(path)
        return real[1](path, flags, mode)

    monkeypatch.setattr(os, "mkdir", mkdir)
    monkeypatch.setattr(os, "open", open_)


@pytest.mark.parametrize("closed", [".", ".claude", ".claude/pipelines"])
def test_a_folder_that_is_closed_is_shown(
    file: LogFile, repo: Path, monkeypatch: pytest.MonkeyPatch, closed: str
) -> None:
    (repo / closed).mkdir(parents=True, exist_ok=True)
    _no_write(repo / closed, monkeypatch)
    assert refusal(file, make=True) == (
        "io",
        f"{SHOWN}: Permission denied{END}",
        f"ls -ld {repo / closed}",
    )
    assert not os.path.exists(file.path)


def test_one_that_a_killed_start_left_empty_is_started_anew(
    file: LogFile, project: projects.Project
) -> None:
    with file.hold(make=True) as held:
        assert held.pipeline is None
    assert os.path.getsize(file.path) == 0
    assert (file.read(), names(project)) == (logs.Log(), ["main"])
    start(file)
    assert len(file.read().entries) == 2


def test_somebody_else_has_it(file: LogFile, said: list[str]) -> None:
    start(file)
    with file.hold():
        code, message, _ = refusal(file)
    assert code == "locked"
    holder = f"process {os.getpid()}"
    assert message.startswith(
        f"pipeline locked by another session: {SHOWN} was not free within 0.05 s; it is held by {holder}"
    )
    assert said[0].startswith(f"{SHOWN} is locked by {holder}")


def test_one_that_vanishes_under_its_lock(file: LogFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os.path, "lexists", lambda _: True)
    assert refusal(file) == ("usage", f"{SHOWN}: there is no such pipeline", "baton pipeline list")


class Full:
    """A disk that takes half of what is written, so many times."""

    def __init__(self, times: int) -> None:
        self.times = times

    def __call__(self, fd: int, *_: object) -> None:
        """Stand for `write_all` or `fsync`."""
        if self.times:
            self.times -= 1
            os.write(fd, b"half")
            raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("tail", [b"", b'{"torn'])
@pytest.mark.parametrize("where", [(files, "write_all"), (os, "fsync")])
def test_a_disk_that_is_full_leaves_the_log_as_it_was(
    file: LogFile, monkeypatch: pytest.MonkeyPatch, where: tuple[object, str], tail: bytes
) -> None:
    data = start(file)
    Path(file.path).write_bytes(data + tail)
    with monkeypatch.context() as full:
        full.setattr(*where, Full(1))
        assert refusal(file) == (
            "io",
            f"{SHOWN}: No space left on device{END}",
            f"ls -ld {file.path}",
        )
    assert Path(file.path).read_bytes() == data
    with file.hold() as held:
        held.append(events.Finished("1", ()))
    assert len(file.read().entries) == 3


def test_what_could_not_be_taken_back_is_not_called_unrecorded(
    file: LogFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    start(file)
    with monkeypatch.context() as full:
        full.setattr(os, "fsync", Full(2))
        assert refusal(file) == (
            "io",
            f"{SHOWN}: No space left on device, and it could not be taken back: whether it was recorded "
            "is not known",
            "baton pipeline log --name main",
        )


def test_after_a_failed_append_the_same_lock_appends_again(
    file: LogFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    start(file)
    with file.hold() as held:
        with monkeypatch.context() as full:
            full.setattr(os, "fsync", Full(1))
            with pytest.raises(BatonError):
                held.append(events.Stalled("1", "lost"))
        held.append(events.Stalled("1", "kept"))
        assert held.standing.reason == "kept"
    assert file.read().pipeline == held.pipeline


@pytest.mark.parametrize("again", [True, False])
def test_one_that_is_replaced_while_it_is_held_is_no_place_for_an_event(
    file: LogFile, again: bool
) -> None:
    """As a checkout does it: whoever reads the name finds other bytes than those that were locked."""
    data = start(file)
    with pytest.raises(BatonError) as caught, file.hold() as held:
        os.unlink(file.path)
        if again:
            Path(file.path).write_bytes(data)
        held.append(events.Finished("1", ()))
    assert (caught.value.code, caught.value.message) == (
        "io",
        f"{SHOWN}: it was replaced by another program meanwhile{END}",
    )
    assert len(file.read().entries) == (2 if again else 0)


def test_a_disk_that_cannot_be_read(file: LogFile, monkeypatch: pytest.MonkeyPatch) -> None:
    start(file)

    def refuse(*_: object) -> bytes:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(files, "_read_up_to", refuse)
    refused = ("io", f"{SHOWN}: Input/output error{END}")
    assert refusal(file)[:2] == refused
    with pytest.raises(BatonError) as caught:
        file.read()
    assert (caught.value.code, caught.value.message) == refused


def test_what_fails_while_it_is_held_is_not_the_logs_fault(file: LogFile) -> None:
    start(file)
    with pytest.raises(OSError, match="somebody else's"), file.hold():
        raise OSError(errno.EIO, "somebody else's")
