"""Where the ledger stands in a passport's text: what an append goes by."""

from __future__ import annotations

from dataclasses import dataclass

Span = tuple[int, int]
ABSENT, NULL, BLOCK, FLOW = "absent", "null", "block", "flow"


@dataclass(slots=True)
class Layout:
    """Places as character indexes, spans as from and behind.

    root: BLOCK or FLOW. root_last: the end of the last value in it, None when it is empty. close:
    the bracket of a flow root. end: of the text, or where a written document end begins. shape: of
    the ledger; NULL also when nothing is written. key, value: the ledger's. last: its last entry's
    content, None for none.
    """

    root: str = BLOCK
    root_start: int = 0
    root_column: int = 0
    root_last: int | None = None
    close: int = 0
    end: int = 0
    shape: str = ABSENT
    key: Span = (0, 0)
    value: Span = (0, 0)
    last: Span | None = None
