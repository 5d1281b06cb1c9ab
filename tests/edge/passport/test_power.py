"""Power that goes at any moment of an append, with whatever the disk had not yet been told to keep.

A model of a disk: bytes and sizes that were not fsynced may be there or not, each by itself, and a name
that its folder was not fsynced for may be there or not. After each such loss the next command finds the
old ledger or the new one, and the new one alone once the append has returned.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from baton.core.errors import BatonError
from baton.edge.passport import rewrite, undo
from baton.hot import files

OLD = b"ledger:\n  - one\nnotes: old and long\n"
NEW = b"ledger:\n  - one\n  - two\nnotes: old and long\n"
_MOST_PENDING = 8

pytestmark = pytest.mark.skipif(
    not os.path.isdir("/proc/self/fd"), reason="names of open files are read from /proc"
)


class Disk:
    """What reached the platters, and what is on its way. files: durable bytes by name; pending: what was
    done to a file since its last fsync, in order; names: for each name not yet durable, whether it was
    made (True) or removed (False)."""

    def __init__(self, content: dict[str, bytes]) -> None:
        self.files = dict(content)
        self.pending: dict[str, list[tuple[int, bytes] | int]] = {}
        self.names: dict[str, bool] = {}

    def write(self, name: str, at: int, data: bytes) -> None:
        """Bytes go in parts, as sectors would: some of them may be lost."""
        part = len(data) // 4 + 1
        for start in range(0, len(data), part):
            self._add(name, (at + start, data[start : start + part]))

    def size(self, name: str, size: int) -> None:
        self._add(name, size)

    def sync(self, name: str) -> None:
        self.files[name] = _applied(self.files.get(name, b""), self.pending.pop(name, []))

    def make(self, name: str) -> None:
        self.files.setdefault(name, b"")
        self.names[name] = True

    def remove(self, name: str) -> None:
        self.names[name] = False

    def sync_folder(self) -> None:
        for name, made in self.names.items():
            if not made:
                self.files.pop(name, None)
        self.names.clear()

    def losses(self) -> Iterator[dict[str, bytes]]:
        """Every state in which the power can leave it."""
        doubtful = list(self.names)
        for there in itertools.product((True, False), repeat=len(doubtful)):
            absent = {name for name, here in zip(doubtful, there, strict=True) if not here}
            yield from self._contents([name for name in self.files if name not in absent])

    def _contents(self, names: list[str]) -> Iterator[dict[str, bytes]]:
        choices = [list(self._versions(name)) for name in names]
        for versions in itertools.product(*choices):
            yield dict(zip(names, versions, strict=True))

    def _versions(self, name: str) -> Iterator[bytes]:
        steps = self.pending.get(name, [])
        assert len(steps) <= _MOST_PENDING
        for kept in itertools.product((True, False), repeat=len(steps)):
            yield _applied(self.files[name], [s for s, k in zip(steps, kept, strict=True) if k])

    def _add(self, name: str, step: tuple[int, bytes] | int) -> None:
        self.pending.setdefault(name, []).append(step)


def _applied(data: bytes, steps: list[tuple[int, bytes] | int]) -> bytes:
    """A file after some of what was done to it; what was never written is NUL."""
    for step in steps:
        if isinstance(step, int):
            data = data[:step].ljust(step, b"\0")
        else:
            at, part = step
            data = data.ljust(at, b"\0")
            data = data[:at] + part + data[at + len(part) :]
    return data


class Cut(Exception):
    """The power is gone."""


class Watch:
    """Follows the calls of an append on real files, and stops it before the one of number `at`.

    mutant: a call that is left out, as if the protocol had forgotten it: its name and which of them.
    """

    def __init__(self, disk: Disk, at: int, mutant: tuple[str, int] | None) -> None:
        self.disk = disk
        self.at = at
        self.calls = 0
        self._mutant = mutant
        self._counts: dict[str, int] = {}
        self._real = {
            name: getattr(os, name) for name in ("open", "write", "ftruncate", "fsync", "unlink")
        }

    def install(self, patch: pytest.MonkeyPatch) -> None:
        """Take the place of the calls."""
        for name, call in (("open", self._open), ("write", self._write), ("ftruncate", self._ftruncate),
                           ("fsync", self._fsync), ("unlink", self._unlink)):  # fmt: skip
            patch.setattr(os, name, call)
        patch.setattr(files, "sync_folder", self._sync_folder)

    def _forgotten(self, name: str) -> bool:
        """Count a call; whether it is left out. Raises Cut when the power is gone."""
        self._counts[name] = self._counts.get(name, 0) + 1
        if (name, self._counts[name]) == self._mutant:
            return True
        self.calls += 1
        if 0 < self.at <= self.calls:
            raise Cut
        return False

    def _open(self, path: str, flags: int, *mode: int) -> int:
        if flags & os.O_CREAT and not self._forgotten("open"):
            self.disk.make(os.path.basename(path))
        fd: int = self._real["open"](path, flags, *mode)
        return fd

    def _write(self, fd: int, data: bytes) -> int:
        self._forgotten("write")
        self.disk.write(_name(fd), os.lseek(fd, 0, os.SEEK_CUR), bytes(data))
        count: int = self._real["write"](fd, data)
        return count

    def _ftruncate(self, fd: int, size: int) -> None:
        self._forgotten("ftruncate")
        self.disk.size(_name(fd), size)
        self._real["ftruncate"](fd, size)

    def _fsync(self, fd: int) -> None:
        if not self._forgotten("fsync"):
            self.disk.sync(_name(fd))

    def _unlink(self, path: str) -> None:
        self._forgotten("unlink")
        self.disk.remove(os.path.basename(path))
        self._real["unlink"](path)

    def _sync_folder(self, _: str) -> None:
        if not self._forgotten("sync_folder"):
            self.disk.sync_folder()


def _name(fd: int) -> str:
    return os.path.basename(os.readlink(f"/proc/self/fd/{fd}"))


def _laid(folder: Path, content: dict[str, bytes]) -> Path:
    for each in folder.iterdir():
        each.unlink()
    for name, data in content.items():
        (folder / name).write_bytes(data)
    return folder / "p.yaml"


def _next_command(folder: Path, content: dict[str, bytes]) -> bytes:
    """What the passport holds once the next command has looked at it."""
    path = _laid(folder, content)
    fd = os.open(path, os.O_RDWR)
    try:
        rewrite.recover(fd, str(path), "p.yaml")
    finally:
        os.close(fd)
    assert [each.name for each in folder.iterdir()] == ["p.yaml"]
    return path.read_bytes()


def _append(
    folder: Path,
    at: int,
    act: Callable[[int, str], object],
    content: dict[str, bytes],
    mutant: tuple[str, int] | None = None,
) -> tuple[Disk, int]:
    """Run `act` on real files until the power goes before call number `at`; give the disk and the calls."""
    path = _laid(folder, content)
    watch = Watch(Disk(content), at, mutant)
    fd = os.open(path, os.O_RDWR)
    try:
        # Without power nothing is undone either: every later call is cut off as well.
        with pytest.MonkeyPatch.context() as patch, contextlib.suppress(Cut):
            watch.install(patch)
            act(fd, str(path))
    finally:
        os.close(fd)
    return watch.disk, watch.calls


def put(fd: int, path: str) -> None:
    """The append."""
    rewrite.put(fd, path, OLD, NEW, "test")


def recover(fd: int, path: str) -> None:
    """The recovery."""
    rewrite.recover(fd, path, "p.yaml")


TORN = {
    "p.yaml": NEW[:20] + b"\0" * (len(NEW) - 20),
    os.path.basename(undo.path_for("p.yaml")): undo.Undo.between(OLD, NEW, "x").render(),
}


def _states(
    folder: Path, act: Callable[[int, str], object], mutant: tuple[str, int] | None = None
) -> tuple[int, list[str]]:
    """Walk through every loss of power; give how many states there were, and those that are wrong."""
    desk, look = folder / "desk", folder / "look"
    desk.mkdir()
    look.mkdir()
    content = {"p.yaml": OLD} if act is put else TORN
    _, total = _append(desk, 0, act, content, mutant)
    count, wrong = 0, []
    for at in range(1, total + 2):
        disk, _ = _append(desk, at, act, content, mutant)
        right = (OLD,) if act is recover else (NEW,) if at > total else (OLD, NEW)
        for left in disk.losses():
            count += 1
            if _next_command(look, left) not in right:
                wrong.append(f"before call {at} of {total}: {left}")
    print(f"tried: passport {act.__name__}, power cut: {total} calls, {count} states of the disk")
    return count, wrong


@pytest.mark.parametrize(("act", "least"), [(put, 50), (recover, 20)], ids=["append", "recovery"])
def test_power_that_goes(tmp_path: Path, act: Callable[[int, str], object], least: int) -> None:
    count, wrong = _states(tmp_path, act)
    assert wrong == []
    assert count > least


# The model can find what it is there for: each step of the protocol that is forgotten is found out.
MUTANTS = [
    (put, "fsync", 1, "the record's bytes"),
    (put, "sync_folder", 1, "the record's name"),
    (put, "fsync", 2, "the passport's bytes"),
    (put, "sync_folder", 2, "the end of the record"),
    (recover, "fsync", 1, "the old bytes"),
]


@pytest.mark.parametrize(
    ("act", "name", "number"), [c[:3] for c in MUTANTS], ids=[c[3] for c in MUTANTS]
)
def test_a_step_that_is_forgotten_is_found_out(
    tmp_path: Path, act: Callable[[int, str], object], name: str, number: int
) -> None:
    try:
        _, wrong = _states(tmp_path, act, (name, number))
    except BatonError as error:
        wrong = [error.code]
    assert wrong
