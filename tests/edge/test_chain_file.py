"""baton.edge.chain_file: overwritten whole under the lock, or left exactly as it was."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from baton.core.chain import edit
from baton.core.errors import BatonError
from baton.edge.chain_file import ChainFile, Version
from baton.hot import files, project
from baton.hot.chain import Chain
from baton.hot.state import State
from chain_cases import EMPTY, EXAMPLE, PROBLEMS, Case

WAL = ".claude/WAL.md"


def _file(root: Path, wait: float = 5) -> ChainFile:
    found = project.locate({"HOME": os.environ["HOME"]}, str(root))
    assert found is not None
    return ChainFile(found, State(found, dict(os.environ)), wait)


@pytest.fixture
def chain(repo: Path) -> Path:
    """The chain of a repository, the example."""
    path = repo / WAL
    path.parent.mkdir()
    path.write_bytes(EXAMPLE)
    return path


def _announce(before: Version) -> Chain:
    return edit.set_next(before.chain, "announce it")


ANNOUNCED = EXAMPLE.replace(
    b"next: Append the section to GOVERNANCE.md and run its checks", b"next: announce it"
)


def _revision(data: bytes) -> str:
    return sha256(data).hexdigest()[:12]


VERSIONS = {
    "absent": (None, "absent", "none"),
    "0 bytes": (b"", "empty", _revision(b"")),
    "the example": (EXAMPLE, "unfinished", _revision(EXAMPLE)),
    "unreadable": (b"hello", "unreadable", _revision(b"hello")),
    "too big": (b"x" * (1 << 20), "unreadable", _revision(b"x" * 65537)),
}


@pytest.mark.parametrize(("data", "state", "revision"), VERSIONS.values(), ids=VERSIONS)
def test_read(data: bytes | None, state: str, revision: str, repo: Path) -> None:
    if data is not None:
        (repo / ".claude").mkdir()
        (repo / WAL).write_bytes(data)
    version = _file(repo).read()
    assert (version.state, version.revision) == (state, revision)


def test_change(chain: Path, repo: Path) -> None:
    version = _file(repo).change(_announce)
    assert chain.read_bytes() == ANNOUNCED == version.data
    assert version.revision == _revision(ANNOUNCED)
    assert (repo / ".git/baton/written").read_bytes() == ANNOUNCED
    assert os.listdir(chain.parent) == ["WAL.md"]


def test_the_first_write_makes_the_folder(repo: Path) -> None:
    _file(repo).change(lambda _: edit.empty("en"))
    assert (repo / WAL).read_bytes() == EMPTY


def _refuse(_: Version) -> Chain:
    raise BatonError("usage", "no")


def test_a_step_that_refuses_leaves_it_as_it_was(chain: Path, repo: Path) -> None:
    with pytest.raises(BatonError, match="no"):
        _file(repo).change(_refuse)
    assert chain.read_bytes() == EXAMPLE


def _told(change: Callable[[], object]) -> tuple[str, str, str]:
    with pytest.raises(BatonError) as caught:
        change()
    return caught.value.code, caught.value.message, caught.value.hint


@pytest.mark.parametrize("case", PROBLEMS.values(), ids=PROBLEMS)
def test_only_what_can_be_read_is_overwritten(case: Case, chain: Path, repo: Path) -> None:
    chain.write_bytes(case.document)
    if case.state == "unfinished":
        _file(repo).change(_announce)
        assert b"next: announce it\n" in chain.read_bytes()
        return
    told = "; ".join(
        f"{code}: line {line}: {text}" if line else f"{code}: {text}"
        for line, code, text in case.problems
    )
    assert _told(lambda: _file(repo).change(_announce)) == (
        "invalid-chain",
        f"{WAL} cannot be read as a chain ({told}); nothing was written",
        "baton tiep shows it and the way back to a good version; baton wal start --force … replaces it",
    )
    assert chain.read_bytes() == case.document
    _file(repo).change(lambda _: edit.empty("en"), force=True)
    assert chain.read_bytes() == EMPTY


def test_somebody_else_holds_the_lock(chain: Path, repo: Path) -> None:
    found = project.locate({"HOME": "/"}, str(repo))
    assert found is not None
    with State(found, {}).lock(0):
        told = _told(lambda: _file(repo, 0).change(_announce))
    assert told == (
        "locked",
        "the chain is being changed by somebody else for 0 s; nothing was written",
        "the same command again",
    )
    assert chain.read_bytes() == EXAMPLE


def _folder_out(repo: Path, away: Path) -> None:
    (repo / ".claude").symlink_to(away)


def _folder_nowhere(repo: Path, away: Path) -> None:
    (repo / ".claude").symlink_to(away / "nowhere")


def _file_out(repo: Path, away: Path) -> None:
    (repo / ".claude").mkdir()
    (repo / WAL).symlink_to(away / "x.md")


def _file_inside(repo: Path, away: Path) -> None:
    (repo / ".claude").mkdir()
    (repo / WAL).symlink_to(repo / "README.md")


OUTSIDE = {
    "the folder": _folder_out,
    "the folder, to nowhere": _folder_nowhere,
    "the file": _file_out,
    "the file, inside": _file_inside,
}


@pytest.mark.parametrize("make", OUTSIDE.values(), ids=OUTSIDE)
def test_a_symlink_is_not_followed(
    make: Callable[[Path, Path], None], repo: Path, tmp_path: Path
) -> None:
    """Case G11."""
    away = tmp_path / "away"
    away.mkdir()
    make(repo, away)
    told = _told(lambda: _file(repo).change(lambda _: edit.empty("en"), force=True))
    assert told == (
        "bad-path",
        f"{WAL} is a symlink or lies behind one that leads out of the project; nothing was written",
        f"ls -ld {repo}/.claude {repo}/{WAL}",
    )
    assert os.listdir(away) == []
    assert (repo / "README.md").read_text() == "a project\n"


def test_a_folder_in_its_place(repo: Path) -> None:
    (repo / WAL).mkdir(parents=True)
    told = ("io", f"{WAL} cannot be read: not a regular file", f"ls -l {repo}/{WAL}")
    assert _told(_file(repo).read) == told
    assert _told(lambda: _file(repo).change(_announce)) == told


def test_a_full_disk(chain: Path, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: str, data: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

    monkeypatch.setattr(files, "replace", full)
    assert _told(lambda: _file(repo).change(_announce)) == (
        "io",
        f"{chain}: No space left on device; the chain is as it was",
        "baton wal show",
    )


def test_a_state_directory_that_cannot_be_made(chain: Path, repo: Path) -> None:
    (repo / ".git/baton").write_bytes(b"")
    assert _told(lambda: _file(repo).change(_announce)) == (
        "io",
        f"{repo}/.git/baton: Not a directory; the chain is as it was",
        "baton wal show",
    )
    assert chain.read_bytes() == EXAMPLE


def test_an_error_without_a_name(chain: Path, repo: Path) -> None:
    def broken(_: Version) -> Chain:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    assert _told(lambda: _file(repo).change(broken))[1] == (
        f"{WAL}: Input/output error; the chain is as it was"
    )


def test_a_refused_document_is_kept_beside_it(repo: Path) -> None:
    name = _file(repo).keep_refused(b"text")
    assert name == f"{WAL}.refused-{_revision(b'text')}"
    assert (repo / name).read_bytes() == b"text"


def test_a_disk_that_does_not_confirm(
    chain: Path, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new content is in its place by then, and that is said."""
    (repo / ".git/baton").mkdir()

    def broken(path: str) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO), path)

    monkeypatch.setattr(files, "sync_folder", broken)
    assert _told(lambda: _file(repo).change(_announce)) == (
        "io",
        f"{chain}: Input/output error; the change is in the file, the disk did not confirm it",
        "baton wal show",
    )
    assert b"next: announce it" in chain.read_bytes()


def test_a_note_that_cannot_be_written_is_no_failure(
    chain: Path, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(State, "write", full)
    assert _file(repo).change(_announce).state == "unfinished"
    assert b"next: announce it" in chain.read_bytes()


def test_a_new_folder_s_name_is_brought_to_the_disk(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    monkeypatch.setattr(files, "sync", synced.append)
    _file(repo).change(lambda before: before.chain)
    assert synced == [str(repo / ".git"), str(repo), str(repo / ".claude")]


def test_what_a_killed_writer_left_is_swept_up(chain: Path, repo: Path) -> None:
    for name in ("WAL.md.123.tmp", "WAL.md.x.tmp", "WAL.md.refused-0123", "other.123.tmp"):
        (chain.parent / name).write_text("left")
    _file(repo).change(_announce)
    assert sorted(path.name for path in chain.parent.iterdir()) == [
        "WAL.md",
        "WAL.md.refused-0123",
        "WAL.md.x.tmp",
        "other.123.tmp",
    ]
