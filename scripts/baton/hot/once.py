"""One event, acted on once, where both the plugin and the project's own copy of baton hear it.

Claude Code starts every registration of a hook, with the same line on standard input (design page
host); the first to come claims it.
"""

import os
import time

from baton.hot import digits, files, guarded
from baton.hot.lock import Lock, Locked

# What a project's own settings register: the copy of baton that a team has, or, where baton itself is
# worked on, baton.
COPY = ".claude/baton/hooks/run"
SOURCE = "hooks/run"
# Registrations of one event start together; on a busy machine they are seconds apart.
_TOGETHER_NS = 20 * 10**9
_OLD_SECONDS = 3600
_WAIT_SECONDS = 0.5


def first(environ: dict[str, str], door: str, line: bytes) -> bool:
    """Whether this process is to act on the event `line` that came to `door`.

    Always true where no baton is in the project: then there is nobody else. Nothing is noted inside
    the project. In doubt both act. Never raises.
    """
    project = environ.get("CLAUDE_PROJECT_DIR", "")
    own = (os.path.join(project, path) for path in (COPY, SOURCE))
    if not project or not any(map(os.path.exists, own)):
        return True
    import zlib

    folder = os.path.join(os.path.dirname(guarded.reports_folder(environ)), "once")
    path = os.path.join(folder, f"{door}-{zlib.crc32(line):08x}")
    try:
        os.makedirs(folder, exist_ok=True)
        with Lock(path, _WAIT_SECONDS):
            claimed = _claim(path)
    except (OSError, Locked):
        return True
    if claimed:
        _tidy(folder)
    return claimed


def _claim(path: str) -> bool:
    noted = digits.whole(files.read(path, 20) or b"")
    if 0 <= time.time_ns() - noted < _TOGETHER_NS:
        return False
    with open(path, "wb") as file:
        file.write(str(time.time_ns()).encode())
    return True


def _tidy(folder: str) -> None:
    """Drop old claims; another process may be doing just that."""
    old = time.time() - _OLD_SECONDS
    try:
        for entry in os.scandir(folder):
            if entry.stat().st_mtime < old:
                os.unlink(entry.path)
    except OSError:
        pass
