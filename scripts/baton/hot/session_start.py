"""SessionStart: whom to tell what, once (design page notice)."""

import time
import zlib

from baton.hot import bash_path, config, door, notice, once, project, reply, waiting
from baton.hot.lock import Locked
from baton.hot.state import State

_AGAIN_SECONDS = {"startup": 60, "clear": 60}
_TWICE_SECONDS = 3
_LAST = "sessions/last"


def main(environ: dict[str, str], stdin: int = 0) -> None:
    """Answer one event. Silent when baton is switched off.

    A one-shot session leaves no note behind.
    """
    line = door.read_line(stdin)
    event = door.event(line)
    found = project.locate(environ, "", door.text(event, "cwd"))
    if found is None or environ.get("BATON_DISABLED") == "1":
        return
    bash_path.offer(environ)
    if not once.first(environ, "session_start", line):
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
    told = notice.lines(waits)
    marks = [_mark(line) for line in told]
    seen: list[str] | None = []
    if used and not one_shot:
        seen = _remember(state, door.text(event, "session_id"), source, marks)
    if seen is None:
        return notice.Notice()
    if source in ("startup", "clear"):
        return notice.for_start(waits, one_shot, used)
    if source == "compact":
        return notice.for_compaction(waits, used)
    fresh = [line for line, mark in zip(told, marks, strict=True) if mark not in seen]
    return notice.for_return(waits, fresh, one_shot)


def _remember(state: State, session: str, source: str, marks: list[str]) -> list[str] | None:
    """Note what this session is told now, by its marks, and give those of what it was told before.

    None when it was told just now.
    """
    try:
        with state.lock(0.5):
            return _noted(state, session, source, marks)
    except (Locked, OSError):
        return []


def _noted(state: State, session: str, source: str, marks: list[str]) -> list[str] | None:
    now = int(time.time())
    name = "sessions/" + (session if session.replace("-", "").isalnum() else "unknown")
    record = state.record(name)
    last = record.get("told_at")
    again = _AGAIN_SECONDS.get(source, _TWICE_SECONDS)
    if record.get("source") == source and isinstance(last, int) and 0 <= now - last < again:
        return None
    # A fork has a new id but its parent's memory: what any session was told last counts for it.
    parent = state.record(_LAST) if source == "fork" else {}
    known = _seen(record if isinstance(record.get("seen"), list) else parent)
    start = record.get("start")
    begun = start if isinstance(start, int) else now
    state.set_record(name, {"start": begun, "told_at": now, "source": source, "seen": marks})
    state.set_record(_LAST, {"seen": marks})
    return known


def _seen(record: dict[str, object]) -> list[str]:
    seen = record.get("seen")
    return [mark for mark in seen if isinstance(mark, str)] if isinstance(seen, list) else []


def _mark(line: str) -> str:
    return f"{zlib.crc32(line.encode()):08x}"
