"""SessionStart: whom to tell what, once (design page notice)."""

from __future__ import annotations

import time
import zlib

from baton.hot import config, door, notice, project, reply, waiting
from baton.hot.lock import Locked
from baton.hot.state import State

_AGAIN_SECONDS = {"startup": 60, "clear": 60}
_TWICE_SECONDS = 3


def main(environ: dict[str, str], stdin: int = 0) -> None:
    """Answer one event. Silent when baton is switched off.

    A one-shot session leaves no note behind.
    """
    event = door.event(door.read_line(stdin))
    found = project.locate(environ, "", door.text(event, "cwd"))
    if found is None or environ.get("BATON_DISABLED") == "1":
        return
    settings = config.load(found)
    if settings.notice == "off":
        return
    state = State(found, environ)
    told = _notice(event, state, waiting.look(found, state, settings), environ)
    reply.send("SessionStart", told.person, told.model)


def _notice(
    event: dict[str, object], state: State, waits: waiting.Waiting, environ: dict[str, str]
) -> notice.Notice:
    source = door.text(event, "source")
    one_shot = environ.get("CLAUDE_CODE_ENTRYPOINT", "").startswith("sdk")
    used = state.exists or waits.chain is not None
    seen: list[str] | None = []
    if used and not one_shot:
        seen = _remember(state, door.text(event, "session_id"), source, notice.lines(waits))
    if seen is None:
        return notice.Notice()
    if source in ("startup", "clear"):
        return notice.for_start(waits, one_shot, used)
    if source == "compact":
        return notice.for_compaction(waits, used)
    return notice.for_return(
        waits, [line for line in notice.lines(waits) if _mark(line) not in seen], one_shot
    )


def _remember(state: State, session: str, source: str, told: list[str]) -> list[str] | None:
    """Note that this session is told `told` now, and give the marks of what it was told before.

    None when it was told just now.
    """
    try:
        with state.lock(0.5):
            return _noted(state, session, source, told)
    except (Locked, OSError):
        return []


def _noted(state: State, session: str, source: str, told: list[str]) -> list[str] | None:
    now = int(time.time())
    name = "sessions/" + (session if session.replace("-", "").isalnum() else "unknown")
    record = state.record(name)
    last = record.get("told_at")
    if (
        record.get("source") == source
        and isinstance(last, int)
        and 0 <= now - last < _AGAIN_SECONDS.get(source, _TWICE_SECONDS)
    ):
        return None
    seen = record.get("seen")
    known = (
        [mark for mark in seen if isinstance(mark, str)]
        if isinstance(seen, list)
        else _seen_by_anyone(state, source)
    )
    start = record.get("start")
    state.set_record(
        name,
        {
            "start": start if isinstance(start, int) else now,
            "told_at": now,
            "source": source,
            "seen": [_mark(line) for line in told],
        },
    )
    state.set_record("sessions/last", {"seen": [_mark(line) for line in told]})
    return known


def _seen_by_anyone(state: State, source: str) -> list[str]:
    """A fork has a new id but its parent's memory: what any session was told last counts for it."""
    seen = state.record("sessions/last").get("seen") if source == "fork" else None
    return [mark for mark in seen if isinstance(mark, str)] if isinstance(seen, list) else []


def _mark(line: str) -> str:
    return f"{zlib.crc32(line.encode()):08x}"
