"""PreToolUse: a subagent may not write the chain (design page chain). The single refusal of a hook.

Claude Code asks only about calls that name baton or the chain's file (`if` in hooks.json); what it
then runs is read here as text. Whatever only looks at the chain goes through.
"""

import os

from baton.hot import door, reply
from baton.hot.project import CHAIN

REFUSAL = (
    "baton: not-lead: only the lead session writes the work chain; nothing was written. Do your task, and report "
    "what you did with its evidence (a command, a path or a commit id): the lead brings the chain up to date. "
    "`baton wal show` and `baton tiep` are free to you."
)
_NAME = "WAL.md"
_WRITING = "start|add|mark|next|verify|write|compact|reset|restore|init|run"
_OPTIONS = r"\s+(?:--?\S+\s+)*"
# Collecting a run brings its line in the chain in step.
_RUN = rf"run{_OPTIONS}(?:harvest|relaunch)"
# Its folder's name may hold blanks.
_PROJECT = r"--project(?:=|\s)[^;|&\n]*?\s"
_COMMAND = rf"\bwal{_OPTIONS}(?:{_WRITING})\b|\bbaton\s+(?:{_PROJECT})?(?:pause|close|{_RUN})\b"
_READERS = frozenset(
    "cat tac nl head tail cut grep egrep fgrep rg ls wc less more stat file diff cmp cksum md5sum sha1sum sha256sum"
    " shasum od xxd hexdump jq test [ [[ echo printf readlink realpath basename dirname".split()
)
# What a shell may say before a command.
_LEADING = frozenset("if then elif else while until do ! time command".split())
# Where output goes that is no file.
_NO_FILE = r"[0-9&]?>{1,2}\s*(?:/dev/null\b|&[0-9])"
_GIT_READERS = frozenset("show log diff status blame grep ls-files cat-file".split())


def main(environ: dict[str, str], stdin: int = 0) -> None:
    """Answer one event: nothing for the lead and for what leaves the chain alone."""
    event = door.event(door.read_line(stdin))
    if environ.get("BATON_DISABLED") == "1" or not event.get("agent_id"):
        return
    given = event.get("tool_input")
    if isinstance(given, dict) and writes(given):
        reply.refuse(REFUSAL)


def writes(given: dict[str, object]) -> bool:
    """Whether a tool's input would write the chain: an edit of its file, or a command line."""
    path, command = given.get("file_path"), given.get("command")
    if isinstance(path, str):
        return os.path.normpath(f"/{path}".replace("\\", "/")).endswith(f"/{CHAIN}")
    return isinstance(command, str) and (_by_command(command) or _by_file(command))


def _by_command(command: str) -> bool:
    """Whether it runs a `baton` command that writes, in whatever words a shell may wrap it."""
    import re

    plain = re.sub(r"""["'\\]""", "", command)
    return "baton" in plain and re.search(_COMMAND, plain) is not None


def _by_file(command: str) -> bool:
    """Whether a part of it that names the file does more than look at it."""
    import re

    plain = re.sub(_NO_FILE, " ", command)
    parts = [part for part in re.split(r"[;|&\n(){}`]+", plain) if _NAME in part]
    return any(not _looks(part) for part in parts)


def _looks(part: str) -> bool:
    words = part.split()
    while words[0] in _LEADING and len(words) > 1:
        words = words[1:]
    first = words[0].rpartition("/")[2]
    reader = first in _READERS or (first == "git" and not _GIT_READERS.isdisjoint(words[1:]))
    return reader and ">" not in part
