"""The tables against the protocol's, row by row, and each row fired once by the machine."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from baton.core.passport import modes
from baton.core.pipeline import event as events
from baton.core.pipeline import moves, tables
from baton.core.pipeline.asking import Ask
from baton.core.pipeline.state import Pipeline
from pipelines import Course, course, files

# The protocol's normal transitions: from, behind which stage's checkpoint, to, under which decision.
NORMAL = [
    ("INIT", "", "1", ""),
    ("INIT", "", "2", ""),
    ("INIT", "", "2.5", ""),
    ("INIT", "", "3", ""),
    ("INIT", "", "4", ""),
    ("INIT", "", "5", ""),
    ("1", "", "checkpoint", ""),
    ("checkpoint", "1", "2", ""),
    ("2", "", "checkpoint", ""),
    ("checkpoint", "2", "2.5", ""),
    ("2.5", "", "checkpoint", ""),
    ("2.5", "", "2.5", ""),
    ("checkpoint", "2.5", "3", ""),
    ("3", "", "checkpoint", ""),
    ("checkpoint", "3", "4", "minor major"),
    ("checkpoint", "3", "4.5", "accept"),
    ("4", "", "checkpoint", ""),
    ("checkpoint", "4", "3'", ""),
    ("3'", "", "checkpoint", ""),
    ("checkpoint", "3'", "4.5", "accept minor"),
    ("checkpoint", "3'", "4'", "major"),
    ("4'", "", "checkpoint", ""),
    ("checkpoint", "4'", "4.5", ""),
    ("4.5", "", "checkpoint", ""),
    ("4.5", "", "4.5", ""),
    ("checkpoint", "4.5", "5", ""),
]
SPECIAL = [
    ("3", "2"),
    ("3", "ABORT"),
    ("3'", "4'"),
    ("4'", "4.5"),
    ("any stage", "PAUSED"),
    ("PAUSED", "the stage before"),
]
PROHIBITED = [
    ("1", "3"),
    ("2", "3"),
    ("4", "5"),
    ("3'", "5"),
    ("4'", "3'"),
    ("5", "3"),
    ("completed", "in_progress"),
]
# Material, where it is made, where it is used, whether it is required, how many.
MATERIALS = [
    ("RQ Brief", "1", "2", False, 1),
    ("Methodology Blueprint", "1", "2", False, 1),
    ("Bibliography", "1", "2", False, 1),
    ("Synthesis Report", "1", "2", False, 1),
    ("Paper Draft", "2", "2.5", True, 1),
    ("Integrity Report (Pre)", "2.5", "3", True, 1),
    ("Verified Paper Draft", "2.5", "3", True, 1),
    ("Review Reports", "3", "4", True, 5),
    ("Editorial Decision", "3", "4", True, 1),
    ("Revision Roadmap", "3", "4", True, 1),
    ("Revised Draft", "4", "3'", True, 1),
    ("Response to Reviewers", "4", "3'", False, 1),
    ("Re-Review Report", "3'", "4'", True, 1),
    ("Re-Revised Draft", "4'", "4.5", True, 1),
    ("Integrity Report (Final)", "4.5", "5", True, 1),
    ("Final Paper", "5", "END", True, 1),
]


def test_the_normal_transitions_are_the_protocols() -> None:
    rows = [(move.frm, move.after, move.to, " ".join(move.when)) for move in tables.NORMAL]
    assert rows == NORMAL
    assert all(move.needs and move.action for move in tables.NORMAL)


def test_the_special_transitions_are_the_protocols() -> None:
    assert [(move.frm, move.to) for move in tables.SPECIAL] == SPECIAL


def test_the_prohibitions_are_the_protocols() -> None:
    assert [(row.frm, row.to) for row in tables.PROHIBITED] == PROHIBITED


def test_the_material_matrix_is_the_protocols() -> None:
    rows = [(m.name, m.made, m.used, m.need == "required", m.count) for m in tables.MATERIALS]
    assert rows == MATERIALS
    integrity = {m.name for m in tables.MATERIALS if m.integrity}
    assert integrity == {m for m in tables.BY_NAME if m.startswith("Integrity")} | {
        "Verified Paper Draft"
    }


def test_names_of_rows_are_unique() -> None:
    names = [move.name for move in (*tables.NORMAL, *tables.SPECIAL)]
    names += [row.name for row in tables.PROHIBITED]
    assert len(set(names)) == len(names)


def test_the_limits_are_the_protocols() -> None:
    assert (tables.CORRECTIONS, tables.RE_REVISIONS, tables.REPORTS) == (3, 1, 5)
    assert tables.SOCRATIC_ROUNDS == 15
    assert tables.DECISIONS == {
        "3": ("accept", "minor", "major", "reject"),
        "3'": ("accept", "minor", "major"),
    }
    assert tables.MANDATORY == ("2.5", "4.5", "3", "3'")
    assert list(tables.ENTRIES) == ["1", "2", "2.5", "3", "4", "5"]
    assert [row.stage for row in tables.SKIPS] == ["1", "3'", "4'"]


def test_stages_and_modes() -> None:
    assert " ".join(modes.STAGES) == "1 2 2.5 3 4 3' 4' 4.5 5"
    assert modes.MODES["5"] == ["format-convert", "disclosure", "citation-check"]


# ---- every row fires ----


def _entry(stage: str) -> Course:
    found = Course(stage, None)
    for group in tables.ENTRIES[stage]:
        found.do(Ask("material", group[0], files=files(1, group[0])))
    return found


def _entered(stage: str) -> Pipeline:
    return _entry(stage).confirm()


def _at(stage: str) -> Pipeline:
    return course(stage).end()


def _failed(stage: str) -> Pipeline:
    found = course(stage)
    found.check("fail", 2)
    return found.check()


def _after(stage: str, decision: str = "") -> Pipeline:
    found = course(stage)
    found.decided(decision) if decision else found.end()
    return found.confirm()


def _last() -> Course:
    """A pipeline whose re-review asked for one more major revision, at work on it."""
    found = course("3'").decided("major")
    found.confirm()
    return found


ROWS: dict[str, Callable[[], Pipeline]] = {
    "INIT→1": lambda: Course().pipeline,
    **{f"INIT→{s}": lambda s=s: _entered(s) for s in ("2", "2.5", "3", "4", "5")},  # type: ignore[misc]
    **{f"{s}→checkpoint": lambda s=s: _at(s) for s in ("1", "2", "2.5", "3", "4", "3'", "4.5")},  # type: ignore[misc]
    "4'→checkpoint": lambda: _last().end(),
    "1·checkpoint→2": lambda: _after("1"),
    "2·checkpoint→2.5": lambda: _after("2"),
    "2.5→2.5": lambda: _failed("2.5"),
    "2.5·checkpoint→3": lambda: _after("2.5"),
    "3·checkpoint→4": lambda: _after("3", "major"),
    "3·checkpoint→4.5": lambda: _after("3", "accept"),
    "4·checkpoint→3'": lambda: _after("4"),
    "3'·checkpoint→4.5": lambda: _after("3'", "minor"),
    "3'·checkpoint→4'": lambda: _after("3'", "major"),
    "4'·checkpoint→4.5": lambda: (last := _last(), last.end(), last.confirm())[2],
    "4.5→4.5": lambda: _failed("4.5"),
    "4.5·checkpoint→5": lambda: _after("4.5"),
    "3→2": lambda: course("3").decided("reject").do(Ask("choose", "restructure")),
    "3→ABORT": lambda: course("3").decided("reject").do(Ask("choose", "abort")),
    "3'→4'": lambda: course("3'").decided("major").do(Ask("choose", "revise")),
    "4'→4.5": lambda: _last().to("4.5").pipeline,
    "any stage→PAUSED": lambda: course("4").do(Ask("pause")),
    "PAUSED→the stage before": lambda: (c := course("4"), c.do(Ask("pause")), c.do(Ask("resume")))[
        2
    ],
}


def test_each_row_has_a_case() -> None:
    assert set(ROWS) == {move.name for move in (*tables.NORMAL, *tables.SPECIAL)}


@pytest.mark.parametrize("name", ROWS)
def test_the_row_fires(name: str) -> None:
    pipeline = ROWS[name]()
    to = name.rpartition("→")[2]
    checkpoint = pipeline.checkpoint.stage if pipeline.checkpoint else ""
    match to:
        case "checkpoint":
            assert checkpoint == name.partition("→")[0]
        case "ABORT":
            assert pipeline.now == "aborted"
        case "PAUSED":
            assert pipeline.now == "paused"
        case "the stage before":
            assert (pipeline.now, pipeline.current, pipeline.before) == ("running", "4", "")
        case _:
            assert pipeline.current == to


@pytest.mark.parametrize("row", tables.PROHIBITED, ids=lambda row: row.name)
def test_what_is_prohibited_is_refused_with_its_reason(row: tables.Prohibition) -> None:
    answer = moves.can(row.frm, row.to)
    assert (answer.yes, answer.reason) == (False, row.reason)


@pytest.mark.parametrize(
    "row", [r for r in tables.PROHIBITED if r.frm != "completed"], ids=lambda r: r.name
)
def test_what_is_prohibited_no_hand_over_leads_to(row: tables.Prohibition) -> None:
    from baton.core.pipeline import routes

    found = _last() if row.frm == "4'" else course(row.frm)
    found.end()
    assert routes.objection(found.pipeline, row.to, "") == row.reason


def test_a_completed_stage_does_not_start_again_by_itself() -> None:
    found = course("3")
    for ask in (Ask("complete"), Ask("skip", "2"), Ask("integrity", "pass")):
        assert found.refused(ask).exit in (1, 3, 4)
    assert found.pipeline.stages["2"].state == "completed"


def test_an_integrity_stage_cannot_be_passed_over_anywhere() -> None:
    for stage in ("2.5", "4.5"):
        assert Course().refused(Ask("skip", stage)).code == "cannot-skip"
        assert course(stage).refused(Ask("skip", stage)).code == "cannot-skip"
        assert course(stage).refused(Ask("complete")).code == "illegal-transition"


def test_moves_know_the_event_that_starts() -> None:
    assert isinstance(Course().entries[0].event, events.Started)


# ---- states ----


def _finished() -> Pipeline:
    found = course("5")
    found.end()
    return found.confirm()


STAGE_STATES: dict[str, Callable[[], str]] = {
    "pending": lambda: course("1").pipeline.stages["2"].state,
    "in_progress": lambda: course("2").pipeline.stage.state,
    "completed": lambda: course("2").pipeline.stages["1"].state,
    "skipped": lambda: _after("3", "accept").stages["4"].state,
    "blocked": lambda: (c := course("2.5"), c.check("fail"))[1].stage.state,
}
GLOBAL_STATES: dict[str, Callable[[], str]] = {
    "initializing": lambda: Course("2").pipeline.now,
    "running": lambda: course("2").pipeline.now,
    "awaiting_confirmation": lambda: _at("2").now,
    "paused": lambda: course("2").do(Ask("pause")).now,
    "completed": lambda: _finished().now,
    "aborted": lambda: course("2").do(Ask("abort")).now,
}


@pytest.mark.parametrize("state", STAGE_STATES)
def test_the_state_of_a_stage_is_reached(state: str) -> None:
    assert STAGE_STATES[state]() == state


@pytest.mark.parametrize("state", GLOBAL_STATES)
def test_the_state_of_a_pipeline_is_reached(state: str) -> None:
    assert GLOBAL_STATES[state]() == state


# ---- materials ----


def _without(row: tables.Material) -> tuple[Course, Ask]:
    """A pipeline that has all but one material, and the command that wants it."""
    others = [m.name for m in tables.MATERIALS if m.made == row.made and m.name != row.name]
    found = _last() if row.made == "4'" else course(row.made)
    found.have(*(name for name in others if not tables.BY_NAME[name].integrity))
    ask = Ask("decide", "major") if row.made in tables.REVIEWS else Ask("complete")
    return found, ask


@pytest.mark.parametrize(
    "row", [m for m in tables.MATERIALS if not m.integrity], ids=lambda row: row.name
)
def test_a_required_material_is_wanted_and_a_recommended_one_is_not(row: tables.Material) -> None:
    found, ask = _without(row)
    if row.need == tables.RECOMMENDED:
        assert found.do(ask).checkpoint is not None
        return
    error = found.refused(ask)
    assert error.code == "missing-material"
    counted = f" 0/{row.count}" if row.count > 1 else ""
    assert f" needs {row.name}{counted} (stage {row.made} makes it)" in error.message
    found.have(row.name)
    assert found.do(ask).checkpoint is not None


@pytest.mark.parametrize(
    "row", [m for m in tables.MATERIALS if m.integrity], ids=lambda row: row.name
)
def test_what_an_integrity_check_makes_is_recorded_by_the_check(row: tables.Material) -> None:
    pipeline = _at(row.made)
    assert len(pipeline.materials[row.name]) == 1


# ---- what version 2.0 changed ----

CHANGES: dict[str, Callable[[], bool]] = {
    "two reviews and one re-revision at most": lambda: (
        moves.can("4'", "3'").yes is False and tables.RE_REVISIONS == 1
    ),
    "integrity is checked before the review and at the end": lambda: (
        moves.can("2", "3").yes is moves.can("3'", "5").yes is False
    ),
    "five reviewers": lambda: tables.BY_NAME["Review Reports"].count == 5,
    "2.5 and 4.5 cannot be skipped": lambda: (
        not {"2.5", "4.5"} & {row.stage for row in tables.SKIPS}
    ),
    "every stage has a checkpoint": lambda: all(
        any((move.frm, move.to) == (stage, tables.CHECKPOINT) for move in tables.NORMAL)
        for stage in tables.ORDER[:-1]
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_change_holds(change: str) -> None:
    assert CHANGES[change]()
