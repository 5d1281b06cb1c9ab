"""A file that holds a secret is left out of a flush and named; all others are kept (case C2)."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest

from baton.hot import files, secrets
from baton.hot.flush import attempt, refusal
from baton.hot.flush.blobs import Storing
from baton.hot.flush.comparison import Comparison
from baton.hot.git.trees import Entry
from desk import CHAIN, Desk
from secret_cases import AWS
from support import run_hook

REF = "refs/baton/wal/main"
MEMORY = ".claude/agent-memory"
NOTE = f"{MEMORY}/n.md"
OTHER = f"{MEMORY}/other.md"
REASON = "secret in line 2: AWS access key"
TEXT = f"the key:\n{AWS}\n"


@pytest.fixture
def desk(repo: Path) -> Desk:
    return Desk(repo)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Every text that is searched from now on."""
    texts: list[bytes] = []
    find = secrets.find_bytes

    def noted(data: bytes) -> list[secrets.Secret]:
        texts.append(data)
        return find(data)

    monkeypatch.setattr(secrets, "find_bytes", noted)
    return texts


def _nowhere_in_git(desk: Desk) -> None:
    told = desk.git("cat-file", "--batch-all-objects", "--batch")
    assert AWS not in told


@pytest.mark.parametrize("detached", [False, True], ids=["branch", "ref"])
def test_it_is_left_out_and_the_rest_is_kept(desk: Desk, detached: bool) -> None:
    if detached:
        desk.git("checkout", "--quiet", "--detach")
    kind, ref = ("parked", REF) if detached else ("committed", "refs/heads/main")
    desk.write("goal: one\n")
    desk.write("clean\n", NOTE)
    desk.flush()
    desk.write("goal: two\n")
    desk.write(TEXT, NOTE)
    outcome = desk.flush()
    assert (outcome.kind, outcome.ref, outcome.paths) == (kind, ref, [CHAIN])
    assert outcome.refused == [(NOTE, REASON)]
    assert (desk.at(ref), desk.at(ref, NOTE)) == ("goal: two\n", "clean\n")
    assert desk.state.record("outcome")["refused"] == [[NOTE, REASON]]
    assert desk.looks() == "same"
    _nowhere_in_git(desk)
    desk.write("clean again\n", NOTE)
    outcome = desk.flush()
    assert (outcome.kind, outcome.paths, outcome.refused) == (kind, [NOTE], [])
    assert desk.at(ref, NOTE) == "clean again\n"


def test_it_is_all_that_has_changed(desk: Desk) -> None:
    desk.write(TEXT, NOTE)
    head = desk.head()
    outcome = desk.flush()
    assert (outcome.kind, outcome.reason) == ("refused", f"{NOTE}: {REASON}")
    assert (desk.head(), desk.looks()) == (head, "same")
    _nowhere_in_git(desk)


def test_the_chain_itself(desk: Desk) -> None:
    desk.write(f"goal: {AWS}\n")
    desk.write("note\n", NOTE)
    outcome = desk.flush()
    assert (outcome.kind, outcome.paths) == ("committed", [NOTE])
    assert outcome.refused == [
        (CHAIN, "secret in line 1: AWS access key"),
    ]
    _nowhere_in_git(desk)


def test_a_file_to_include(desk: Desk) -> None:
    desk.write("goal: one\n")
    desk.write(TEXT, "src.py")
    desk.write("fine\n", "fine.py")
    outcome = desk.flush(include=("src.py", "fine.py"))
    assert sorted(outcome.paths) == [CHAIN, "fine.py"]
    assert outcome.refused == [("src.py", REASON)]
    _nowhere_in_git(desk)


def test_it_is_read_once(desk: Desk, read: list[bytes]) -> None:
    desk.write("goal: one\n")
    desk.write(TEXT, NOTE)
    desk.flush()
    assert sorted(read) == [b"goal: one\n", TEXT.encode()]
    for goal in ("two", "three"):
        read.clear()
        desk.write(f"goal: {goal}\n")
        assert desk.flush().refused == [(NOTE, REASON)]
        assert read == [f"goal: {goal}\n".encode()]
    read.clear()
    (desk.root / ".git/baton/flush").unlink()
    assert desk.flush().refused == [(NOTE, REASON)]
    assert read == [b"goal: three\n"]
    read.clear()
    desk.write(f"{TEXT}more\n", NOTE)
    assert desk.flush().refused == [(NOTE, REASON)]
    assert read == [f"{TEXT}more\n".encode()]


@pytest.mark.parametrize("note", ["gone", "damaged", "a folder"])
def test_without_its_note_it_is_read_again(desk: Desk, read: list[bytes], note: str) -> None:
    path = desk.root / ".git/baton/secrets"
    desk.write(TEXT, NOTE)
    if note == "a folder":
        path.mkdir(parents=True)
    desk.flush()
    if note == "gone":
        path.unlink()
    elif note == "damaged":
        path.write_bytes(b"\xff\0\xfe")
    read.clear()
    desk.write("goal: two\n")
    assert desk.flush().refused == [(NOTE, REASON)]
    assert sorted(read) == [b"goal: two\n", TEXT.encode()]


def test_a_file_so_young_is_read_again(
    desk: Desk, read: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It could change without any change of size and time."""
    monkeypatch.setattr(attempt, "_COARSE_NS", 60 * 10**9)
    desk.write("goal: one\n")
    desk.write(TEXT, NOTE)
    desk.flush()
    assert not (desk.root / ".git/baton/secrets").exists()
    desk.write("clean" + " " * (len(TEXT) - 5), NOTE)
    desk.write("goal: two\n")
    assert (desk.flush().refused, len(read)) == ([], 4)


def test_too_much_at_once_is_searched_the_next_time(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refusal, "SEARCHED", 10)
    desk.write("goal: much longer than that\n")
    desk.write("note\n", NOTE)
    desk.write("other\n", OTHER)
    outcome = desk.flush()
    assert outcome.paths == [CHAIN]
    assert outcome.refused == [(NOTE, refusal.NOT_SEARCHED), (OTHER, refusal.NOT_SEARCHED)]
    desk.write("one\n")
    outcome = desk.flush()
    assert (outcome.paths, outcome.refused) == ([CHAIN, NOTE], [(OTHER, refusal.NOT_SEARCHED)])
    desk.write("two\n")
    assert desk.flush().refused == []


def test_a_file_that_cannot_be_read_to_its_end(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = files.read

    def fails(path: str, limit: int) -> bytes | None:
        if path.endswith("n.md"):
            raise OSError(errno.EIO, "Input/output error", path)
        return whole(path, limit)

    desk.write("goal: one\n")
    desk.write("note\n", NOTE)
    monkeypatch.setattr(files, "read", fails)
    outcome = desk.flush()
    assert outcome.paths == [CHAIN]
    assert outcome.refused == [(NOTE, "cannot be read: Input/output error")]


def test_a_file_that_goes_while_it_is_searched(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    find = secrets.find_bytes

    def gone(data: bytes) -> list[secrets.Secret]:
        (desk.root / NOTE).unlink(missing_ok=True)
        return find(data)

    desk.write("goal: one\n")
    desk.write("note\n", NOTE)
    monkeypatch.setattr(secrets, "find_bytes", gone)
    assert desk.flush().paths == [CHAIN]


@pytest.mark.parametrize("detached", [False, True], ids=["branch", "ref"])
@pytest.mark.parametrize("text", [TEXT, "clean 2\n"], ids=["secret", "harmless"])
def test_a_file_that_changes_between_search_and_storing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, text: str, detached: bool
) -> None:
    """What git has stored by then is in no commit."""
    stored = Comparison.stored
    if detached:
        desk.git("checkout", "--quiet", "--detach")

    def late(comparison: Comparison, storing: Storing) -> dict[bytes, Entry]:
        (desk.root / NOTE).write_text(text)
        return stored(comparison, storing)

    desk.write("goal: one\n")
    desk.write("note\n", NOTE)
    monkeypatch.setattr(Comparison, "stored", late)
    outcome = desk.flush()
    ref = REF if detached else "refs/heads/main"
    assert outcome.ref == ref
    assert outcome.refused == ([(NOTE, REASON)] if text == TEXT else [])
    assert AWS not in desk.at(ref, NOTE)
    assert desk.at(ref) == "goal: one\n"


def test_a_person_hears_of_it_once(desk: Desk) -> None:
    """Turn after turn, with and without other changes; and again when it comes back."""

    def turn() -> bytes:
        return run_hook("flush", {"hook_event_name": "Stop"}, cwd=desk.root).stdout

    desk.write("note\n", OTHER)
    desk.write(TEXT, NOTE)
    told = turn()
    assert b'"systemMessage"' in told
    way_out = "what is no secret is kept once it is shortened with …"
    assert (
        f"left out of the flush: {NOTE} ({REASON}); {way_out}" in json.loads(told)["systemMessage"]
    )
    assert AWS.encode() not in told
    assert turn() == b""
    desk.write("note 2\n", OTHER)
    assert turn() == b""
    desk.write("clean\n", NOTE)
    assert turn() == b""
    desk.write(TEXT, NOTE)
    assert REASON.encode() in turn()
    _nowhere_in_git(desk)
