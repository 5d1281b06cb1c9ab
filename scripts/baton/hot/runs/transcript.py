"""What an agent's transcript tells: what it was asked, and what it answered (design page runs).

`agent-<id>.jsonl`, one JSON object a line, parted at \\n alone: other line signs stand inside texts.
Measured on Claude Code 2.1.332.
"""

from baton.hot import jsons
from baton.hot.runs.layout import OBJECT, TEXT

Row = dict[str, object]
_HEAD, _FRAME = "[Workflow harness", "The computed task text follows:\n"
_ENDED = ("end_turn", "stop_sequence", "max_tokens", "refusal")
# The host writes each of these as \n into the transcript; a script may still hold the original.
_LINE_ENDS = dict.fromkeys(map(ord, "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"), "\n")


class Answer:
    """kind: layout's TEXT or OBJECT. value: a string or a JSON value, verbatim."""

    __slots__ = ("kind", "value")

    def __init__(self, value: object) -> None:
        self.kind = TEXT if isinstance(value, str) else OBJECT
        self.value = value


def rows(data: bytes) -> tuple[list[Row], int]:
    """Give the objects that the lines hold, and how many lines hold none (a half-written last one)."""
    found: list[Row] = []
    bad = 0
    for line in data.split(b"\n"):
        if not line.strip():
            continue
        try:
            value = jsons.parse(line)
        except ValueError:
            value = None
        if isinstance(value, dict):
            found.append(value)
        else:
            bad += 1
    return found, bad


def normal(text: str) -> str:
    """Give a prompt with every line end as \\n: how prompts are compared."""
    return text.replace("\r\n", "\n").translate(_LINE_ENDS)


def prompt(found: list[Row]) -> str | None:
    """Give the task that the script computed, `normal`; None where the host's frame is not there.

    Inside the frame each line is indented by two spaces; what the host adds begins at column zero.
    """
    for row in found:
        if row.get("type") == "user":
            text = "".join(_texts(_content(row)))
            _, frame, framed = text.partition(_FRAME)
            return _unindented(framed) if frame and text.startswith(_HEAD) else None
    return None


def _unindented(framed: str) -> str:
    task = []
    for line in framed.split("\n"):
        if not line.startswith("  "):
            break
        task.append(line[2:])
    return normal("\n".join(task))


def answer(found: list[Row], *, ended: bool) -> Answer | None:
    """Give what the agent answered, None where it has not.

    ended: whether the host said that it came to its end; then a last message of mere thinking is an
    empty answer. Otherwise the transcript itself must say so: an error of the service, a tool call
    or a thought at the end, or a message that was cut is no answer.
    """
    said = [row for row in found if row.get("type") == "assistant"]
    if not ended and (not said or _is_error(said[-1])):
        return None
    said = [row for row in said if not _is_error(row)]
    structured = _structured(found, said)
    if structured is not None:
        return structured
    last = _last_message(said)
    blocks = [block for row in last for block in _blocks(row)]
    if not blocks or (not ended and _message(last[-1]).get("stop_reason") not in _ENDED):
        return None
    text = blocks[-1].get("text")
    if blocks[-1].get("type") == "text" and isinstance(text, str):
        return Answer(text)
    thought = blocks[-1].get("type") in ("thinking", "redacted_thinking")
    return Answer("") if thought and ended else None


def last_text(found: list[Row]) -> str | None:
    """Give the last text that an agent wrote before it died, None when there is none."""
    for row in reversed(found):
        if row.get("type") == "assistant" and not _is_error(row):
            texts = _texts(_content(row))
            if texts and texts[-1].strip():
                return texts[-1]
    return None


def _structured(found: list[Row], said: list[Row]) -> Answer | None:
    """The last StructuredOutput that the host did not send back."""
    sent_back = {
        block.get("tool_use_id")
        for row in found
        if row.get("type") == "user"
        for block in _blocks(row)
        if block.get("type") == "tool_result" and block.get("is_error")
    }
    given = [
        block
        for row in said
        for block in _blocks(row)
        if block.get("name") == "StructuredOutput" and block.get("id") not in sent_back
    ]
    return Answer(given[-1].get("input")) if given else None


def _last_message(said: list[Row]) -> list[Row]:
    """The rows of the last message: the host writes one for each of its blocks."""
    if not said:
        return []
    last = _message(said[-1]).get("id")
    return [row for row in said if _message(row).get("id") == last]


def _is_error(row: Row) -> bool:
    return bool(row.get("isApiErrorMessage")) or _message(row).get("model") == "<synthetic>"


def _message(row: Row) -> Row:
    message = row.get("message")
    return message if isinstance(message, dict) else {}


def _content(row: Row) -> object:
    return _message(row).get("content")


def _blocks(row: Row) -> list[Row]:
    content = _content(row)
    if not isinstance(content, list):
        return []
    return [block for block in content if isinstance(block, dict)]


def _texts(content: object) -> list[str]:
    if isinstance(content, str):
        return [content]
    blocks = content if isinstance(content, list) else []
    texts = (b.get("text") for b in blocks if isinstance(b, dict) and b.get("type") == "text")
    return [text for text in texts if isinstance(text, str)]
