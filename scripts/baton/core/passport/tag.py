"""The machine line of a boundary, printed and found again, and the block for people below it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from baton.core.errors import BatonError
from baton.hot import clean

BEGIN = "[PASSPORT-RESET:"
_FORM = re.compile(
    re.escape(BEGIN) + r" hash=([0-9a-f]{12}), stage=([^,\]\r\n]+), next=([^,\]\r\n]+)\]"
)


@dataclass(frozen=True, slots=True)
class Tag:
    """`[PASSPORT-RESET: hash=…, stage=…, next=…]`. next None is printed as `null`."""

    hash: str
    stage: str
    next: str | None

    def __str__(self) -> str:
        next_ = "null" if self.next is None else self.next
        return f"{BEGIN} hash={self.hash}, stage={self.stage}, next={next_}]"


def checked_stage(text: str, option: str, command: str = "boundary") -> str:
    """Give a stage that a tag can carry. option, command: its flag and where that stands, for the
    message. Raises BatonError `usage`."""
    bad = [sign for sign in text if sign in ",]" or not (sign.isprintable())]
    if bad or text != text.strip() or text in ("", "null"):
        raise BatonError(
            "usage",
            f"{option} must be a stage without `,`, `]`, line ends and blanks around it, and not the word null, "
            f"got {clean.quoted(text, 60)}; nothing was written",
            f"baton passport {command} --help",
        )
    return text


def found(text: str) -> tuple[Tag, ...]:
    """Give the tags in any text, each once, in order. Never raises."""
    tags = (Tag(hash_, stage, _next(next_)) for hash_, stage, next_ in _FORM.findall(text))
    return tuple(dict.fromkeys(tags))


def _next(text: str) -> str | None:
    return None if text == "null" else text


def instruction(passport: str, hash_: str) -> str:
    """Give the block `### Resume Instruction`. passport: its path from the root."""
    return (
        "### Resume Instruction\n"
        f"- Passport file: {clean.line(passport)}\n"
        f"- In a fresh Claude Code session: resume_from_passport={hash_}\n"
        "- Only a fresh session saves the tokens: it reads the passport, not this conversation."
    )


def announcement(tag: Tag, passport: str) -> str:
    """Give the machine line, an empty line and the instruction: what a boundary prints, exactly once."""
    return f"{tag}\n\n{instruction(passport, tag.hash)}"
