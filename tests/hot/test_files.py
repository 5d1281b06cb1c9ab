"""baton.hot.files: what each verb promises, also when the disk says no."""

from __future__ import annotations

import errno
import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from baton.hot import files

READS = {
    "empty": (b"", 10, b""),
    "short": (b"abc", 10, b"abc"),
    "as long as allowed": (b"0123456789", 10, b"0123456789"),
    "longer": (b"0123456789ab", 10, b"0123456789a"),
    "longer than one read": (b"x" * 3_000_000, 4_000_000, b"x" * 3_000_000),
}


@pytest.mark.parametrize(("data", "limit", "expected"), READS.values(), ids=READS)
def test_read(data: bytes, limit: int, expected: bytes, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(data)
    assert files.read(str(tmp_path / "f"), limit) == expected


def test_read_nothing(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"")
    assert files.read(str(tmp_path / "absent"), 10) is None
    assert files.read(str(tmp_path / "f" / "below"), 10) is None
    # Names that no file can have.
    assert files.read(f"{tmp_path}/a\0b", 10) is None
    assert files.read(f"{tmp_path}/a\ud800b", 10) is None


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))


def _loop(path: Path) -> None:
    path.symlink_to(path)


NO_FILES: dict[str, Callable[[Path], None]] = {
    "folder": Path.mkdir,
    "fifo": _fifo,
    "socket": _socket,
    "endless symlink": _loop,
}


@pytest.mark.parametrize("make", NO_FILES.values(), ids=NO_FILES)
def test_read_what_is_no_file(make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path / "f")
    with pytest.raises(OSError):
        files.read(str(tmp_path / "f"), 10)


@pytest.mark.parametrize("put", [files.replace, files.note], ids=["replace", "note"])
def test_put_whole(put: Callable[[str, bytes], None], tmp_path: Path) -> None:
    path = tmp_path / "f"
    put(str(path), b"old and longer")
    put(str(path), b"new")
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["f"]


def test_a_link_laid_in_the_way_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_bytes(b"theirs")
    (tmp_path / f"f.{os.getpid()}.tmp").symlink_to(tmp_path / "theirs")
    files.replace(str(tmp_path / "f"), b"ours")
    assert (tmp_path / "theirs").read_bytes() == b"theirs"
    assert (tmp_path / "f").read_bytes() == b"ours"
    assert sorted(os.listdir(tmp_path)) == ["f", "theirs"]


def test_put_in_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files.replace("f", b"new")
    assert (tmp_path / "f").read_bytes() == b"new"


def test_replace_keeps_the_mode(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")
    path.chmod(0o640)
    files.replace(str(path), b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def _refuse(number: int) -> Callable[..., None]:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    return refuse


@pytest.mark.parametrize("call", ["write", "fsync", "replace", "chmod"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO], ids=["full", "broken"])
def test_a_failed_replace_leaves_the_old_file(
    call: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, call, _refuse(number))
    with pytest.raises(OSError, match=os.strerror(number)):
        files.replace(str(path), b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["f"]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        files.replace(str(tmp_path / "absent/f"), b"new")
    assert os.listdir(tmp_path) == []


def test_a_failed_note_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "write", _refuse(errno.ENOSPC))
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        files.note(str(path), b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["f"]


def test_every_byte_is_written_where_the_system_takes_a_few(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, data[:3]))
    files.replace(str(tmp_path / "f"), b"0123456789")
    assert (tmp_path / "f").read_bytes() == b"0123456789"


def test_the_bytes_are_on_disk_before_the_name_and_the_folder_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    fsync, rename = os.fsync, os.replace

    def noted_fsync(fd: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(fd).st_mode) else "file")
        fsync(fd)

    def noted_rename(old: str, new: str) -> None:
        done.append("name")
        rename(old, new)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(os, "replace", noted_rename)
    files.replace(str(tmp_path / "f"), b"new")
    assert done == ["file", "name", "folder"]
    files.note(str(tmp_path / "f"), b"newer")
    assert done == ["file", "name", "folder", "name"]


FOLDER_FAULTS = {
    "a file system that cannot": (errno.EINVAL, "posix", None),
    "one that says so": (errno.ENOTSUP, "posix", None),
    "a broken disk": (errno.EIO, "posix", OSError),
    "no permission": (errno.EACCES, "posix", PermissionError),
    "Windows": (errno.EACCES, "nt", None),
}


@pytest.mark.parametrize(("number", "name", "raised"), FOLDER_FAULTS.values(), ids=FOLDER_FAULTS)
def test_a_folder_that_cannot_be_synced(
    number: int,
    name: str,
    raised: type[OSError] | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = str(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", _refuse(number))
        patch.setattr(os, "name", name)
        if raised is None:
            files.sync_folder(folder)
        else:
            with pytest.raises(raised, match=os.strerror(number)):
                files.sync_folder(folder)


def test_folders_that_are_missing_are_made_and_their_names_brought_to_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    monkeypatch.setattr(files, "sync", synced.append)
    files.make_folders(f"{tmp_path}/a/b")
    assert (tmp_path / "a/b").is_dir()
    assert synced == [str(tmp_path), f"{tmp_path}/a"]
    files.make_folders(f"{tmp_path}/a/b")
    monkeypatch.chdir(tmp_path)
    files.make_folders("a/c")
    assert synced[2:] == ["a"]


def test_a_file_where_a_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    for path in ("a", "a/b"):
        with pytest.raises(NotADirectoryError) as caught:
            files.make_folders(f"{tmp_path}/{path}")
        assert caught.value.filename == f"{tmp_path}/a"


def test_an_error_names_the_file_that_was_meant(tmp_path: Path) -> None:
    """Not the passing one that nobody has heard of."""
    for put in (files.replace, files.note):
        with pytest.raises(FileNotFoundError) as caught:
            put(str(tmp_path / "gone" / "f"), b"x")
        assert caught.value.filename == str(tmp_path / "gone" / "f")


def test_an_interrupt_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def press(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", press)
    with pytest.raises(KeyboardInterrupt):
        files.replace(str(tmp_path / "f"), b"x")
    assert os.listdir(tmp_path) == []
