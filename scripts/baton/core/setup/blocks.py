"""Marked blocks of lines in files that belong to others: .gitattributes, info/exclude, CLAUDE.md.

Putting a block and taking it out are each other's inverse, a missing final newline included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class Damaged(ValueError):
    """A block's marks do not pair up. Says which, and how often each stands there."""


@dataclass(frozen=True, slots=True)
class Block:
    """begin, end: the lines that mark it. lines: between them. apart: with a blank line before."""

    begin: str
    end: str
    lines: Sequence[str] = ()
    apart: bool = False


def put(text: str, block: Block) -> str:
    """Give the text with the block, behind everything else or where it stands already.

    Raises Damaged.
    """
    line = "\r\n" if "\r\n" in text else "\n"
    whole = line.join([block.begin, *block.lines, block.end])
    span = _span(text, block)
    if span:
        return text[: span[0]] + whole + text[span[1] :]
    if not text:
        return whole + line
    gap = line if block.apart else ""
    return text + gap + whole + line if text.endswith("\n") else text + line + gap + whole


def take(text: str, block: Block) -> str:
    """Give the text without the block; its lines do not matter. Raises Damaged."""
    span = _span(text, block)
    if not span:
        return text
    head, tail = text[: span[0]], text[span[1] :]
    # As the block itself is written: the text around it may mix its line ends.
    line = "\r\n" if text.startswith("\r\n", span[0] + len(block.begin)) else "\n"
    if block.apart and head.endswith("\n" + line):
        head = head.removesuffix(line)
    if not tail:
        return head.removesuffix(line)
    return head + tail.removeprefix(line)


def _span(text: str, block: Block) -> tuple[int, int] | None:
    """Where the block stands: from its first mark to the end of its last, the line end not in it."""
    begins, ends = _lines_that_are(text, block.begin), _lines_that_are(text, block.end)
    if not begins and not ends:
        return None
    if len(begins) != 1 or len(ends) != 1 or begins[0] > ends[0]:
        message = (
            f"{block.begin!r} stands there {len(begins)} times, {block.end!r} {len(ends)} times"
        )
        raise Damaged(f"{message}; a block has one of each, in this order")
    return begins[0], ends[0] + len(block.end)


def _lines_that_are(text: str, mark: str) -> list[int]:
    found, at = [], 0
    for line in text.splitlines(keepends=True):
        if line.rstrip() == mark:
            found.append(at)
        at += len(line)
    return found
