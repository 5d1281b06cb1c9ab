"""An append ended, or refused by the disk, at each file-changing call: the ledger is the old one or the
new one after the next command, and what was reported is what stands there (case P5)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import syscalls
from measured import base_interpreter
from passport_samples import read
from passports import NAME, ON, Shelf, boundary, ledger
from support import SCRIPTS

MODES = ("kill", "enospc", "eio", "full")
EVERYDAY_STEP = 13
TAIL = "notes: |\n  kept\n  to the letter\n# the end\n"

pytestmark = pytest.mark.skipif(not syscalls.SUPPORTED, reason="ptrace on Linux x86-64 only")


def _traced(shelf: Shelf, mode: str, at: int, *args: str) -> subprocess.CompletedProcess[str]:
    command = [
        base_interpreter(), "-I", "-S", "-B", str(SCRIPTS / "baton/__main__.py"),
        "--project", str(shelf.root), "passport", *args, "--session", "sess-b",
    ]  # fmt: skip
    tracer = [sys.executable, syscalls.__file__, mode, str(at), *command]
    return subprocess.run(
        tracer, env={**os.environ, **ON}, capture_output=True, text=True, timeout=60
    )


def _calls(done: subprocess.CompletedProcess[str]) -> int:
    return int(done.stderr.rpartition("calls: ")[2])


def _laid(shelf: Shelf, tail: str) -> str:
    """A passport that holds more behind its ledger, so that an append moves other people's bytes."""
    [hash_] = shelf.lay(*ledger(boundary("2", "2.5")))
    shelf.path.write_text(shelf.path.read_text() + tail)
    return hash_


def _keep(shelf: Shelf) -> Path:
    kept = shelf.root.with_name("kept")
    shutil.copytree(shelf.root, kept, symlinks=True)
    return kept


def _bring_back(shelf: Shelf, kept: Path) -> None:
    """The project as it was, baton's notes of it included."""
    shutil.rmtree(shelf.root)
    shutil.copytree(kept, shelf.root, symlinks=True)
    os.chdir(shelf.root)


def _settled(shelf: Shelf, old: bytes) -> tuple[bytes, list[object]]:
    """What the next command finds; nothing is left behind, and all that is not ours is untouched."""
    said = shelf("verify", NAME, "--json")
    assert said.code == 0, said
    assert [each.name for each in shelf.path.parent.iterdir()] == [shelf.path.name]
    now = shelf.path.read_bytes()
    assert now == old or read(now).foreign == read(old).foreign
    return now, list(read(now).entries)


def _walk(shelf: Shelf, tail: str, args: tuple[str, ...], step: int) -> Mapping[str, int]:
    """Interfere at each call in each way; give how often the old and the new ledger stood there."""
    hash_ = _laid(shelf, tail)
    args = tuple(word.format(hash_) for word in args)
    kept = _keep(shelf)
    old = shelf.path.read_bytes()
    total = _calls(_traced(shelf, "count", 0, *args))
    assert total >= 10
    found = {"old": 0, "new": 0, "unconfirmed": 0}
    for mode in MODES:
        for at in range(1, total + 1, step):
            _bring_back(shelf, kept)
            done = _traced(shelf, mode, at, *args)
            now, entries = _settled(shelf, old)
            assert now == old or len(entries) == 2, (mode, at)
            new = now != old
            found["new" if new else "old"] += 1
            if done.returncode == 0:
                assert new, (mode, at, done.stderr)
            elif mode != "kill" and new:
                assert "the disk did not confirm it" in done.stderr, (mode, at, done.stderr)
                found["unconfirmed"] += 1
            elif mode != "kill":
                assert done.stderr.startswith("baton: "), (mode, at, done.stderr)
                assert "a bug in baton" not in done.stderr, (mode, at, done.stderr)
            again = shelf(*args)
            assert again.code == (3 if new and args[0] == "resume" else 0), (mode, at, again)
    print(f"tried: passport {args[0]}: {total} calls × {len(MODES)} ways, every {step}.: {found}")
    return found


RESUME = ("resume", "{}")
BOUNDARY = ("boundary", "--stage", "2.5", "--next", "3")


@pytest.mark.parametrize("args", [RESUME, BOUNDARY], ids=lambda args: args[0])
def test_some_calls_of_an_append(shelf: Shelf, args: tuple[str, ...]) -> None:
    found = _walk(shelf, TAIL, args, EVERYDAY_STEP)
    assert found["old"]


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("tail", ["", TAIL], ids=["ledger last", "more behind it"])
@pytest.mark.parametrize("args", [RESUME, BOUNDARY], ids=lambda args: args[0])
def test_every_call_of_an_append(shelf: Shelf, tail: str, args: tuple[str, ...]) -> None:
    found = _walk(shelf, tail, args, 1)
    assert found["old"] > 20
    assert found["new"] > 5
    assert found["unconfirmed"] > 0


def test_a_disk_that_takes_a_few_bytes_only(shelf: Shelf, packages: Path) -> None:
    """A real short write: the size of the file is limited."""
    _laid(shelf, TAIL)
    old = shelf.path.read_bytes()
    room = len(old) // 512 + 1
    command = [
        "sh", "-c", f'trap "" XFSZ; ulimit -f {room}; exec "$@"', "sh",
        sys.executable, "-I", "-S", "-B", str(Path(__file__).with_name("appender.py")),
        str(SCRIPTS), str(packages), str(shelf.path), "# " + "x" * 2000,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0
    assert "File too large" in done.stderr
    assert shelf.path.read_bytes() == old


@pytest.mark.skipif(os.geteuid() != 0, reason="needs to become somebody who may not write there")
def test_a_folder_that_may_not_be_written(shelf: Shelf, packages: Path) -> None:
    """The file itself may be written, its folder not: there is no place for what an append goes back by."""
    _laid(shelf, TAIL)
    shelf.path.chmod(0o666)
    old = shelf.path.read_bytes()
    for folder in shelf.path.parents:
        if folder.stat().st_uid == os.geteuid():
            folder.chmod(folder.stat().st_mode | 0o555)
    command = [
        sys.executable, "-I", "-S", "-B", str(Path(__file__).with_name("appender.py")),
        str(SCRIPTS), str(packages), str(shelf.path), "# more", "65534",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    assert "PermissionError" in done.stderr, done.stderr
    assert shelf.path.read_bytes() == old


# ---- what others did to a file beside which an undo record lies ----


def _died(shelf: Shelf) -> bytes:
    """An append killed between its first byte in the file and its end."""
    kept, old = _keep(shelf), shelf.path.read_bytes()
    total = _calls(_traced(shelf, "count", 0, *BOUNDARY))
    for at in range(1, total + 1):
        _bring_back(shelf, kept)
        _traced(shelf, "kill", at, *BOUNDARY)
        if shelf.path.read_bytes() != old:
            return old
    raise AssertionError("no kill left a half-done append")


def test_somebodys_edit_is_never_taken_back(shelf: Shelf) -> None:
    _laid(shelf, TAIL)
    _died(shelf)
    edited = shelf.path.read_bytes() + b"mine: yes\n"
    shelf.path.write_bytes(edited)
    record = shelf.path.with_name(f".{shelf.path.name}.baton-undo")
    said = shelf("awaiting")
    assert said.code == 1
    for command in (("verify", NAME), BOUNDARY):
        said = shelf(*command, **ON)
        assert said.code == 3
        assert said.err == (
            f"baton: {NAME}: an append to it died halfway, and somebody has edited it since; what baton left to "
            f"go back by is {record}. Nothing was touched. Look at the file; removing that record takes it as it is\n"
            f"try: rm {record}\n"
        )
        assert shelf.path.read_bytes() == edited
    record.unlink()
    assert json.loads(shelf("verify", NAME, "--json").out)["ok"] is True


def test_what_died_is_taken_back_and_said(shelf: Shelf) -> None:
    _laid(shelf, TAIL)
    old = _died(shelf)
    said = shelf("awaiting")
    assert said.code == 0
    assert said.err.startswith(
        f"baton: {NAME}: an append that died halfway (session sess-b, process "
    )
    assert said.err.endswith(") was taken back\n")
    assert shelf.path.read_bytes() == old


def test_a_record_that_was_never_finished_is_swept_away(shelf: Shelf) -> None:
    _laid(shelf, TAIL)
    old = shelf.path.read_bytes()
    record = shelf.path.with_name(f".{shelf.path.name}.baton-undo")
    record.write_bytes(b'{"at": 3')
    assert shelf("awaiting").code == 0
    assert shelf.path.read_bytes() == old
    assert not record.exists()


def test_a_record_that_cannot_be_read_is_said(shelf: Shelf) -> None:
    _laid(shelf, TAIL)
    record = shelf.path.with_name(f".{shelf.path.name}.baton-undo")
    record.mkdir()
    said = shelf("verify", NAME)
    assert said.code == 5
    assert said.err == (
        f"baton: {NAME}: an append that died cannot be taken back by {record}: not a regular file\n"
        f"try: ls -ld {record}\n"
    )
    said = shelf(*BOUNDARY, **ON)
    assert said.code == 5
    assert f"{record}: not a regular file; nothing was written\ntry: ls -ld {record}\n" in said.err
