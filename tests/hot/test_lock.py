"""baton.hot.lock: one holder at a time, and the death of a holder frees it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from baton.hot.lock import Lock, Locked
from support import SCRIPTS

HOLDER = f"""
import sys, time
sys.path.insert(0, {str(SCRIPTS)!r})
from baton.hot.lock import Lock
with Lock(sys.argv[1], 0):
    print("held", flush=True)
    time.sleep(600)
"""
COUNTER = f"""
import sys
sys.path.insert(0, {str(SCRIPTS)!r})
from baton.hot.lock import Lock
for _ in range(25):
    with Lock(sys.argv[1], 200):
        with open(sys.argv[2]) as file:
            count = int(file.read())
        with open(sys.argv[2], "w") as file:
            file.write(str(count + 1))
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the lock until it is ended."""
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def test_held_and_freed(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    with Lock(path, 0), pytest.raises(Locked), Lock(path, 0):
        pass
    with Lock(path, 0):
        assert os.path.exists(path)
    assert os.path.exists(path)


def test_freed_when_the_work_fails(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    with pytest.raises(ZeroDivisionError), Lock(path, 0):
        raise ZeroDivisionError
    with Lock(path, 0):
        pass


def test_waits_as_long_as_it_may(holder: subprocess.Popen[str], tmp_path: Path) -> None:
    began = time.monotonic()
    with pytest.raises(Locked), Lock(str(tmp_path / "lock"), 0.3):
        pass
    assert 0.3 <= time.monotonic() - began < 60


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM], ids=["kill", "term"])
def test_a_holder_who_dies_frees_it(
    how: signal.Signals, holder: subprocess.Popen[str], tmp_path: Path
) -> None:
    holder.send_signal(how)
    with Lock(str(tmp_path / "lock"), 120):
        pass


def test_a_holder_who_is_stopped_keeps_it(holder: subprocess.Popen[str], tmp_path: Path) -> None:
    holder.send_signal(signal.SIGSTOP)
    with pytest.raises(Locked), Lock(str(tmp_path / "lock"), 0.1):
        pass


def test_no_two_holders_at_once(tmp_path: Path) -> None:
    (tmp_path / "count").write_text("0")
    command = [sys.executable, "-c", COUNTER, str(tmp_path / "lock"), str(tmp_path / "count")]
    processes = [subprocess.Popen(command) for _ in range(4)]
    assert [process.wait(200) for process in processes] == [0, 0, 0, 0]
    assert (tmp_path / "count").read_text() == "100"


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), Lock(str(tmp_path / "absent/lock"), 0):
        pass


def test_its_file_is_open_to_whom_the_umask_lets_in_and_to_no_child(tmp_path: Path) -> None:
    """Who shares a repository shares its lock; a program started meanwhile must not hold it on."""
    old = os.umask(0)
    try:
        with Lock(str(tmp_path / "lock"), 0) as lock:
            assert not os.get_inheritable(lock._fd)
    finally:
        os.umask(old)
    assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o666
