"""The machine line of a boundary, printed and found again, and the block for people below it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tag:
    """`[PASSPORT-RESET: hash=…, stage=…, next=…]`. next None is printed as `null`."""

    hash: str
    stage: str
    next: str | None

    def __str__(self) -> str:
        raise NotImplementedError


def checked_stage(text: str, option: str) -> str:
    """Give a stage that a tag can carry. option: its flag, for the message. Raises BatonError `usage`."""
    raise NotImplementedError


def found(text: str) -> tuple[Tag, ...]:
    """Give the tags in any text, each once, in order. Never raises."""
    raise NotImplementedError


def instruction(passport: str, hash_: str) -> str:
    """Give the block `### Resume Instruction`. passport: its path from the root."""
    raise NotImplementedError


def announcement(tag: Tag, passport: str) -> str:
    """Give the machine line, an empty line and the instruction: what a boundary prints, exactly once."""
    raise NotImplementedError
