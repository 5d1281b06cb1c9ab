"""The passport's lock: held by a live, a killed, a stopped process, and where there is none to be had (case P6)."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from baton.core.errors import BatonError
from baton.edge import descriptor_lock
from baton.edge.passport import held, holder
from support import SCRIPTS

HOLDING = """\
import fcntl, os, sys, time
fd = os.open(sys.argv[1], os.O_RDWR)
fcntl.flock(fd, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(300)
"""


@pytest.fixture
def passport(tmp_path: Path) -> Path:
    """A file to lock."""
    path = tmp_path / "p.yaml"
    path.write_text("a: 1\n")
    return path


@contextmanager
def holding(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Somebody else who holds the lock."""
    command = [sys.executable, "-c", HOLDING, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def take(path: Path, wait: float, said: list[str]) -> float:
    """Take the lock and give it back; the seconds that it took."""
    begun = time.monotonic()
    with held.hold(str(path), "p.yaml", wait, said.append):
        return time.monotonic() - begun


def refusal(path: Path, wait: float, say: held.Say = print) -> BatonError:
    """What is refused."""
    with pytest.raises(BatonError) as caught, held.hold(str(path), "p.yaml", wait, say):
        pass
    return caught.value


def test_a_free_lock_is_taken_in_silence(passport: Path) -> None:
    said: list[str] = []
    with held.hold(str(passport), "p.yaml", 0, said.append) as fd:
        assert os.read(fd, 9) == b"a: 1\n"
    take(passport, 0, said)
    assert said == []


def test_a_live_holder_is_waited_for_by_name(passport: Path) -> None:
    said: list[str] = []
    with holding(passport) as process:
        error = refusal(passport, 0.1, said.append)
    who = f"process {process.pid} ({sys.executable} -c {HOLDING[:30]}"
    assert error.code == "locked"
    assert error.message.startswith(
        f"passport locked by another session: p.yaml was not free within 0.1 s; it is held by process {process.pid} ("
    )
    assert error.message.endswith("; nothing was written")
    [word] = said
    assert word.startswith(f"p.yaml is locked by {who}".replace("\n", " "))
    assert word.endswith("; waiting up to 0.1 s")
    assert passport.read_text() == "a: 1\n"


def test_a_killed_holder_frees_it_at_once(passport: Path) -> None:
    said: list[str] = []
    with holding(passport) as process:
        process.kill()
        # Far sooner than the holder would have come to its end.
        assert take(passport, 120, said) < 100


def test_a_stopped_holder_keeps_it_and_is_named_so(passport: Path) -> None:
    with holding(passport) as process:
        process.send_signal(signal.SIGSTOP)
        os.waitpid(process.pid, os.WUNTRACED)
        error = refusal(passport, 0.1)
        assert "), which is stopped; nothing was written" in error.message
        process.kill()
        assert take(passport, 120, []) < 100


def test_a_file_replaced_while_we_wait_is_opened_anew(passport: Path) -> None:
    """The lock on the one that was there is worth nothing then, and nobody holds the other one's."""
    replaced: list[str] = []

    def replace(word: str) -> None:
        fresh = passport.with_name("fresh")
        fresh.write_text("b: 2\n")
        os.replace(fresh, passport)
        replaced.append(word)

    with holding(passport), held.hold(str(passport), "p.yaml", 30, replace) as fd:
        assert os.read(fd, 9) == b"b: 2\n"
    assert len(replaced) == 1


def test_a_file_removed_while_we_wait(passport: Path) -> None:
    with (
        holding(passport),
        pytest.raises(BatonError) as caught,
        held.hold(str(passport), "p.yaml", 30, lambda _: passport.unlink()),
    ):
        pass
    assert caught.value.code == "no-passport"


NO_FILES = [
    ("absent", "rm p.yaml", "no-passport"),
    ("a link", "mv p.yaml q.yaml; ln -s q.yaml p.yaml", "bad-path"),
    ("a folder", "rm p.yaml; mkdir p.yaml", "bad-path"),
    ("a pipe", "rm p.yaml; mkfifo p.yaml", "bad-path"),
]


@pytest.mark.parametrize(("make", "code"), [c[1:] for c in NO_FILES], ids=[c[0] for c in NO_FILES])
def test_what_is_no_passport(passport: Path, make: str, code: str) -> None:
    subprocess.run(make, shell=True, check=True, cwd=passport.parent)
    assert refusal(passport, 0).code == code


def test_a_file_that_may_not_be_written(passport: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    error = refusal(passport, 0)
    assert (error.code, error.message) == (
        "io", "p.yaml cannot be opened for writing: Permission denied; nothing was written"
    )  # fmt: skip


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP])
def test_where_there_is_no_lock_nothing_is_written(
    passport: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def none(_: int) -> bool:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(descriptor_lock, "take", none)
    error = refusal(passport, 30)
    assert error.code == "no-exclusion"
    assert error.message == (
        f"concurrency protection unavailable: p.yaml cannot be locked here ({os.strerror(number)}); nothing was written"
    )


def test_a_lock_that_excludes_nobody_is_found_out(
    passport: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(descriptor_lock, "take", lambda _: True)
    error = refusal(passport, 30)
    assert error.code == "no-exclusion"
    assert "the file system gave the same lock twice" in error.message


# ---- who holds it ----


def test_nobody_is_named_where_the_system_does_not_say(
    passport: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with passport.open() as file:
        assert holder.name(file.fileno()) == "another process"
        monkeypatch.setattr(holder, "_LOCKS", str(tmp_path / "absent"))
        assert holder.name(file.fileno()) == "another process"


def test_devices_that_go_by_another_name(
    passport: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """On some file systems the lock list names another device than stat does; a pid that is gone has no
    command."""
    locks = tmp_path / "locks"
    monkeypatch.setattr(holder, "_LOCKS", str(locks))
    inode = passport.stat().st_ino
    locks.write_text(
        f"1: POSIX ADVISORY WRITE 1 ff:ff:{inode} 0 EOF\n"
        f"2: FLOCK ADVISORY WRITE 999999999 ff:ff:{inode} 0 EOF\n"
        f"2: -> FLOCK ADVISORY WRITE 7 ff:ff:{inode} 0 EOF\n"
        "3: half\n"
    )
    with passport.open() as file:
        assert holder.name(file.fileno()) == "process 999999999"


def test_the_package_is_not_loaded_before_a_lock_is_wanted() -> None:
    program = "import sys, baton.edge.passport.held; print('filelock' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(SCRIPTS)},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "False\n"
