"""baton.edge.passport_file: the append as one locked step, when the system refuses a part of it."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from baton.core.passport.document import Document
from baton.edge.passport import consumed, kin, reading, rewrite
from baton.edge.passport.consumed import Consumed, Consumption
from baton.edge.passport_file import PassportFile
from baton.hot import files
from baton.hot.lock import Lock
from commands import Here, refused
from passport_samples import passport, read
from passports import NAME, ON, RESUME, Shelf, boundary, give_packages, ledger
from support import git

BOUNDARY = ("boundary", "--stage", "2", "--next", "3")
BACK = "; the append was not done, and the next baton passport command takes its traces back"


@pytest.fixture
def shelf(
    repo: Path, home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Shelf:
    """A project for a passport of one boundary that awaits."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    give_packages(home)
    shelf = Shelf(repo, Here(capfd))
    shelf.lay(*ledger(boundary("1", "2")))
    return shelf


def record(shelf: Shelf) -> Path:
    """Where the undo record lies."""
    return shelf.path.with_name(f".{shelf.path.name}.baton-undo")


def failing(
    monkeypatch: pytest.MonkeyPatch, place: object, name: str, fails: Callable[[int], bool]
) -> None:
    """Let some calls of a function fail, by their number from 1."""
    real, count = getattr(place, name), [0]

    def call(*args: object, **named: object) -> object:
        count[0] += 1
        if fails(count[0]):
            raise OSError(28, "No space left on device")
        return real(*args, **named)

    monkeypatch.setattr(place, name, call)


# ---- the disk refuses ----

REFUSED: list[tuple[str, object, str, Callable[[int], bool]]] = [
    ("the record's bytes", rewrite.os, "fsync", lambda n: n == 1),  # type: ignore[attr-defined]
    ("the record's name", rewrite.files, "sync_folder", lambda n: n == 1),  # type: ignore[attr-defined]
    ("the passport's bytes", rewrite.os, "fsync", lambda n: n == 3),  # type: ignore[attr-defined]
    ("the passport's size", rewrite.os, "ftruncate", lambda n: n == 1),  # type: ignore[attr-defined]
    ("the end of the record", rewrite.os, "unlink", lambda n: n == 2),  # type: ignore[attr-defined]
]


@pytest.mark.parametrize(
    ("place", "name", "fails"), [c[1:] for c in REFUSED], ids=[c[0] for c in REFUSED]
)
def test_what_the_disk_refuses_is_undone(
    shelf: Shelf,
    monkeypatch: pytest.MonkeyPatch,
    place: object,
    name: str,
    fails: Callable[[int], bool],
) -> None:
    before = shelf.path.read_bytes()
    shelf.state.make()
    with monkeypatch.context() as patch:
        failing(patch, place, name, fails)
        said = shelf(*BOUNDARY, **ON)
    assert said == refused(
        5, f"{NAME}: No space left on device; nothing was written", f"baton passport verify {NAME}"
    )
    assert shelf.path.read_bytes() == before
    assert not record(shelf).exists()
    assert shelf(*BOUNDARY, **ON).code == 0


def test_where_undoing_fails_too_the_next_command_does_it(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = shelf.path.read_bytes()
    with monkeypatch.context() as patch:
        failing(patch, os, "ftruncate", lambda n: True)
        said = shelf(*BOUNDARY, **ON)
    assert said == refused(
        5, f"{NAME}: No space left on device{BACK}", f"baton passport verify {NAME}"
    )
    assert shelf.path.read_bytes() != before
    said = shelf("verify", NAME)
    assert said.code == 0
    assert said.err.startswith(
        f"baton: {NAME}: an append that died halfway (session sess-b, process {os.getpid()}) "
    )
    assert shelf.path.read_bytes() == before


@pytest.mark.parametrize(
    ("lay", "why"),
    [
        (lambda path: path.mkdir(), "not a regular file"),
        (lambda path: path.symlink_to("gone"), "File exists"),
    ],
    ids=["a folder", "a link"],
)
def test_what_lies_in_the_records_place_is_named(
    shelf: Shelf, lay: Callable[[Path], None], why: str
) -> None:
    before = shelf.path.read_bytes()
    lay(record(shelf))
    said = shelf(*BOUNDARY, **ON)
    assert said == refused(
        5,
        f"{record(shelf)}: {why}; nothing was written",
        f"ls -ld {shlex.quote(str(record(shelf)))}",
    )
    assert shelf.path.read_bytes() == before


def test_the_next_append_does_it_as_well(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        failing(patch, os, "ftruncate", lambda n: True)
        shelf(*BOUNDARY, **ON)
    said = shelf(*BOUNDARY, **ON)
    assert said.code == 0
    assert "an append that died halfway" in said.err
    assert len(read(shelf.path.read_bytes()).entries) == 2


def test_a_disk_that_does_not_confirm_the_end(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    [hash_] = [row["hash"] for row in json.loads(shelf("awaiting", "--json").out)["awaiting"]]
    shelf.state.make()
    with monkeypatch.context() as patch:
        failing(patch, files, "sync_folder", lambda n: n == 3)
        said = shelf("resume", hash_)
    assert said == refused(
        5,
        f"{NAME}: the entry is in the file, the disk did not confirm it: No space left on device",
        f"baton passport verify {NAME}",
    )
    assert "that was this very session" in shelf("resume", hash_).err


def test_other_bytes_come_back(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    before = shelf.path.read_bytes()
    with monkeypatch.context() as patch:
        real, count = rewrite.read, [0]

        def bent(fd: int) -> bytes:
            count[0] += 1
            return real(fd) + (b"x" if count[0] == 2 else b"")

        patch.setattr(rewrite, "read", bent)
        said = shelf(*BOUNDARY, **ON)
    assert "other bytes came back than were written; nothing was written" in said.err
    assert shelf.path.read_bytes() == before


def test_a_file_that_is_replaced_meanwhile(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    """An editor saves by a rename while we write: what stands there is the editor's."""
    real = rewrite._write

    def replace(fd: int, at: int, data: bytes, size: int) -> None:
        real(fd, at, data, size)
        fresh = shelf.path.with_name("fresh")
        fresh.write_text("mine: yes\n")
        os.replace(fresh, shelf.path)

    with monkeypatch.context() as patch:
        patch.setattr(rewrite, "_write", replace)
        said = shelf(*BOUNDARY, **ON)
    assert (said.code, said.out) == (5, "")
    assert "it was replaced by another program meanwhile; nothing was written" in said.err
    assert shelf.path.read_text() == "mine: yes\n"
    assert not record(shelf).exists()


# ---- notes that cannot be written ----


def test_a_mark_that_cannot_be_written_is_no_failure(shelf: Shelf) -> None:
    shelf.state.write("passport-marks", b"in the way")
    said = shelf(*BOUNDARY, **ON)
    assert said.code == 0
    assert said.err.startswith("baton: the entry is written, but baton's note of it is not: ")


def test_without_a_state_directory_nothing_is_written(shelf: Shelf) -> None:
    Path(shelf.state.folder).write_text("in the way")
    before = shelf.path.read_bytes()
    said = shelf(*BOUNDARY, **ON)
    assert said.code == 5
    assert said.err.splitlines()[0].endswith("; nothing was written")
    assert shelf.path.read_bytes() == before


def test_accept_that_cannot_note_it(shelf: Shelf) -> None:
    git("add", ".", cwd=shelf.root)
    git("commit", "-qm", "one boundary", cwd=shelf.root)
    shelf.lay()
    shelf.state.write("passport-marks", b"in the way")
    said = shelf("accept", NAME)
    assert said.code == 5
    assert said.err.splitlines()[0].endswith("; nothing was written")


def test_a_ledger_whose_end_cannot_be_extended(shelf: Shelf) -> None:
    shelf.path.write_text("notes: |\n  no line end")
    said = shelf(*BOUNDARY, **ON)
    assert (said.code, said.out) == (1, "")
    assert said.err.splitlines()[0].endswith("; nothing was written")
    assert shelf.path.read_text() == "notes: |\n  no line end"


def test_a_passport_that_is_too_big(shelf: Shelf) -> None:
    shelf.path.write_text("a: " + "x" * (17 << 20))
    said = shelf(*BOUNDARY, **ON)
    assert said.code == 1


# ---- the set of what was consumed ----


def _set(shelf: Shelf, holds: bool = False) -> Consumed:
    return Consumed(shelf.project, shelf.state, lambda path, hash_: holds)


def _one(hash_: str, finished: bool) -> Consumption:
    return Consumption(hash_, "sess-q", "2026-05-01T00:00:00Z", "/p.yaml", finished)


def test_a_consumption_that_was_only_begun_is_judged_by_the_file(shelf: Shelf) -> None:
    with _set(shelf).lock(1):
        _set(shelf).begin(_one("075173601107", False))
    assert _set(shelf, holds=False).by("075173601107") is None
    assert _set(shelf, holds=True).by("075173601107") == _one("075173601107", False)
    _set(shelf).finish(_one("075173601107", True))
    _set(shelf).begin(_one("075173601107", False))
    assert _set(shelf, holds=False).by("075173601107") == _one("075173601107", True)
    assert _set(shelf).by("9449bf5d271e") is None


def test_a_line_that_somebody_died_over(shelf: Shelf) -> None:
    with _set(shelf).lock(1):
        _set(shelf).finish(_one("075173601107", True))
    path = Path(shelf.project.checkout.common_dir, "baton/consumed")  # type: ignore[union-attr]
    path.write_bytes(path.read_bytes() + b'{"hash": "9449bf5d271e", "sess')
    _set(shelf).finish(_one("b52eaa358665", True))
    assert _set(shelf).by("9449bf5d271e") is None
    assert _set(shelf).by("b52eaa358665") is not None


LEFT = [
    ("it holds the resume", passport(ledger(boundary("1", "2"), RESUME)), False, True),
    ("it does not", passport(ledger(boundary("1", "2"))), False, False),
    ("its append died", passport(ledger(boundary("1", "2"), RESUME)), True, False),
    ("it cannot be read", "a: [", False, False),
    ("it is gone", None, False, False),
]


@pytest.mark.parametrize(("text", "undo", "taken"), [c[1:] for c in LEFT], ids=[c[0] for c in LEFT])
def test_what_another_work_tree_left_begun(
    shelf: Shelf, tmp_path: Path, text: str | None, undo: bool, taken: bool
) -> None:
    """Killed between the append there and its note here: the file there decides."""
    there = tmp_path / "there.yaml"
    if text is not None:
        there.write_text(text)
    if undo:
        (tmp_path / ".there.yaml.baton-undo").touch()
    [hash_] = [each.hash for each in ledger(boundary("1", "2"))]  # type: ignore[union-attr]
    with _set(shelf).lock(1):
        _set(shelf).begin(Consumption(hash_, "sess-q", "2026-05-01T00:00:00Z", str(there), False))
    said = shelf("resume", hash_)
    if taken:
        assert said == refused(
            3,
            f'boundary {hash_} was already resumed at 2026-05-01T00:00:00Z by session "sess-q", in {there}; '
            "nothing was written",
            "baton passport awaiting",
        )
    else:
        assert said.code == 0


def test_another_work_tree_that_holds_the_set(shelf: Shelf) -> None:
    (shelf.root / ".claude").mkdir()
    (shelf.root / ".claude/baton.toml").write_text("lock_wait = 0\n")
    [hash_] = [row["hash"] for row in json.loads(shelf("awaiting", "--json").out)["awaiting"]]
    before = shelf.path.read_bytes()
    folder = Path(shelf.project.checkout.common_dir, "baton")  # type: ignore[union-attr]
    folder.mkdir(exist_ok=True)
    with Lock(str(folder / "consumed.lock"), 1):
        said = shelf("resume", hash_)
    assert said == refused(
        5,
        "another work tree's resume held its lock for 0 s; nothing was written",
        "the same command again",
    )
    assert shelf.path.read_bytes() == before
    assert consumed.Consumed(shelf.project, shelf.state, lambda *_: False).by(hash_) is None


# ---- reading beside an append ----


def test_an_append_that_begins_while_we_read(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    real, looks = os.path.lexists, [False, True]
    monkeypatch.setattr(
        reading.os.path,  # type: ignore[attr-defined]
        "lexists",
        lambda path: looks.pop(0) if looks and str(path).endswith("baton-undo") else real(path),
    )
    assert shelf("verify", NAME).code == 0
    assert looks == []


def test_init_on_a_full_disk(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        failing(patch, os, "fsync", lambda n: n == 1)
        said = shelf("init", "passports/new.yaml")
    assert said == refused(
        5,
        "passports/new.yaml cannot be written: No space left on device; nothing was left behind",
        f"df {shelf.root}/passports",
    )
    assert not (shelf.root / "passports/new.yaml").exists()


def test_a_transcript_that_goes_away(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kin, "_transcript", lambda environ, session: f"/nowhere/{session}")
    assert kin.is_fork({}, shelf.state, "a", "b") is False


def test_entries_stay_as_they_were(shelf: Shelf) -> None:
    before = read(shelf.path.read_bytes())
    shelf(*BOUNDARY, **ON)
    after = read(shelf.path.read_bytes())
    assert after.entries[:1] == before.entries
    assert after.foreign == before.foreign


def test_a_record_in_a_form_that_is_not_known(shelf: Shelf) -> None:
    """Of a newer baton, or of whoever wrote the repository: nothing is taken back by it, nothing dropped."""
    [hash_] = shelf.lay(*ledger(boundary("1", "2")))
    before, body = shelf.path.read_bytes(), b'{"format": 2}\n'
    record(shelf).write_bytes(body + sha256(body).digest())
    wanted = refused(
        3,
        f"{NAME}: {record(shelf)} says that an append to it died halfway, in a form that this version of "
        "baton does not know. Nothing was touched. Look at the file; removing that record takes it as it is",
        f"rm {record(shelf)}",
    )
    assert shelf("resume", hash_) == wanted
    assert shelf("show") == wanted
    assert shelf.path.read_bytes() == before
    record(shelf).unlink()
    assert shelf("resume", hash_).code == 0


# ---- another session appends between reading and comparing ----

MEANWHILE = {
    "verify": (("verify", NAME), 0, f"{NAME}: holds together: entries 2, boundaries 1, awaiting 0"),
    "accept": (("accept", NAME), 0, f"{NAME}: nothing to accept, the ledger has not gone back"),
    "inspect": (("inspect", "HASH"), 3, " was consumed at "),
    "continue": (("continue", "HASH"), 3, " was consumed at "),
}


@pytest.mark.parametrize(("args", "code", "told"), MEANWHILE.values(), ids=MEANWHILE)
def test_what_is_appended_meanwhile_is_no_loss(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], code: int, told: str
) -> None:
    [hash_] = shelf.lay(*ledger(boundary("1", "2")))
    real, left = PassportFile.document, [1]

    def document(file: PassportFile) -> Document:
        found = real(file)
        if left:
            left.clear()
            assert shelf("resume", hash_, session="sess-c").code == 0
        return found

    monkeypatch.setattr(PassportFile, "document", document)
    said = shelf(*(hash_ if word == "HASH" else word for word in args))
    assert said.code == code
    assert told in said.out + said.err
