"""How an answer looks on the wire: one JSON message, or the same message as server-sent events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from .replies import Answer, Text, ToolCall, parts_of

Json = dict[str, Any]


def message(answer: Answer, model: str) -> Json:
    """The whole message that a request without `stream` gets."""
    blocks = [_block(part) for part in parts_of(answer)]
    return {**_head(model), "content": blocks, "stop_reason": _stop_reason(blocks)}


def stream(answer: Answer, model: str) -> bytes:
    """The same message as server-sent events, from message_start to message_stop."""
    whole = message(answer, model)
    events = [("message_start", {"message": {**whole, "content": [], "stop_reason": None}})]
    for index, block in enumerate(whole["content"]):
        events += _block_events(index, block)
    delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    events += [
        ("message_delta", {"delta": delta, "usage": {"output_tokens": 5}}),
        ("message_stop", {}),
    ]
    return b"".join(_event(name, data) for name, data in events)


def opening(text: str, model: str) -> bytes:
    """The events of an answer that stops in the middle: started, `text` said, nothing closed."""
    events = [("message_start", {"message": {**_head(model), "content": []}})]
    if text:
        events += list(_block_events(0, {"type": "text", "text": text}))[:-1]
    return b"".join(_event(name, data) for name, data in events)


def error(kind: str, text: str) -> Json:
    """The body of an error answer."""
    return {"type": "error", "error": {"type": kind, "message": text}}


def _head(model: str) -> Json:
    return {
        "id": f"msg_{uuid4().hex[:24]}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 5},
    }


def _block(part: Text | ToolCall) -> Json:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    return {
        "type": "tool_use",
        "id": f"toolu_{uuid4().hex[:24]}",
        "name": part.name,
        "input": dict(part.input),
    }


def _stop_reason(blocks: list[Json]) -> str:
    return "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"


def _block_events(index: int, block: Json) -> Iterator[tuple[str, Json]]:
    start, delta = _started(block)
    yield "content_block_start", {"index": index, "content_block": start}
    yield "content_block_delta", {"index": index, "delta": delta}
    yield "content_block_stop", {"index": index}


def _started(block: Json) -> tuple[Json, Json]:
    if block["type"] == "text":
        return {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
    given = json.dumps(block["input"])
    return {**block, "input": {}}, {"type": "input_json_delta", "partial_json": given}


def _event(name: str, data: Json) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode()
