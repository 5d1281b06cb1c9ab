"""What a boundary says of a checkpoint, and what the ledger's entries make of the log."""

from __future__ import annotations

from dataclasses import replace

import pytest

from baton.core.errors import BatonError
from baton.core.passport.chain_hash import PLACEHOLDER, sealed
from baton.core.passport.entry import Boundary, Entry, Override, Resume
from baton.core.passport.ledger import Ledger
from baton.core.pipeline import event as events
from baton.core.pipeline import fold, handover
from baton.core.pipeline.asking import Ask, Facts
from baton.core.pipeline.event import Entry as Logged
from baton.core.pipeline.state import Pipeline
from pipelines import CHANGED, DRAFT, MOMENT, NOTHING, REPORT, Course


class Handed:
    """A pipeline that hands over, beside its ledger."""

    def __init__(self, mode: str | None = "full") -> None:
        self.course = Course("1", mode, reset=True)
        self.ledger: list[Entry] = []

    @property
    def pipeline(self) -> Pipeline:
        """Where it stands."""
        return self.course.pipeline

    def over(self, *done: events.Event) -> Pipeline:
        """Let a stage's work be over, its checkpoint not reached."""
        found = self.pipeline
        for event in done:
            found = fold.applied(found, Logged(MOMENT, "s", event))
        return found

    def left(self, pipeline: Pipeline) -> Boundary:
        """Leave the boundary of a stage whose work is over."""
        draft = handover.draft(pipeline, NOTHING)
        made = Boundary(
            PLACEHOLDER, draft.stage, draft.next, MOMENT, "sess-a", "v1.0", draft.mode, draft.status, None,
            draft.decision,
        )  # fmt: skip
        found = sealed([each for each in self.ledger if isinstance(each, Boundary)], made)
        self.ledger.append(found)
        return found

    def resumed(
        self, boundary: Boundary, branch: str | None = None, override: Override | None = None
    ) -> Resume:
        """Take a hand-over in the ledger."""
        resume = Resume(boundary.hash, MOMENT, "sess-b", branch, override)
        self.ledger.append(resume)
        return resume

    def read(self) -> Ledger:
        """The ledger as it is read."""
        consumed = {
            each.consumes_hash: index
            for index, each in enumerate(self.ledger)
            if isinstance(each, Resume)
        }
        return Ledger(tuple(self.ledger), tuple(range(len(self.ledger))), consumed)

    def due(self, pipeline: Pipeline) -> events.Event | None:
        """What the ledger knows and the log does not."""
        return handover.due(pipeline, self.read(), NOTHING)


def ended(handed: Handed, *done: events.Event) -> tuple[Pipeline, Boundary]:
    """End a stage with its boundary; where it then stands."""
    over = handed.over(*done)
    boundary = handed.left(over)
    event = handed.due(over)
    assert isinstance(event, events.Reached)
    found = fold.applied(over, Logged(MOMENT, "s", event))
    assert found.checkpoint is not None and found.checkpoint.hash == boundary.hash
    return found, boundary


def at(stage: str) -> Handed:
    """A pipeline that hands over, at work on a stage."""
    handed = Handed()
    found = handed.course
    while found.pipeline.current != stage:
        found.end()
        point = found.pipeline.checkpoint
        if point:
            found.put(
                events.Taken(point.hash or "", "s", "", "", point.to, point.to, None, False, "")
            )
    return handed


FAILED = events.Checked("2.5", "fail", REPORT, DRAFT, 1, ("a citation",), True)
PASSED = events.Checked("2.5", "pass", REPORT, DRAFT, None, (), False)
FINAL = events.Checked("4.5", "pass", REPORT, DRAFT, 0, (), False)
FINAL_FAILED = replace(FAILED, stage="4.5", items=())

# Behind which stage, what ended it, what next says, what may be chosen: value, where to, in which mode.
OPTIONS: list[tuple[str, events.Event, str | None, list[tuple[str, str | None, str | None]]]] = [
    ("1", events.Finished("1", ()), "2", []),
    ("2.5", PASSED, "3", []),
    (
        "2.5", FAILED, "2.5",
        [("by-hand", "2.5", None), ("remove-citations", "2.5", None), ("go-on-unverified", "3", None)],
    ),
    ("3", events.Decided("3", "accept", ()), "4.5", []),
    *(
        (
            "3", events.Decided("3", decision, ()), "4",
            [("revise", "4", "revision"), ("restructure", "2", "plan"), ("abort", None, None)],
        )
        for decision in ("minor", "major")
    ),
    (
        "3", events.Decided("3", "reject", ()), None,
        [("restructure", "2", "plan"), ("abort", None, None)],
    ),
    ("3'", events.Decided("3'", "minor", ()), "4.5", []),
    (
        "3'", events.Decided("3'", "major", ()), "4'",
        [("revise", "4'", "revision"), ("abort", None, None)],
    ),
    (
        "4.5", FINAL, "5",
        [(form, "5", "format-convert") for form in ("docx", "latex", "pdf", "md")],
    ),
    (
        "4.5", FINAL_FAILED, "4.5",
        [("by-hand", "4.5", None), ("remove-citations", "4.5", None), ("go-on-unverified", "5", None)],
    ),
    ("5", events.Finished("5", ()), None, []),
]  # fmt: skip


@pytest.mark.parametrize(("stage", "end", "following", "offered"), OPTIONS)
def test_what_a_boundary_offers(
    stage: str,
    end: events.Event,
    following: str | None,
    offered: list[tuple[str, str | None, str | None]],
) -> None:
    handed = at(stage)
    over = handed.over(end)
    draft = handover.draft(over, NOTHING)
    options = draft.decision.options if draft.decision else ()
    assert (draft.stage, draft.next) == (stage, following)
    assert [(each.value, each.next_stage, each.next_mode) for each in options] == offered
    assert handover.needs_boundary(over)


def test_slim_checkpoints_and_pipelines_without_hand_overs_leave_none() -> None:
    handed = at("4")
    over = handed.over(events.Finished("4", ()))
    assert handover.needs_boundary(over)
    slim = replace(over, continues=2)
    assert not handover.needs_boundary(slim)
    assert not handover.needs_boundary(replace(over, reset=False))
    handed.left(over)
    assert handed.due(slim) is None


def test_questions() -> None:
    def question(stage: str, end: events.Event, **changes: object) -> str:
        handed = at(stage)
        over = replace(handed.over(end), **changes)  # type: ignore[arg-type]
        decision = handover.decision(over, stage)
        assert decision is not None
        return decision.question

    assert (
        question("3", events.Decided("3", "major", ()))
        == "The review asks for a major revision. What now?"
    )
    assert question("4.5", FINAL) == "Which format is the final paper to have?"
    assert question("2.5", FAILED).startswith(
        "Stage 2.5 did not pass after 3 rounds of correction: a citation."
    )
    assert question("3'", events.Decided("3'", "major", ()), rerevised=1) == (
        "The re-review asks for one more major revision, and there is none left. What now?"
    )


def test_verification_status() -> None:
    handed = at("2.5")
    assert handover.status(at("2").over(events.Finished("2", ())), NOTHING) is None
    passed = handed.over(PASSED)
    assert handover.status(passed, NOTHING) == "VERIFIED"
    assert handover.status(passed, CHANGED) == "STALE"
    assert handover.status(handed.over(FAILED), NOTHING) == "UNVERIFIED"
    review = at("3")
    assert handover.status(review.over(events.Decided("3", "minor", ())), CHANGED) == "VERIFIED"
    unverified = replace(at("4").pipeline)
    unverified = unverified.with_stage("2.5", verdict="UNVERIFIED")
    assert handover.status(unverified, NOTHING) == "UNVERIFIED"
    assert handover.status(at("4").pipeline, NOTHING) is None
    final = at("4.5").over(FINAL)
    assert handover.status(final.with_stage("2.5", verdict="UNVERIFIED"), NOTHING) == "UNVERIFIED"
    assert handover.status(Course("5", None).have("Paper Draft").confirm(), NOTHING) is None


def test_a_systematic_review_is_one_from_its_first_stage_on() -> None:
    assert Handed("systematic-review").pipeline.whole_mode == "systematic-review"
    assert Handed("full").pipeline.whole_mode == "full"
    switched = Handed("review").pipeline.with_stage("1", mode="systematic-review")
    assert switched.whole_mode == "systematic-review"


# ---- what the ledger knows ----


def test_a_boundary_without_its_checkpoint_is_taken_in_once() -> None:
    handed = Handed()
    found, _ = ended(handed, events.Finished("1", ()))
    assert handed.due(found) is None


def test_a_boundary_that_somebody_else_left_passes_no_gate() -> None:
    handed = Handed()
    over = handed.over(events.Finished("1", ()))
    handed.left(over)
    assert handed.due(handed.pipeline) is None
    [boundary] = handed.read().boundaries
    handed.ledger = [replace(boundary, stage="2.5")]
    assert handed.due(over) is None


def test_what_the_ledger_held_before_the_pipeline_began_is_not_its_own() -> None:
    handed = Handed()
    over = handed.over(events.Finished("1", ()))
    handed.left(over)
    assert handed.due(replace(over, entries=1)) is None


def test_a_resume_without_its_stage_is_taken_in_once() -> None:
    handed = Handed()
    found, boundary = ended(handed, events.Finished("1", ()))
    handed.resumed(boundary)
    event = handed.due(found)
    assert event == events.Taken(boundary.hash, "sess-b", MOMENT, "", "2", "2", "full", False, "")
    after = fold.applied(found, Logged(MOMENT, "s", event))
    assert (after.current, after.resumed_at, after.stage.state) == ("2", MOMENT, "in_progress")
    assert handed.due(after) is None


def test_a_mandatory_checkpoint_waits_for_a_person_beside_it() -> None:
    handed = at("2.5")
    found, boundary = ended(handed, PASSED)
    handed.resumed(boundary)
    event = handed.due(found)
    assert isinstance(event, events.Taken)
    assert (event.to, event.planned) == ("", "3")
    confirmed = fold.applied(found, Logged(MOMENT, "s", events.Confirmed("2.5", "", None)))
    event = handed.due(confirmed)
    assert isinstance(event, events.Taken)
    assert event.to == "3"


def test_a_gate_whose_draft_changed_stays_shut_whatever_the_ledger_says() -> None:
    """The hand-over was taken where no log was at hand, after a person had confirmed it."""
    handed = at("2.5")
    found, boundary = ended(handed, PASSED)
    resume = handed.resumed(boundary)
    confirmed = fold.applied(found, Logged(MOMENT, "s", events.Confirmed("2.5", "", None)))
    event = handover.taken(confirmed, boundary, resume, CHANGED)
    assert (event.to, event.planned, event.refused) == ("", "3", "")


ROUTES = [
    ("revise", None, "4", "revision", False, ""),
    ("restructure", None, "2", "plan", False, ""),
    ("abort", None, "ABORT", None, False, ""),
    ("revise", Override("2"), "2", None, True, ""),
    ("revise", Override(mode="revision-coach"), "4", "revision-coach", False, ""),
    ("revise", Override("5"), "", None, False, "5"),
    ("revise", Override("9"), "", None, False, "9"),
]  # fmt: skip


@pytest.mark.parametrize(("branch", "override", "to", "mode", "rerun", "refused"), ROUTES)
def test_where_a_choice_leads(
    branch: str, override: Override | None, to: str, mode: str | None, rerun: bool, refused: str
) -> None:
    handed = at("3")
    found, boundary = ended(handed, events.Decided("3", "major", ()))
    handed.resumed(boundary, branch, override)
    event = handed.due(found)
    assert isinstance(event, events.Taken)
    assert (event.to, event.rerun, event.refused) == (to, rerun, refused)
    if to and not rerun:
        assert event.mode == mode
    if rerun:
        # Which is no answer to the choice.
        assert event.branch == ""


def test_after_the_last_stage_a_hand_over_ends_the_pipeline() -> None:
    handed = at("5")
    found, boundary = ended(handed, events.Finished("5", ()))
    handed.resumed(boundary)
    event = handed.due(found)
    assert isinstance(event, events.Taken)
    assert event.to == "END"
    after = fold.applied(found, Logged(MOMENT, "s", event))
    assert (after.now, after.resumed_at) == ("completed", "")


# ---- before anything is written ----


def objection(
    found: Pipeline, boundary: Boundary, stage: str | None = None, facts: Facts = NOTHING
) -> tuple[str, str]:
    """The refusal of a hand-over."""
    resume = Resume(boundary.hash, MOMENT, "s", None, Override(stage) if stage else None)
    with pytest.raises(BatonError) as caught:
        handover.objection(found, boundary, resume, facts)
    return caught.value.code, caught.value.message.removesuffix("; nothing was recorded")


def test_objections() -> None:
    handed = at("2.5")
    found, boundary = ended(handed, PASSED)
    assert objection(found, boundary, "5") == (
        "illegal-transition", "stage 2.5 cannot lead to 5: no rule leads from stage 2.5 to stage 5",
    )  # fmt: skip
    assert objection(found, boundary, None, CHANGED)[0] == "integrity-void"
    passed_over = fold.applied(found, Logged(MOMENT, "s", events.Confirmed("2.5", "3", None)))
    assert objection(passed_over, boundary) == (
        "illegal-transition",
        f"boundary {boundary.hash} is not the one that the pipeline stands at (stage 3 is in_progress)",
    )
    gone = fold.applied(found, Logged(MOMENT, "s", events.Aborted("")))
    assert objection(gone, boundary) == (
        "illegal-transition",
        "the pipeline is aborted: nothing follows",
    )
    handed = at("2")
    found, boundary = ended(
        handed, events.Recorded("Paper Draft", (DRAFT,)), events.Finished("2", ())
    )
    assert objection(found, boundary, None, Facts({"draft.md": None}))[0] == "missing-material"
    assert objection(found, boundary, "3")[1].endswith(
        ": stage 2.5 cannot be passed over: the integrity check is mandatory"
    )
    # What runs again wants nothing of the stage that was to come, and a foreign boundary is nobody's business.
    resume = Resume(boundary.hash, MOMENT, "s", None, Override("1"))
    handover.objection(found, boundary, resume, Facts({"draft.md": None}))
    foreign = replace(boundary, hash="f" * 12)
    handover.objection(found, foreign, replace(resume, consumes_hash=foreign.hash), NOTHING)


def test_what_runs_again_is_shown() -> None:
    handed = at("2")
    found, boundary = ended(handed, events.Finished("2", ()))

    def shown(stage: str | None) -> str:
        override = Override(stage) if stage else None
        return handover.rerun(found, boundary, Resume(boundary.hash, MOMENT, "s", None, override))

    assert shown("1") == (
        "Stage 1 runs again (attempt 2, after version v1.0): 1, 2 pend again. Materials are kept, and so is what is "
        "counted: rounds of correction 0/3 at 2.5, 0/3 at 4.5, re-revisions 0/1"
    )
    assert (shown(None), shown("2.5"), shown("5")) == ("", "", "")


def test_what_runs_again_keeps_what_is_counted() -> None:
    handed = at("2.5")
    handed.course.check("fail", 1)
    found, boundary = ended(handed, PASSED)
    handed.resumed(boundary, None, Override("2"))
    event = handed.due(found)
    assert isinstance(event, events.Taken) and event.rerun
    after = fold.applied(found, Logged(MOMENT, "s", event))
    stages = after.stages
    assert (after.current, stages["2"].attempt, stages["2"].version) == ("2", 2, "v1.0")
    assert (stages["2.5"].state, stages["2.5"].checks, stages["2.5"].verdict) == ("pending", 2, "")
    assert after.materials == found.materials


# ---- what the session's notice asks ----


def test_whether_a_stage_is_still_at_work() -> None:
    handed = Handed()
    found, boundary = ended(handed, events.Finished("1", ()))
    resume = handed.resumed(boundary)
    assert handover.still_at_work([], resume, "2")
    assert handover.still_at_work([found], resume, "2")
    event = handed.due(found)
    assert event is not None
    after = fold.applied(found, Logged(MOMENT, "s", event))
    assert handover.still_at_work([after], resume, "2")
    assert handover.still_at_work([after], resume, "write")
    ended_ = fold.applied(after, Logged(MOMENT, "s", events.Aborted("")))
    assert not handover.still_at_work([ended_], resume, "2")
    later = fold.applied(after, Logged(MOMENT, "s", events.Finished("2", ())))
    later = fold.applied(
        later, Logged(MOMENT, "s", events.Reached("2", "SLIM", False, "v1", None, "2.5", None))
    )
    assert not handover.still_at_work([later], resume, "2")


def test_artefacts_are_listed_by_reference() -> None:
    found = Course().have("Bibliography").pipeline
    assert handover.artefacts(found) == ["Bibliography: Bibliography0.md (sha256 000000000000)"]
    assert Ask("resume") == handover._NOTHING
