"""baton.core.passport.version_label."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.core.errors import BatonError
from baton.core.passport.entry import Entry, Resume
from baton.core.passport.version_label import bumped, for_stage
from passport_samples import BOUNDARY

RESUME = Resume("0" * 12, "2026-04-23T15:00:00Z", "s")


@pytest.mark.parametrize(
    ("label", "following"),
    [
        ("v1.0", "v1.1-revised"),
        ("v1.1-revised", "v1.2-revised"),
        ("v1.9", "v1.10-revised"),
        ("paper_draft_v2", "paper_draft_v3"),
        ("paper_draft_v9-final", "paper_draft_v10-final"),
        ("V3", "V4"),
        ("v1.2.3", "v1.2.4-revised"),
        ("dev2", "dev2_v2"),
        ("draft", "draft_v2"),
        ("draft_v2", "draft_v3"),
        ("v1 v2", "v1 v3"),
        ("v", "v_v2"),
        ("", "_v2"),
        ("v" + "9" * 30, "v" + "9" * 30 + "_v2"),
    ],
)
def test_bumped(label: str, following: str) -> None:
    assert bumped(label) == following


@given(st.text(max_size=10) | st.from_regex(r"[a-z_]*v[0-9]{1,3}(\.[0-9]{1,3})?", fullmatch=True))
def test_bumped_goes_on_and_never_comes_back(label: str) -> None:
    seen = [label]
    for _ in range(5):
        seen.append(bumped(seen[-1]))
    assert len(set(seen)) == len(seen)


def entries(*labels: str, stage: str = "2") -> list[Entry]:
    return [RESUME, *(replace(BOUNDARY, stage=stage, version_label=label) for label in labels)]


# entries, stage, given, first → label
LABELS = {
    "nothing known": ([], None, None, "v1.0"),
    "the passport's own": ([], None, "paper_draft_v1", "paper_draft_v1"),
    "given, first of its stage": ([], "x", "paper_draft_v1", "x"),
    "other stages do not count": (entries("v7", stage="3"), None, None, "v1.0"),
    "the newest of the stage": (entries("v1.0", "v3"), None, "v1.0", "v4"),
    "the stage by another name": (entries("v1.0", stage="WRITE"), None, None, "v1.1-revised"),
    "the next one is taken": (entries("v2", "v1"), None, None, "v3"),
    "given and newer": (entries("v1.0"), "v2.0", None, "v2.0"),
    "given, of another form": (entries("v1.0"), "second", None, "second"),
    "given, of another kind": (entries("v1.0"), "paper_v1", None, "paper_v1"),
}


@pytest.mark.parametrize("case", LABELS)
def test_the_label_of_a_boundary(case: str) -> None:
    before, given_, first, label = LABELS[case]
    assert for_stage(before, "2", given_, first) == label


@pytest.mark.parametrize("given_", ["v1.1-revised", "v1.0", "v1.1", "v0.9"])
def test_a_label_that_is_not_newer(given_: str) -> None:
    with pytest.raises(BatonError) as caught:
        for_stage(entries("v1.0", "v1.1-revised"), "2", given_, None)
    error = caught.value
    assert (error.code, error.message, error.hint) == (
        "version-not-bumped",
        'stage 2 was completed before as "v1.1-revised"; a re-run needs a newer label, '
        f'got "{given_}"; nothing was written',
        'the same command without --version-label, which takes "v1.2-revised"',
    )
