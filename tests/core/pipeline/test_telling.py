"""What commands have come to, in words."""

from __future__ import annotations

import pytest

from baton.core.pipeline import event as events
from baton.core.pipeline import machine, moves, telling
from baton.core.pipeline.asking import Ask
from pipelines import DRAFT, NOTHING, REPORT, Course, course, files


def told(found: Course, ask: Ask) -> list[str]:
    """What one more command has come to."""
    before = found.pipeline
    outcome = machine.step(before, ask, NOTHING)
    count = len(found.entries)
    found.put(*outcome.events)
    return telling.happened(before, found.pipeline, [each.event for each in found.entries[count:]])


def test_a_start() -> None:
    found = Course()
    done = [each.event for each in found.entries]
    assert telling.happened(None, found.pipeline, done) == [
        "the pipeline is set up to begin with stage 1 RESEARCH",
        "stage 1 RESEARCH begins in mode full",
        "Action: Ask for the mode, then begin the research.",
    ]


def test_an_ordinary_end() -> None:
    found = course("4").have("Revised Draft")
    assert told(found, Ask("complete")) == [
        "stage 4 REVISE is complete",
        "checkpoint behind stage 4 REVISE (SLIM), version v1.0",
        "4 checkpoints in a row were confirmed as they stood: look at this one before you do",
        "Action: Stop here: the person confirms the checkpoint before anything goes on.",
    ]
    assert told(found, Ask("confirm")) == [
        "stage 3' RE-REVIEW begins in mode re-review",
        "Action: Hand over the Revised Draft and the Response to Reviewers.",
    ]


def test_checks() -> None:
    found = course("2.5")
    fail = Ask("integrity", "fail", report=REPORT, draft=DRAFT, items=("a citation",))
    assert told(found, fail) == [
        "stage 2.5 INTEGRITY: FAIL; 3 round(s) of correction left",
        "Action: Mend what it found, then check again: 3 rounds of correction at most.",
    ]
    told(found, fail)
    told(found, fail)
    assert told(found, fail)[:2] == [
        "stage 2.5 INTEGRITY: FAIL, and all 3 rounds of correction are used up",
        'what cannot be verified: "a citation"',
    ]
    assert told(found, Ask("choose", "by-hand")) == [
        "chosen: by-hand",
        "stage 2.5 INTEGRITY is checked once more",
    ]
    nothing = Ask("integrity", "fail", report=REPORT, draft=DRAFT)
    assert told(found, nothing)[1] == "what cannot be verified: they stand in report.md"
    told(found, Ask("choose", "remove-citations"))
    good = Ask("integrity", "pass", report=REPORT, draft=DRAFT)
    assert told(found, good)[:2] == [
        "stage 2.5 INTEGRITY: PASS",
        "checkpoint behind stage 2.5 INTEGRITY (FULL, MANDATORY), version v1.0",
    ]


def test_a_review_and_its_ends() -> None:
    found = course("3").have("Review Reports", "Editorial Decision", "Revision Roadmap")
    assert told(found, Ask("decide", "reject"))[0] == "stage 3 REVIEW: the decision is reject"
    assert told(found, Ask("choose", "restructure")) == [
        "chosen: restructure",
        "stage 2 WRITE begins in mode plan, attempt 2",
        "Action: Stages 2 to 3 begin anew, what stage 1 made is kept: write the paper again.",
    ]
    found = course("3").decided("reject")
    gone = "the pipeline is aborted; everything that was made stays where it is"
    assert told(found, Ask("choose", "abort")) == ["chosen: abort", gone]
    found = course("4")
    assert told(found, Ask("abort")) == [gone]


def test_the_end_of_all() -> None:
    found = course("5").have("Final Paper")
    told(found, Ask("complete"))
    assert told(found, Ask("confirm")) == ["the pipeline is completed: the final paper is there"]


def test_small_things() -> None:
    found = Course(mode="socratic")
    material = Ask("material", "Bibliography", files=files(2, "bib"))
    assert told(found, material) == ["Bibliography: 2 file(s) recorded: bib0.md, bib1.md"]
    assert told(found, material) == ["nothing to do: it is so already"]
    assert told(found, Ask("stall", "x")) == ["stage 1 RESEARCH is marked as stalled"]
    assert told(found, Ask("choose", "narrow-scope")) == ["chosen: narrow-scope"]
    assert told(found, Ask("mode", mode="full", yes=True)) == [
        "stage 1 RESEARCH goes on in mode full"
    ]
    assert told(found, Ask("pause")) == ["paused at stage 1 RESEARCH"]
    assert told(found, Ask("resume")) == ["resumed at stage 1 RESEARCH"]
    assert told(found, Ask("skip"))[:2] == ["stage 1 RESEARCH is skipped", "stage 2 WRITE begins"]
    assert told(found, Ask("complete", risk=True))[0] == "at your own risk, without Paper Draft"
    entry = Course("2", None)
    assert told(entry, Ask("pause")) == ["paused before its first stage"]
    assert telling.named("END") == "the delivery of the paper"
    assert telling.named("ABORT") == "ABORT"


def _taken(found: Course, **more: object) -> list[str]:
    point = found.pipeline.checkpoint
    assert point is not None
    whole = {
        "hash": point.hash, "by": "sess-b", "when": "T", "branch": "", "to": "", "planned": "",
        "mode": None, "rerun": False, "refused": "", **more,
    }  # fmt: skip
    event = events.Taken(**whole)  # type: ignore[arg-type]
    before = found.pipeline
    found.put(event)
    return telling.happened(before, found.pipeline, [event])


def test_hand_overs() -> None:
    found = Course(reset=True)
    found.end()
    first = 'boundary 000000000001 was taken by session "sess-b" at T'
    assert _taken(found, refused="5") == [
        first,
        'it cannot lead to "5": the checkpoint of stage 1 RESEARCH still waits for an answer',
    ]
    found = Course(reset=True)
    found.end()
    assert _taken(found, to="2", planned="2")[:2] == [first, "stage 2 WRITE begins"]
    found.end()
    assert _taken(found, to="2", planned="2", rerun=True)[1:] == ["stage 2 WRITE begins, attempt 2"]
    found.end()
    _taken(found, to="2.5", planned="2.5")
    found.check()
    assert telling.happened(None, found.pipeline, [found.entries[-1].event]) == [
        "checkpoint behind stage 2.5 INTEGRITY (FULL, MANDATORY), version v1.0"
    ]
    assert told(found, Ask("confirm")) == [
        "confirmed; stage 2.5 INTEGRITY goes on in the session that takes the hand-over"
    ]
    assert _taken(found, planned="3")[1] == (
        "the checkpoint of stage 2.5 INTEGRITY still needs a person's confirmation"
    )


@pytest.mark.parametrize(("count", "more"), [(4, []), (6, ["and 2 more: baton pipeline status"])])
def test_what_is_offered(count: int, more: list[str]) -> None:
    legal = [moves.Legal(f"c{n}", "", "", n == 0) for n in range(count)]
    assert telling.offered(legal) == [
        "next: c0 (a person)",
        *(f"next: c{n}" for n in (1, 2, 3)),
        *more,
    ]
