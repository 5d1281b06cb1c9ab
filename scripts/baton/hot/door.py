"""The door that Claude Code knocks on.

One JSON line on standard input, bounded in size and in time (design page host).
"""

import os
import time

_LIMIT = 16 << 20
_SECONDS = 1.0


def read_line(fd: int = 0, limit: int = _LIMIT, seconds: float = _SECONDS) -> bytes:
    """Give the first line of what stands on a descriptor, or what there is of it after `seconds` or
    `limit` bytes.

    Never raises and never waits longer: standard input may be closed, endless, or never closed.
    """
    parts: list[bytes] = []
    deadline = time.monotonic() + seconds
    while limit > 0 and _ready(fd, deadline - time.monotonic()):
        try:
            part = os.read(fd, min(limit, 1 << 20))
        except OSError:
            break
        parts.append(part)
        limit -= len(part)
        if not part or part.endswith(b"\n"):
            break
    return b"".join(parts)


def _ready(fd: int, seconds: float) -> bool:
    try:
        import select

        return bool(select.select([fd], [], [], max(0.0, seconds))[0])
    except (OSError, ValueError, ImportError):
        # Windows selects on sockets alone; there Claude Code always closes the pipe.
        return os.name == "nt"


def event(line: bytes) -> dict[str, object]:
    """Give the event that a line holds; {} for anything that is not a JSON object."""
    from baton.hot import jsons

    try:
        value = jsons.parse(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def fields(line: bytes, *names: str) -> dict[str, object] | None:
    """Give some text fields of a flat event without reading it whole; None where that is not safe.

    As Claude Code writes events, a name between bare quotes is a key: quotes inside a text are
    escaped. A field that is missing, or holds an escape itself, is left to `event`.
    """
    found: dict[str, object] = {}
    for name in names:
        start = line.find(b'"%s":"' % name.encode()) + len(name) + 4
        end = line.find(b'"', start)
        value = line[start:end]
        if start < len(name) + 4 or end < 0 or b"\\" in value or not value.isascii():
            return None
        found[name] = value.decode("ascii")
    return found if line.endswith(b"}\n") else None


def text(event: dict[str, object], key: str) -> str:
    """Give a field of an event as text; "" when it is absent or something else."""
    value = event.get(key)
    return value if isinstance(value, str) else ""
