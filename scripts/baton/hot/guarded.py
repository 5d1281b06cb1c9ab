"""Around every hook: whatever goes wrong inside baton, the turn goes on and a person hears of it in
one line, once."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def guarded(main: "Callable[[dict[str, str]], None]", environ: dict[str, str]) -> None:
    """Run a door's `main(environ)` and end the process with exit code 0, come what may.

    A fault of baton's own goes to a report file and is said in one line, never as a traceback; one
    that has its report already is not said again.
    """
    try:
        main(environ)
    except BaseException as error:
        sentence, fresh = report(error, environ)
        if fresh:
            # Only a turn that went wrong pays for this.
            from baton.hot import reply

            reply.send("", person=sentence)
    # Nothing waits in a buffer: answers go straight to the descriptor.
    os._exit(0)


def report(error: BaseException, environ: dict[str, str]) -> tuple[str, bool]:
    """Put a fault of baton's own into a report file.

    Gives one line for a person, and whether this very fault had no report yet.
    """
    import traceback
    import zlib

    from baton.hot import clean

    text = "".join(traceback.format_exception(error))
    name = f"fault-{zlib.crc32(text.encode('utf-8', 'replace')):08x}.txt"
    path = os.path.join(reports_folder(environ), name)
    last = clean.line(text.strip().splitlines()[-1], 120)
    fresh = True
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "x", encoding="utf-8", errors="replace") as file:
            file.write(text)
    except FileExistsError:
        fresh = False
    except OSError as unwritten:
        path = f"could not be written: {unwritten.strerror}"
    return f"baton: internal error, the turn goes on: {last} (report: {path})", fresh


def reports_folder(environ: dict[str, str]) -> str:
    """Give the folder of the report files; it may not exist."""
    # Only a turn that went wrong, or one that two copies of baton hear, pays for this.
    from baton.hot import homes

    return os.path.join(homes.xdg(environ, "XDG_STATE_HOME", ".local/state"), "baton", "faults")
