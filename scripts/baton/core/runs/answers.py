"""What is no answer although it stands where one should (design page runs, "what is a result")."""

from __future__ import annotations

import re

# A limit's own message is short and stands alone; an answer that speaks of one is longer.
_LONGEST = 300
_LIMIT = re.compile(
    r"(?:API Error\b"
    r"|Claude (?:AI )?usage limit reached"
    r"|You(?:'|\u2019)ve (?:hit|reached) your [^.\n]{0,60}\blimit\b)"
)


def is_limit_message(value: object) -> bool:
    """Whether a result is the service's message that a limit was reached, or an error was met."""
    if not isinstance(value, str) or len(value) > _LONGEST:
        return False
    text = value.strip()
    return "\n" not in text and _LIMIT.match(text) is not None
