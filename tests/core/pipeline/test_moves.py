"""What may come next, and what may follow what."""

from __future__ import annotations

import pytest

from baton.core.pipeline import moves
from baton.core.pipeline.asking import Ask, Facts
from pipelines import CHANGED, NOTHING, Course, course


def commands(found: Course) -> list[tuple[str, str, bool]]:
    """What is legal: command, where it leads, whether it is a person's."""
    return [(each.command, each.to, each.person) for each in moves.legal(found.pipeline, NOTHING)]


def test_what_may_come_next() -> None:
    assert commands(Course("2", None)) == [("baton pipeline confirm", "2", True)]
    assert commands(course("2")) == [("baton pipeline complete", "2.5", False)]
    found = course("2.5")
    assert commands(found) == [
        ("baton pipeline integrity pass --report FILE --draft FILE", "", False),
        ("baton pipeline integrity fail --report FILE --draft FILE", "", False),
    ]
    found.check()
    assert commands(found) == [("baton pipeline confirm", "3", True)]
    assert [each[0] for each in commands(course("3"))] == [
        f"baton pipeline decide {decision}" for decision in ("accept", "minor", "major", "reject")
    ]
    assert commands(course("3").decided("reject")) == [
        ("baton pipeline choose restructure", "2", True),
        ("baton pipeline choose abort", "ABORT", True),
    ]


def test_what_is_missing_makes_nobody_elses_step_of_a_persons() -> None:
    found = course("3").decided("minor")
    facts = Facts({"Revision Roadmap0.md": None})
    persons = {each.command: each.person for each in moves.legal(found.pipeline, facts)}
    assert persons["baton pipeline confirm"] is persons["baton pipeline choose revise"] is True
    found = course("2").have("Paper Draft")
    found.do(Ask("complete"))
    [confirm] = moves.legal(found.pipeline, Facts({"Paper Draft0.md": None}))
    assert not confirm.person


def test_a_paused_or_stalled_pipeline() -> None:
    found = course("1")
    found.do(Ask("stall"))
    assert [each[0] for each in commands(found)] == [
        "baton pipeline choose switch-mode --mode M",
        "baton pipeline choose narrow-scope",
        "baton pipeline complete",
        "baton pipeline skip 1",
    ]
    found.do(Ask("pause"))
    assert commands(found) == [("baton pipeline resume", "1", False)]


def test_a_hand_over() -> None:
    found = Course(reset=True)
    found.end()
    assert commands(found) == [("resume_from_passport=000000000001", "2", False)]
    found.do(Ask("pause"))
    assert commands(found) == [("baton pipeline resume", "1", False)]


def test_nothing_follows_the_end() -> None:
    found = course("5")
    found.end()
    found.confirm()
    assert commands(found) == []


CAN = [
    ("INIT", "3", True, "a verified paper and its integrity report are there"),
    (
        "1",
        "2",
        True,
        "the person confirms; or 1 is skipped: the person has a bibliography of their own",
    ),
    ("3", "4", True, "the decision is a minor or major revision, and the person confirms"),
    ("4", "4.5", True, "3' is skipped: the revisions were minor"),
    ("5", "END", True, "stage 5 is complete, the Final Paper is there, and the person confirms"),
    ("3", "PAUSED", True, "the person pauses"),
    ("1", "5", False, "no rule leads from 1 to 5"),
    ("5", "ABORT", False, "no rule leads from 5 to ABORT"),
    ("completed", "in_progress", False, "a completed stage does not start again"),
]


@pytest.mark.parametrize(("frm", "to", "yes", "reason"), CAN)
def test_can_by_the_tables(frm: str, to: str, yes: bool, reason: str) -> None:
    assert moves.can(frm, to) == moves.Answer(yes, reason)


def test_can_now() -> None:
    found = course("2.5")

    def can(to: str, facts: object = NOTHING) -> tuple[bool, str]:
        answer = moves.can(found.pipeline.current, to, found.pipeline, facts)  # type: ignore[arg-type]
        return answer.yes, answer.reason

    assert can("3") == (
        False,
        "stage 2.5 is in progress: its checkpoint comes first, then the person confirms",
    )
    assert can("PAUSED") == (True, "the person pauses")
    found.check()
    assert can("3") == (True, "the person confirms")
    assert can("3", CHANGED) == (
        False,
        "draft.md has changed since it passed stage 2.5: the check is STALE",
    )
    found.to("3").decided("accept")
    assert can("4") == (False, "the checkpoint of stage 3 leads to 4.5")
    found = course("3").decided("reject")
    assert can("2") == (
        True,
        "the paper was rejected (or its revision is not wanted), and the person restructures it",
    )
    found.do(Ask("abort"))
    assert can("2") == (False, "the pipeline is aborted")
    assert can("1") == (False, "no rule leads from 3 to 1")


def test_can_elsewhere_is_the_tables_answer() -> None:
    found = course("2.5")
    assert moves.can("3", "4", found.pipeline, NOTHING).yes
