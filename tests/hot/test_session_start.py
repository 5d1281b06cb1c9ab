"""baton.hot.session_start: who is told what, and how often (design page notice, cases C3 to C7, H4, H7, H8)."""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path

import pytest

from baton.hot import project, session_start
from baton.hot.notice import NEVER_USED, STANDING_WORD
from baton.hot.state import State
from chain_cases import EXAMPLE, STATES, VI_EXAMPLE, Case, changed
from doors import Answer, Door
from support import git, run_hook

TWICE = session_start._TWICE_SECONDS
INTERACTIVE, ONE_SHOT = "cli", "sdk-cli"
# With its day where midnight has gone by meanwhile.
MOMENT = r"(\d{4}-\d\d-\d\d )?\d\d:\d\d"
SOURCES = ("startup", "clear", "resume", "fork", "compact", "moon")


@pytest.fixture(autouse=True)
def _one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process no time goes by but what a test lets go by."""
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)
    monkeypatch.setattr(session_start, "_TWICE_SECONDS", TWICE)


@pytest.fixture
def door(capfd: pytest.CaptureFixture[str]) -> Door:
    """The SessionStart door in this process."""
    return Door(session_start.main, capfd)


@pytest.fixture
def chain(repo: Path) -> Path:
    """A repository with an unfinished chain, and baton in use; its path."""
    path = repo / ".claude/WAL.md"
    path.parent.mkdir()
    path.write_bytes(EXAMPLE)
    (repo / ".git/baton").mkdir()
    return path


def event(source: str, session: str = "4f1c2a00-0000", cwd: str = "") -> dict[str, object]:
    """Give what Claude Code sends."""
    return {
        "session_id": session,
        "transcript_path": "/t.jsonl",
        "cwd": cwd or os.getcwd(),
        "hook_event_name": "SessionStart",
        "source": source,
    }


def kinds(answer: Answer) -> str:
    """Say in one word each what an answer holds: the person's part, the model's part."""
    model = answer.model
    parts = [
        ("person", bool(answer.person)),
        ("chain", "- next: " in model or "The work chain cannot be read" in model),
        ("wait", "wait for their choice" in model),
        ("go-on", "go on with it. In doubt" in model),
        ("leave", "leave it alone" in model),
        ("standing", STANDING_WORD in model),
        ("never-used", NEVER_USED in model),
    ]
    assert not answer.out or not answer.model or answer.event == "SessionStart"
    return " ".join(name for name, there in parts if there)


# Case C6: source → first time interactive, at once again, as a one-shot session.
TOLD = {
    "startup": ("person chain wait standing", "", "leave"),
    "clear": ("person chain wait standing", "", "leave"),
    "resume": ("person chain wait", "", ""),
    "fork": ("person chain wait", "", ""),
    "moon": ("person chain wait", "", ""),
    "compact": ("chain go-on standing", "", "chain go-on standing"),
}


@pytest.mark.parametrize("source", TOLD)
def test_said_once(source: str, chain: Path, door: Door) -> None:
    first, again, _ = TOLD[source]
    assert [kinds(door(event(source))) for _ in range(2)] == [first, again]


@pytest.mark.parametrize("source", TOLD)
def test_one_shot(source: str, chain: Path, door: Door) -> None:
    """Case C3: nothing is consumed, changed or noted, however often."""
    before = _files(chain.parent.parent)
    for _ in range(2):
        answer = door(event(source), CLAUDE_CODE_ENTRYPOINT=ONE_SHOT)
        assert kinds(answer) == TOLD[source][2]
    assert _files(chain.parent.parent) == before


def _files(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("source", TOLD)
def test_in_a_process(source: str, chain: Path) -> None:
    for expected in TOLD[source][:2]:
        done = run_hook("session_start", event(source), cwd=chain.parent.parent)
        assert (done.returncode, done.stderr) == (0, b"")
        assert kinds(Answer(done.stdout.decode())) == expected


NEVER = {
    "startup": "never-used",
    "clear": "never-used",
    "compact": "never-used",
    "resume": "",
    "fork": "",
    "moon": "",
}


@pytest.mark.parametrize("source", NEVER)
def test_where_baton_was_never_used(source: str, repo: Path, door: Door) -> None:
    """One line, and no folder of notes appears by it."""
    before = _files(repo)
    assert [kinds(door(event(source))) for _ in range(2)] == [NEVER[source]] * 2
    assert _files(repo) == before


@pytest.mark.parametrize("case", STATES.values(), ids=STATES)
def test_states(case: Case, chain: Path, door: Door) -> None:
    """Case C4: the right word for each chain, and no nagging about one that is at rest."""
    chain.write_bytes(case.document)
    expected = {
        "empty": "standing",
        "finished": "standing",
        "unfinished": "person chain wait standing",
        "unreadable": "person chain wait standing",
    }
    assert kinds(door(event("startup"))) == expected[case.state]


def _say_again_after(seconds: int, session: str, repo: Path) -> None:
    """Let time go by: set the note of a session back."""
    found = project.locate({"HOME": "/"}, str(repo))
    assert found is not None
    state = State(found, {})
    record = state.record(f"sessions/{session}")
    told_at = record["told_at"]
    assert isinstance(told_at, int)
    state.set_record(f"sessions/{session}", {**record, "told_at": told_at - seconds})


AGAIN = {
    "startup within a minute": ("startup", 55, ""),
    "startup after a minute": ("startup", 61, "person chain wait standing"),
    "compact at once": ("compact", 1, ""),
    "compact after a moment": ("compact", 4, "chain go-on standing"),
    "resume: seen already": ("resume", 4, ""),
    "unknown: seen already": ("moon", 4, ""),
}


@pytest.mark.parametrize(("source", "seconds", "expected"), AGAIN.values(), ids=AGAIN)
def test_again(source: str, seconds: int, expected: str, chain: Path, door: Door) -> None:
    door(event(source))
    _say_again_after(seconds, "4f1c2a00-0000", chain.parent.parent)
    assert kinds(door(event(source))) == expected


def test_another_session_is_told_as_well(chain: Path, door: Door) -> None:
    assert kinds(door(event("startup", "one"))) == kinds(door(event("startup", "two")))


def test_resume_tells_only_what_changed_since_that_session_saw_it(chain: Path, door: Door) -> None:
    door(event("startup", "one"))
    assert kinds(door(event("resume", "one"))) == ""
    chain.write_bytes(changed(("[ ] draft the announcement", "[x] draft — ls NEWS.md")))
    _say_again_after(4, "one", chain.parent.parent)
    answer = door(event("resume", "one"))
    assert answer.person.splitlines()[0].startswith("Unfinished work: 2/4 done · ")
    assert "goal" not in answer.person
    assert kinds(door(event("startup", "two"))) == "person chain wait standing"


def test_a_fork_has_seen_what_its_parent_saw(chain: Path, door: Door) -> None:
    door(event("startup", "parent"))
    assert kinds(door(event("fork", "child"))) == ""
    chain.write_bytes(changed(("[ ] draft the announcement", "[x] draft — ls NEWS.md")))
    assert kinds(door(event("fork", "second-child"))) == "person chain wait"


def test_a_resume_after_another_account_has_seen_nothing(chain: Path, door: Door) -> None:
    door(event("startup", "one"))
    assert kinds(door(event("resume", "never-noted"))) == "person chain wait"


def test_the_start_of_a_session_is_noted_once(chain: Path, door: Door) -> None:
    door(event("startup", "one"))
    found = project.locate({"HOME": "/"}, str(chain.parent.parent))
    assert found is not None
    state = State(found, {})
    first = state.record("sessions/one")["start"]
    state.set_record("sessions/one", {**state.record("sessions/one"), "start": 5})
    door(event("compact", "one"))
    assert state.record("sessions/one")["start"] == 5
    assert first == pytest.approx(time.time(), abs=60)


DAMAGED: dict[str, dict[str, object]] = {
    "nothing in it": {},
    "other types": {"start": "x", "told_at": "x", "source": 1, "seen": 2},
    "a list of other things": {"start": 1, "told_at": 1, "source": "startup", "seen": [1, None]},
}


@pytest.mark.parametrize("record", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_note_of_a_session(record: dict[str, object], chain: Path, door: Door) -> None:
    notes = chain.parent.parent / ".git/baton/sessions"
    notes.mkdir(parents=True)
    (notes / "4f1c2a00-0000").write_text(json.dumps(record))
    (notes / "last").write_text(json.dumps(record))
    assert kinds(door(event("startup"))) == "person chain wait standing"


@pytest.mark.parametrize("session", ["", "../../x", "a/b", "x" * 300, "\ud800"], ids=ascii)
def test_an_odd_session_id(session: str, chain: Path, door: Door) -> None:
    root = chain.parent.parent
    assert kinds(door(event("startup", session))) == "person chain wait standing"
    outside = {path for path in root.rglob("*") if root / ".git/baton" not in path.parents}
    assert not [path for path in outside if path.name == "x"]


def test_notes_that_cannot_be_written(chain: Path, door: Door) -> None:
    """Said all the same, and again."""
    folder = chain.parent.parent / ".git/baton"
    folder.rmdir()
    folder.write_bytes(b"")
    for _ in range(2):
        assert kinds(door(event("startup"))) == "person chain wait standing"


def test_notes_that_somebody_holds(chain: Path, door: Door) -> None:
    found = project.locate({"HOME": "/"}, str(chain.parent.parent))
    assert found is not None
    with State(found, {}).lock(0):
        began = time.monotonic()
        assert kinds(door(event("startup"))) == "person chain wait standing"
        assert time.monotonic() - began < 60


def test_switched_off(chain: Path, door: Door) -> None:
    assert door(event("startup"), BATON_DISABLED="1").out == ""
    (chain.parent / "baton.toml").write_text('notice = "off"\n')
    assert door(event("startup")).out == ""


def test_a_folder_that_is_gone(chain: Path, door: Door) -> None:
    """Case H6: the session's folder was deleted; the payload's project still counts."""
    gone = str(chain.parent.parent / "gone")
    assert door(event("startup", cwd=gone)).out == ""
    told = door(event("startup", cwd=gone), CLAUDE_PROJECT_DIR=str(chain.parent.parent))
    assert kinds(told) == "person chain wait standing"


@pytest.mark.parametrize("line", [b"", b"hello\n", b"[1]\n", b'{"source": 1}\n'], ids=repr)
def test_no_event_at_all(line: bytes, chain: Path, door: Door) -> None:
    """Taken for a source that nobody knows."""
    answer = door(line, CLAUDE_PROJECT_DIR=str(chain.parent.parent))
    assert kinds(answer) == "person chain wait"


def test_the_locale_does_not_matter(repo: Path) -> None:
    """Case H4."""
    (repo / ".claude").mkdir()
    document = VI_EXAMPLE.decode().replace("phát broadcast", "phát 📣").encode()
    (repo / ".claude/WAL.md").write_bytes(document)
    answers: list[Answer] = []
    for env in (
        {"LC_ALL": "C", "PYTHONIOENCODING": "cp1252", "LANG": "vi_VN.TCVN"},
        {"LC_ALL": "C.UTF-8"},
    ):
        session = event("startup", f"s-{len(answers)}")
        done = run_hook("session_start", session, cwd=repo, env=env)
        assert (done.returncode, done.stderr) == (0, b"")
        answers.append(Answer(done.stdout.decode()))
    lines = [answer.person.splitlines()[1:] for answer in answers]
    assert lines[0] == lines[1]
    assert lines[0][0] == 'goal: "Dựng tính-năng X — codify governance rồi phát 📣"'
    assert (repo / ".claude/WAL.md").read_bytes() == document


def test_killed_before_stop(chain: Path, door: Door) -> None:
    """Case H7, with the real Stop hook before and after."""
    root = chain.parent.parent
    git("add", ".claude", cwd=root)
    os.utime(chain, (time.time() - 100, time.time() - 100))
    stop = {"hook_event_name": "Stop", "session_id": "one", "cwd": str(root)}
    assert run_hook("flush", stop, cwd=root).returncode == 0
    assert "on disk since" not in door(event("startup", "two")).person
    chain.write_bytes(EXAMPLE.replace(b"Build", b"Rebuild"))
    person = door(event("startup", "three")).person
    assert re.search(rf"^on disk since {MOMENT}, newer than the flush at {MOMENT}$", person, re.M)


def test_background_tasks_at_the_last_stop(chain: Path, door: Door) -> None:
    """Case H8, told by the real Stop hook."""
    root = chain.parent.parent
    tasks = [{"id": str(number), "type": "subagent", "status": "running"} for number in range(2)]
    stop = {"hook_event_name": "Stop", "cwd": str(root), "background_tasks": tasks}
    assert run_hook("flush", stop, cwd=root).returncode == 0
    person = door(event("startup")).person
    assert "\n2 task(s) still ran at the last stop; their results are not in the chain\n" in person
