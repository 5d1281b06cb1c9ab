"""baton.core.passport.modes: every switch of every stage."""

from __future__ import annotations

import pytest

from baton.core.passport.modes import (
    ASKS,
    MODES,
    PROHIBITED,
    SAFE,
    STAGES,
    planned_mode,
    stage_of,
    stage_or_text,
    switch,
)

# stage → (planned, wanted) that are safe beside the stage's own mode again; all else that the stage has asks
SAFE_SWITCHES = {
    "1": {("quick", "full")},
    "2": {("plan", "full")},
    "3": {("quick", "full"), ("quick", "guided")},
}


def test_every_stage_has_a_name_and_modes() -> None:
    assert list(STAGES) == list(MODES) == ["1", "2", "2.5", "3", "4", "3'", "4'", "4.5", "5"]


@pytest.mark.parametrize("stage", MODES)
@pytest.mark.parametrize("draft", [True, False])
def test_every_switch(stage: str, draft: bool) -> None:
    for planned in MODES[stage]:
        for wanted in MODES[stage]:
            if (planned, wanted) == ("full", "plan") and draft:
                expected = PROHIBITED
            elif planned == wanted or (planned, wanted) in SAFE_SWITCHES.get(stage, ()):
                expected = SAFE
            else:
                expected = ASKS
            verdict, reason = switch(stage, planned, wanted, draft)
            assert verdict == expected
            assert bool(reason) == (verdict != SAFE)


@pytest.mark.parametrize(
    ("stage", "planned", "wanted", "verdict", "reason"),
    [
        ("7", "full", "quick", ASKS, "nothing is known of the modes of this stage"),
        ("2", None, "full", ASKS, "no mode was recorded for stage 2"),
        ("2", "full", "quick", PROHIBITED, "stage 2 has no such mode; its modes are full, plan, outline-only, "
         "lit-review, abstract-only"),
        ("2.5", "pre-review", "full", PROHIBITED, "stage 2.5 has no such mode; its mode is fixed: pre-review"),
        ("4.5", None, "final-check", ASKS, "no mode was recorded for stage 4.5"),
        ("2", "full", "plan", PROHIBITED, "a draft is written; planning it anew would throw it away"),
        ("3", "full", "quick", ASKS, "a switch from full to quick changes what is produced"),
    ],
)  # fmt: skip
def test_reasons(stage: str, planned: str | None, wanted: str, verdict: str, reason: str) -> None:
    assert switch(stage, planned, wanted, True) == (verdict, reason)


@pytest.mark.parametrize(
    ("stage", "named", "mode"),
    [
        ("2", "full", "full"),
        ("2", "quick", None),
        ("2", None, None),
        ("2.5", "full", "pre-review"),
        ("4.5", None, "final-check"),
        ("7", "full", None),
    ],
)
def test_the_mode_that_a_stage_would_run_in(
    stage: str, named: str | None, mode: str | None
) -> None:
    assert planned_mode(stage, named) == mode


@pytest.mark.parametrize(
    ("text", "stage"),
    [
        ("2.5", "2.5"), ("3'", "3'"), ("3p", "3'"), ("4P", "4'"), ("write", "2"), ("RE-REVIEW", "3'"),
        ("Final Integrity", "4.5"), ("7", None), ("", None), ("3 '", None),
    ],
)  # fmt: skip
def test_what_stage_is_meant(text: str, stage: str | None) -> None:
    assert stage_of(text) == stage
    assert stage_or_text(text) == (stage or text)
