"""UserPromptSubmit and UserPromptExpansion: something was typed (design pages chain, host)."""

from __future__ import annotations

from baton.hot import door


def main(environ: dict[str, str], stdin: int = 0) -> None:
    """Answer one event. Each branch loads its own parts: an ordinary prompt pays for nothing else."""
    line = door.read_line(stdin)
    event = door.event(line)
    if environ.get("BATON_DISABLED") == "1":
        return
    if door.text(event, "hook_event_name") == "UserPromptSubmit":
        from baton.hot import submitted

        submitted.answer(event, line, environ)
    else:
        from baton.hot import expansion

        expansion.answer(event, line, environ)
