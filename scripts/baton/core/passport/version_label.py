"""Version labels: the next one, and whether a given one goes on from the last (design page passport)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from baton.core.errors import BatonError
from baton.core.passport.entry import Boundary, Entry
from baton.core.passport.modes import stage_or_text
from baton.hot import clean

FIRST = "v1.0"

_FORM = re.compile(
    r"(?P<head>(?:.*[^A-Za-z])?[vV])(?P<numbers>[0-9]{1,9}(?:\.[0-9]{1,9})*)(?P<tail>(?:[^0-9].*)?)",
    re.DOTALL,
)


def bumped(label: str) -> str:
    """Give the label that follows: `v1.0` → `v1.1-revised`, `paper_draft_v2` → `paper_draft_v3`.

    The last number behind the last `v` goes up by one; a label without one gets `_v2`.
    """
    form = _FORM.fullmatch(label)
    if form is None:
        return f"{label}_v2"
    *front, last = form["numbers"].split(".")
    numbers = ".".join([*front, str(int(last) + 1)])
    tail = form["tail"] or ("-revised" if front else "")
    return f"{form['head']}{numbers}{tail}"


def for_stage(entries: Iterable[Entry], stage: str, given: str | None, first: str | None) -> str:
    """Give the label of the next boundary of a stage.

    given: asked for by the user. first: the passport's own label, for a stage that has none yet.
    Raises BatonError `version-not-bumped` when a re-run of the stage is given a label that is not
    newer than the stage's newest, naming one that would do.
    """
    used = [
        entry.version_label
        for entry in entries
        if isinstance(entry, Boundary) and stage_or_text(entry.stage) == stage_or_text(stage)
    ]
    if not used:
        return given or first or FIRST
    following = bumped(used[-1])
    while following in used:
        following = bumped(following)
    if given is None:
        return following
    if given in used or not _newer(given, used[-1]):
        raise BatonError(
            "version-not-bumped",
            f"stage {clean.line(stage, 60)} was completed before as {clean.quoted(used[-1], 60)}; "
            f"a re-run needs a newer label, got {clean.quoted(given, 60)}; nothing was written",
            f"the same command without --version-label, which takes {clean.quoted(following, 60)}",
        )
    return given


def _newer(label: str, than: str) -> bool:
    """Whether a label's numbers are higher; labels of different forms cannot be compared, and pass."""
    one, other = _FORM.fullmatch(label), _FORM.fullmatch(than)
    if one is None or other is None or one["head"] != other["head"]:
        return True
    return _numbers(one["numbers"]) > _numbers(other["numbers"])


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(".")]
