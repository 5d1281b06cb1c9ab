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

_SAFE = {("quick", "full"), ("plan", "full"), ("quick", "guided")}
_BY_NAME = {name.lower(): stage for stage, name in STAGES.items()} | {"3p": "3'", "4p": "4'"}


def stage_of(text: str) -> str | None:
    """Give the stage that a person means by `3p`, `re-review`, `RE-REVIEW` or `3'`; None for no stage of ours."""
    return text if text in STAGES else _BY_NAME.get(text.lower())


def stage_or_text(text: str) -> str:
    """Give the stage that is meant, or the text of a stage that is not ours."""
    return stage_of(text) or text


def planned_mode(stage: str, *named: str | None) -> str | None:
    """Give the mode that a stage would run in: the first named one that it has, its only one, or
    None when that is not known."""
    modes = MODES.get(stage, [])
    fitting = [mode for mode in named if mode in modes]
    if fitting:
        return fitting[0]
    return modes[0] if len(modes) == 1 else None


def switch(stage: str, planned: str | None, wanted: str, written_draft: bool) -> tuple[str, str]:
    """Say whether `stage` may run in mode `wanted` instead of `planned` (None: not known).

    written_draft: a draft of the paper exists. Gives SAFE, ASKS or PROHIBITED, and the reason in
    one sentence ("" for safe).
    """
    modes = MODES.get(stage)
    if modes is None:
        return ASKS, "nothing is known of the modes of this stage"
    if wanted not in modes:
        fixed = "its mode is fixed: " if len(modes) == 1 else "its modes are "
        return PROHIBITED, f"stage {stage} has no such mode; {fixed}{', '.join(modes)}"
    if (planned, wanted) == ("full", "plan") and written_draft:
        return PROHIBITED, "a draft is written; planning it anew would throw it away"
    if planned == wanted or (planned, wanted) in _SAFE:
        return SAFE, ""
    if planned is None:
        return ASKS, f"no mode was recorded for stage {stage}"
    return ASKS, f"a switch from {planned} to {wanted} changes what is produced"
