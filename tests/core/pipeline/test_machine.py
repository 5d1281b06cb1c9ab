"""What the commands come to: levels, rounds, choices, skips, risks, modes, and what is kept."""

from __future__ import annotations

import pytest

from baton.core.pipeline import checkpoints, fold, machine, materials, routes, tables
from baton.core.pipeline import event as events
from baton.core.pipeline.asking import Ask, Facts
from pipelines import CHANGED, DRAFT, MOMENT, NOTHING, REPORT, Course, course, files


def levels(found: Course) -> list[str]:
    """The levels of all checkpoints so far."""
    return [e.event.level for e in found.entries if isinstance(e.event, events.Reached)]


# ---- levels ----


def test_the_first_checkpoint_and_the_mandatory_ones_are_full_ordinary_ones_grow_slim() -> None:
    found = course("5")
    found.end()
    # 1 and 2 are the first two; 2.5 and 3 are MANDATORY; 4 comes after four plain confirmations.
    assert levels(found) == ["FULL", "FULL", "FULL", "FULL", "SLIM", "FULL", "FULL", "FULL"]


def test_any_other_answer_makes_ordinary_checkpoints_full_again() -> None:
    found = course("3").decided("minor")
    found.do(Ask("choose", "revise"))
    found.end()
    assert levels(found)[-1] == "FULL"
    found = course("4")
    assert found.pipeline.continues == 4
    found.end()
    found.do(Ask("pause"))
    found.do(Ask("resume"))
    assert found.pipeline.continues == 0


def test_a_pause_in_the_middle_of_a_stage_answers_nothing() -> None:
    found = course("4")
    found.do(Ask("pause"))
    found.do(Ask("resume"))
    assert found.pipeline.continues == 4


def test_awareness_after_four_in_a_row() -> None:
    assert checkpoints.awareness(course("3").pipeline) == ""
    assert checkpoints.awareness(course("4").pipeline) == (
        "4 checkpoints in a row were confirmed as they stood: look at this one before you do"
    )


def test_mandatory_confirmations_are_a_persons() -> None:
    found = course("2")
    assert found.acts[-1] == ""
    found = course("3")
    assert found.acts[-1] == "stage 2.5 is at its checkpoint; shall it go on with stage 3?"


# ---- integrity ----


def test_three_rounds_of_correction_then_a_person_chooses() -> None:
    found = course("2.5")
    for fails in range(1, 4):
        found.check("fail", 2)
        stage = found.pipeline.stage
        assert (stage.state, stage.rounds, found.pipeline.now) == ("blocked", fails - 1, "running")
    found.check("fail", 1, items=("a citation",))
    point = found.pipeline.checkpoint
    assert point is not None
    assert (point.limit, point.level, point.mandatory, point.to) == (True, "FULL", True, "")
    assert found.pipeline.stage.rounds == 3


@pytest.mark.parametrize("value", ["by-hand", "remove-citations"])
def test_one_more_check_after_a_choice(value: str) -> None:
    found = course("4.5")
    for _ in range(4):
        found.check("fail", 1)
    found.do(Ask("choose", value))
    assert found.acts[-1].startswith(f"at the checkpoint of stage 4.5: {value} (")
    assert (found.pipeline.current, found.pipeline.now) == ("4.5", "running")
    found.check("fail", 1)
    assert found.pipeline.checkpoint is not None
    found.do(Ask("choose", value))
    found.check()
    assert found.pipeline.stage.verdict == "VERIFIED"


@pytest.mark.parametrize(("stage", "behind"), [("2.5", "3"), ("4.5", "5")])
def test_going_on_unverified_is_recorded(stage: str, behind: str) -> None:
    found = course(stage)
    for _ in range(4):
        found.check("fail", 1, items=("a citation",))
    found.do(Ask("choose", "go-on-unverified"))
    assert found.pipeline.current == behind
    assert found.pipeline.unverified == (stage,)
    assert found.pipeline.limitations == ("not verified: a citation",)


def test_a_draft_that_changed_is_checked_again_at_the_checkpoint() -> None:
    found = course("2.5")
    found.check()
    found.do(Ask("integrity", "pass", report=REPORT, draft=DRAFT), CHANGED)
    assert [levels(found)[-1], found.pipeline.current] == ["FULL", "2.5"]
    found.do(Ask("integrity", "fail", report=REPORT, draft=DRAFT), CHANGED)
    assert (found.pipeline.stage.state, found.pipeline.checkpoint) == ("blocked", None)


def test_a_draft_that_changes_once_the_gate_is_behind_it_voids_nothing() -> None:
    found = course("3").decided("minor")
    assert found.do(Ask("confirm"), CHANGED).current == "4"


# ---- reviews ----


def test_a_rejected_paper_is_restructured_from_stage_2_with_the_materials_of_stage_1() -> None:
    found = course("2").have("Paper Draft")
    found.do(Ask("complete"))
    found.confirm()
    found.check("fail", 1)
    found.to("3").decided("reject")
    found.do(Ask("choose", "restructure"))
    now = found.pipeline
    assert (now.current, now.stage.attempt, now.stage.mode) == ("2", 2, "plan")
    assert set(now.materials) == {m.name for m in tables.MATERIALS if m.made == "1"}
    assert (now.stages["2.5"].checks, now.stages["3"].decision) == (0, "")
    assert now.stages["1"].state == "completed"


def test_a_rejected_paper_is_given_up() -> None:
    found = course("3").decided("reject")
    assert found.do(Ask("choose", "abort")).now == "aborted"
    assert found.pipeline.materials


def test_what_stays_open_is_a_limitation_once() -> None:
    found = course("4").have("Revised Draft")
    found.do(Ask("complete", items=("one site", "one site")))
    found.confirm()
    found.have("Re-Review Report")
    found.do(Ask("decide", "minor", items=("one site", "no control")))
    assert found.pipeline.limitations == ("one site", "no control")


def test_accepted_papers_skip_the_revisions() -> None:
    found = course("3").decided("accept")
    found.confirm()
    states = [found.pipeline.stages[name].state for name in ("4", "3'", "4'")]
    assert (found.pipeline.current, states) == ("4.5", ["skipped"] * 3)


# ---- skips ----


def test_stage_1_is_skipped_with_a_bibliography_of_ones_own() -> None:
    found = Course().have("Bibliography")
    found.do(Ask("skip"))
    assert found.acts[-1] == (
        "shall stage 1 be skipped, because the person has a bibliography of their own?"
    )
    assert (found.pipeline.stages["1"].state, found.pipeline.current) == ("skipped", "2")


@pytest.mark.parametrize("at_checkpoint", [True, False])
def test_the_re_review_is_skipped_after_minor_revisions(at_checkpoint: bool) -> None:
    found = course("4")
    found.end()
    if not at_checkpoint:
        found.confirm()
    found.do(Ask("skip", "3'"))
    assert found.pipeline.current == "4.5"
    assert found.pipeline.stages["3'"].state == found.pipeline.stages["4'"].state == "skipped"


def test_the_re_revision_is_skipped_where_the_paper_was_accepted() -> None:
    found = course("3'").decided("accept")
    found.do(Ask("skip", "4'"))
    assert (found.pipeline.current, found.pipeline.stages["4'"].state) == ("4.5", "skipped")


# ---- stalled ----


def test_a_stalled_stage_is_helped() -> None:
    found = Course(mode="socratic")
    found.do(Ask("stall", "15 rounds"))
    assert (found.pipeline.stage.stalled, found.pipeline.reason) == (True, "15 rounds")
    assert found.do(Ask("stall", "15 rounds")).stage.stalled
    assert len(found.entries) == 3
    found.do(Ask("choose", "narrow-scope"))
    assert found.acts[-1] == "stage 1 stalled; shall it go on with narrow-scope?"
    assert not found.pipeline.stage.stalled
    found.do(Ask("stall", "again"))
    found.do(Ask("choose", "switch-mode", "full", yes=True))
    assert (found.pipeline.stage.stalled, found.pipeline.stage.mode) == (False, "full")


# ---- materials and risks ----


def test_what_is_recorded_again_takes_the_place_of_what_was() -> None:
    found = Course().have("Bibliography")
    count = len(found.entries)
    found.have("Bibliography")
    assert len(found.entries) == count
    found.do(Ask("material", "Bibliography", files=files(2, "other")))
    assert len(found.pipeline.materials["Bibliography"]) == 2


def test_five_reports_are_five_different_ones_that_are_still_there() -> None:
    found = course("3").have("Review Reports")
    name = "Review Reports"
    assert materials.there(found.pipeline, name, NOTHING) == 5
    gone = Facts({"Review Reports0.md": None})
    assert materials.there(found.pipeline, name, gone) == 4
    found.do(Ask("material", name, files=files(1, "a") + files(1, "b")))
    assert materials.there(found.pipeline, name, NOTHING) == 1


def test_a_risk_is_a_persons_and_holds() -> None:
    found = course("2")
    found.do(Ask("complete", risk=True))
    assert found.acts[-1] == ("shall it go on without the required materials, at your own risk?")
    assert found.pipeline.risks == {"Paper Draft"}
    found.confirm()
    assert found.pipeline.current == "2.5"
    assert found.have("Paper Draft").pipeline.risks == frozenset()


def test_a_risk_where_nothing_is_missing_is_none() -> None:
    found = course("2").have("Paper Draft")
    found.do(Ask("complete", risk=True))
    assert not found.pipeline.risks
    found.do(Ask("confirm", risk=True))
    assert found.acts[-1].startswith("stage 2 is at its checkpoint; shall it go on")


def test_the_re_review_report_counts_after_a_major_revision_alone() -> None:
    found = course("3'")
    found.do(Ask("decide", "minor"))
    assert found.pipeline.checkpoint is not None
    assert course("3'").refused(Ask("decide", "major")).code == "missing-material"


def test_the_re_revised_draft_counts_where_it_was_executed() -> None:
    found = course("3'").decided("major")
    found.confirm()
    assert found.refused(Ask("complete")).code == "missing-material"


def test_an_entry_wants_what_it_says() -> None:
    for entry, groups in tables.ENTRIES.items():
        found = Course(entry, None)
        gaps = [] if entry == "1" else materials.gaps(found.pipeline, entry, NOTHING)
        assert [gap.name for gap in gaps] == [" or ".join(group) for group in groups]


def test_materials_of_a_check_are_brought_along_only_before_the_first_stage() -> None:
    found = Course("3", None)
    found.do(Ask("material", "Verified Paper Draft", files=files(1)))
    found.do(Ask("material", "Integrity Report (Pre)", files=files(1)))
    assert found.confirm().current == "3"
    assert found.acts[-1] == (
        "shall the pipeline begin with stage 3, and pass over what comes before it?"
    )


def test_what_became_of_recorded_files() -> None:
    found = Course().have("Bibliography")
    facts = Facts({"Bibliography0.md": None})
    assert materials.stale(found.pipeline, facts) == [("Bibliography", "Bibliography0.md", True)]
    assert materials.stale(found.pipeline, Facts({"Bibliography0.md": "x"}))[0][2] is False
    assert materials.stale(found.pipeline, NOTHING) == []


# ---- modes ----


def test_a_mode_is_switched() -> None:
    found = Course(mode="quick")
    found.do(Ask("mode", mode="full"))
    assert (found.pipeline.stage.mode, found.acts[-1]) == ("full", "")
    count = len(found.entries)
    found.do(Ask("mode", mode="full"))
    assert len(found.entries) == count
    found.do(Ask("mode", mode="quick", yes=True))
    assert found.acts[-1] == "shall stage 1 go on in mode quick?"


def test_the_next_stage_may_be_given_a_mode() -> None:
    found = course("1")
    found.end()
    found.do(Ask("confirm", mode="plan", yes=True))
    assert found.pipeline.stage.mode == "plan"
    found = Course("5", None).have("Revised Draft")
    assert found.do(Ask("confirm", mode="disclosure")).stage.mode == "disclosure"


def test_fixed_modes_need_no_naming() -> None:
    assert course("2.5").pipeline.stage.mode == "pre-review"
    assert course("4").pipeline.stage.mode == "revision"
    assert routes.first_mode(Course(mode=None).pipeline, "2") is None


# ---- pause, abort ----


def test_pause_from_anywhere_and_twice() -> None:
    for found in (Course("2"), course("4"), course("3").decided("reject")):
        before = found.pipeline
        found.do(Ask("pause", "lunch"))
        count = len(found.entries)
        found.do(Ask("pause", "again"))
        assert len(found.entries) == count
        found.do(Ask("resume"))
        assert (found.pipeline.now, found.pipeline.checkpoint) == (before.now, before.checkpoint)


def test_abort_is_a_persons() -> None:
    found = course("4")
    found.do(Ask("abort", "no time"))
    assert found.acts[-1] == "shall the whole pipeline be given up?"
    assert (found.pipeline.now, found.pipeline.reason) == ("aborted", "no time")


def test_who_begins_at_the_beginning_passes_nothing_over() -> None:
    """A start that was killed between its two events is gone on with by a plain yes."""
    for entry, asks in (
        ("1", ""),
        ("2", "shall the pipeline begin with stage 2, and pass over what comes before it?"),
    ):
        begun = events.Entry(MOMENT, "sess-a", events.Started(entry, "full", None, 0, False))
        pipeline = fold.applied(None, begun)
        outcome = machine.step(pipeline, Ask("confirm", risk=True), NOTHING)
        assert outcome.act == asks
        assert isinstance(outcome.events[-1], events.Entered)
