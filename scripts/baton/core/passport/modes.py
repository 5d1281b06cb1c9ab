"""The modes of each stage, and which switch between two is safe, asks, or is prohibited (design page
pipeline)."""

from __future__ import annotations

SAFE, ASKS, PROHIBITED = "safe", "asks", "prohibited"

STAGES = {
    "1": "RESEARCH",
    "2": "WRITE",
    "2.5": "INTEGRITY",
    "3": "REVIEW",
    "4": "REVISE",
    "3'": "RE-REVIEW",
    "4'": "RE-REVISE",
    "4.5": "FINAL INTEGRITY",
    "5": "FINALIZE",
}
"""Stage → its name, in the order of the pipeline."""

MODES = {
    "1": "full quick review lit-review three-way-scan fact-check socratic systematic-review".split(),
    "2": "full plan outline-only lit-review abstract-only".split(),
    "2.5": ["pre-review"],
    "3": "full quick methodology-focus guided".split(),
    "4": "revision revision-coach".split(),
    "3'": ["re-review"],
    "4'": "revision revision-coach".split(),
    "4.5": ["final-check"],
    "5": "format-convert disclosure citation-check".split(),
}
SYSTEMATIC_REVIEW = "systematic-review"


def stage_of(text: str) -> str | None:
    """Give the stage that a person means by `3p`, `re-review`, `RE-REVIEW` or `3'`; None for no stage of ours."""
    raise NotImplementedError


def switch(stage: str, planned: str | None, wanted: str, written_draft: bool) -> tuple[str, str]:
    """Say whether `stage` may run in mode `wanted` instead of `planned` (None: not known).

    written_draft: a draft of the paper exists. Gives SAFE, ASKS or PROHIBITED, and the reason in
    one sentence ("" for safe).
    """
    raise NotImplementedError
