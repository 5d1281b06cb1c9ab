"""UserPromptSubmit and UserPromptExpansion: something was typed (design pages chain, host)."""

from __future__ import annotations

from baton.hot import door

# A prompt with one of these is more than an ordinary one, and is read whole.
_MARKS = (b"task-notification", b"resume_from_passport")
_FIELDS = ("hook_event_name", "session_id", "cwd")


def main(environ: dict[str, str], stdin: int = 0) -> None:
    """Answer one event. Each branch loads its own parts: an ordinary prompt pays for nothing else."""
    line = door.read_line(stdin)
    event = _ordinary(line) or door.event(line)
    if environ.get("BATON_DISABLED") == "1":
        return
    if door.text(event, "hook_event_name") == "UserPromptSubmit":
        from baton.hot import submitted

        submitted.answer(event, line, environ)
    else:
        from baton.hot import expansion

        expansion.answer(event, line, environ)


def _ordinary(line: bytes) -> dict[str, object] | None:
    """What is asked of an ordinary prompt, None for any other event."""
    if any(mark in line for mark in _MARKS):
        return None
    found = door.fields(line, *_FIELDS)
    return found if found and found["hook_event_name"] == "UserPromptSubmit" else None
