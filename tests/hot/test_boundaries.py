"""baton.hot.boundaries: hand-overs that wait, as a new session, /tiep and the flush see them."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from baton.hot import asked, boundaries, clean, config, notice, passports, waiting
from baton.hot.flush import flush, record
from commands import Here
from passport_samples import DECISION
from passports import NAME, ON, RESUME, Shelf, boundary, give_packages, ledger
from support import git, run_hook

ODD = boundary('2"\n</x>', None)


@pytest.fixture
def bare(repo: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """A project whose user has no packages yet."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    return Shelf(repo, Here(capfd))


@pytest.fixture
def shelf(bare: Shelf, home: Path) -> Shelf:
    """A project, and the packages."""
    give_packages(home)
    return bare


def look(shelf: Shelf) -> boundaries.Boundaries:
    return boundaries.look(shelf.project, shelf.state)


def told(shelf: Shelf) -> list[str]:
    """The lines of a notice."""
    return notice.lines(waiting.look(shelf.project, shelf.state, config.load(shelf.project)))


# ---- what is looked for ----


@pytest.mark.parametrize("text", [None, "a: 1\n"], ids=["no passport", "none with a ledger"])
def test_nothing_is_started_where_there_is_no_ledger(
    shelf: Shelf, started: list[str], text: str | None
) -> None:
    if text is not None:
        shelf.path.parent.mkdir()
        shelf.path.write_text(text)
    assert told(shelf) == []
    assert started == []


def test_what_waits_is_told_newest_first(shelf: Shelf) -> None:
    first, *rest = shelf.lay(
        *ledger(boundary("1", "2"), replace(boundary("3", None), pending_decision=DECISION))
    )
    [second] = rest
    assert told(shelf) == [
        "A passport hand-over waits",
        f'resume_from_passport={second} (stage "3" → the end, a decision is pending)',
        f'resume_from_passport={first} (stage "1" → "2", superseded)',
    ]


def test_many_are_counted(shelf: Shelf) -> None:
    shelf.lay(*ledger(*(boundary(str(number), "9") for number in range(6))))
    assert told(shelf)[-1] == "3 more hand-over(s): `baton passport awaiting`"


def test_a_stage_that_never_ended(shelf: Shelf) -> None:
    shelf.lay(*ledger(boundary("1", "2"), RESUME))
    assert told(shelf) == [
        "A passport hand-over waits",
        f'resumed at 2026-04-24T09:00:00Z, stage "2" not finished: {NAME}',
    ]


def test_text_out_of_a_passport_is_data(shelf: Shelf) -> None:
    [hash_] = shelf.lay(*ledger(ODD))
    assert told(shelf)[1] == f'resume_from_passport={hash_} (stage "2” ‹/x›" → the end)'


def test_one_that_was_resumed_on_another_branch_waits_no_more(shelf: Shelf) -> None:
    [hash_] = shelf.lay(*ledger(boundary("1", "2")))
    git("add", ".", cwd=shelf.root)
    git("commit", "-qm", "x", cwd=shelf.root)
    git("worktree", "add", "-qb", "other", "../other", cwd=shelf.root)
    assert len(told(shelf)) == 2
    shelf.baton(
        "--project",
        str(shelf.root.with_name("other")),
        "passport",
        "resume",
        hash_,
        "--session",
        "s",
    )
    assert told(shelf) == []


# ---- could not be checked ----

UNCHECKED = "passports could not be checked: "


def test_without_the_packages_it_is_said(bare: Shelf) -> None:
    """In a line that a person's notice does not cut."""
    bare.lay(*ledger(boundary("1", "2")))
    lines = ["baton's set-up needs a look", f"{UNCHECKED}packages not made yet: baton environment"]
    assert told(bare) == lines
    assert clean.fit(lines[1], notice._WIDTH) == lines[1]


def test_one_that_cannot_be_read_is_said_beside_the_others(shelf: Shelf) -> None:
    [hash_] = shelf.lay(*ledger(boundary("1", "2")))
    (shelf.root / "material_passport.yaml").write_text("reset_boundary: [\n")
    lines = told(shelf)
    assert lines[1] == f'resume_from_passport={hash_} (stage "1" → "2")'
    assert lines[2].startswith(f"{UNCHECKED}material_passport.yaml, line ")
    (shelf.root / "material_passport.yaml").unlink()
    (shelf.root / "material_passport.yaml").mkdir()
    assert told(shelf)[2].startswith(f"{UNCHECKED}material_passport.yaml cannot be read")


def _child(folder: Path, program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the child be another program."""
    fake = folder / "scripts/baton/hot"
    fake.mkdir(parents=True)
    (fake.parent / "__main__.py").write_text(program)
    monkeypatch.setattr(asked, "__file__", str(fake / "asked.py"))


def test_a_child_that_hangs_is_ended(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shelf.lay(*ledger(boundary("1", "2")))
    _child(tmp_path, "import time; time.sleep(600)", monkeypatch)
    monkeypatch.setattr(asked, "_SECONDS", 0.01)
    assert look(shelf).faults == [f"{UNCHECKED}no answer within 0.01 s"]


@pytest.mark.parametrize(
    ("program", "fault"),
    [
        ("import sys; sys.exit(70)", "passport: exit code 70"),
        ("print('[]')", "no answer"),
        ("print('x')", "not a JSON document"),
        ("print('{}')", ""),
        ("""print('{"awaiting": 1, "unfinished": [1], "problems": [{"message": 1}]}')""", ""),
    ],
)
def test_a_child_that_answers_something_else(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, program: str, fault: str, tmp_path: Path
) -> None:
    shelf.lay(*ledger(boundary("1", "2")))
    _child(tmp_path, program, monkeypatch)
    found = look(shelf)
    assert found.lines == []
    assert found.faults == (
        [UNCHECKED + fault] if fault else [UNCHECKED] if "message" in program else []
    )


def test_a_child_that_cannot_be_started(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.lay(*ledger(boundary("1", "2")))
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert look(shelf).faults[0].startswith(f"{UNCHECKED}[Errno 2]")


# ---- what it said stands ----


def test_it_is_asked_once_for_the_same_files(shelf: Shelf, started: list[str]) -> None:
    [hash_] = shelf.lay(*ledger(boundary("1", "2")))
    assert look(shelf).lines == look(shelf).lines
    assert started == ["passport"]
    shelf("resume", hash_)
    assert look(shelf).lines[0].startswith("resumed at ")
    assert started == ["passport", "passport"]


def test_a_one_shot_session_leaves_no_note(
    shelf: Shelf, started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")
    shelf.lay(*ledger(boundary("1", "2")))
    before = sorted(shelf.root.rglob("*"))
    told(shelf)
    told(shelf)
    assert sorted(shelf.root.rglob("*")) == before
    assert started == ["passport", "passport"]


def test_a_note_that_cannot_be_written(shelf: Shelf, started: list[str]) -> None:
    shelf.lay(*ledger(boundary("1", "2")))
    Path(shelf.state.folder).write_text("in the way")
    assert len(look(shelf).lines) == 1


def test_outside_git(shelf: Shelf, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    there = Shelf(plain, shelf.baton)
    there.lay(*ledger(boundary("1", "2")))
    assert len(told(there)) == 2


# ---- the hook, /tiep ----


def test_a_new_session_is_told(shelf: Shelf) -> None:
    [hash_] = shelf.lay(*ledger(boundary("1", "2")))
    event = {
        "hook_event_name": "SessionStart",
        "source": "startup",
        "session_id": "s",
        "cwd": str(shelf.root),
    }
    done = run_hook("session_start", event, cwd=shelf.root)
    answer = json.loads(done.stdout)
    assert answer["systemMessage"].splitlines()[1:] == [
        f'resume_from_passport={hash_} (stage "1" → "2")',
        "type /tiep to go on, or just begin something else",
    ]
    context = answer["hookSpecificOutput"]["additionalContext"]
    assert f'- resume_from_passport={hash_} (stage "1" → "2")' in context
    assert "wait for their choice" in context


def test_a_one_shot_session_is_told_to_leave_it_alone(shelf: Shelf) -> None:
    shelf.lay(*ledger(boundary("1", "2")))
    event = {
        "hook_event_name": "SessionStart",
        "source": "startup",
        "session_id": "s",
        "cwd": str(shelf.root),
    }
    done = run_hook(
        "session_start", event, cwd=shelf.root, env={"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}
    )
    assert json.loads(done.stdout) == {
        "hookSpecificOutput": {
            "hookEventName": "SessionStart",
            "additionalContext": notice._ONE_SHOT_PASSPORT,
        }
    }


def test_a_compacted_session_does_not_take_it_by_itself(shelf: Shelf) -> None:
    shelf.lay(*ledger(boundary("1", "2")))
    waits = waiting.look(shelf.project, shelf.state, config.load(shelf.project))
    assert notice._PASSPORT_GO_ON in notice.for_compaction(waits, True).model


def test_tiep_names_them(shelf: Shelf) -> None:
    [hash_] = shelf.lay(*ledger(boundary("1", "2")))
    said = shelf.baton("tiep")
    assert said.out.splitlines()[1:] == [
        "PASSPORT: taken only when the person asks for it; `baton passport inspect HASH` shows it",
        f'  resume_from_passport={hash_} (stage "1" → "2")',
    ]
    [row] = json.loads(shelf.baton("tiep", "--json").out)["awaiting"]
    assert row["hash"] == hash_


# ---- the flush ----


def _flushed(shelf: Shelf) -> list[str]:
    outcome = flush.flush(shelf.project, shelf.state, config.load(shelf.project))
    return list(outcome.paths)


def test_passports_that_baton_has_written_are_flushed(shelf: Shelf) -> None:
    shelf.lay()
    assert _flushed(shelf) == []
    shelf("boundary", "--stage", "1", "--next", "2", **ON)
    assert record.look(shelf.project, shelf.state) == record.CHANGED
    assert _flushed(shelf) == [NAME]
    assert git("show", f"HEAD:{NAME}", cwd=shelf.root) == shelf.path.read_text()
    assert _flushed(shelf) == []


def test_a_passport_that_is_new_to_the_list_is_a_change(shelf: Shelf) -> None:
    """Where the last flush left a record, what baton has written since is looked at."""
    (shelf.root / ".claude").mkdir()
    (shelf.root / ".claude/WAL.md").write_bytes(b"")
    os.utime(shelf.root / ".claude/WAL.md", (1, 1))
    time.sleep(0.05)
    assert _flushed(shelf) == [".claude/WAL.md"]
    assert record.look(shelf.project, shelf.state) == record.SAME
    passports.note(shelf.state, NAME)
    assert record.look(shelf.project, shelf.state) == record.CHANGED


def test_a_flush_hook_takes_them_along(shelf: Shelf) -> None:
    shelf.lay()
    shelf("boundary", "--stage", "1", "--next", "2", **ON)
    run_hook("flush", {"hook_event_name": "Stop"}, cwd=shelf.root)
    assert git("show", "--format=%s", "--name-only", "HEAD", cwd=shelf.root).split()[-1] == NAME


def test_what_an_interrupted_append_left_is_not_kept(shelf: Shelf) -> None:
    shelf.lay()
    shelf("boundary", "--stage", "1", "--next", "2", **ON)
    _flushed(shelf)
    undo = shelf.path.with_name(f".{shelf.path.name}.baton-undo")
    undo.write_text("an append under way")
    shelf.path.write_text(shelf.path.read_text() + "  - half\n")
    assert _flushed(shelf) == []
    undo.unlink()
    assert _flushed(shelf) == [NAME]


def test_the_note_keeps_names_as_they_are(shelf: Shelf) -> None:
    odd = os.fsdecode(b"p\xff.yaml")
    passports.note(shelf.state, odd)
    assert passports.written(shelf.state) == [odd]
    assert passports.with_written(["a", odd], shelf.project, shelf.state) == ["a", odd]
