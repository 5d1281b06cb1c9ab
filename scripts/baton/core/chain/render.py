"""The work chain's grammar, written: the inverse of `hot.chain.parse` (design page chain)."""

from __future__ import annotations

from baton.hot.chain import MARKS, Chain, Item

SIGNS = {mark: sign for sign, mark in MARKS.items()}
_WORDS = {
    "en": {
        "title": "# WAL — written by baton; change it with `baton wal`",
        "goal": "(none)",
        "chain": "(empty)",
        "nothing": "(none)",
    },
    "vi": {
        "title": "# WAL — do baton ghi; muốn sửa, dùng `baton wal`",
        "goal": "(trống — không có mạch dở)",
        "chain": "(rỗng)",
        "nothing": "(trống)",
    },
}


def render(chain: Chain) -> bytes:
    """Give the file for a chain, in the chain's language.

    An empty chain gives the empty file of that language.
    """
    words = _WORDS[chain.lang]
    lines = [
        words["title"],
        f"updated: {chain.updated or '—'} | session: {chain.session or '—'} | branch: {chain.branch or '—'}",
        f"goal: {chain.goal or words['goal']}",
        "",
        "chain:",
        *([item_line(item) for item in chain.items] or [words["chain"]]),
        "",
        f"next: {chain.next or words['nothing']}",
        *[f"verify: {command}" for command in chain.verify or [words["nothing"]]],
    ]
    return ("\n".join(lines) + "\n").encode()


def item_line(item: Item) -> str:
    """Give the line of one item."""
    return f"{SIGNS[item.mark]} {item.text}" + (f" — {item.evidence}" if item.evidence else "")
