"""`baton passport init|boundary|tag`: what is written, what is printed, and what the flag switches off."""

from __future__ import annotations

import datetime
import io
import itertools
import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from baton.core.passport.entry import instant
from baton.edge import clock
from baton.hot.passports import written
from commands import Here, refused, run_baton
from passport_samples import ZERO, hash_after
from passports import NAME, ON, Shelf, boundary, ledger

BLOCK = """[PASSPORT-RESET: hash={hash}, stage={stage}, next={next}]

### Resume Instruction
- Passport file: {path}
- In a fresh Claude Code session: resume_from_passport={hash}
- Only a fresh session saves the tokens: it reads the passport, not this conversation.
"""
HELP = "baton passport boundary --help"
DECISION = {
    "question": "Which way?",
    "options": [
        {"value": "revise", "next_stage": "4", "next_mode": "revision"},
        {"value": "abort", "next_stage": None},
    ],
}  # fmt: skip


def _hash(shelf: Shelf) -> str:
    rows = json.loads(shelf("awaiting", "--json").out)["awaiting"]
    return str(rows[0]["hash"])


# ---- the flag ----


@pytest.mark.parametrize("env", [{}, {"ARS_PASSPORT_RESET": "0"}, {"ARS_PASSPORT_RESET": ""}])
@pytest.mark.parametrize("args", [(), ("--json",), ("--decision", "absent.json")])
def test_without_the_flag_not_a_byte_differs(
    repo: Path, baton: Here, env: dict[str, str], args: tuple[str, ...]
) -> None:
    """No packages are made, no project is looked for, nothing is said."""
    before = sorted(repo.rglob("*"))
    said = baton("passport", "boundary", "--stage", "2", "--next", "3", *args, **env)
    assert (said.code, said.out, said.err) == (0, "", "")
    assert sorted(repo.rglob("*")) == before
    assert not Path(os.environ["HOME"], ".local/share/baton/0.1.0/packages").exists()


WRONG = [
    (),
    ("--stage",),
    ("--stage", "2,3", "--next", "null"),
    ("--level", "slimmer"),
    ("unknown", "--unknown"),
    ("--stage", "2", "--next", "3", "--decision", ""),
    ("--stage", "2", "--next", "3", "--passport", "/etc/passwd", "--json"),
]


@pytest.mark.parametrize("args", WRONG, ids=" ".join)
@pytest.mark.parametrize("before", [(), ("--project", "/absent")], ids=" ".join)
def test_without_the_flag_wrong_arguments_are_not_looked_at(
    baton: Here, args: tuple[str, ...], before: tuple[str, ...]
) -> None:
    said = baton(*before, "passport", "boundary", *args, ARS_PASSPORT_RESET="0")
    assert (said.code, said.out, said.err) == (0, "", "")


def test_without_the_flag_help_is_given_and_other_commands_speak(shelf: Shelf) -> None:
    assert shelf.baton("passport", "boundary", "--help").out.startswith(
        "usage: baton passport boundary"
    )
    assert shelf.baton("passport", "verify", "boundary").code == 5


def test_as_a_process_too(repo: Path) -> None:
    said = run_baton("passport", "boundary", "--stage", "2", "--no-next", cwd=repo)
    assert (said.code, said.out, said.err) == (0, "", "")


def test_a_slim_checkpoint_never_resets(shelf: Shelf) -> None:
    shelf.lay()
    before = shelf.path.read_bytes()
    said = shelf("boundary", "--stage", "2", "--next", "3", "--level", "slim", **ON)
    assert (said.code, said.out, said.err) == (0, "", "")
    assert shelf.path.read_bytes() == before


def test_a_flag_of_another_value_is_named(shelf: Shelf) -> None:
    shelf.lay()
    before = shelf.path.read_bytes()
    said = shelf("boundary", "--stage", "2", "--next", "3", ARS_PASSPORT_RESET="yes")
    assert said == refused(
        2,
        "ARS_PASSPORT_RESET must be 0 or 1; it is 'yes'; nothing was written",
        "ARS_PASSPORT_RESET=1 baton passport boundary --help",
    )
    assert shelf.path.read_bytes() == before


# ---- a boundary ----


def test_a_boundary_is_appended_and_handed_over(shelf: Shelf) -> None:
    shelf.lay()
    said = shelf("boundary", "--stage", "2", "--next", "2.5", session="sess-a", **ON)
    hash_ = _hash(shelf)
    assert (said.code, said.err) == (0, "")
    assert said.out == BLOCK.format(hash=hash_, stage="2", next="2.5", path=NAME)
    [entry] = json.loads(shelf("show", "--json").out)["entries"]
    moment = entry.pop("generated_at")
    assert entry == {
        "kind": "boundary", "hash": hash_, "stage": "2", "next": "2.5",
        "session_marker": "sess-a", "version_label": "v1.0",
    }  # fmt: skip
    made = boundary("2", "2.5")
    assert hash_ == hash_after([], type(made)(ZERO, "2", "2.5", moment, "sess-a", "v1.0"))


def test_all_that_a_boundary_may_hold(shelf: Shelf) -> None:
    shelf.lay()
    Path("decision.json").write_text(json.dumps(DECISION), encoding="utf-8")
    said = shelf(
        "boundary", "--stage", "3", "--no-next", "--mode", "full", "--version-label", "paper_draft_v2",
        "--status", "STALE", "--observer", "snapshots/3", "--decision", "decision.json", "--mandatory", "--json",
        **ON,
    )  # fmt: skip
    data = json.loads(said.out)
    assert data["tag"] == f"[PASSPORT-RESET: hash={data['hash']}, stage=3, next=null]"
    assert data["path"] == NAME
    del data["entry"]["generated_at"]
    assert data["entry"] == {
        "kind": "boundary", "hash": data["hash"], "stage": "3", "next": None, "session_marker": "sess-b",
        "version_label": "paper_draft_v2", "mode": "full", "verification_status": "STALE",
        "observer_snapshot_ref": "snapshots/3", "pending_decision": DECISION,
    }  # fmt: skip


def test_mandatory_is_not_weakened(shelf: Shelf) -> None:
    shelf.lay()
    said = shelf("boundary", "--stage", "2.5", "--next", "3", "--mandatory", **ON)
    assert said.out == BLOCK.format(hash=_hash(shelf), stage="2.5", next="3", path=NAME) + (
        "- This checkpoint is MANDATORY: it still needs the person's confirmation, "
        "for which a fresh session does not stand.\n"
    )


def test_a_re_run_bumps_the_label(shelf: Shelf) -> None:
    shelf.lay()
    for _ in range(2):
        shelf("boundary", "--stage", "2", "--next", "3", **ON)
    before = shelf.path.read_bytes()
    said = shelf("boundary", "--stage", "2", "--next", "3", "--version-label", "v1.0", **ON)
    assert said == refused(
        3,
        'stage 2 was completed before as "v1.1-revised"; a re-run needs a newer label, got "v1.0"; '
        "nothing was written",
        'the same command without --version-label, which takes "v1.2-revised"',
    )
    assert shelf.path.read_bytes() == before
    entries = json.loads(shelf("show", "--json").out)["entries"]
    assert [entry["version_label"] for entry in entries] == ["v1.0", "v1.1-revised"]


def test_inside_claude_code_the_session_is_its_own(shelf: Shelf) -> None:
    shelf.lay()
    shelf.inside("boundary", "--stage", "2", "--next", "3", session="own", **ON)
    said = shelf.inside(
        "boundary", "--stage", "3", "--no-next", "--session", "other", session="own", **ON
    )
    assert said == refused(
        2,
        "--session serves outside Claude Code alone; this session is own; nothing was done",
        "the same command without --session",
    )
    entries = json.loads(shelf("show", "--json").out)["entries"]
    assert [entry["session_marker"] for entry in entries] == ["own"]


NOBODY = [
    (
        ("--session", "other"),
        "--session serves outside Claude Code alone; this session is not named; nothing was done",
    ),
    ((), "Claude Code does not name its session (CLAUDE_CODE_SESSION_ID); nothing was done"),
]


@pytest.mark.parametrize(("more", "message"), NOBODY, ids=["another's name", "no name"])
def test_inside_claude_code_nobody_is_somebody_else(
    shelf: Shelf, more: tuple[str, ...], message: str
) -> None:
    """Without its own id a model could pass for any session."""
    shelf.lay()
    done = shelf.inside("boundary", "--stage", "2", "--next", "3", *more, session="", **ON)
    assert (done.code, done.err.splitlines()[0]) == (2, f"baton: {message}")
    assert shelf.inside("awaiting", session="").code == 0


def test_a_terminal_without_a_session_is_named_after_itself(shelf: Shelf) -> None:
    shelf.lay()
    said = shelf.baton("passport", "boundary", "--stage", "2", "--next", "3", "--json", **ON)
    assert json.loads(said.out)["entry"]["session_marker"] == f"terminal-{os.getsid(0)}"


def _decision(question: object, **option: object) -> bytes:
    """A decision's file with one option like that."""
    other = {"value": "other", "next_stage": None}
    return json.dumps({"question": question, "options": [option, other]}).encode()


FIRST = "pending_decision.options[0]"
BAD_DECISIONS = [
    ("absent", None, "there is no such file"),
    ("not JSON", b"{", "not JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
    ("one option", b'{"question": "q", "options": [{"value": "a", "next_stage": null}]}', "pending_decision.options"),
    ("twice a key", b'{"question": "q", "question": "r"}', "not JSON: a key stands there twice"),
    ("a surrogate", b'{"question": "\\ud800", "options": []}', "pending_decision"),
    ("a list", b"[]", "pending_decision must be a mapping, got a list; it is"),
    ("a number", _decision("q", value="a", next_stage=4), f"{FIRST}.next_stage must be a text or null, got 4; it is"),
    ("a truth", _decision("q", value=True, next_stage="4"), f"{FIRST}.value must be a text, got true; it is"),
    ("a fraction", _decision(2.5, value="a", next_stage="4"), "pending_decision.question must be a text, got 2.5"),
    ("huge", b" " * 70000, "larger than 65536 bytes"),
    ("not UTF-8", b"\xff", "not JSON: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"),
    ("deep", b"[" * 60000, "not JSON: maximum recursion depth exceeded"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "what"), [c[1:] for c in BAD_DECISIONS], ids=[c[0] for c in BAD_DECISIONS]
)
def test_a_decision_that_is_none(shelf: Shelf, data: bytes | None, what: str) -> None:
    shelf.lay()
    before = shelf.path.read_bytes()
    if data is not None:
        Path("d.json").write_bytes(data)
    said = shelf("boundary", "--stage", "2", "--next", "3", "--decision", "d.json", **ON)
    assert said.code == 2
    assert said.err.startswith(f"baton: --decision d.json: {what}")
    assert said.err.endswith(
        '; it is {"question": …, "options": [{"value": …, "next_stage": …}, …]}; nothing was written\n'
        f"try: {HELP}\n"
    )
    assert shelf.path.read_bytes() == before


UNHELD = [
    ("an empty stage", _decision("q", value="a", next_stage=""), f"{FIRST}.next_stage must be a stage"),
    ("no stage of a tag", _decision("q", value="a", next_stage="4, then 5"), f"{FIRST}.next_stage must be a stage"),
    ("NUL in the question", _decision("a\0", value="a", next_stage="4"), "pending_decision.question holds a NUL"),
    ("NUL in a value", _decision("q", value="\0", next_stage="4"), f"{FIRST}.value holds a NUL"),
    ("NUL in a mode", _decision("q", value="a", next_stage="4", next_mode="\0"), f"{FIRST}.next_mode holds a NUL"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "what"), [c[1:] for c in UNHELD], ids=[c[0] for c in UNHELD])
def test_a_decision_that_could_not_be_held(shelf: Shelf, data: bytes, what: str) -> None:
    shelf.lay()
    before = shelf.path.read_bytes()
    Path("d.json").write_bytes(data)
    said = shelf("boundary", "--stage", "2", "--next", "3", "--decision", "d.json", **ON)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(f"baton: --decision d.json: {what}")
    assert shelf.path.read_bytes() == before


def test_a_decision_that_is_a_folder(shelf: Shelf) -> None:
    shelf.lay()
    said = shelf("boundary", "--stage", "2", "--next", "3", "--decision", "passports", **ON)
    assert "--decision passports: cannot be read: not a regular file; it is" in said.err


BAD_ARGUMENTS = [
    ("a stage with a comma", ("--stage", "2,3", "--next", "3"), "--stage must be a stage without"),
    ("the stage null", ("--stage", "2", "--next", "null"), "--next must be a stage without"),
    ("no UTF-8", ("--stage", "2", "--next", "3", "--mode", "\udcff"), "--mode is not UTF-8 text; nothing was done"),
    ("NUL", ("--stage", "2", "--next", "3", "--observer", "a\0b"), "--observer holds a NUL character"),
    ("no next", ("--stage", "2"), "one of the arguments --next --no-next is required"),
    *(
        (f"an empty {option}", ("--stage", "2", "--next", "3", option, value), f"argument {option}: must not be empty")
        for value in ("", " ")
        for option in ("--decision", "--passport", "--mode", "--version-label", "--observer")
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("args", "what"), [c[1:] for c in BAD_ARGUMENTS], ids=[c[0] for c in BAD_ARGUMENTS]
)
def test_arguments_that_no_ledger_can_hold(shelf: Shelf, args: tuple[str, ...], what: str) -> None:
    shelf.lay()
    before = shelf.path.read_bytes()
    said = shelf("boundary", *args, **ON)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(f"baton: {what}")
    assert shelf.path.read_bytes() == before


def test_which_passport_is_meant(shelf: Shelf) -> None:
    args = ("boundary", "--stage", "2", "--next", "3")
    none = shelf(*args, **ON)
    assert none == refused(
        5,
        f"no passport in {shelf.root}: looked for passports/*.yaml and material_passport*.yaml; nothing was done",
        "baton passport init",
    )
    shelf.lay()
    (shelf.root / "material_passport_2.yml").write_text("a: 1\n")
    assert shelf(*args, **ON) == refused(
        4,
        "there are several passports: material_passport_2.yml, passports/paper.yaml; say which one is meant; "
        "nothing was done",
        "the same command with --passport material_passport_2.yml",
    )
    assert shelf("show").err.endswith("\ntry: baton passport show material_passport_2.yml\n")
    assert shelf(*args, "--passport", "material_passport_2.yml", **ON).code == 0
    assert shelf(*args, "--passport", "passports/other.yaml", **ON) == refused(
        5, "passports/other.yaml: there is no such passport", "baton passport awaiting"
    )
    assert shelf(*args, "--passport", "../out.yaml", **ON) == refused(
        2,
        f"../out.yaml: outside the project {shelf.root}; nothing was done",
        "baton --project DIR passport …",
    )


def test_two_papers_at_once_get_two_hashes(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session that ends the same stage of both within a second: each hand-over can be taken."""

    class Clock(datetime.datetime):
        ticks = itertools.count()

        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Clock:
            return cls(2026, 4, 23, 14, 0, 0, next(cls.ticks), tz)

    monkeypatch.setattr(clock.datetime, "datetime", Clock)  # type: ignore[attr-defined]
    both = ("a.yaml", "b.yaml")
    for name in both:
        assert shelf("init", name).code == 0
        args = ("--stage", "2", "--next", "3", "--passport", name)
        assert shelf("boundary", *args, session="sess-a", **ON).code == 0
    hashes = [json.loads(shelf("show", name, "--json").out)["entries"][0]["hash"] for name in both]
    for name, hash_ in zip(both, hashes, strict=True):
        said = shelf("resume", hash_, "--passport", name, "--proceed-unverified")
        assert (said.code, said.err) == (0, "")
        made, taken = json.loads(shelf("show", name, "--json").out)["entries"]
        ended, resumed = instant(made["generated_at"]), instant(taken["generated_at"])
        assert ended is not None and resumed is not None and ended < resumed


@pytest.mark.parametrize(
    ("label", "what"),
    [
        ("\\ud800", "version_label is not UTF-8 text"),
        ("\\u0000", "version_label holds a NUL character"),
    ],
)
def test_a_label_of_the_passport_that_no_entry_can_hold(
    shelf: Shelf, label: str, what: str
) -> None:
    path = shelf.root / "paper.json"
    path.write_text(f'{{"version_label": "{label}", "reset_boundary": []}}\n')
    before = path.read_bytes()
    args = ("boundary", "--passport", "paper.json", "--stage", "2", "--next", "3")
    assert shelf(*args, **ON) == refused(
        1,
        f"paper.json: {what}; nothing was done",
        "the same command with --version-label v1.0",
    )
    assert path.read_bytes() == before
    assert shelf(*args, "--version-label", "v1.0", **ON).code == 0


# ---- init ----


@pytest.mark.parametrize("name", ["passports/new.yaml", "material_passport.yaml", "new.json"])
def test_a_new_passport_takes_boundaries(shelf: Shelf, name: str) -> None:
    said = shelf("init", name)
    assert (said.code, said.out, said.err) == (0, f"made {name}\n", "")
    assert shelf("boundary", "--stage", "1", "--next", "2", "--passport", name, **ON).code == 0
    assert shelf("init", name).out == f"{name} is there already, 1 entries\n"
    assert json.loads(shelf("verify", name, "--json").out)["ok"] is True


def test_init_without_a_name(shelf: Shelf) -> None:
    said = shelf("init", "--json")
    assert json.loads(said.out) == {"path": "material_passport.yaml", "made": True, "entries": 0}


@pytest.mark.parametrize(("text", "code"), [("a: [\n", 1), ("TOKEN=1\n", 1), ("a: 1\n", 0)])
def test_init_leaves_what_is_there(shelf: Shelf, text: str, code: int) -> None:
    """Nor does the flush take along a file of the user's that baton has merely looked at."""
    shelf.path.parent.mkdir()
    shelf.path.write_text(text)
    assert shelf("init", NAME).code == code
    assert shelf.path.read_text() == text
    assert written(shelf.state) == []
    shelf("init", "passports/new.yaml")
    assert written(shelf.state) == ["passports/new.yaml"]


@pytest.mark.parametrize(
    ("name", "fault"),
    [("a\nb.yaml", "it holds control characters"), (".git/x.yaml", "it lies in git's own folder")],
)
def test_a_name_that_no_state_file_may_have(shelf: Shelf, name: str, fault: str) -> None:
    said = shelf("init", name)
    assert (said.code, said.out) == (2, "")
    assert f"{fault}; nothing was done" in said.err


def test_init_where_nothing_can_be_made(shelf: Shelf) -> None:
    said = shelf("init", "absent/folder/x.yaml")
    assert said == refused(
        5,
        "absent/folder/x.yaml cannot be made: No such file or directory; nothing was written",
        f"mkdir -p {shelf.root}/absent/folder",
    )


def test_names_come_quoted_in_what_is_to_be_typed(shelf: Shelf) -> None:
    """And a name with a dash in front is not taken for an option, neither here nor by the command."""
    assert shelf("init", "--", "-a b.JSON").code == 0
    Path("-a b.JSON").write_text("{")
    said = shelf("show", "--", "-a b.JSON")
    assert said.err.endswith("try: baton passport verify './-a b.JSON'\n")
    assert json.loads(shelf("verify", "./-a b.JSON", "--json").out)["problem"]["code"] == "bad-yaml"
    Path("it's.yaml").mkdir()
    said = shelf("show", "it's.yaml")
    there = f"{shelf.root}/it's.yaml"
    assert said.err.endswith(f"try: ls -ld {shlex.quote(there)}\n")


@pytest.mark.parametrize(
    ("args", "name"),
    [
        (("init", ""), "FILE"), (("accept", ""), "FILE"), (("verify", " "), "FILE"), (("show", ""), "FILE"),
        (("tag", ""), "FILE"), (("resume", ""), "HASH"), (("continue", ""), "HASH"),
        (("resume", "0" * 12, "--stage", ""), "--stage"), (("inspect", "0" * 12, "--mode", ""), "--mode"),
    ],
    ids=str,
)  # fmt: skip
def test_an_empty_argument_stands_for_nothing_else(
    shelf: Shelf, args: tuple[str, ...], name: str
) -> None:
    """As when a script's variable was not set: the only passport is not meant, nor the newest boundary."""
    shelf.lay(*ledger(boundary("1", "2")))
    said = shelf.baton("passport", *args)
    assert said == refused(
        2, f"argument {name}: must not be empty", f"baton passport {args[0]} --help"
    )


# ---- tag ----


def test_tags_are_found_in_any_text(shelf: Shelf) -> None:
    tags = [
        "[PASSPORT-RESET: hash=075173601107, stage=1, next=2]",
        "[PASSPORT-RESET: hash=9449bf5d271e, stage=2, next=null]",
    ]
    Path("notes.txt").write_bytes(b"\xff see " + " and ".join([*tags, tags[0]]).encode())
    said = shelf("tag", "notes.txt")
    assert (said.code, said.out) == (0, "\n".join(tags) + "\n")
    data = json.loads(shelf("tag", "notes.txt", "--json").out)
    assert [row["next"] for row in data["tags"]] == ["2", None]


def test_tags_from_standard_input(repo: Path, packages: Path) -> None:
    text = b"[PASSPORT-RESET: hash=075173601107, stage=1, next=2]"
    said = run_baton("passport", "tag", cwd=repo, stdin=text)
    assert (said.code, said.out) == (0, text.decode() + "\n")


def test_what_is_too_large_is_not_taken_for_a_text_without_tags(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    tag = "[PASSPORT-RESET: hash=075173601107, stage=1, next=2]\n"
    big = "a" * (16 << 20) + "\n" + tag
    Path("-big.txt").write_text(big)
    again = "grep -aF '[PASSPORT-RESET:' {}| baton passport tag"
    assert shelf("tag", "--", "-big.txt") == refused(
        2, "-big.txt: larger than 16 MiB; it was not searched", again.format("./-big.txt ")
    )
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(big.encode())))
    assert shelf("tag") == refused(
        2, "standard input: larger than 16 MiB; it was not searched", again.format("")
    )
    found = subprocess.run(
        ["sh", "-c", again.format("./-big.txt ").partition("|")[0]], capture_output=True, check=True
    )
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(found.stdout)))
    assert (shelf("tag").code, found.stdout.decode()) == (0, tag)


def test_no_tag_is_said(shelf: Shelf) -> None:
    Path("notes.txt").write_text("[PASSPORT-RESET: hash=075173601107]")
    assert shelf("tag", "notes.txt") == refused(
        2, "notes.txt: no line [PASSPORT-RESET: hash=…, stage=…, next=…]", "baton passport awaiting"
    )
    assert shelf("tag", "absent.txt") == refused(
        2, "absent.txt: no such file", "baton passport tag FILE"
    )
    Path("folder").mkdir()
    assert shelf("tag", "folder") == refused(
        5, "folder cannot be read: not a regular file", "ls -l folder"
    )
