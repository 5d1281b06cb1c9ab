"""`baton passport inspect|resume|continue`: asked first, consumed once, refused whole (case P7)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from baton.hot import acts
from commands import Here, Said, refused, run_baton
from passport_samples import DECISION
from passports import NAME, Shelf, boundary, ledger
from support import git

PLAIN = boundary("2", "2.5")
UNVERIFIED = replace(PLAIN, verification_status="UNVERIFIED")
DECIDE = replace(boundary("3", "4"), pending_decision=DECISION)
REVIEW = boundary("1", "2", mode="systematic-review")
LOOK = "baton passport awaiting"


def acknowledged(
    hash_: str, *lines: str, stage: str = "2 (WRITE)", following: str = "2.5 (INTEGRITY)"
) -> str:
    """The acknowledgement of a boundary of `passports.boundary`."""
    return "\n".join(
        [
            "### Resume Acknowledged",
            f"- Hash: {hash_}",
            "- Source session: sess-a, 2026-04-23T14:00:00Z",
            f"- Recovered stage: {stage}, version v1.0",
            f"- Next stage: {following}",
            *lines,
            f"- Passport: {NAME}",
            '- Artefact: verification_status: "VERIFIED"',
            "The passport is the only input to the next stage; earlier stages need not be told again.",
            "",
        ]
    )


def entries(shelf: Shelf) -> list[dict[str, object]]:
    """The ledger now."""
    found: list[dict[str, object]] = json.loads(shelf("show", "--json").out)["entries"]
    return found


def unmoved(shelf: Shelf, before: bytes) -> None:
    """Nothing was written, and nothing left behind."""
    assert shelf.path.read_bytes() == before
    assert [each.name for each in shelf.path.parent.iterdir()] == [shelf.path.name]


# ---- the straight walk ----


def test_a_boundary_is_taken_once(shelf: Shelf) -> None:
    [hash_] = shelf.lay(*ledger(PLAIN))
    said = shelf("resume", hash_)
    assert said == Said(0, acknowledged(hash_), "")
    [_, resume] = entries(shelf)
    moment = resume.pop("generated_at")
    assert resume == {"kind": "resume", "consumes_hash": hash_, "session_marker": "sess-b"}
    before = shelf.path.read_bytes()
    for session, more in (
        ("sess-c", ""),
        (
            "sess-b",
            "; that was this very session: it has taken this hand-over, go on with its next stage",
        ),
    ):
        assert shelf("resume", hash_, session=session) == refused(
            3,
            f'boundary {hash_} was consumed at {moment} by session "sess-b" ({NAME}, line 10){more}',
            LOOK,
        )
    unmoved(shelf, before)


def test_for_scripts(shelf: Shelf) -> None:
    [hash_] = shelf.lay(*ledger(PLAIN))
    data = json.loads(shelf("resume", hash_, "--json").out)
    entry = data.pop("entry")
    assert entry["consumes_hash"] == hash_
    assert data == {
        "hash": hash_, "next_stage": "2.5", "next_mode": None, "chosen_branch": None,
        "acknowledgement": acknowledged(hash_).rstrip("\n"),
    }  # fmt: skip
    said = shelf("resume", hash_, "--json")
    assert said.code == 3
    assert json.loads(said.out)["error"]["code"] == "already-resumed"


def test_an_override_is_recorded(shelf: Shelf) -> None:
    [hash_] = shelf.lay(*ledger(PLAIN))
    args = ("resume", hash_, "--stage", "2", "--mode", "full")
    question = "mode full for stage 2 (WRITE): no mode was recorded for stage 2. Is it meant?\n"
    assert shelf(*args) == asked(hash_, question)
    said = shelf(*args, "--yes")
    assert said.code == 0
    assert (
        "- Next stage: 2 (WRITE), mode full [override: stage=2 mode=full; recorded: stage 2.5 (INTEGRITY)]\n"
        in said.out
    )
    assert entries(shelf)[1]["user_override"] == {"stage": "2", "mode": "full"}


def test_a_superseded_boundary_warns_and_stays_resumable(shelf: Shelf) -> None:
    [old, new] = shelf.lay(*ledger(PLAIN, boundary("2.5", "3")))
    said = shelf("resume", old)
    warning = "- Warning: a newer boundary of this passport awaits too; this one is superseded"
    assert said == Said(0, acknowledged(old, warning), "")
    assert shelf("resume", new).code == 0


def test_a_boundary_that_ends_the_pipeline(shelf: Shelf) -> None:
    [hash_] = shelf.lay(*ledger(boundary("5", None)))
    said = shelf("resume", hash_)
    assert said == Said(
        0, acknowledged(hash_, stage="5 (FINALIZE)", following="none, the pipeline ends"), ""
    )


# ---- finding it ----

WRONG_HASHES = [
    "ABCDEF012345",
    "07517360110",
    "0751736011077",
    "'075173601107'",
    "",
    "０75173601107",
]


@pytest.mark.parametrize("hash_", WRONG_HASHES)
@pytest.mark.parametrize("command", ["resume", "inspect"])
def test_a_hash_is_matched_exactly(shelf: Shelf, hash_: str, command: str) -> None:
    shelf.lay(*ledger(PLAIN))
    before = shelf.path.read_bytes()
    said = shelf(command, hash_)
    assert (said.code, said.out) == (2, "")
    unmoved(shelf, before)


def test_no_such_boundary(shelf: Shelf) -> None:
    assert shelf("resume", "075173601107").code == 5
    shelf.lay(*ledger(PLAIN))
    assert shelf("resume", "075173601107") == refused(
        3, f"no boundary 075173601107 in {NAME}; nothing was written", LOOK
    )
    (shelf.root / "material_passport.yaml").write_text("a: [\n")
    said = shelf("resume", "075173601107")
    assert said.code == 3
    assert said.err.splitlines()[1] == (
        "baton: no boundary 075173601107 in material_passport.yaml, passports/paper.yaml; "
        "1 of them could not be read; nothing was done"
    )


def test_one_of_several_passports_holds_it(shelf: Shelf) -> None:
    [hash_] = shelf.lay(*ledger(PLAIN))
    other = shelf.root / "material_passport.yaml"
    other.write_text("reset_boundary: []\n")
    assert shelf("inspect", hash_).code == 0
    other.write_bytes(shelf.path.read_bytes())
    assert shelf("resume", hash_) == refused(
        4,
        f"boundary {hash_} stands in more than one passport: material_passport.yaml, {NAME}; say which one is meant; "
        "nothing was done",
        "the same command with --passport material_passport.yaml",
    )
    assert shelf("resume", hash_, "--passport", NAME).code == 0
    said = shelf("resume", hash_, "--passport", "material_passport.yaml")
    assert said.code == 3
    assert f"boundary {hash_} was already resumed at " in said.err


def test_two_boundaries_with_one_hash(shelf: Shelf) -> None:
    [hash_] = shelf.lay(*ledger(PLAIN))
    text = shelf.path.read_text()
    shelf.path.write_text(text + text.partition("reset_boundary:\n")[2])
    before = shelf.path.read_bytes()
    said = shelf("resume", hash_)
    assert said.code == 3
    assert "two boundaries bear the hash" in said.err
    unmoved(shelf, before)


def test_a_hash_that_does_not_follow(shelf: Shelf) -> None:
    [hash_] = shelf.lay(*ledger(PLAIN))
    shelf.path.write_text(shelf.path.read_text().replace('"2.5"', '"3"'))
    before = shelf.path.read_bytes()
    said = shelf("resume", hash_)
    assert said.code == 3
    assert said.err.startswith(
        f"baton: {NAME}, line 3, reset_boundary[0]: the hash of this boundary does not follow"
    )
    assert f", got {hash_}; nothing was written\n" in said.err
    assert said.err.endswith(f"try: baton passport verify {NAME}\n")
    unmoved(shelf, before)


# ---- what is asked ----

QUESTION = """"Stage 3 reviewer decision" (boundary {}, stage 3)
  "revise" → stage 4 (REVISE), mode revision
  "restructure" → stage 2 (WRITE), mode plan
  "abort" → ends the pipeline
"""
AGAIN = (
    "  stage= and mode= do not answer it; give them again with the branch if they are still meant\n"
)
TRUST = (
    "the material behind boundary {} is UNVERIFIED (passport: VERIFIED, boundary: UNVERIFIED). "
    "Verify it again, or go on without?\n"
)


def asked(hash_: str, text: str) -> Said:
    """A refusal until a person has answered."""
    err = f"baton: boundary {hash_}: the person must answer first; nothing was written\n"
    return Said(4, text, f"{err}try: baton passport inspect {hash_}\n")


def test_a_decision_is_always_asked(shelf: Shelf) -> None:
    [hash_] = shelf.lay(*ledger(DECIDE))
    before = shelf.path.read_bytes()
    assert shelf("resume", hash_) == asked(hash_, QUESTION.format(hash_))
    assert shelf("resume", hash_, "--stage", "5") == asked(hash_, QUESTION.format(hash_) + AGAIN)
    said = shelf("resume", hash_, "--branch", "Revise")
    assert said == refused(
        3,
        f'boundary {hash_} has no branch "Revise"; expected one of "revise", "restructure", "abort"; '
        "nothing was written",
        f"baton passport inspect {hash_}",
    )
    unmoved(shelf, before)
    data = json.loads(shelf("resume", hash_, "--branch", "restructure", "--json").out)
    assert (data["next_stage"], data["next_mode"], data["chosen_branch"]) == (
        "2",
        "plan",
        "restructure",
    )


def test_an_override_after_the_decision_wins_over_its_end(shelf: Shelf) -> None:
    [hash_] = shelf.lay(*ledger(DECIDE))
    data = json.loads(shelf("resume", hash_, "--branch", "abort", "--stage", "4", "--json").out)
    assert (data["next_stage"], data["chosen_branch"]) == ("4", "abort")
    assert data["entry"]["user_override"] == {"stage": "4"}


def test_two_boundaries_are_each_asked_their_own_question(shelf: Shelf) -> None:
    [first, second] = shelf.lay(*ledger(DECIDE, UNVERIFIED))
    assert shelf("resume", first) == asked(first, QUESTION.format(first))
    assert shelf("resume", second) == asked(second, TRUST.format(second))


def test_unverified_material_is_asked_about(shelf: Shelf) -> None:
    [hash_] = shelf.lay(*ledger(UNVERIFIED))
    assert shelf("resume", hash_) == asked(hash_, TRUST.format(hash_))
    said = shelf("resume", hash_, "--proceed-unverified")
    warning = "- Warning: the material is UNVERIFIED, and goes on so"
    assert said == Said(0, acknowledged(hash_, warning), "")


def test_reverified_needs_evidence(shelf: Shelf) -> None:
    [hash_] = shelf.lay(*ledger(UNVERIFIED), top="verification_status: STALE\n")
    said = shelf("resume", hash_, "--reverified")
    assert (said.code, said.out) == (4, "")
    assert said.err.startswith(
        f"baton: nothing shows that the material behind boundary {hash_} was verified again"
    )
    shelf.path.write_text(shelf.path.read_text().replace("STALE", "VERIFIED"))
    assert shelf("resume", hash_, "--reverified") == Said(0, acknowledged(hash_), "")


def test_two_things_are_asked_at_once(shelf: Shelf) -> None:
    [hash_] = shelf.lay(*ledger(replace(DECIDE, verification_status="UNVERIFIED")))
    said = shelf("resume", hash_)
    assert said == asked(hash_, QUESTION.format(hash_) + TRUST.format(hash_))


# ---- a person's act ----


def test_a_model_cannot_answer_its_own_question(shelf: Shelf) -> None:
    [hash_] = shelf.lay(*ledger(DECIDE))
    before = shelf.path.read_bytes()
    answer = ("resume", hash_, "--branch", "revise")
    typed = f"baton passport resume {hash_} --branch revise"
    needs = refused(
        4,
        "only a person may decide this; ask them, and wait for what they type: "
        f"shall boundary {hash_} be taken with `{typed}`? Nothing was done.",
        typed,
    )
    assert shelf.inside("resume", hash_) == asked(hash_, QUESTION.format(hash_))
    assert shelf.inside(*answer) == needs
    acts.submitted(shelf.state, "another")
    assert shelf.inside(*answer) == needs
    unmoved(shelf, before)
    acts.submitted(shelf.state, "sess-b")
    assert shelf.inside(*answer).code == 0
    # One act answers one question, once.
    assert not acts.answered(shelf.state, "sess-b", f"passport-resume:{hash_}")


@pytest.mark.parametrize(
    "flags",
    [("--branch", "revise"), ("--proceed-unverified",), ("--reverified",), ("--yes",)],
    ids=lambda flags: flags[0],
)
def test_every_answering_flag_needs_a_person(shelf: Shelf, flags: tuple[str, ...]) -> None:
    both = replace(DECIDE, verification_status="UNVERIFIED") if "--branch" not in flags else DECIDE
    [hash_] = shelf.lay(*ledger(both if flags[0] == "--branch" else PLAIN))
    before = shelf.path.read_bytes()
    said = shelf.inside("resume", hash_, *flags)
    assert said.code == 4
    assert said.err.startswith("baton: only a person may decide this")
    unmoved(shelf, before)


def test_an_answer_is_used_up_by_what_is_written_alone(shelf: Shelf) -> None:
    """A refusal after the person's answer leaves it; the write takes it."""
    [one, two] = shelf.lay(*ledger(DECIDE, DECIDE))
    shelf.inside("inspect", one)
    acts.submitted(shelf.state, "sess-b")
    assert shelf.inside("resume", one, "--branch", "absent").code == 3
    assert shelf.inside("resume", two, "--branch", "revise").code == 4
    assert shelf.inside("resume", one, "--branch", "revise").code == 0


def test_inspect_puts_the_question_and_writes_nothing(shelf: Shelf) -> None:
    [hash_] = shelf.lay(*ledger(replace(DECIDE, mode="full")))
    before = shelf.path.read_bytes()
    said = shelf.inside("inspect", hash_)
    assert said == Said(
        0,
        f"""Boundary {hash_} awaits in {NAME}
- Completed: stage 3 (REVIEW), version v1.0, mode full
- Source session: sess-a, 2026-04-23T14:00:00Z
- Leads to: where the person decides
- Material: VERIFIED

To be asked first, and answered by the person alone:
{QUESTION.format(hash_)}
Then: baton passport resume {hash_} --branch VALUE
""",
        "",
    )
    unmoved(shelf, before)
    acts.submitted(shelf.state, "sess-b")
    assert shelf.inside("resume", hash_, "--branch", "revise").code == 0


def test_nothing_is_asked_of_a_boundary_that_cannot_be_taken(shelf: Shelf) -> None:
    """What the marks and the other work trees know is said before a person is bothered."""
    [hash_] = shelf.lay(*ledger(replace(PLAIN, verification_status="STALE")))
    before = shelf.path.read_bytes()
    assert shelf("resume", hash_, "--proceed-unverified").code == 0
    shelf.path.write_bytes(before)
    _refuses_all(shelf, hash_, "the ledger went back: here it held 2 entries")
    assert shelf("accept", NAME).code == 0
    _refuses_all(shelf, hash_, f"boundary {hash_} was already resumed at ")


def _refuses_all(shelf: Shelf, hash_: str, reason: str) -> None:
    for command in (
        ("inspect", hash_),
        ("resume", hash_),
        ("resume", hash_, "--proceed-unverified"),
        ("continue", hash_),
    ):
        said = shelf.inside(*command)
        assert (said.code, said.out) == (3, "")
        assert reason in said.err


def test_inspect_and_accept_say_what_could_not_be_compared(shelf: Shelf) -> None:
    shelf.path.parent.mkdir()
    shelf.path.write_text("a: [\n", encoding="utf-8")
    git("add", ".", cwd=shelf.root)
    git("commit", "-qm", "broken", cwd=shelf.root)
    [hash_] = shelf.lay(*ledger(PLAIN))
    said = shelf("inspect", hash_)
    assert said.code == 0
    assert f"what HEAD holds of {NAME} cannot be read: " in said.err
    said = shelf("accept", NAME)
    assert said.out == f"{NAME}: nothing to accept, the ledger has not gone back\n"
    assert f"what HEAD holds of {NAME} cannot be read: " in said.err


def test_a_note_of_what_was_resumed_that_cannot_be_read(shelf: Shelf) -> None:
    [hash_] = shelf.lay(*ledger(PLAIN))
    note = shelf.root / ".git/baton/consumed"
    note.mkdir(parents=True)
    message = (
        "baton's note of what was resumed cannot be read: not a regular file; nothing was written"
    )
    for command in (("awaiting",), ("inspect", hash_), ("resume", hash_)):
        assert shelf(*command) == refused(5, message, f"ls -ld {note}")


def test_inspect_for_scripts(shelf: Shelf) -> None:
    [old, _] = shelf.lay(*ledger(UNVERIFIED, PLAIN))
    data = json.loads(shelf("inspect", old, "--json").out)
    assert data.pop("boundary")["hash"] == old
    assert data == {
        "hash": old,
        "path": NAME,
        "superseded": True,
        "status": "UNVERIFIED",
        "questions": [
            {
                "code": "needs-reverify",
                "text": TRUST.format(old).rstrip("\n"),
                "flags": ["--reverified", "--proceed-unverified"],
            }
        ],
        "command": f"baton passport resume {old} --session sess-b --reverified",
        "commands": [
            f"baton passport resume {old} --session sess-b --reverified",
            f"baton passport resume {old} --session sess-b --proceed-unverified",
        ],
    }
    assert (
        "- Superseded: a newer boundary of this passport awaits too\n" in shelf("inspect", old).out
    )


def test_inspect_shows_where_nothing_is_asked(shelf: Shelf) -> None:
    [hash_] = shelf.lay(*ledger(PLAIN))
    said = shelf.inside("inspect", hash_, "--stage", "2")
    assert "- Leads to: stage 2 (WRITE)\n" in said.out
    assert said.out.endswith(f"\n\nThen: baton passport resume {hash_} --stage 2\n")


def test_what_inspect_proposes_is_what_was_inspected(shelf: Shelf) -> None:
    """Which passport and where to, each way to answer on a line of its own, and all of it can be typed."""
    [hash_] = shelf.lay(*ledger(UNVERIFIED))
    (shelf.root / "material_passport.yaml").write_bytes(shelf.path.read_bytes())
    said = shelf.inside(
        "inspect", hash_, "--passport", NAME, "--stage=-1", "--mode", "a mode", session="sess-b"
    )
    typed = f"baton passport resume {hash_} --passport {NAME} --stage=-1 --mode 'a mode'"
    assert said.out.endswith(
        f"\n\nThen: {typed} --reverified --yes\nor:   {typed} --proceed-unverified --yes\n"
    )


def test_what_was_typed_before_a_decision_was_asked_is_not_proposed(shelf: Shelf) -> None:
    [hash_] = shelf.lay(*ledger(DECIDE))
    said = shelf.inside("inspect", hash_, "--stage", "5", "--mode", "full", "--passport", NAME)
    assert said.out.endswith(
        f"\nThen: baton passport resume {hash_} --passport {NAME} --branch VALUE\n"
    )


@pytest.mark.parametrize("command", ["inspect", "resume", "continue"])
@pytest.mark.parametrize("stage", ["a,b", "null", "4]", " 4"])
def test_a_stage_that_could_never_end(shelf: Shelf, command: str, stage: str) -> None:
    """No tag could name it: its boundary would be refused, and the one that led to it is consumed."""
    [hash_] = shelf.lay(*ledger(PLAIN))
    before = shelf.path.read_bytes()
    said = shelf(command, hash_, "--stage", stage)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("baton: --stage must be a stage without `,`, `]`, line ends and ")
    assert said.err.endswith(f"try: baton passport {command} --help\n")
    unmoved(shelf, before)


# ---- systematic-review ----


def transcript(home: Path, session: str, *rows: str) -> None:
    """What Claude Code keeps of a session: a row with an id of its own for each message."""
    folder = home / ".claude/projects/-a-project"
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        json.dumps({"type": "user", "uuid": row, "sessionId": session}, separators=(",", ":"))
        for row in rows
    ]
    (folder / f"{session}.jsonl").write_text('{"type":"mode"}\n' + "\n".join(lines) + "\n")


ROWS = [f"430a1b2a-6ad2-4e84-8432-{number:012}" for number in range(4)]


def _same_session(hash_: str) -> Said:
    return refused(
        3,
        f"boundary {hash_} of a systematic review was emitted by this session (or one that it is a fork of); "
        "a fresh session must consume it; nothing was written",
        f"resume_from_passport={hash_}",
    )


def test_its_own_session_may_not_take_it(shelf: Shelf) -> None:
    [hash_] = shelf.lay(*ledger(REVIEW))
    assert shelf.inside("resume", hash_, session="sess-a") == _same_session(hash_)
    assert shelf.inside("resume", hash_, session="sess-b").code == 0


def test_nor_may_a_fork_of_it(shelf: Shelf, home: Path) -> None:
    [hash_] = shelf.lay(*ledger(REVIEW))
    transcript(home, "sess-a", *ROWS[:2])
    transcript(home, "fork", *ROWS[:3])
    transcript(home, "fresh", ROWS[3])
    assert shelf.inside("resume", hash_, session="fork") == _same_session(hash_)
    assert shelf.inside("resume", hash_, session="fresh").err == ""


def test_a_fork_whose_parent_is_gone_counts_as_one(shelf: Shelf, home: Path) -> None:
    [hash_] = shelf.lay(*ledger(REVIEW))
    transcript(home, "fork", *ROWS[:3])
    shelf.state.set_record("sessions/fork", {"source": "fork"})
    assert shelf.inside("resume", hash_, session="fork") == _same_session(hash_)


def test_what_could_not_be_told_is_said(shelf: Shelf) -> None:
    [hash_] = shelf.lay(*ledger(REVIEW))
    said = shelf.inside("resume", hash_, session="../elsewhere")
    assert (said.code, said.err) == (
        0,
        'baton: whether this session is a fork of "sess-a", which ended the stage, could not be checked: '
        "its transcript is not here\n",
    )


def test_other_modes_may_be_taken_by_their_own_session(shelf: Shelf) -> None:
    [hash_] = shelf.lay(*ledger(PLAIN))
    assert shelf.inside("resume", hash_, session="sess-a").code == 0


# ---- continue ----


def test_continue_is_a_persons_act(shelf: Shelf) -> None:
    [_, own] = shelf.lay(*ledger(boundary("1", "2", "sess-z"), PLAIN))
    before = shelf.path.read_bytes()
    assert shelf.inside("continue", session="sess-a").code == 4
    unmoved(shelf, before)
    acts.submitted(shelf.state, "sess-a")
    said = shelf.inside("continue", session="sess-a")
    assert said == Said(
        0,
        acknowledged(own) + "From here on the passport is the only input. "
        "What this session remembers of earlier stages does not count.\n",
        "",
    )
    assert entries(shelf)[2]["session_marker"] == "sess-a"


def test_continue_asks_what_a_resume_would_ask(shelf: Shelf) -> None:
    [hash_] = shelf.lay(*ledger(DECIDE))
    said = shelf.inside("continue", hash_, session="sess-a")
    assert said == asked(hash_, QUESTION.format(hash_))
    acts.submitted(shelf.state, "sess-a")
    assert shelf.inside("continue", hash_, "--branch", "revise", session="sess-a").code == 0


def test_a_systematic_review_never_continues(shelf: Shelf) -> None:
    [hash_] = shelf.lay(*ledger(REVIEW))
    before = shelf.path.read_bytes()
    said = shelf("continue", hash_, session="sess-a")
    assert said == Said(
        3,
        f"""### Resume Instruction
- Passport file: {NAME}
- In a fresh Claude Code session: resume_from_passport={hash_}
- Only a fresh session saves the tokens: it reads the passport, not this conversation.
""",
        "baton: a systematic review goes on in a fresh session only; nothing was written\n"
        f"try: resume_from_passport={hash_}\n",
    )
    assert (
        json.loads(shelf("continue", hash_, "--json").out)["error"]["code"] == "in-session-refused"
    )
    unmoved(shelf, before)


def test_nothing_to_continue(shelf: Shelf) -> None:
    shelf.lay(*ledger(PLAIN))
    assert shelf("continue", session="sess-q") == refused(
        3, f"{NAME}: no boundary of this session awaits; nothing was written", LOOK
    )


# ---- typed behind the slash command ----

TYPED = [
    ("a hash", "{0}", 0, ""),
    ("the line itself", "resume_from_passport={0}", 0, ""),
    ("a stage", "{0} stage=2", 0, "[override: stage=2; recorded: stage 2.5 (INTEGRITY)]"),
    ("a mode that asks", "{0} stage=2 mode=full", 0, "mode full for stage 2 (WRITE): no mode was recorded"),
    ("nothing", "", 0, "baton: HASH is missing; nothing was done\n"),
    ("more words", "{0} please", 0, 'baton: "please" behind the hash is no stage=… or mode=… of its own; '),
    ("quotes", '"{0}"', 0, "baton: a hash is exactly 12 of the digits 0-9a-f, in lower case"),
    ("an injection", "$(touch x); {0}", 0, '0-9a-f, in lower case, got "$(touch" (7 characters)'),
    ("an injection behind it", "{0} stage=$(touch x)", 0, 'baton: "x)" behind the hash'),
    ("another order", "stage=3 {0}", 0, 'got "stage=3" (7 characters)'),
]  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "code", "said"), [c[1:] for c in TYPED], ids=[c[0] for c in TYPED]
)
def test_what_was_typed(
    repo: Path, packages: Path, baton: Here, typed: str, code: int, said: str
) -> None:
    shelf = Shelf(repo, baton)
    [hash_] = shelf.lay(*ledger(PLAIN))
    done = run_baton(
        "passport", "resume", "--words", "--inline", cwd=repo, stdin=typed.format(hash_).encode()
    )
    assert done.code == code
    assert said in done.out if said else done.out.startswith("### Resume Acknowledged")
    assert not (repo / "x").exists()
