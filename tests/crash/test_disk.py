"""The model of a disk, on records made by hand: it finds what a protocol has forgotten."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import syscalls
from crash import disk
from crash.disk import JOURNAL, OWN_NAMES, POSIX, Disk, Laid, Times
from crash.recorder import Step

OLD: Laid = {"/d": None, "/d/a": b"old"}
HERE = Step("name", "/d/a", file=0)
WRITTEN = [
    HERE,
    Step("create", "/d/new", file=1),
    Step("write", "/d/new", file=1, data=b"newer"),
]
SYNC = Step("sync", "/d/new", file=1)
RENAME = Step("rename", "/d/new", "/d/a")
FOLDER = Step("sync_folder", "/d")


def found(
    model: str, *steps: Step, before: Laid = OLD, sample: int = 30
) -> list[tuple[Laid, bool]]:
    return list(disk.states(list(steps), Disk(model, before), sample, "seed"))


def at(states: list[tuple[Laid, bool]], path: str = "/d/a", *, ended: bool = False) -> set[object]:
    return {laid.get(path, "nothing") for laid, reported in states if reported or not ended}


@pytest.mark.parametrize("model", [JOURNAL, OWN_NAMES, POSIX])
def test_a_protocol_that_forgets_nothing(model: str) -> None:
    states = found(model, *WRITTEN, SYNC, RENAME, FOLDER)
    assert at(states) == {b"old", b"newer"}
    assert at(states, ended=True) == {b"newer"}


@pytest.mark.parametrize("model", [JOURNAL, OWN_NAMES, POSIX])
def test_bytes_that_were_not_synced(model: str) -> None:
    """Once its folder is synced a name stands there, and anything that it may stand for."""
    states = found(model, *WRITTEN, RENAME, FOLDER)
    assert at(states, ended=True) == {b"newer", b"", b"ne", bytes(5)}


@pytest.mark.parametrize(
    ("model", "left"),
    [(JOURNAL, {b"old", b"newer"}), (OWN_NAMES, {b"old", b"newer"}), (POSIX, {b"old", b"newer"})],
)
def test_a_name_that_was_not_synced(model: str, left: set[object]) -> None:
    assert at(found(model, *WRITTEN, SYNC, RENAME), ended=True) == left


def test_a_new_files_own_name() -> None:
    made = [*WRITTEN, SYNC]
    assert at(found(POSIX, *made), "/d/new", ended=True) == {b"newer", "nothing"}
    assert at(found(OWN_NAMES, *made), "/d/new", ended=True) == {b"newer"}
    assert at(found(JOURNAL, *made), "/d/new", ended=True) == {b"newer"}


def test_an_objects_name_is_kept_with_its_bytes() -> None:
    before: Laid = {"/d": None, "/d/objects": None}
    steps = [
        Step("folder", "/d/objects/ab"),
        Step("create", "/d/objects/ab/c", file=1),
        Step("write", "/d/objects/ab/c", file=1, data=b"blob"),
        Step("sync", "/d/objects/ab/c", file=1),
        Step("folder", "/d/refs"),
    ]
    states = found(POSIX, *steps, before=before)
    assert at(states, "/d/objects/ab/c", ended=True) == {b"blob"}
    assert at(states, "/d/refs", ended=True) == {None, "nothing"}


def test_names_are_lost_in_order_or_each_by_itself() -> None:
    steps = [Step("folder", "/d/one"), Step("folder", "/d/two")]
    pairs = {
        model: {("/d/one" in laid, "/d/two" in laid) for laid, _ in found(model, *steps)}
        for model in (JOURNAL, POSIX)
    }
    assert pairs[JOURNAL] == {(False, False), (True, False), (True, True)}
    assert pairs[POSIX] == pairs[JOURNAL] | {(False, True)}


def test_what_is_in_a_folder_is_lost_with_it() -> None:
    steps = [
        Step("folder", "/d/sub"),
        Step("create", "/d/sub/x", file=1),
        Step("sync", "/d/sub/x", file=1),
        Step("sync_folder", "/d/sub"),
    ]
    states = found(POSIX, HERE, *steps)
    assert all("/d/sub" in laid for laid, _ in states if "/d/sub/x" in laid)
    assert at(states, "/d/sub/x", ended=True) == {b"", "nothing"}
    assert at(found(OWN_NAMES, HERE, *steps), "/d/sub/x", ended=True) == {b""}


def test_a_renaming_is_whole() -> None:
    for laid, _ in found(POSIX, HERE, Step("rename", "/d/a", "/d/b")):
        assert ("/d/a" in laid) != ("/d/b" in laid)


def test_a_folder_is_renamed_with_what_is_in_it() -> None:
    before: Laid = {"/d": None, "/d/s": None, "/d/s/a": b"x"}
    steps = [Step("name", "/d/s/a", file=0), Step("rename", "/d/s", "/d/t"), FOLDER]
    [(laid, _)] = [each for each in found(POSIX, *steps, before=before) if each[1]]
    assert laid == {"/d": None, "/d/t": None, "/d/t/a": b"x"}


def test_links_removals_and_sizes() -> None:
    before: Laid = {**OLD, "/d/l": "a"}
    steps = [
        HERE,
        Step("hard_link", "/d/a", "/d/b"),
        Step("link", "/d/s", "target"),
        Step("remove", "/d/l"),
        Step("size", "/d/a", file=0, at=2),
        Step("sync", "/d/a", file=0),
        FOLDER,
    ]
    [(laid, _)] = [each for each in found(POSIX, *steps, before=before) if each[1]]
    assert laid == {"/d": None, "/d/a": b"ol", "/d/b": b"ol", "/d/s": "target"}
    states = found(POSIX, *steps[:5], before=before)
    assert at(states, "/d/l") == {"a", "nothing"}
    assert at(states) == {b"old", b"ol"}


def test_another_machine_keeps_its_power() -> None:
    model = Disk(POSIX, {**OLD, "/d/far": None}, ("/d/far",))
    steps = [
        HERE,
        Step("create", "/d/far/x", file=1),
        Step("write", "/d/far/x", file=1, data=b"x"),
    ]
    states = list(disk.states(steps, model, 4, "seed"))
    assert at(states, "/d/far/x", ended=True) == {b"x"}


def test_every_state_is_given_once_and_its_end_again() -> None:
    states = found(POSIX, *WRITTEN, SYNC, RENAME, FOLDER)
    cut = [disk.digest(laid) for laid, reported in states if not reported]
    assert len(cut) == len(set(cut))
    assert [laid for laid, reported in states if reported] == [{"/d": None, "/d/a": b"newer"}]


def test_a_state_is_laid_out(tmp_path: Path) -> None:
    """What is right already keeps its inode; what is laid has the time that it had."""
    root = tmp_path / "d"
    (root / "gone").mkdir(parents=True)
    (root / "same").write_bytes(b"same")
    (root / "back").write_bytes(b"old")
    os.utime(root / "back", ns=(10**18, 10**18))
    before = disk.found([str(root)])
    times = Times(before)
    (root / "back").write_bytes(b"new")
    (root / "made").write_bytes(b"made")
    os.utime(root / "made", ns=(2 * 10**18, 2 * 10**18))
    times.after(disk.found([str(root)]))
    os.rmdir(root / "gone")
    (root / "gone").symlink_to("nowhere")
    (root / "made").unlink()
    inode = (root / "same").stat().st_ino
    wanted = {**before, f"{root}/made": b"made", f"{root}/link": "same"}
    disk.lay(wanted, [str(root)], times)
    assert disk.found([str(root)]) == wanted
    assert (root / "same").stat().st_ino == inode
    assert (root / "back").stat().st_mtime_ns == 10**18
    assert (root / "made").stat().st_mtime_ns == 2 * 10**18


PROGRAM = """
import os
os.mkdir("sub")
fd = os.open("sub/new", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
os.write(fd, b"one"); os.pwrite(fd, b"X", 1); os.ftruncate(fd, 2); os.fsync(fd); os.close(fd)
os.rename("sub/new", "a")
if os.fork() == 0:
    with open("a", "ab") as file: file.write(b"!")
    os._exit(0)
os.wait()
os.link("a", "b"); os.symlink("a", "s"); os.unlink("b"); os.rmdir("sub")
folder = os.open(".", os.O_RDONLY); os.fsync(folder)
open("/dev/null", "w").write("nothing of ours")
try: os.rmdir("not there")
except OSError: pass
open("a", "w").close()
"""


@pytest.mark.skipif(not syscalls.SUPPORTED, reason="ptrace on Linux x86-64 only")
def test_what_a_program_and_its_children_do_is_recorded(tmp_path: Path) -> None:
    root = tmp_path / "d"
    root.mkdir()
    (root / "a").write_bytes(b"old")
    recorder = str(Path(__file__).with_name("recorder.py"))
    out = tmp_path / "out"
    command = [sys.executable, recorder, str(out), str(root), sys.executable, "-c", PROGRAM]
    subprocess.run(command, cwd=root, check=True, timeout=60)
    steps = [Step(*fields) for fields in pickle.loads(out.read_bytes())]
    told = [
        (each.what, *(name.removeprefix(f"{root}/") for name in (each.path, each.other)), each.data)
        for each in steps
    ]
    assert told == [
        ("name", "a", "", b""),
        ("folder", "sub", "", b""),
        ("create", "sub/new", "", b""),
        ("write", "sub/new", "", b"one"),
        ("write", "sub/new", "", b"X"),
        ("size", "sub/new", "", b""),
        ("sync", "sub/new", "", b""),
        ("rename", "sub/new", "a", b""),
        ("write", "a", "", b"!"),
        ("hard_link", "a", "b", b""),
        ("link", "s", "a", b""),
        ("remove", "b", "", b""),
        ("remove", "sub", "", b""),
        ("sync_folder", str(root), "", b""),
        ("size", "a", "", b""),
    ]
    assert [each.at for each in steps if each.what in ("write", "size")] == [0, 1, 2, 2, 0]
    assert len({each.file for each in steps if each.path.endswith("/a") and each.file >= 0}) == 2
