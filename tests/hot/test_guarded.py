"""baton.hot.guarded: a fault of baton's own ends no turn and is told once. Each case is a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from baton.hot import reply
from baton.hot.guarded import guarded
from support import SCRIPTS, run_hook

DOOR = f"""
import os, sys
sys.path.insert(0, {str(SCRIPTS)!r})
from baton.hot.guarded import guarded
def main(environ):
    exec(os.environ["WHAT"])
guarded(main, dict(os.environ))
"""
FAULTS = {
    "a bug": ("1/0", "ZeroDivisionError: division by zero"),
    "an exit": ("sys.exit(2)", "SystemExit: 2"),
    "an interrupt": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "no memory": ("raise MemoryError", "MemoryError"),
    "a hostile message": (
        "raise ValueError('\\x1b[2J\\n\\ud800' + 'x' * 300)",
        "?" + "x" * 118 + "…",
    ),
}


def knock(
    what: str, env: dict[str, str] | None = None, stdout: int = subprocess.PIPE
) -> subprocess.CompletedProcess[str]:
    """Run a door that does `what`."""
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", DOOR],
        env={**os.environ, "WHAT": what, **(env or {})},
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
    )


def reports(home: Path) -> list[Path]:
    """The report files."""
    return list(home.glob(".local/state/baton/faults/*"))


def test_nothing_wrong(home: Path) -> None:
    done = knock("pass")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert reports(home) == []


@pytest.mark.parametrize(("what", "words"), FAULTS.values(), ids=FAULTS)
def test_told_in_this_process(
    what: str, words: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends: list[int] = []
    said: list[str] = []

    def main(environ: dict[str, str]) -> None:
        exec(what)

    with monkeypatch.context() as patch:
        patch.setattr(os, "_exit", ends.append)
        patch.setattr(reply, "write", said.append)
        for folder in ("s", "s", "file"):
            (home / "file").write_bytes(b"")
            guarded(main, {"XDG_STATE_HOME": f"{home}/{folder}"})
    (report,) = home.glob("s/baton/faults/*")
    line = "baton: internal error, the turn goes on: "
    assert ends == [0, 0, 0]
    assert [json.loads(answer) for answer in said] == [
        {"systemMessage": f"{line}{words} (report: {report})"},
        {"systemMessage": f"{line}{words} (report: could not be written: Not a directory)"},
    ]


@pytest.mark.parametrize(("what", "words"), FAULTS.values(), ids=FAULTS)
def test_told_in_one_line_with_a_report(what: str, words: str, home: Path) -> None:
    done = knock(what)
    (report,) = reports(home)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {
        "systemMessage": f"baton: internal error, the turn goes on: {words} (report: {report})"
    }
    assert report.read_text().startswith("Traceback (most recent call last):\n")


def test_told_once(home: Path) -> None:
    assert knock("1/0").stdout
    assert knock("1/0").stdout == ""
    assert knock("[][0]").stdout
    assert len(reports(home)) == 2


PLACES = {
    "state home": ({"XDG_STATE_HOME": "{home}/s", "HOME": "{home}/h"}, "s/baton/faults"),
    "relative state home": (
        {"XDG_STATE_HOME": "s", "HOME": "{home}/h"},
        "h/.local/state/baton/faults",
    ),
}


@pytest.mark.parametrize(("env", "folder"), PLACES.values(), ids=PLACES)
def test_where_the_report_is(env: dict[str, str], folder: str, home: Path) -> None:
    knock("1/0", {key: value.format(home=home) for key, value in env.items()})
    assert len(list((home / folder).iterdir())) == 1


def test_a_report_that_cannot_be_written(home: Path) -> None:
    (home / "file").write_bytes(b"")
    done = knock("1/0", {"XDG_STATE_HOME": f"{home}/file"})
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["systemMessage"] == (
        "baton: internal error, the turn goes on: ZeroDivisionError: division by zero "
        "(report: could not be written: Not a directory)"
    )


@pytest.mark.parametrize("what", ["pass", "1/0"])
def test_nobody_listens(what: str, home: Path) -> None:
    """Neither a closed pipe nor a closed descriptor makes it fail."""
    read, write = os.pipe()
    os.close(read)
    done = knock(what, stdout=write)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")
    shell = 'exec "$0" -I -S -c "$1" >&-'
    closed = subprocess.run(
        ["sh", "-c", shell, sys.executable, DOOR],
        env={**os.environ, "WHAT": what},
        capture_output=True,
    )
    assert (closed.returncode, closed.stderr) == (0, b"")


@pytest.mark.parametrize("door", ["session_start", "prompt", "flush"])
def test_a_fault_behind_a_real_door(door: str, repo: Path, home: Path) -> None:
    """A payload that no host sends: the working folder's name holds a NUL."""
    event = {"cwd": "/a\0b", "command_name": "tiep", "source": "startup"}
    done = run_hook(door, event, cwd=repo)
    (report,) = reports(home)
    assert (done.returncode, done.stderr) == (0, b"")
    message = json.loads(done.stdout)["systemMessage"]
    assert message.startswith("baton: internal error, the turn goes on: ValueError: ")
    assert message.endswith(f" (report: {report})")
