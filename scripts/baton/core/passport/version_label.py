"""Version labels: the next one, and whether a given one goes on from the last (design page passport)."""

from __future__ import annotations

from collections.abc import Iterable

from baton.core.passport.entry import Entry

FIRST = "v1.0"


def bumped(label: str) -> str:
    """Give the label that follows: `v1.0` → `v1.1-revised`, `paper_draft_v2` → `paper_draft_v3`."""
    raise NotImplementedError


def for_stage(entries: Iterable[Entry], stage: str, given: str | None, first: str | None) -> str:
    """Give the label of the next boundary of a stage.

    given: asked for by the user. first: the passport's own label, for a stage that has none yet.
    Raises BatonError `version-not-bumped` when a re-run of the stage is given a label that is not
    newer than the stage's newest, naming one that would do.
    """
    raise NotImplementedError
