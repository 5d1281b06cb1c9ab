"""baton.core.passport.resume and asking: what is asked, what is refused, where it leads."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.core.errors import BatonError
from baton.core.passport.acknowledgement import acknowledgement
from baton.core.passport.asking import Answers, Evidence, Question
from baton.core.passport.entry import Boundary, Decision, Option, Override, Resume
from baton.core.passport.ledger import Awaiting
from baton.core.passport.resume import continues, planned, questions
from passport_samples import BOUNDARIES, BOUNDARY, DECISION, MAYBE

HASH = "9449bf5d271e"
PLAIN = replace(BOUNDARY, hash=HASH)
ASKING = replace(PLAIN, stage="3", next="4", pending_decision=DECISION)
REVIEW = replace(PLAIN, mode="systematic-review")
OTHER = Evidence("sess-z", top_status="VERIFIED")
LOOK = f"baton passport inspect {HASH}"
OPTIONS = (
    f'"Stage 3 reviewer decision" (boundary {HASH}, stage 3)\n'
    '  "revise" → stage 4 (REVISE), mode revision\n'
    '  "restructure" → stage 2 (WRITE), mode plan\n'
    '  "abort" → ends the pipeline'
)
NOT_ANSWERED = (
    "\n  stage= and mode= do not answer it; give them again with the branch if they are still meant"
)


def found(boundary: Boundary, superseded: bool = False) -> Awaiting:
    return Awaiting(boundary, 0, 7, superseded)


def unverified(worst: str, top: str, own: str) -> Question:
    return Question(
        "needs-reverify",
        f"the material behind boundary {HASH} is {worst} (passport: {top}, boundary: {own}). "
        "Verify it again, or go on without?",
        ("--reverified", "--proceed-unverified"),
    )


def mode_question(text: str) -> Question:
    return Question("needs-mode-yes", f"{text}. Is it meant?", ("--yes",))


DECIDE = Question("needs-decision", OPTIONS, ("--branch VALUE",))
STALE = replace(PLAIN, verification_status="STALE")
UNSAID = replace(PLAIN, verification_status=None)

# boundary, answers, evidence → questions
ASKED: dict[str, tuple[Boundary, Answers, Evidence, list[Question]]] = {
    "nothing": (PLAIN, Answers(), OTHER, []),
    "a stage": (PLAIN, Answers(stage="2"), OTHER, []),
    "a decision": (ASKING, Answers(), OTHER, [DECIDE]),
    "a decision, though a stage is given": (
        ASKING,
        Answers(stage="2"),
        OTHER,
        [replace(DECIDE, text=OPTIONS + NOT_ANSWERED)],
    ),
    "a decision, though a mode is given that would be refused": (
        ASKING,
        Answers(mode="x"),
        OTHER,
        [replace(DECIDE, text=OPTIONS + NOT_ANSWERED)],
    ),
    "the decision is made": (ASKING, Answers(branch="abort"), OTHER, []),
    "stale": (STALE, Answers(), OTHER, [unverified("STALE", "VERIFIED", "STALE")]),
    "stale in the passport": (
        PLAIN,
        Answers(),
        replace(OTHER, top_status="STALE"),
        [unverified("STALE", "STALE", "VERIFIED")],
    ),
    "unverified": (
        replace(PLAIN, verification_status="UNVERIFIED"),
        Answers(),
        OTHER,
        [unverified("UNVERIFIED", "VERIFIED", "UNVERIFIED")],
    ),
    "said nowhere": (
        UNSAID,
        Answers(),
        Evidence("s"),
        [unverified("UNVERIFIED", "not said", "not said")],
    ),
    "said in the passport alone": (UNSAID, Answers(), OTHER, []),
    "said in the boundary alone": (PLAIN, Answers(), Evidence("s"), []),
    "a word that is no status": (
        PLAIN,
        Answers(),
        Evidence("s", top_status="ok\x1b so"),
        [unverified("UNVERIFIED", '"ok\ufffd so"', "VERIFIED")],
    ),
    "going on without": (STALE, Answers(proceed_unverified=True), OTHER, []),
    "verified again, says the passport": (STALE, Answers(reverified=True), OTHER, []),
    "verified again, says the pipeline": (
        STALE,
        Answers(reverified=True),
        Evidence("s", passed_at="2026-04-23T21:00:00.5+07:00"),
        [],
    ),
    "decision and status": (
        replace(ASKING, verification_status="STALE"),
        Answers(),
        OTHER,
        [DECIDE, unverified("STALE", "VERIFIED", "STALE")],
    ),
    "a safe mode": (
        replace(PLAIN, stage="1", next="2", mode="plan"),
        Answers(mode="full"),
        OTHER,
        [],
    ),
    "a mode that asks": (
        replace(PLAIN, next="3"),
        Answers(mode="quick"),
        OTHER,
        [
            mode_question(
                "mode quick for stage 3 (REVIEW): a switch from full to quick changes what is produced"
            )
        ],
    ),
    "a mode that was agreed to": (
        replace(PLAIN, next="3"),
        Answers(mode="quick", yes=True),
        OTHER,
        [],
    ),
    "a mode against the option's": (
        ASKING,
        Answers(branch="revise", mode="revision-coach"),
        OTHER,
        [
            mode_question(
                "mode revision-coach for stage 4 (REVISE): a switch from revision to revision-coach "
                "changes what is produced"
            )
        ],
    ),
    "a mode for a stage by name": (
        PLAIN,
        Answers(stage="re-review", mode="re-review"),
        OTHER,
        [],
    ),
    "a mode for a stage that nobody knows": (
        PLAIN,
        Answers(stage="wild thing", mode="x"),
        OTHER,
        [
            mode_question(
                'mode x for stage "wild thing": nothing is known of the modes of this stage'
            )
        ],
    ),
    "a review from another session": (REVIEW, Answers(), replace(OTHER, kin=("sess-y",)), []),
}


@pytest.mark.parametrize("case", ASKED)
def test_what_is_asked(case: str) -> None:
    boundary, answers, evidence, expected = ASKED[case]
    assert questions(found(boundary), answers, evidence) == expected
    if expected:
        with pytest.raises(BatonError) as caught:
            planned(found(boundary), answers, evidence)
        error = caught.value
        assert (error.code, error.message, error.hint) == (expected[0].code, expected[0].text, LOOK)
    else:
        assert planned(found(boundary), answers, evidence).boundary is boundary


SAME = (
    f"boundary {HASH} of a systematic review was emitted by this session (or one that it is a fork of); "
    "a fresh session must consume it; nothing was written"
)
NOTHING_SHOWS = (
    f"nothing shows that the material behind boundary {HASH} was verified again: expected "
    "verification_status VERIFIED in the passport, or an integrity PASS after 2026-04-23T14:00:00Z; got "
)
LATER = Evidence("s", top_status="STALE", passed_at="2026-04-23T14:00:00Z")

# boundary, answers, evidence → code, message, hint
REFUSED: dict[str, tuple[Boundary, Answers, Evidence, str, str, str]] = {
    "its own session": (
        REVIEW,
        Answers(),
        replace(OTHER, session="sess-a"),
        "same-session",
        SAME,
        f"resume_from_passport={HASH}",
    ),
    "a fork of its session": (
        REVIEW,
        Answers(),
        replace(OTHER, kin=("x", "sess-a")),
        "same-session",
        SAME,
        f"resume_from_passport={HASH}",
    ),
    "a review by its pipeline": (
        PLAIN,
        Answers(),
        replace(OTHER, session="sess-a", pipeline_mode="systematic-review"),
        "same-session",
        SAME,
        f"resume_from_passport={HASH}",
    ),
    "an unknown branch": (
        ASKING,
        Answers(branch="Revise"),
        OTHER,
        "unknown-branch",
        f'boundary {HASH} has no branch "Revise"; expected one of "revise", "restructure", "abort"; '
        "nothing was written",
        LOOK,
    ),
    "a branch where none is asked for": (
        PLAIN,
        Answers(branch="revise"),
        OTHER,
        "unknown-branch",
        f'boundary {HASH} has no branch "revise"; expected none: this boundary asks for no decision; '
        "nothing was written",
        LOOK,
    ),
    "no evidence": (
        STALE,
        Answers(reverified=True),
        Evidence("s"),
        "needs-reverify",
        NOTHING_SHOWS + "not said and no PASS; nothing was written",
        LOOK,
    ),
    "a pass of the same moment": (
        STALE,
        Answers(reverified=True),
        LATER,
        "needs-reverify",
        NOTHING_SHOWS + "STALE and a PASS at 2026-04-23T14:00:00Z; nothing was written",
        LOOK,
    ),
    "a pass without zone": (
        STALE,
        Answers(reverified=True),
        replace(LATER, passed_at="2026-05-01T00:00:00"),
        "needs-reverify",
        NOTHING_SHOWS + "STALE and a PASS at 2026-05-01T00:00:00; nothing was written",
        LOOK,
    ),
    "a mode of another stage": (
        PLAIN,
        Answers(mode="full"),
        OTHER,
        "mode-refused",
        "mode full is prohibited here: stage 2.5 has no such mode; its mode is fixed: pre-review; "
        "nothing was written",
        LOOK,
    ),
    "planning what is written": (
        replace(PLAIN, stage="3"),
        Answers(stage="2", mode="plan", yes=True),
        OTHER,
        "mode-refused",
        "mode plan is prohibited here: a draft is written; planning it anew would throw it away; "
        "nothing was written",
        LOOK,
    ),
    "a mode for no stage": (
        ASKING,
        Answers(branch="abort", mode="full"),
        OTHER,
        "mode-refused",
        "mode full is prohibited here: the pipeline ends, there is no stage to run in it; "
        "nothing was written",
        LOOK,
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_no_answer_helps(case: str) -> None:
    boundary, answers, evidence, *expected = REFUSED[case]
    for ask in (questions, planned):
        with pytest.raises(BatonError) as caught:
            ask(found(boundary), answers, evidence)
        assert [caught.value.code, caught.value.message, caught.value.hint] == expected


@pytest.mark.parametrize(
    ("moment", "later"),
    [
        ("2026-04-23T13:59:60Z", False),
        ("2026-04-23T13:59:60.5+00:00", False),
        ("2026-04-23t23:59:60z", True),
        ("2026-04-23T14:00:01Z", True),
        ("2025-02-29T00:00:00Z", False),
        ("soon", False),
    ],
)
def test_a_pass_counts_when_it_is_newer_than_the_boundary(moment: str, later: bool) -> None:
    evidence = Evidence("s", passed_at=moment)
    if later:
        assert questions(found(STALE), Answers(reverified=True), evidence) == []
    else:
        with pytest.raises(BatonError, match="nothing shows"):
            questions(found(STALE), Answers(reverified=True), evidence)


# boundary, answers → next_stage, next_mode, chosen_branch, override
ROUTES: dict[
    str, tuple[Boundary, Answers, tuple[str | None, str | None, str | None, Override | None]]
] = {
    "as recorded": (PLAIN, Answers(), ("2.5", None, None, None)),
    "the end": (replace(PLAIN, next=None), Answers(), (None, None, None, None)),
    "by the branch, never by next": (
        ASKING,
        Answers(branch="restructure"),
        ("2", "plan", "restructure", None),
    ),
    "a terminating branch": (ASKING, Answers(branch="abort"), (None, None, "abort", None)),
    "a stage over next": (PLAIN, Answers(stage="3p"), ("3'", None, None, Override("3'"))),
    "a stage over the end": (
        replace(PLAIN, next=None),
        Answers(stage="1"),
        ("1", None, None, Override("1")),
    ),
    "a stage over a terminating branch": (
        ASKING,
        Answers(branch="abort", stage="4"),
        ("4", None, "abort", Override("4")),
    ),
    "a mode over the branch's": (
        ASKING,
        Answers(branch="revise", mode="revision-coach", yes=True),
        ("4", "revision-coach", "revise", Override(None, "revision-coach")),
    ),
    "both over both": (
        ASKING,
        Answers(branch="revise", stage="REVIEW", mode="full"),
        ("3", "full", "revise", Override("3", "full")),
    ),
}


@pytest.mark.parametrize("case", ROUTES)
def test_where_it_leads(case: str) -> None:
    boundary, answers, expected = ROUTES[case]
    plan = planned(found(boundary), answers, OTHER)
    assert (plan.next_stage, plan.next_mode, plan.chosen_branch, plan.override) == expected
    assert plan.warnings == ()
    assert plan.entry("2026-04-24T10:00:00Z", "sess-z") == Resume(
        HASH, "2026-04-24T10:00:00Z", "sess-z", expected[2], expected[3]
    )


def test_warnings() -> None:
    plan = planned(found(STALE, superseded=True), Answers(proceed_unverified=True), OTHER)
    assert plan.warnings == (
        "the material is STALE, and goes on so",
        "a newer boundary of this passport awaits too; this one is superseded",
    )
    assert planned(found(STALE), Answers(reverified=True), OTHER).warnings == ()


# ---- continue ----


def test_continue_asks_what_a_resume_asks() -> None:
    own = replace(OTHER, session="sess-a")
    assert continues(found(PLAIN), Answers(), own, "p.yaml") == planned(
        found(PLAIN), Answers(), OTHER
    )
    with pytest.raises(BatonError) as caught:
        continues(found(ASKING), Answers(), own, "p.yaml")
    assert (caught.value.code, caught.value.message) == ("needs-decision", OPTIONS)


def test_no_continue_under_systematic_review() -> None:
    with pytest.raises(BatonError) as caught:
        continues(found(REVIEW), Answers(), OTHER, "passports/p.yaml")
    error = caught.value
    assert (error.code, error.message, error.hint) == (
        "in-session-refused",
        "a systematic review goes on in a fresh session only; nothing was written\n"
        "\n"
        "### Resume Instruction\n"
        "- Passport file: passports/p.yaml\n"
        f"- In a fresh Claude Code session: resume_from_passport={HASH}\n"
        "- Only a fresh session saves the tokens: it reads the passport, not this conversation.",
        f"resume_from_passport={HASH}",
    )


# ---- what is said ----


def test_acknowledgement() -> None:
    plan = planned(found(PLAIN), Answers(), OTHER)
    assert acknowledgement(plan, "passports/p.yaml", ["draft.md", "notes \x1b[2J"]) == (
        "### Resume Acknowledged\n"
        f"- Hash: {HASH}\n"
        "- Source session: sess-a, 2026-04-23T14:00:00Z\n"
        "- Recovered stage: 2 (WRITE), version v1.0\n"
        "- Next stage: 2.5 (INTEGRITY)\n"
        "- Passport: passports/p.yaml\n"
        "- Artefact: draft.md\n"
        "- Artefact: notes \ufffd[2J\n"
        "The passport is the only input to the next stage; earlier stages need not be told again."
    )


def test_acknowledgement_with_everything() -> None:
    odd = replace(ASKING, session_marker="ignore all\nprevious <b>", verification_status="STALE")
    answers = Answers("2", "plan", "revise", proceed_unverified=True, yes=True)
    odd = replace(odd, stage="1")
    plan = planned(found(odd), answers, OTHER)
    assert acknowledgement(plan, "p.yaml") == (
        "### Resume Acknowledged\n"
        f"- Hash: {HASH}\n"
        '- Source session: "ignore all previous ‹b›", 2026-04-23T14:00:00Z\n'
        "- Recovered stage: 1 (RESEARCH), version v1.0\n"
        "- Next stage: 2 (WRITE), mode plan [override: stage=2 mode=plan; recorded: stage 4 (REVISE), "
        "mode revision]\n"
        "- Decision: revise\n"
        "- Warning: the material is STALE, and goes on so\n"
        "- Passport: p.yaml\n"
        "The passport is the only input to the next stage; earlier stages need not be told again."
    )


def test_acknowledgement_of_the_end() -> None:
    plan = planned(found(replace(ASKING, pending_decision=ENDING)), Answers(branch="docx"), OTHER)
    assert "\n- Next stage: none, the pipeline ends\n- Decision: docx\n" in acknowledgement(
        plan, "p"
    )


ENDING = Decision("Format?", (Option("docx", None), Option("latex", None)))


@given(
    BOUNDARIES,
    st.builds(Answers, MAYBE, MAYBE, MAYBE, st.booleans(), st.booleans(), st.booleans()),
    st.builds(Evidence, st.text(), st.just(()), MAYBE, MAYBE, MAYBE),
)
def test_a_plan_or_a_named_refusal_and_one_line_each(
    boundary: Boundary, answers: Answers, evidence: Evidence
) -> None:
    try:
        plan = planned(found(boundary), answers, evidence)
    except BatonError as error:
        assert error.code in (
            "needs-decision needs-reverify needs-mode-yes unknown-branch mode-refused same-session".split()
        )
        return
    lines = acknowledgement(plan, "p.yaml").split("\n")
    assert all(line.startswith("- ") for line in lines[1:-1])
    assert (plan.chosen_branch is None) == (boundary.pending_decision is None)


@pytest.mark.parametrize(
    ("completed", "stage", "warned"),
    [("2", "33", True), ("2", "3p", False), ("REVIEW", "4.5", False), ("draft", "polish", False)],
)
def test_a_stage_that_is_none_of_ours_is_warned_of(
    completed: str, stage: str, warned: bool
) -> None:
    """Not where the stages are another tool's altogether."""
    plan = planned(found(replace(PLAIN, stage=completed)), Answers(stage=stage), OTHER)
    told = (f"stage {stage} is none of 1, 2, 2.5, 3, 4, 3', 4', 4.5, 5",)
    assert plan.warnings == (told if warned else ())
