"""What a hook answers: at most one JSON object, never a word that forces a turn; `refuse` has one
caller, which keeps subagents off the chain (design page host)."""

import os

from baton.hot import jsons


def send(event: str, person: str = "", model: str = "") -> None:
    """Answer the event named `event`: `person` is shown on the screen, `model` becomes context.

    Both empty: no output at all. Never raises: a closed pipe is nobody listening.
    """
    answer: dict[str, object] = {}
    if person:
        answer["systemMessage"] = person
    if model:
        answer["hookSpecificOutput"] = {"hookEventName": event, "additionalContext": model}
    if answer:
        write(jsons.render(answer) + "\n")


def refuse(reason: str) -> None:
    """Answer PreToolUse: the call is not made, and the model is told why."""
    decision = {"permissionDecision": "deny", "permissionDecisionReason": reason}
    answer = {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}
    write(jsons.render(answer) + "\n")


def write(text: str) -> None:
    """Put text on standard output like `put`; what cannot be written is for nobody. Never raises."""
    try:
        put(text)
    except OSError:
        pass


def put(text: str) -> None:
    """Put text on standard output as UTF-8, whatever the locale says. Raises OSError."""
    data = memoryview(text.encode("utf-8", "replace"))
    while data:
        data = data[os.write(1, data) :]
