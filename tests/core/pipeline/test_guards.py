"""Every guard of every command: a refusal that it alone makes, in full, and that its absence is noticed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from baton.core.errors import BatonError
from baton.core.pipeline import machine, tables
from baton.core.pipeline.asking import Ask, Facts
from baton.core.pipeline.guards import Guard
from baton.core.pipeline.machine import COMMANDS
from baton.core.pipeline.state import Pipeline
from pipelines import CHANGED, DRAFT, NOTHING, REPORT, Course, course, files

PASS = Ask("integrity", "pass", report=REPORT, draft=DRAFT, issues=0)
STATUS = "baton pipeline status"
CHECK = "baton pipeline integrity pass --report FILE --draft FILE"


@dataclass(frozen=True)
class Refusal:
    """Where a pipeline stands, what is asked of it, and the refusal."""

    name: str
    at: Callable[[], Course]
    ask: Ask
    code: str
    message: str
    hint: str = STATUS
    facts: Facts = NOTHING


def _done() -> Course:
    found = course("5")
    found.end()
    found.confirm()
    assert found.pipeline.now == "completed"
    return found


def _paused(stage: str) -> Callable[[], Course]:
    def at() -> Course:
        found = course(stage)
        found.do(Ask("pause"))
        return found

    return at


def _at_checkpoint(stage: str) -> Callable[[], Course]:
    def at() -> Course:
        found = course(stage)
        found.end()
        return found

    return at


def _limit(stage: str = "2.5", *, reset: bool = False) -> Callable[[], Course]:
    def at() -> Course:
        found = course(stage) if not reset else _handed("2.5")
        for _ in range(4):
            found.check("fail", 1)
        return found

    return at


def _rejected() -> Course:
    return course("3").decided("reject")


def _stalled() -> Course:
    found = course("1")
    found.do(Ask("stall", "no convergence"))
    return found


def _in_mode(mode: str) -> Callable[[], Course]:
    return lambda: Course("1", mode)


def _bare(stage: str) -> Callable[[], Course]:
    """At work, with nothing recorded but what came before."""
    return lambda: course(stage)


def _handed(stage: str) -> Course:
    """With hand-overs, at work on a stage: each was taken."""
    found = Course(reset=True)
    while found.pipeline.current != stage:
        found.end()
        if found.pipeline.checkpoint:
            take(found)
    return found


def take(found: Course) -> None:
    """Let a fresh session take the hand-over of a checkpoint, and a person confirm it."""
    from baton.core.pipeline import event as events

    point = found.pipeline.checkpoint
    assert point is not None
    if point.mandatory:
        found.confirm()
    found.put(events.Taken(point.hash or "", "sess-b", "", "", point.to, point.to, None, False, ""))


def _closed(stage: str) -> Callable[[], Course]:
    def at() -> Course:
        found = _handed(stage)
        found.end()
        return found

    return at


def _confirmed() -> Course:
    found = _closed("2.5")()
    found.confirm()
    return found


def _rerevised() -> Course:
    """At stage 3' again, the one re-revision used up."""
    found = course("3'").decided("major")
    found.confirm()
    found.have("Re-Revised Draft")
    found.pipeline = replace(found.pipeline, current="3'", checkpoint=None)
    found.pipeline = found.pipeline.with_stage("3'", state="in_progress", decision="")
    return found


END = "; nothing was recorded"
REFUSALS = [
    *(
        Refusal(
            f"{command}: over",
            _done,
            ask,
            "illegal-transition",
            f"the pipeline is completed: nothing follows{END}",
            "baton pipeline start --name NAME --entry S",
        )
        for command, ask in {
            "confirm": Ask("confirm"),
            "complete": Ask("complete"),
            "integrity": PASS,
            "decide": Ask("decide", "accept"),
            "choose": Ask("choose", "pdf"),
            "material": Ask("material", "Paper Draft", files=files(1)),
            "pause": Ask("pause"),
            "resume": Ask("resume"),
            "skip": Ask("skip", "1"),
            "stall": Ask("stall"),
            "mode": Ask("mode", mode="full"),
            "abort": Ask("abort"),
        }.items()
    ),
    *(
        Refusal(
            f"{ask.command}: paused",
            _paused(stage),
            ask,
            "illegal-transition",
            f"the pipeline is paused{END}",
            "baton pipeline resume",
        )
        for stage, ask in (
            ("2", Ask("confirm")),
            ("1", Ask("complete")),
            ("2.5", PASS),
            ("3", Ask("decide", "accept")),
            ("1", Ask("choose", "narrow-scope")),
            ("1", Ask("material", "Bibliography", files=files(1))),
            ("1", Ask("skip", "1")),
            ("1", Ask("stall")),
            ("1", Ask("mode", mode="full")),
        )
    ),
    *(
        Refusal(
            f"{ask.command}: not begun",
            lambda: Course("2"),
            ask,
            "illegal-transition",
            f"stage 2 has not begun: its entry is not confirmed{END}",
            "baton pipeline confirm",
        )
        for ask in (
            Ask("complete"),
            PASS,
            Ask("decide", "accept"),
            Ask("choose", "x"),
            Ask("skip", "1"),
            Ask("stall"),
            Ask("mode", mode="full"),
        )
    ),
    *(
        Refusal(
            f"{ask.command}: at its checkpoint",
            _at_checkpoint(stage),
            ask,
            "illegal-transition",
            f"stage {stage} is over: its checkpoint waits for an answer{END}",
            "baton pipeline confirm",
        )
        for stage, ask in (
            ("1", Ask("complete")),
            ("2.5", PASS),
            ("3", Ask("decide", "accept")),
            ("1", Ask("stall")),
            ("1", Ask("mode", mode="quick", yes=True)),
        )
    ),
    Refusal(
        "integrity: at the limit",
        _limit(),
        PASS,
        "limit-reached",
        f"stage 2.5 failed after 3 rounds of correction: a person must choose{END}",
        "baton pipeline choose by-hand|remove-citations|go-on-unverified",
    ),
    Refusal(
        "complete: an integrity stage",
        _bare("4.5"),
        Ask("complete"),
        "illegal-transition",
        f"stage 4.5 ends with an integrity check that passes, not by a word{END}",
        f"{CHECK} --issues 0",
    ),
    Refusal(
        "complete: a review",
        _bare("3'"),
        Ask("complete"),
        "illegal-transition",
        f"stage 3' ends with the decision of the review{END}",
        "baton pipeline decide accept|minor|major",
    ),
    Refusal(
        "complete: without what the next stage requires",
        _bare("2"),
        Ask("complete"),
        "missing-material",
        f"stage 2.5 needs Paper Draft (stage 2 makes it) (or --accept-risk, a person's act){END}",
        "baton pipeline material 'Paper Draft' FILE",
    ),
    Refusal(
        "complete: without the final paper",
        _bare("5"),
        Ask("complete"),
        "missing-material",
        f"the delivery needs Final Paper (stage 5 makes it) (or --accept-risk, a person's act){END}",
        "baton pipeline material 'Final Paper' FILE",
    ),
    Refusal(
        "integrity: elsewhere",
        _bare("4"),
        PASS,
        "illegal-transition",
        f"the pipeline stands at stage 4; integrity is checked at 2.5 and 4.5{END}",
    ),
    Refusal(
        "integrity: a final pass with issues",
        _bare("4.5"),
        replace(PASS, issues=2),
        "illegal-transition",
        f"stage 4.5 passes with no issue left (--issues 0); there are 2{END}",
        "baton pipeline integrity fail --report FILE --draft FILE",
    ),
    Refusal(
        "integrity: a final pass that does not say how many issues",
        _bare("4.5"),
        replace(PASS, issues=None),
        "illegal-transition",
        f"stage 4.5 passes with no issue left (--issues 0); it is not said how many{END}",
        "baton pipeline integrity fail --report FILE --draft FILE",
    ),
    Refusal(
        "decide: elsewhere",
        _bare("4"),
        Ask("decide", "accept"),
        "illegal-transition",
        f"the pipeline stands at stage 4; reviews decide at 3 and 3'{END}",
    ),
    Refusal(
        "decide: no decision of this review",
        lambda: course("3'").have("Re-Review Report"),
        Ask("decide", "reject"),
        "illegal-transition",
        f"stage 3' decides accept, minor, major; got \"reject\"{END}",
        "baton pipeline decide accept|minor|major",
    ),
    Refusal(
        "decide: without the reports",
        lambda: course("3").have("Editorial Decision", "Revision Roadmap"),
        Ask("decide", "minor"),
        "missing-material",
        f"stage 4 needs Review Reports 0/5 (stage 3 makes it) (or --accept-risk, a person's act){END}",
        "baton pipeline material 'Review Reports' FILE",
    ),
    Refusal(
        "confirm: at work",
        _bare("1"),
        Ask("confirm"),
        "illegal-transition",
        f"stage 1 is at work: there is nothing to confirm yet{END}",
    ),
    Refusal(
        "complete: handed over",
        _closed("1"),
        Ask("complete"),
        "illegal-transition",
        f"stage 1 is over: its checkpoint waits for an answer{END}",
        "resume_from_passport=000000000001",
    ),
    Refusal(
        "complete: handed over, and not confirmed yet",
        _closed("2.5"),
        Ask("complete"),
        "illegal-transition",
        f"stage 2.5 is over: its checkpoint waits for an answer{END}",
        "baton pipeline confirm",
    ),
    Refusal(
        "confirm: handed over",
        _closed("1"),
        Ask("confirm"),
        "illegal-transition",
        f"stage 1 was handed over, and goes on in the session that takes boundary 000000000001{END}",
        "resume_from_passport=000000000001",
    ),
    Refusal(
        "confirm: confirmed already",
        _confirmed,
        Ask("confirm"),
        "illegal-transition",
        f"stage 2.5 is confirmed, and goes on in the session that takes boundary 000000000003{END}",
        "resume_from_passport=000000000003",
    ),
    Refusal(
        "confirm: rejected",
        _rejected,
        Ask("confirm"),
        "needs-decision",
        f"The paper was rejected. What now? Offered: restructure, abort{END}",
        "baton pipeline choose restructure|abort",
    ),
    Refusal(
        "confirm: at the limit",
        _limit("4.5"),
        Ask("confirm"),
        "needs-decision",
        "Stage 4.5 did not pass after 3 rounds of correction. What is to be done with what cannot be "
        f"verified? Offered: by-hand, remove-citations, go-on-unverified{END}",
        "baton pipeline choose by-hand|remove-citations|go-on-unverified",
    ),
    Refusal(
        "confirm: the draft has changed",
        _at_checkpoint("2.5"),
        Ask("confirm"),
        "integrity-void",
        f"draft.md has changed since it passed stage 2.5: the check is STALE{END}",
        CHECK,
        CHANGED,
    ),
    Refusal(
        "confirm: the draft is gone",
        _at_checkpoint("4.5"),
        Ask("confirm"),
        "integrity-void",
        f"draft.md is gone since it passed stage 4.5: the check is STALE{END}",
        f"{CHECK} --issues 0",
        Facts({"draft.md": None}),
    ),
    Refusal(
        "confirm: no such mode",
        _at_checkpoint("1"),
        Ask("confirm", mode="quick"),
        "mode-refused",
        'mode "quick" is prohibited: stage 2 has no such mode; its modes are full, plan, outline-only, '
        f"lit-review, abstract-only{END}",
    ),
    Refusal(
        "confirm: a switch that asks",
        _at_checkpoint("1"),
        Ask("confirm", mode="outline-only"),
        "needs-mode-yes",
        'mode "outline-only" for stage 2: a switch from full to outline-only changes what is produced. '
        f"Is it meant?{END}",
        "the same command with --yes",
    ),
    Refusal(
        "confirm: an entry without its material",
        lambda: Course("2.5", None),
        Ask("confirm"),
        "missing-material",
        f"stage 2.5 needs Paper Draft (or --accept-risk, a person's act){END}",
        "baton pipeline material 'Paper Draft' FILE",
    ),
    Refusal(
        "confirm: an entry past a gate, at a risk that nobody can take",
        lambda: Course("3", None),
        Ask("confirm", risk=True),
        "missing-material",
        f"stage 3 needs Verified Paper Draft, Integrity Report (Pre){END}",
        "baton pipeline material 'Verified Paper Draft' FILE",
    ),
    Refusal(
        "choose: nothing to choose",
        _at_checkpoint("1"),
        Ask("choose", "pdf"),
        "unknown-branch",
        f'"pdf" is no choice here. Nothing is to be chosen here{END}',
    ),
    Refusal(
        "choose: not offered",
        _at_checkpoint("4.5"),
        Ask("choose", "word"),
        "unknown-branch",
        f'"word" is no choice here. Offered: docx, latex, pdf, md{END}',
    ),
    Refusal(
        "choose: at work",
        _bare("1"),
        Ask("choose", "narrow-scope"),
        "unknown-branch",
        f'"narrow-scope" is no choice here. Nothing is to be chosen here{END}',
    ),
    Refusal(
        "choose: not what helps a stalled stage",
        _stalled,
        Ask("choose", "give-up"),
        "unknown-branch",
        f'"give-up" is no choice here. Offered: switch-mode, narrow-scope{END}',
    ),
    Refusal(
        "choose: handed over",
        _limit(reset=True),
        Ask("choose", "by-hand"),
        "illegal-transition",
        f"the choice at stage 2.5 is made where boundary 000000000003 is taken{END}",
        "resume_from_passport=000000000003",
    ),
    Refusal(
        "choose: a switch to nothing",
        _stalled,
        Ask("choose", "switch-mode"),
        "usage",
        f"switch-mode needs --mode{END}",
        "baton pipeline choose switch-mode --mode full",
    ),
    Refusal(
        "choose: the draft has changed",
        _at_checkpoint("4.5"),
        Ask("choose", "pdf"),
        "integrity-void",
        f"draft.md has changed since it passed stage 4.5: the check is STALE{END}",
        f"{CHECK} --issues 0",
        CHANGED,
    ),
    Refusal(
        "choose: a mode that is prohibited",
        _stalled,
        Ask("choose", "switch-mode", "plan"),
        "mode-refused",
        'mode "plan" is prohibited: stage 1 has no such mode; its modes are full, quick, review, lit-review, '
        f"three-way-scan, fact-check, socratic, systematic-review{END}",
    ),
    Refusal(
        "choose: to revise without a roadmap",
        lambda: course("3").decided("minor"),
        Ask("choose", "revise"),
        "missing-material",
        f"stage 4 needs Revision Roadmap (stage 3 makes it) (or --accept-risk, a person's act){END}",
        "baton pipeline material 'Revision Roadmap' FILE",
        Facts({"Revision Roadmap0.md": None}),
    ),
    Refusal(
        "material: no such",
        _bare("1"),
        Ask("material", "Poster", files=files(1)),
        "usage",
        f'no material is called "Poster"; there are {", ".join(tables.BY_NAME)}{END}',
        "baton pipeline material 'Paper Draft' FILE",
    ),
    Refusal(
        "material: what a check makes",
        _bare("1"),
        Ask("material", "Verified Paper Draft", files=files(1)),
        "illegal-transition",
        f"Verified Paper Draft is made by the integrity check itself{END}",
        CHECK,
    ),
    Refusal(
        "resume: not paused",
        _bare("1"),
        Ask("resume"),
        "illegal-transition",
        f"the pipeline is not paused: it is running{END}",
    ),
    Refusal(
        "skip: never",
        _bare("2"),
        Ask("skip", "2"),
        "cannot-skip",
        "stage 2 cannot be skipped; stages that can: 1 (the person has a bibliography of their own), "
        f"3' (the revisions were minor), 4' (the paper was accepted){END}",
    ),
    Refusal(
        "skip: not due",
        _bare("2"),
        Ask("skip", "3'"),
        "cannot-skip",
        f"stage 3' is not due: the pipeline stands at 2{END}",
    ),
    Refusal(
        "skip: a major revision",
        lambda: (c := course("3").decided("major"), c.confirm(), c.to("3'"))[2],
        Ask("skip"),
        "cannot-skip",
        f"stage 3' is skipped only where the revisions were minor; the decision is major{END}",
    ),
    Refusal(
        "skip: an entry whose decision nobody knows",
        lambda: (c := Course("4", None).have("Paper Draft", "Review Reports"), c.confirm(), c.to("3'"))[2],
        Ask("skip"),
        "cannot-skip",
        f"stage 3' is skipped only where the revisions were minor; the decision is not known{END}",
    ),
    Refusal(
        "skip: no bibliography",
        _bare("1"),
        Ask("skip"),
        "missing-material",
        "stage 1 is skipped only where the person has a bibliography of their own: Bibliography is not "
        f"recorded{END}",
        "baton pipeline material Bibliography FILE",
    ),
    Refusal(
        "mode: asks",
        _in_mode("full"),
        Ask("mode", mode="quick"),
        "needs-mode-yes",
        f'mode "quick" for stage 1: a switch from full to quick changes what is produced. Is it meant?{END}',
        "the same command with --yes",
    ),
    Refusal(
        "mode: planning a written draft anew",
        lambda: course("2").have("Paper Draft"),
        Ask("mode", mode="plan", yes=True),
        "mode-refused",
        f'mode "plan" is prohibited: a draft is written; planning it anew would throw it away{END}',
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", REFUSALS, ids=lambda case: case.name)
def test_it_is_refused_and_nothing_moves(case: Refusal) -> None:
    error = case.at().refused(case.ask, case.facts)
    assert (error.code, error.message, error.hint) == (case.code, case.message, case.hint)


def _held(pipeline: Pipeline, case: Refusal) -> bool:
    """Whether a case is refused as it should be."""
    try:
        machine.step(pipeline, case.ask, case.facts)
    except BatonError as error:
        return (error.code, error.message) == (case.code, case.message)
    except (KeyError, AssertionError, StopIteration):
        return False
    return False


@pytest.fixture(scope="module")
def laid() -> list[tuple[Refusal, Pipeline]]:
    """Each case with its pipeline."""
    return [(case, case.at().pipeline) for case in REFUSALS]


PAIRS = [(name, guard) for name, command in COMMANDS.items() for guard in command.guards]


@pytest.mark.parametrize(("name", "guard"), PAIRS, ids=lambda each: getattr(each, "__name__", each))
def test_the_absence_of_any_one_guard_is_noticed(
    name: str,
    guard: Guard,
    laid: list[tuple[Refusal, Pipeline]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command = COMMANDS[name]
    left = tuple(each for each in command.guards if each is not guard)
    monkeypatch.setitem(COMMANDS, name, machine.Command(left, command.does))
    mine = [(case, pipeline) for case, pipeline in laid if case.ask.command == name]
    assert not all(_held(pipeline, case) for case, pipeline in mine)


def test_one_re_revision_only() -> None:
    """A major decision when it is used up leads on to the final check, or gives the paper up."""
    found = _rerevised()
    found.do(Ask("decide", "major", items=("the sample is small",)))
    point = found.pipeline.checkpoint
    assert point is not None
    assert (point.to, found.pipeline.limitations) == ("4.5", ("the sample is small",))
    assert found.refused(Ask("choose", "revise")).message == (
        f'"revise" is no choice here. Offered: go-on, abort{END}'
    )
    assert found.do(Ask("choose", "go-on")).current == "4.5"
