"""Runs a program and all its children under ptrace, and writes down what they do to files.

    python recorder.py OUT ROOT[:ROOT...] COMMAND...

OUT becomes a pickled list of `Step`s: what was done, in order, to what lies below the roots. What the
program prints goes through, and its exit code is given. Linux on x86-64.
"""

from __future__ import annotations

import os
import pickle
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import syscalls


class Step(NamedTuple):
    """One thing that was done. what: `create`, `write`, `size`, `name`, `remove`, `folder`, `link`,
    `sync` or `sync_folder`.

    file: which file, numbered as they were first seen. path, other: whole names. at: where in the file.
    """

    what: str
    path: str = ""
    other: str = ""
    file: int = -1
    at: int = 0
    data: bytes = b""


_R10 = 7
_OPEN, _OPENAT, _CREAT = 2, 257, 85
_WRITES = {1, 18, 20, 40, 296, 326}
_OUT_FD = {40: syscalls._RDI, 326: syscalls._RDX}
_RENAMES = {82, 264, 316}
_LINKS = {86, 265}
_REMOVALS = {84, 87, 263}
_FOLDERS = {83, 258}
_SYMLINKS = {88, 266}
_SYNCS = {74, 75}
_FTRUNCATE, _TRUNCATE = 77, 76
_AT_FDCWD = 2**32 - 100
Finish = Callable[[int], None]
"""What is done once a call has come back, with its result."""


class Recorder(syscalls.Tracer):
    """Follows one program and its children. steps: what they did below `roots`."""

    def __init__(self, roots: list[str], command: list[str]) -> None:
        super().__init__("record", 0, command)
        self.roots = roots
        self.steps: list[Step] = []
        self._files: dict[tuple[int, int], int] = {}
        self._count = 0
        self._begun: dict[int, Finish | None] = {}
        for root in roots:
            self._know(root)

    def _know(self, root: str) -> None:
        """Number the files that are there before anything happens; `disk.py` finds them by their names."""
        for folder, _, names in os.walk(root):
            for name in sorted(names):
                path = os.path.join(folder, name)
                if stat.S_ISREG(os.lstat(path).st_mode):
                    self.steps.append(Step("name", path, file=self._file(os.lstat(path))))

    def _file(self, found: os.stat_result, *, new: bool = False) -> int:
        """The number of a file; an inode that is used again is another file."""
        key = (found.st_dev, found.st_ino)
        if new or key not in self._files:
            self._files[key] = self._count
            self._count += 1
        return self._files[key]

    def _at_call(self, pid: int) -> None:
        entering = not self.inside.get(pid, False)
        self.inside[pid] = entering
        registers = self._registers(pid)
        if entering:
            self._begun[pid] = self._begin(pid, registers)
            return
        finish = self._begun.pop(pid, None)
        result = registers[syscalls._RAX]
        if finish is not None and result < 2**63:
            finish(result)

    def _begin(self, pid: int, registers: list[int]) -> Finish | None:
        number = registers[syscalls._ORIG_RAX]
        if number in (_OPEN, _OPENAT, _CREAT):
            return self._open(pid, number, registers)
        if number in _WRITES:
            return self._write(pid, number, registers)
        if number in _SYNCS or number == _FTRUNCATE:
            return self._on_file(pid, number, registers)
        if number in _RENAMES | _LINKS | _REMOVALS | _FOLDERS | _SYMLINKS | {_TRUNCATE}:
            return self._on_names(pid, number, registers)
        return None

    def _open(self, pid: int, number: int, registers: list[int]) -> Finish | None:
        at = number == _OPENAT
        path = self._path(pid, registers, syscalls._RDI if at else None,
                          syscalls._RSI if at else syscalls._RDI)  # fmt: skip
        flags = os.O_CREAT | os.O_TRUNC
        if number != _CREAT:
            flags = registers[syscalls._RDX if at else syscalls._RSI]
        if not self._is_ours(path) or not flags & (os.O_CREAT | os.O_TRUNC):
            return None
        there = os.path.exists(path)

        def finish(fd: int) -> None:
            file = self._file(os.stat(f"/proc/{pid}/fd/{fd}"), new=not there)
            whole = os.path.realpath(path)
            if not there:
                self.steps.append(Step("create", whole, file=file))
            elif flags & os.O_TRUNC:
                self.steps.append(Step("size", whole, file=file))

        return finish

    def _write(self, pid: int, number: int, registers: list[int]) -> Finish | None:
        fd = registers[_OUT_FD.get(number, syscalls._RDI)] & 0xFFFFFFFF
        path = self._open_file(pid, fd)
        if path is None:
            return None
        at = registers[_R10] if number in (18, 296) else self._position(pid, fd)

        def finish(count: int) -> None:
            with open(f"/proc/{pid}/fd/{fd}", "rb") as file:
                file.seek(at)
                data = file.read(count)
            self.steps.append(Step("write", path, file=self._number(pid, fd), at=at, data=data))

        return finish

    def _on_file(self, pid: int, number: int, registers: list[int]) -> Finish | None:
        fd = registers[syscalls._RDI] & 0xFFFFFFFF
        path = self._open_file(pid, fd)
        if path is None:
            return None
        size = registers[syscalls._RSI]

        def finish(_: int) -> None:
            if number == _FTRUNCATE:
                self.steps.append(Step("size", path, file=self._number(pid, fd), at=size))
            elif os.path.isdir(f"/proc/{pid}/fd/{fd}"):
                self.steps.append(Step("sync_folder", path))
            else:
                self.steps.append(Step("sync", path, file=self._number(pid, fd)))

        return finish

    def _on_names(self, pid: int, number: int, registers: list[int]) -> Finish | None:
        first, second = self._names(pid, number, registers)
        if not (self._is_ours(first) or self._is_ours(second)):
            return None
        if number in _RENAMES:
            step = Step("rename", first, second)
        elif number in _LINKS:
            step = Step("hard_link", first, second)
        elif number in _REMOVALS:
            step = Step("remove", first)
        elif number in _FOLDERS:
            step = Step("folder", first)
        elif number in _SYMLINKS:
            step = Step("link", second, first)
        else:
            file = self._file(os.stat(first))
            step = Step("size", first, file=file, at=registers[syscalls._RSI])
        return lambda _: self.steps.append(step)

    def _names(self, pid: int, number: int, registers: list[int]) -> tuple[str, str]:
        """The one or two names of a call; a symbolic link's target as it is written."""
        rdi, rsi, rdx = syscalls._RDI, syscalls._RSI, syscalls._RDX
        if number in (82, 86):
            return self._path(pid, registers, None, rdi), self._path(pid, registers, None, rsi)
        if number in (264, 316, 265):
            return self._path(pid, registers, rdi, rsi), self._path(pid, registers, rdx, _R10)
        if number == 88:
            return self._text(pid, registers[rdi]), self._path(pid, registers, None, rsi)
        if number == 266:
            return self._text(pid, registers[rdi]), self._path(pid, registers, rsi, rdx)
        if number in (258, 263):
            return self._path(pid, registers, rdi, rsi), ""
        return self._path(pid, registers, None, rdi), ""

    def _path(self, pid: int, registers: list[int], folder: int | None, name: int) -> str:
        """The whole name that a call gives, with the links of its folders followed."""
        text = self._text(pid, registers[name])
        base = f"/proc/{pid}/cwd"
        if folder is not None and registers[folder] & 0xFFFFFFFF != _AT_FDCWD:
            base = f"/proc/{pid}/fd/{registers[folder] & 0xFFFFFFFF}"
        whole = text if text.startswith("/") else os.path.join(os.readlink(base), text)
        parent, last = os.path.split(os.path.normpath(whole))
        return os.path.join(os.path.realpath(parent), last)

    def _text(self, pid: int, address: int) -> str:
        found = b""
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
            while b"\0" not in found:
                # A read must not cross into a page that is not there.
                memory.seek(address + len(found))
                found += memory.read(4096 - (address + len(found)) % 4096)
        return os.fsdecode(found.partition(b"\0")[0])

    def _open_file(self, pid: int, fd: int) -> str | None:
        """The name of an open file or folder of ours."""
        try:
            path = os.readlink(f"/proc/{pid}/fd/{fd}")
        except OSError:
            return None
        return path if self._is_ours(path) else None

    def _number(self, pid: int, fd: int) -> int:
        return self._file(os.stat(f"/proc/{pid}/fd/{fd}"))

    def _position(self, pid: int, fd: int) -> int:
        fields = dict(
            line.split(":", 1) for line in Path(f"/proc/{pid}/fdinfo/{fd}").read_text().splitlines()
        )
        if int(fields["flags"], 8) & os.O_APPEND:
            return os.stat(f"/proc/{pid}/fd/{fd}").st_size
        return int(fields["pos"])

    def _is_ours(self, path: str) -> bool:
        return any(path == root or path.startswith(root + "/") for root in self.roots)


def main(out: str, roots: str, *command: str) -> int:
    """Record a command; give its exit code."""
    recorder = Recorder(roots.split(":"), list(command))
    code = recorder.run()
    Path(out).write_bytes(pickle.dumps([tuple(step) for step in recorder.steps]))
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
