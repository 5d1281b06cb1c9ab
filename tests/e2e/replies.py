"""What a scripted model can answer.

Every reply is a frozen value. `Text`, `ToolCall` and `Turn` are ordinary answers; the others are the
ways in which a model service fails. Nothing here lasts longer than `LONGEST` seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

LONGEST = 300.0
"""Seconds. The upper bound of every wait a reply can ask for."""


@dataclass(frozen=True)
class Text:
    """The model says `text` and ends its turn."""

    text: str


@dataclass(frozen=True)
class ToolCall:
    """The model calls the tool `name` with `input`, a JSON object as the tool's schema wants it."""

    name: str
    input: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, init=False)
class Turn:
    """Several parts in one answer: text and tool calls in any order."""

    parts: tuple[Text | ToolCall, ...]

    def __init__(self, *parts: Text | ToolCall) -> None:
        object.__setattr__(self, "parts", parts)


@dataclass(frozen=True)
class Error:
    """An HTTP error with the service's JSON body.

    Without the header `x-should-retry: false` Claude Code asks again, up to ten times in about three
    minutes.
    """

    status: int
    type: str
    message: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Drop:
    """The connection is reset after `text` was streamed; before any byte, if no stream was wanted."""

    text: str = "half a sent"


@dataclass(frozen=True)
class Delay:
    """`reply`, but `seconds` late."""

    seconds: float
    reply: Reply


@dataclass(frozen=True)
class Hang:
    """No end for `seconds`, then the connection is reset. `text` is streamed first, if given."""

    seconds: float = 60.0
    text: str = ""


COMPACTED = Text("<summary>The conversation so far, in short.</summary>")
"""The answer to a compaction. Without the tags Claude Code would ask once more."""
Reply = Text | ToolCall | Turn | Error | Drop | Delay | Hang
Answer = Text | ToolCall | Turn


def usage_limit(message: str = "You have reached your usage limit.") -> Error:
    """A 429 that Claude Code does not retry."""
    return Error(429, "rate_limit_error", message, {"x-should-retry": "false"})


def overloaded() -> Error:
    """A 529 that Claude Code does not retry."""
    return Error(529, "overloaded_error", "Overloaded", {"x-should-retry": "false"})


def parts_of(answer: Answer) -> tuple[Text | ToolCall, ...]:
    """The parts of an ordinary answer, in order."""
    return answer.parts if isinstance(answer, Turn) else (answer,)
