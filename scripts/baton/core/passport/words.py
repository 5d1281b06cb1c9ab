"""Words for what stands in a passport, as people and models are shown it."""

from __future__ import annotations

import re

from baton.core.passport.entry import Option
from baton.core.passport.modes import STAGES, stage_of
from baton.hot import clean

_SIMPLE = re.compile(r"[\w.':+/-]{1,80}")


def named(stage: str) -> str:
    """Give a stage with its name behind it, where it is one of ours."""
    known = stage_of(stage)
    return f"{shown(stage)} ({STAGES[known]})" if known else shown(stage)


def shown(text: str | None) -> str:
    """Give a value from a file for showing: as it is when it is a plain word, else quoted."""
    text = text or ""
    return text if _SIMPLE.fullmatch(text) else clean.quoted(text, 80)


def led_to(option: Option) -> str:
    """Say where an option leads."""
    if option.next_stage is None:
        return "ends the pipeline"
    mode = f", mode {shown(option.next_mode)}" if option.next_mode is not None else ""
    return f"stage {named(option.next_stage)}{mode}"
