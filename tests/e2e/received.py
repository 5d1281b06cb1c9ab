"""What Claude Code sent: one request to the model server, and questions to ask of it.

How requests are told apart (Claude Code 2.1.332, see `Request.kind`) is proved by test_harness.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

COMPACTION = "Your task is to create a detailed summary of the conversation so far"


@dataclass(frozen=True)
class ToolResult:
    """One `tool_result` block: the text in it, and whether the tool failed."""

    id: str
    text: str
    failed: bool


@dataclass(frozen=True)
class Request:
    """One HTTP request. Header names in lower case; `body` {} when there was none; `at` Unix time."""

    number: int
    method: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    at: float

    @property
    def key(self) -> str:
        """The API key, that is: the account."""
        return self.headers.get("x-api-key", "")

    @property
    def kind(self) -> str:
        """What asked, by signs seen on Claude Code 2.1.332.

        "main": a turn of the session itself, a retry of it included. "agent": a subagent or an
        agent of a workflow run, which names itself in a header. "compact": the summary that a
        compaction asks for; it looks like a main turn but for its last message. "side": no tools
        on offer, such as the session's title (asked for unless non-essential traffic is off).
        "other": not a model request.
        """
        if self.method != "POST" or self.path.split("?")[0] != "/v1/messages":
            return "other"
        if self.agent:
            return "agent"
        if not self.tools:
            return "side"
        return "compact" if COMPACTION in self.user_text() else "main"

    @property
    def agent(self) -> str:
        """The id of the subagent that asked, "" for the session itself."""
        return self.headers.get("x-claude-code-agent-id", "")

    @property
    def session(self) -> str:
        """The session id of the Claude Code that asked."""
        return self.headers.get("x-claude-code-session-id", "")

    @property
    def messages(self) -> list[Mapping[str, Any]]:
        """The conversation as sent."""
        return list(self.body.get("messages", []))

    @property
    def tools(self) -> list[str]:
        """Names of the tools on offer."""
        return [tool["name"] for tool in self.body.get("tools", []) if "name" in tool]

    def system_prompt(self) -> str:
        """The system prompt alone."""
        return "\n".join(_texts(self.body.get("system", "")))

    def user_texts(self) -> list[str]:
        """The text blocks of the newest user message that holds any."""
        for found in reversed(self.messages):
            texts = list(_own_texts(found)) if found.get("role") == "user" else []
            if texts:
                return texts
        return []

    def user_text(self) -> str:
        """The newest user message's last text: what was typed, or a command's expanded body."""
        texts = self.user_texts()
        return texts[-1] if texts else ""

    def role_text(self, role: str) -> str:
        """All text of the messages of one role: "user" (tool results too), "assistant", "system"."""
        return "\n".join(
            text for m in self.messages if m.get("role") == role for text in _texts(m["content"])
        )

    def all_text(self) -> str:
        """ALL text the model was given: system prompt, messages of every role, tool results."""
        return "\n".join(
            [self.system_prompt(), *(t for m in self.messages for t in _texts(m["content"]))]
        )

    def tool_results(self) -> list[ToolResult]:
        """The tool results in the messages that follow the newest assistant message."""
        return [
            _result(block) for block in self._newest_blocks() if block.get("type") == "tool_result"
        ]

    def _newest_blocks(self) -> Iterator[Mapping[str, Any]]:
        roles = [found.get("role") for found in self.messages]
        start = len(roles) - roles[::-1].index("assistant") if "assistant" in roles else 0
        for found in self.messages[start:]:
            content = found.get("content")
            yield from content if isinstance(content, list) else []


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for block in content:
            yield from _texts(block)
    elif isinstance(content, dict):
        yield from _texts(content.get("text"))
        yield from _texts(content.get("content"))


def _own_texts(found: Mapping[str, Any]) -> Iterator[str]:
    content = found.get("content")
    if isinstance(content, str):
        yield content
        return
    for block in content or []:
        if block.get("type") == "text":
            yield block["text"]


def _result(block: Mapping[str, Any]) -> ToolResult:
    text = "\n".join(_texts(block.get("content")))
    return ToolResult(block.get("tool_use_id", ""), text, bool(block.get("is_error")))
