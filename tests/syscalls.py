"""Runs a program and all its children under ptrace, and interferes at one file-changing call.

    python syscalls.py MODE N COMMAND...

MODE count: print how many there were. kill: end every process just before the N-th (from 1). leader:
end only the program itself, its children go on. enospc, eio: let the N-th fail once; full: that one
and all later ones that need space; readonly: that one and all later ones, as when a disk is mounted
anew for reading alone. short: let the N-th write only half of its bytes; torn: the same, and end every
process after it. What the program prints goes through; N beyond the last changes nothing. Prints
`calls: K` on standard error. Linux on x86-64.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import signal
import struct
import sys
from contextlib import suppress

SUPPORTED = sys.platform == "linux" and platform.machine() == "x86_64"

_TRACEME, _CONT_SYSCALL, _SETOPTIONS = 0, 24, 0x4200
_GETREGS, _SETREGS = 12, 13
_OPTIONS = 0x1 | 0x2 | 0x4 | 0x8 | 0x10 | 0x100000  # sysgood, fork, vfork, clone, exec, exitkill
_REGISTERS = struct.Struct("27Q")
_RAX, _ORIG_RAX, _RDI, _RSI, _RDX = 10, 15, 14, 13, 12
_OPENAT, _OPEN = 257, 2
_CREATES = os.O_CREAT | os.O_TRUNC
_WRITES = {1: "write", 18: "pwrite64", 20: "writev"}
_CHANGES = {
    74: "fsync", 75: "fdatasync", 77: "ftruncate", 82: "rename", 83: "mkdir", 84: "rmdir",
    86: "link", 87: "unlink", 88: "symlink", 90: "chmod", 91: "fchmod", 258: "mkdirat",
    263: "unlinkat", 264: "renameat", 265: "linkat", 266: "symlinkat", 268: "fchmodat",
    316: "renameat2",
}  # fmt: skip
_HALVED = {1, 18}
_ERRORS = {
    "enospc": errno.ENOSPC, "full": errno.ENOSPC, "eio": errno.EIO, "readonly": errno.EROFS,
}  # fmt: skip
_NEED_SPACE = {*_WRITES, _OPENAT, _OPEN, 82, 83, 86, 88, 258, 264, 265, 266, 316}
_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long


def _ptrace(request: int, pid: int, data: object = 0) -> None:
    if _libc.ptrace(request, pid, 0, data) < 0:
        raise ProcessLookupError(ctypes.get_errno(), "ptrace")


class Tracer:
    """Follows one program and its children; `calls` counts what changes files."""

    def __init__(self, mode: str, at: int, command: list[str]) -> None:
        self.mode = mode
        self.at = at
        self.calls = 0
        self.leader = os.fork()
        if not self.leader:
            _ptrace(_TRACEME, 0)
            os.kill(os.getpid(), signal.SIGSTOP)
            os.execv(command[0], command)
        self.inside: dict[int, bool] = {}
        self.failing: dict[int, int] = {}
        self.torn = 0
        self.code = 0

    def run(self) -> int:
        """Trace to the end; give the program's exit code."""
        os.waitpid(self.leader, 0)
        _ptrace(_SETOPTIONS, self.leader, _OPTIONS)
        _ptrace(_CONT_SYSCALL, self.leader)
        while True:
            try:
                pid, status = os.waitpid(-1, 0x40000000)
            except ChildProcessError:
                return self.code
            self._stopped(pid, status)

    def _stopped(self, pid: int, status: int) -> None:
        if not os.WIFSTOPPED(status):
            # Its number may be another process's from now on.
            self.inside.pop(pid, None)
            self.failing.pop(pid, None)
            if pid == self.leader:
                self.code = os.waitstatus_to_exitcode(status)
            return
        number = os.WSTOPSIG(status)
        passed = 0
        if number == signal.SIGTRAP | 0x80:
            self._at_call(pid)
        elif number not in (signal.SIGTRAP, signal.SIGSTOP):
            passed = number
        with suppress(ProcessLookupError):
            _ptrace(_CONT_SYSCALL, pid, passed)

    def _at_call(self, pid: int) -> None:
        entering = not self.inside.get(pid, False)
        self.inside[pid] = entering
        registers = self._registers(pid)
        if entering:
            if _changes_a_file(pid, registers):
                self.calls += 1
                self._interfere(pid, registers)
        elif pid in self.failing:
            registers[_RAX] = 2**64 - self.failing.pop(pid)
            self._set(pid, registers)
        elif pid == self.torn:
            self._end_here()

    def _interfere(self, pid: int, registers: list[int]) -> None:
        here = self.calls == self.at
        if self.mode == "kill" and here:
            self._end_here()
        elif self.mode == "leader" and here:
            os.kill(self.leader, signal.SIGKILL)
        elif self.mode in ("short", "torn") and here:
            self._halve(pid, registers)
        elif self._refuses(registers[_ORIG_RAX]):
            self.failing[pid] = _ERRORS[self.mode]
            registers[_ORIG_RAX] = 2**64 - 1
            self._set(pid, registers)

    def _refuses(self, number: int) -> bool:
        if self.mode in ("enospc", "eio"):
            return self.calls == self.at
        later = self.calls >= self.at > 0
        return later and (
            self.mode == "readonly" or (self.mode == "full" and number in _NEED_SPACE)
        )

    def _halve(self, pid: int, registers: list[int]) -> None:
        if registers[_ORIG_RAX] in _HALVED and registers[_RDX] > 1:
            registers[_RDX] //= 2
            self._set(pid, registers)
        self.torn = pid if self.mode == "torn" else 0

    def _end_here(self) -> None:
        sys.stderr.write(f"calls: {self.calls}\n")
        sys.stderr.flush()
        self._end_all()
        os._exit(99)

    def _end_all(self) -> None:
        """Kill all, and see them dead: none may still be inside a call when somebody looks."""
        for pid in {self.leader, *self.inside}:
            _kill(pid)
        with suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, 0x40000000)
                if os.WIFSTOPPED(status):
                    # One that was being started.
                    _kill(pid)

    def _registers(self, pid: int) -> list[int]:
        buffer = ctypes.create_string_buffer(_REGISTERS.size)
        _ptrace(_GETREGS, pid, buffer)
        return list(_REGISTERS.unpack(buffer.raw))

    def _set(self, pid: int, registers: list[int]) -> None:
        _ptrace(_SETREGS, pid, ctypes.create_string_buffer(_REGISTERS.pack(*registers)))


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _changes_a_file(pid: int, registers: list[int]) -> bool:
    number = registers[_ORIG_RAX]
    if number == _OPENAT:
        return bool(registers[_RDX] & _CREATES)
    if number == _OPEN:
        return bool(registers[_RSI] & _CREATES)
    if number in _WRITES:
        return _is_file(pid, registers[_RDI])
    return number in _CHANGES


def _is_file(pid: int, fd: int) -> bool:
    try:
        target = os.readlink(f"/proc/{pid}/fd/{fd}")
    except OSError:
        return False
    return target.startswith("/") and not target.startswith(("/dev/", "/proc/"))


if __name__ == "__main__":
    tracer = Tracer(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
    exit_code = tracer.run()
    sys.stderr.write(f"calls: {tracer.calls}\n")
    sys.exit(exit_code if exit_code >= 0 else 98)
