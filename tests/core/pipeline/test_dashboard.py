"""The dashboard: whole screens, and that none is ever too big."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baton.core.errors import BatonError
from baton.core.pipeline import dashboard, moves
from baton.core.pipeline.asking import Ask, Facts
from baton.core.pipeline.event import File
from baton.hot import clean
from pipeline_walk import asks
from pipelines import CHANGED, NOTHING, Course, course


def screen(found: Course, facts: Facts = NOTHING, notes: tuple[str, ...] = ()) -> str:
    """The dashboard of a pipeline called main."""
    legal = moves.legal(found.pipeline, facts)
    return dashboard.text("main", found.pipeline, facts, legal, notes)


def _stale() -> Course:
    found = course("2.5")
    found.check("fail", 3)
    found.check()
    return found


STALE = """\
pipeline main · awaiting confirmation · mode full
✓ 1   RESEARCH        completed      v1.0         full
✓ 2   WRITE           completed      v1.0         full
✗ 2.5 INTEGRITY       blocked        v1.0         STALE, round 1/3
· 3   REVIEW          pending
· 4   REVISE          pending
· 3'  RE-REVIEW       pending
· 4'  RE-REVISE       pending
· 4.5 FINAL INTEGRITY pending
· 5   FINALIZE        pending
checkpoint  FULL, MANDATORY
blocks      draft.md changed since it passed: check it again
materials   RQ Brief, Methodology Blueprint, Bibliography, Synthesis Report
            Paper Draft, Integrity Report (Pre), Verified Paper Draft
changed     draft.md has changed (Verified Paper Draft)
next        baton pipeline integrity pass --report FILE --draft FILE: it passed
            baton pipeline integrity fail --report FILE --draft FILE: it failed"""


def test_a_draft_that_changed() -> None:
    assert screen(_stale(), CHANGED) == STALE


def _limit() -> Course:
    found = course("2.5")
    for _ in range(4):
        found.check("fail", 2, items=("a citation",))
    return found


def test_the_limit() -> None:
    lines = screen(_limit()).splitlines()
    assert (
        lines[3] == "✗ 2.5 INTEGRITY       blocked        v1.0         FAIL, round 3/3, 2 issue(s)"
    )
    assert lines[10].startswith("checkpoint  FULL, MANDATORY · Stage 2.5 did not pass after 3")
    assert lines[-3:] == [
        "next        baton pipeline choose by-hand: handle the items by hand, then check…",
        "            baton pipeline choose remove-citations: remove the citations, then…",
        "            baton pipeline choose go-on-unverified: go on partially unverified;…",
    ]


def test_unverified_with_limitations_and_a_reason() -> None:
    found = _limit()
    found.do(Ask("choose", "go-on-unverified"))
    found.do(Ask("pause", "the library is closed"))
    lines = screen(found).splitlines()
    assert lines[0] == "pipeline main · paused · UNVERIFIED · mode full"
    assert "UNVERIFIED, round 3/3" in lines[3]
    assert "because     the library is closed" in lines
    assert 'limits      "not verified: a citation"' in lines
    assert lines[-1] == "next        baton pipeline resume: go on where it was"


def test_what_helped_a_stalled_stage_is_behind_it() -> None:
    for ask in (Ask("choose", "narrow-scope"), Ask("complete"), Ask("skip")):
        found = Course().have("Bibliography")
        found.do(Ask("stall", "no end"))
        assert "because     no end" in screen(found)
        found.do(ask)
        assert "no end" not in screen(found)


def test_what_was_passed_over_by_the_entry_is_part_of_it_once_it_runs() -> None:
    found = Course("3", None)
    found.do(Ask("material", "Verified Paper Draft", files=(File("v.md", 1, "1" * 64),)))
    found.do(Ask("material", "Integrity Report (Pre)", files=(File("i.md", 1, "2" * 64),)))
    found.confirm()
    assert "· 2.5 INTEGRITY       not part of it" in screen(found)
    found.do(Ask("decide", "reject"))
    found.do(Ask("choose", "restructure"))
    assert "· 1   RESEARCH        not part of it" in screen(found)
    assert "· 2.5 INTEGRITY       pending" in screen(found)


def test_what_is_wanted_in_one_line() -> None:
    assert dashboard.wanted(course("3").pipeline, NOTHING) == [
        "wanted: Review Reports 0/5 (stage 3 makes it), Editorial Decision (stage 3 makes it), "
        "Revision Roadmap (stage 3 makes it)"
    ]
    assert dashboard.wanted(course("1").pipeline, NOTHING) == []


def test_an_entry_in_the_middle() -> None:
    lines = screen(Course("3", None)).splitlines()
    assert lines[0] == "pipeline main · initializing"
    assert lines[1] == "· 1   RESEARCH        not part of it"
    assert "missing     Verified Paper Draft" in lines
    assert "            Integrity Report (Pre)" in lines


def test_a_hand_over_that_was_taken_and_one_that_was_confirmed() -> None:
    found = Course(reset=True)
    found.end()
    lines = screen(found, notes=("the passport knows more",)).splitlines()
    assert lines[0].endswith(" · passports/paper.yaml")
    assert "checkpoint  FULL · hand-over 000000000001" in lines
    assert "note        the passport knows more" in lines
    assert lines[-1] == "next        resume_from_passport=000000000001: in a fresh session"


def test_reports_are_counted_and_what_is_only_recommended_is_said_to_be() -> None:
    found = course("3").have("Editorial Decision", "Revision Roadmap")
    assert "missing     Review Reports 0/5 (stage 3 makes it)" in screen(found)
    found.do(Ask("material", "Review Reports", files=(File("r.md", 1, "1" * 64),)))
    assert "missing     Review Reports 1/5 (stage 3 makes it)" in screen(found)
    first = Course()
    first.do(Ask("complete"))
    assert "missing     RQ Brief (stage 1 makes it), recommended" in screen(first)
    assert "            and 3 more: baton pipeline status --json" in screen(first)


def test_stalled_and_again() -> None:
    found = course("3").decided("reject")
    found.do(Ask("choose", "restructure"))
    found.do(Ask("stall"))
    assert "▸ 2   WRITE           in progress    v1.0         STALLED, plan, attempt 2" in screen(
        found
    )


def test_five_of_one_material_are_counted_in_its_row() -> None:
    assert "Review Reports (5)" in screen(course("3").have("Review Reports"))


def test_as_data() -> None:
    found = _stale()
    legal = moves.legal(found.pipeline, CHANGED)
    data = dashboard.data("main", found.pipeline, CHANGED, legal)
    stages = data["stages"]
    assert isinstance(stages, dict)
    assert stages["2.5"] == {
        "state": "blocked", "version": "v1.0", "rounds": 1, "attempt": 1, "mode": "pre-review",
        "verdict": "STALE", "issues": 0, "decision": None, "stalled": False,
        "begun": "2026-12-01T09:00:00.000000Z", "ended": "2026-12-01T09:00:00.000000Z",
    }  # fmt: skip
    assert data["checkpoint"] == {
        "stage": "2.5", "level": "FULL", "mandatory": True, "hash": None, "taken": False,
        "confirmed": False, "to": "3", "options": [],
    }  # fmt: skip
    assert data["stale"] == [
        {"material": "Verified Paper Draft", "path": "draft.md", "gone": False}
    ]
    assert data["legal"] == [
        {"command": each.command, "to": None, "told": each.told, "person": False} for each in legal
    ]
    assert (data["global"], data["current"], data["missing"]) == (
        "awaiting_confirmation",
        "2.5",
        [],
    )


def test_choices_and_gaps_as_data() -> None:
    found = course("3").decided("reject")
    point = dashboard.data("main", found.pipeline, NOTHING, [])["checkpoint"]
    assert isinstance(point, dict)
    assert [each["value"] for each in point["options"]] == ["restructure", "abort"]
    entry = dashboard.data("x", Course("2.5", None).pipeline, NOTHING, [])
    assert entry["missing"] == [
        {"name": "Paper Draft", "stage": None, "got": 0, "wanted": 1, "required": True}
    ]
    assert (entry["checkpoint"], entry["current"]) == (None, None)
    done = course("5")
    done.end()
    done.confirm()
    assert dashboard.missing(done.pipeline, NOTHING) == []


@settings(max_examples=60)
@given(st.sampled_from(["1", "2", "3", "4", "5"]), st.booleans(), st.data())
def test_it_always_fits(entry: str, reset: bool, data: st.DataObject) -> None:
    """Whatever happened, with words as long as a person's, in letters as wide as any."""
    found = Course(entry, None, reset=reset)
    words = "kết quả chưa kiểm chứng được 研究 " * 6
    found.have("Paper Draft", "Review Reports", "Revised Draft", "Re-Review Report")
    for _ in range(data.draw(st.integers(0, 25))):
        facts = data.draw(st.sampled_from([NOTHING, CHANGED]))
        ask = data.draw(st.sampled_from(list(asks(facts))))
        try:
            found.do(replace(ask, items=(words,), risk=True), facts)
        except BatonError:
            continue
    for facts in (NOTHING, CHANGED):
        rows = screen(found, facts, (words, words, words)).split("\n")
        assert len(rows) <= 24
        assert all(clean.fit(f"|{row}", 81) == f"|{row}" for row in rows)


@pytest.mark.parametrize("reset", [False, True])
def test_data_of_every_stage(reset: bool) -> None:
    found = Course(reset=reset)
    found.end()
    data = dashboard.data("main", found.pipeline, NOTHING, [])
    assert data["reset"] is reset
