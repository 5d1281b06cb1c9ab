"""baton.edge.processes: who holds a lock, as /proc shows it."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from baton.edge import processes

TABLE = """\
1: POSIX  ADVISORY  WRITE 11 {place} 0 EOF
2: FLOCK  ADVISORY  WRITE 12 00:00:1 0 EOF
2: -> FLOCK  ADVISORY  WRITE 13 {place} 0 EOF
3: FLOCK  ADVISORY  WRITE ? {place} 0 EOF
4: FLOCK  ADVISORY  WRITE 14 {place} 0 EOF
5: half
"""


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    """A folder in the form of /proc."""
    (tmp_path / "14").mkdir()
    (tmp_path / "uptime").write_text("1000.50 1.0\n", encoding="ascii")
    return tmp_path


def _place(path: Path) -> str:
    looks = path.stat()
    return f"{os.major(looks.st_dev):02x}:{os.minor(looks.st_dev):02x}:{looks.st_ino}"


def test_the_holder_of_a_lock(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    lock.touch()
    assert processes.lock_holder(str(lock)) == 0
    with lock.open("r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert processes.lock_holder(str(lock)) == os.getpid()
    assert processes.lock_holder(str(lock)) == 0


def test_the_table_of_locks(proc: Path) -> None:
    lock = proc / "lock"
    lock.touch()
    (proc / "locks").write_text(TABLE.format(place=_place(lock)), encoding="ascii")
    assert processes.lock_holder(str(lock), str(proc)) == 14


def test_systems_that_show_nothing(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    lock.touch()
    assert processes.lock_holder(str(lock), str(tmp_path)) == 0
    assert processes.lock_holder(str(tmp_path / "gone")) == 0
    assert processes.command(14, str(tmp_path)) == ""
    assert processes.age(14, str(tmp_path)) == 0


def test_a_command_line_is_one_harmless_line(proc: Path) -> None:
    (proc / "14/cmdline").write_bytes(b"git\0commit\0-m\0\x1b[2Ja\nb\xff\0")
    assert processes.command(14, str(proc)) == "git commit -m \ufffd[2Ja b\ufffd"


def test_an_age(proc: Path) -> None:
    ticks = os.sysconf("SC_CLK_TCK")
    stat = f"14 (a ) b) S {' '.join('0' * 18)} {900 * ticks} 0\n"
    (proc / "14/stat").write_text(stat, encoding="ascii")
    assert processes.age(14, str(proc)) == 100
    (proc / "14/stat").write_text("14 (a) S\n", encoding="ascii")
    assert processes.age(14, str(proc)) == 0


def test_a_real_process() -> None:
    program = "print(flush=True); input()"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", program], stdin=pipe, stdout=pipe) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert processes.command(process.pid) == f"{sys.executable} -c {program}"
        assert 0 <= processes.age(process.pid) < 60
        process.kill()
