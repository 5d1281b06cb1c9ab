"""Around every hook: whatever goes wrong inside baton, the turn goes on and a person hears of it in
one line, once."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def guarded(main: Callable[[dict[str, str]], None], environ: dict[str, str]) -> None:
    """Run a door's `main(environ)` and end the process with exit code 0, come what may.

    A fault of baton's own goes to a report file and is said in one line, never as a traceback; one
    that has its report already is not said again.
    """
    try:
        main(environ)
    except BaseException as error:
        _report(error, environ)
    # Nothing waits in a buffer: answers go straight to the descriptor.
    os._exit(0)


def _report(error: BaseException, environ: dict[str, str]) -> None:
    # Only a turn that went wrong pays for these.
    import traceback
    import zlib

    from baton.hot import clean, reply

    text = "".join(traceback.format_exception(error))
    path = os.path.join(
        _folder(environ), f"fault-{zlib.crc32(text.encode('utf-8', 'replace')):08x}.txt"
    )
    last = clean.line(text.strip().splitlines()[-1], 120)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "x", encoding="utf-8", errors="replace") as file:
            file.write(text)
    except FileExistsError:
        return
    except OSError as unwritten:
        path = f"could not be written: {unwritten.strerror}"
    reply.send("", person=f"baton: internal error, the turn goes on: {last} (report: {path})")


def _folder(environ: dict[str, str]) -> str:
    states = environ.get("XDG_STATE_HOME", "")
    home = environ.get("HOME") or os.path.expanduser("~")
    return os.path.join(
        states if os.path.isabs(states) else os.path.join(home, ".local", "state"),
        "baton",
        "faults",
    )
