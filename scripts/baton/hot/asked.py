"""A question to baton's own command line: asked of a child that has the packages, bounded in time.

What it answered stands for as long as the files that it looked at stay as they are.
"""

import os
import sys
import time

from baton.hot import clean, jsons
from baton.hot.git import speaker
from baton.hot.git.talk import Failed, Stuck
from baton.hot.project import Project
from baton.hot.state import State

_SECONDS = 4.0
FAULTS = (Failed, Stuck, OSError, ValueError)
"""What `answer` and `ask` raise where there is no answer."""
# Found wrong, refused, needs an answer, no environment: the child says what in its own words.
_ANSWERED = (0, 1, 2, 3, 4, 5)


def answer(
    project: Project, state: State, note: str, key: str, words: list[str]
) -> dict[str, object]:
    """Give what `baton …` answers, or what it answered while `key` was the same.

    note: the name under which the answer is kept. words: the command, with --json. Raises FAULTS.
    """
    kept = known(state, note, key)
    if kept is not None:
        return kept
    fresh = ask(project, words)
    if not fresh.get("problems") and "error" not in fresh and _may_note():
        _keep(state, note, {"key": key, "answer": fresh})
    return fresh


def known(state: State, note: str, key: str) -> dict[str, object] | None:
    """Give what was answered while `key` was the same, None where nothing was."""
    kept = state.record(note)
    found = kept.get("answer")
    return found if kept.get("key") == key and isinstance(found, dict) else None


def ask(project: Project, words: list[str]) -> dict[str, object]:
    """Give what `baton …` answers now. Raises FAULTS."""
    program = os.path.join(os.path.dirname(os.path.dirname(__file__)), "__main__.py")
    command = [sys.executable, "-I", "-S", program, "--project", project.root, *words]
    env = {**os.environ, "BATON_PACKAGES": "there"}
    talk = speaker.start(words[0], time.monotonic() + _SECONDS, command, env)
    try:
        found = jsons.parse(talk.finish(_ANSWERED))
    finally:
        speaker.kill([talk])
    if not isinstance(found, dict):
        raise ValueError("no answer")
    return found


def signature(path: str) -> str:
    """Give what changes when a file does. Raises OSError."""
    st = os.stat(path)
    return f"{st.st_size} {st.st_mtime_ns} {st.st_ino}"


def rows(found: dict[str, object], key: str) -> list[dict[str, object]]:
    """Give the objects of a list in an answer."""
    value = found.get(key)
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def text(row: dict[str, object], key: str) -> str:
    """Give a text of an answer, "" where there is none."""
    value = row.get(key)
    return value if isinstance(value, str) else ""


def problems(found: dict[str, object]) -> list[str]:
    """Give what the child found wrong, one sentence each, with the way out where it named one."""
    error = found.get("error")
    named = rows(found, "problems") + ([error] if isinstance(error, dict) else [])
    return [problem(each) for each in named]


def problem(row: dict[str, object]) -> str:
    """Give one thing that is wrong, with the way out where it is named."""
    hint = text(row, "hint")
    return clean.line(text(row, "message"), 160) + (f": {hint}" if hint else "")


def words_of(error: Exception) -> str:
    """Say why there was no answer."""
    if isinstance(error, Stuck):
        return f"no answer within {_SECONDS:g} s"
    if isinstance(error, Failed):
        return error.words.removeprefix("git ")
    return clean.line(str(error), 160)


def _may_note() -> bool:
    """A one-shot session leaves nothing behind."""
    return not os.environ.get("CLAUDE_CODE_ENTRYPOINT", "").startswith("sdk")


def _keep(state: State, note: str, record: dict[str, object]) -> None:
    try:
        state.set_record(note, record)
    except OSError:
        pass
