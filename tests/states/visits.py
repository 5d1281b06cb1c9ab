"""A visitor comes to a repository that was built to attack them: every door of baton's that opens by
itself or that a session opens without a person's word, each as a real process, watched by strace."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path

from commands import BATON
from desk import Desk
from support import LAUNCHER

# No attack may cost more, and a busy machine need not be quicker.
SECONDS = 120.0
_SESSION = "00000000-0000-4000-8000-000000000001"

READING = {
    "begin": ("hook", "session_start", {"hook_event_name": "SessionStart", "source": "startup"}),
    "resume": ("hook", "session_start", {"hook_event_name": "SessionStart", "source": "resume"}),
    "compact": ("hook", "session_start", {"hook_event_name": "SessionStart", "source": "compact"}),
    "prompt": (
        "hook",
        "prompt",
        {
            "hook_event_name": "UserPromptExpansion",
            "command_name": "tiep",
            "command_args": "",
            "prompt": "/tiep",
        },
    ),
    "show": ("wal", "show"),
    "show-json": ("wal", "show", "--json"),
    "log": ("wal", "log"),
    "check": ("wal", "check"),
    "status": ("status", "--all"),
    "doctor": ("doctor",),
    "rehearsal": ("doctor", "--simulate"),
    "set-up": ("setup", "--dry-run", "--persist", "ref"),
}
WRITING = {
    "stop": ("hook", "flush", {"hook_event_name": "Stop"}),
    "end": ("hook", "flush", {"hook_event_name": "SessionEnd", "reason": "other"}),
    "tiep": ("tiep",),
    "tiep-json": ("tiep", "--json"),
    "flush": ("wal", "flush"),
    "pause": ("pause", "-m", "for today"),
}


class Seen:
    """What one process did. out: what it printed. code: its exit code. ran: the command lines of all
    programs that it or its children started, as strace writes them."""

    def __init__(self, out: str, code: int, ran: list[str]) -> None:
        self.out = out
        self.code = code
        self.ran = ran


def visit(desk: Desk, doors: Mapping[str, tuple[object, ...]], watch: Path) -> dict[str, Seen]:
    """Open every door in turn. watch: a folder for strace's files."""
    watch.mkdir(parents=True, exist_ok=True)
    return {name: _open(desk, words, watch / name) for name, words in doors.items()}


def _open(desk: Desk, words: tuple[object, ...], record: Path) -> Seen:
    stdin = b""
    if words[0] == "hook":
        _, door, event = words
        assert isinstance(event, dict)
        command = ["sh", str(LAUNCHER), str(door)]
        stdin = json.dumps({"session_id": _SESSION, "cwd": str(desk.root), **event}).encode()
    else:
        command = [str(BATON), *map(str, words)]
    strace = ["strace", "-f", "-qq", "-s", "4096", "-e", "trace=execve", "-o", str(record)]
    begun = time.monotonic()
    done = subprocess.run(
        [*strace, *command],
        cwd=desk.root,
        env={**os.environ, "CLAUDE_PROJECT_DIR": str(desk.root), "CLAUDECODE": "1"},
        input=stdin + b"\n",
        capture_output=True,
        timeout=SECONDS * 2,
    )
    took = time.monotonic() - begun
    assert took < SECONDS, f"{words}: {took} s"
    assert b"Traceback" not in done.stderr, done.stderr
    assert b"a bug in baton" not in done.stdout + done.stderr, done.stdout + done.stderr
    assert b"internal error" not in done.stdout, done.stdout
    calls = record.read_text(encoding="utf-8", errors="replace").splitlines()
    return Seen((done.stdout + done.stderr).decode(), done.returncode, list(_ran(calls)))


def _ran(calls: list[str]) -> Iterator[str]:
    """Give the calls that started a program. One that another process came between has two lines."""
    begun: dict[str, str] = {}
    for call in calls:
        pid = call.partition(" ")[0]
        if "execve(" in call:
            begun[pid] = call
        if call.endswith("= 0") and ("execve(" in call or "execve resumed" in call):
            yield begun.pop(pid)


def texts(out: str) -> Iterator[str]:
    """Give every text that a person, a model or a terminal would see."""
    yield out
    try:
        value = json.loads(out)
    except ValueError:
        return
    yield from _strings(value)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)


def harmful(text: str) -> list[str]:
    """Give the characters that a terminal would obey, or that turn text round."""
    return [
        f"U+{ord(letter):04X}"
        for letter in text
        if letter != "\n" and unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    ]


def programs(seen: Mapping[str, Seen]) -> set[str]:
    """Give the names of all programs that ran, but the interpreters that baton itself is made of."""
    found = set()
    for one in seen.values():
        for call in one.ran:
            path = re.search(r'execve\("((?:[^"\\]|\\.)*)"', call)
            assert path, call
            found.add(os.path.basename(path[1]))
    return {name for name in found if not re.fullmatch(r"(measuring-)?python[0-9.]*", name)}


def contents(folder: Path) -> dict[str, object]:
    """Give all that stands in a folder, without what baton and Python keep for themselves."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if not name.startswith((".local/share/baton", ".local/state/baton")):
            st = path.lstat()
            data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            found[name] = (st.st_mode, st.st_mtime_ns if data else 0, data)
    return {
        name: row for name, row in found.items() if name not in (".local/share", ".local/state")
    }


def copy(folder: Path, to: Path) -> Path:
    """A second one, to see what git alone would do there."""
    return Path(shutil.copytree(folder, to, symlinks=True))
