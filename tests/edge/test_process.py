"""baton.edge.process: bounded in time and memory, whatever the program does."""

from __future__ import annotations

import io
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from baton.edge import process
from baton.edge.process import Completed
from facts import alive, status, timed_from, wait_until

ENDS = {
    "succeeds": (["sh", "-c", "echo o; echo e >&2"], Completed(0, b"o\n", b"e\n", False, False)),
    "fails": (["sh", "-c", "exit 3"], Completed(3, b"", b"", False, False)),
    "is killed": (["sh", "-c", "kill -9 $$"], Completed(-9, b"", b"", False, False)),
    "has nothing to read": (["cat"], Completed(0, b"", b"", False, False)),
    "closes its output and works on": (
        ["sh", "-c", "exec >&- 2>&-; sleep 0.2; exit 4"],
        Completed(4, b"", b"", False, False),
    ),
    "does not exist": (
        ["no-such-program"],
        Completed(None, b"", b"no-such-program: No such file or directory", False, False),
    ),
    "is not executable": (
        ["/etc/passwd"],
        Completed(None, b"", b"/etc/passwd: Permission denied", False, False),
    ),
    "has a NUL in its name": (["a\0b"], Completed(None, b"", b"embedded null byte", False, False)),
}  # fmt: skip

HANGS = {
    "sleeps": "sleep 60",
    "ignores TERM": "trap '' TERM; sleep 60; sleep 60",
    "hangs with its output closed": "exec >&- 2>&-; sleep 60",
    "never stops printing": "yes",
    "hangs behind children": "sleep 60 & sleep 60 & wait",
}


@pytest.mark.parametrize(("argv", "expected"), ENDS.values(), ids=ENDS)
def test_how_it_ends(argv: list[str], expected: Completed) -> None:
    assert process.run(argv, timeout=60) == expected


@pytest.mark.parametrize("script", HANGS.values(), ids=HANGS)
def test_a_hanging_program_is_ended_with_its_children(
    script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid_file = tmp_path / "pid"
    timed_from(monkeypatch, lambda: _whole(pid_file), "the program began", 0.5)
    begun = time.monotonic()
    done = process.run(
        ["sh", "-c", f"echo $$ >pid; {script}"], cwd=str(tmp_path), timeout=0.5, cap=100
    )
    assert (done.exit, done.timed_out) == (None, True)
    group = int(pid_file.read_text(encoding="ascii"))
    wait_until(lambda: not any(map(alive, _group(group))), "the whole group is dead", 50)
    assert time.monotonic() - begun < 55


def _whole(pid_file: Path) -> bool:
    return pid_file.exists() and pid_file.read_text(encoding="ascii").endswith("\n")


def _group(number: int) -> list[int]:
    pids = (int(name) for name in os.listdir("/proc") if name.isdigit())
    return [pid for pid in pids if status(pid)[2] == str(number)]


def test_a_hundred_megabytes_are_drained_and_not_kept() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    done = process.run(["sh", "-c", "head -c 100000000 /dev/zero; echo end >&2"], timeout=60)
    assert (done.exit, done.output, done.errors) == (0, bytes(process.CAP), b"end\n")
    assert done.truncated
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


@pytest.mark.parametrize(
    ("argv", "output"),
    [(["cat"], b"x" * 300_000), (["head", "-c", "3"], b"xxx"), (["true"], b"")],
    ids=["reads it all", "reads a part", "reads nothing"],
)
def test_input_is_handed_over(argv: list[str], output: bytes) -> None:
    done = process.run(argv, stdin=b"x" * 300_000, timeout=60)
    assert done == Completed(0, output, b"", False, False)


def test_a_child_left_behind_in_the_group_is_ended(tmp_path: Path) -> None:
    done = process.run(["sh", "-c", "sleep 300 & echo $!"], timeout=60)
    assert done.exit == 0
    wait_until(lambda: not alive(int(done.output)), "the child is dead")


def test_a_child_that_left_the_group_and_holds_the_pipe_is_not_waited_for(tmp_path: Path) -> None:
    script = (
        "import os,time; os.setsid(); print(os.getpid(), flush=True); open('left', 'w'); "
        "time.sleep(300)"
    )
    starter = (
        "import os,subprocess,sys,time\n"
        f"subprocess.Popen([sys.executable, '-c', {script!r}])\n"
        "while not os.path.exists('left'): time.sleep(0.02)\n"
    )
    done = process.run([sys.executable, "-c", starter], cwd=str(tmp_path), timeout=200)
    child = int(done.output)
    still_there = alive(child)
    os.kill(child, signal.SIGKILL)
    assert (done.exit, still_there) == (0, True)


class _Slow(io.FileIO):
    """The end of a pipe whose reader gets the processor rarely."""

    def read(self, size: int | None = -1, /) -> bytes:
        time.sleep(0.3)
        return super().read(size)


def test_nothing_is_lost_where_the_reader_seldom_gets_to_run() -> None:
    """A busy machine: the program is long gone, and what it said lies in the pipe."""
    end, other = os.pipe()
    sink = process._Sink(_Slow(end), 100)
    os.write(other, b"all that it said")
    os.close(other)
    sink.finish()
    assert bytes(sink.kept) == b"all that it said"
    assert not sink.is_alive()


def test_a_pipe_that_closes_while_it_is_looked_at() -> None:
    end, other = os.pipe()
    os.close(other)
    sink = process._Sink(os.fdopen(end, "rb", buffering=0), 100)
    sink.join()
    assert not sink._is_behind()


def test_a_quick_program_is_not_waited_for_any_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is waited for in steps is left as soon as the program ended."""
    for name in ("_GRACE", "_LOOK", "_DRAIN"):
        monkeypatch.setattr(process, name, 60.0)
    begun = time.monotonic()
    assert process.run(["true"], timeout=120).exit == 0
    assert time.monotonic() - begun < 50


def test_folder_and_environment_are_those_given(tmp_path: Path) -> None:
    argv = ["/bin/sh", "-c", 'echo "$PWD $A ${HOME-none}"']
    done = process.run(argv, cwd=str(tmp_path), env={"A": "b"}, timeout=60)
    assert done.output == f"{tmp_path} b none\n".encode()


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    done = process.run(["true"], cwd=str(tmp_path / "gone"), timeout=20)
    assert done.errors == f"{tmp_path}/gone: No such file or directory".encode()


def test_an_interrupt_ends_the_program(tmp_path: Path) -> None:
    program = (
        "import signal, sys; from baton.edge import process\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "script = 'read begun; echo $$ >pid; sleep 300'\n"
        "process.run(['sh', '-c', script], stdin=b'go\\n', timeout=300)\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    child = subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path, env=env, stderr=-1)
    pid_file = tmp_path / "pid"
    wait_until(lambda: _whole(pid_file), "the program began")
    child.send_signal(signal.SIGINT)
    assert b"KeyboardInterrupt" in child.communicate(timeout=120)[1]
    pid = int(pid_file.read_text(encoding="ascii"))
    wait_until(lambda: not alive(pid), "the program is dead")
