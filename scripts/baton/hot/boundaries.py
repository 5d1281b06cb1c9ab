"""Passport hand-overs that wait, as a new session is told of them (design pages notice, passport).

Looked for by name and by their key's bytes; only where those are found is YAML read, by a child with
the packages, bounded in time. What it said stands for as long as the files stay as they are.
"""

import os
import sys
import time

from baton.hot import clean, files, jsons, passports
from baton.hot.git import speaker
from baton.hot.git.talk import Failed, Stuck
from baton.hot.project import Project
from baton.hot.state import State

UNCHECKED = "passports could not be checked: "
_KEY = b"reset_boundary"
_LIMIT = 16 << 20
_SECONDS = 4.0
_NOTE = "boundaries"
_MOST = 3
# Found wrong, needs an answer, no environment: the child says what in its own words.
_ANSWERED = (0, 1, 2, 3, 4, 5)


class Boundaries:
    """What was found. awaiting, taken: rows as `baton passport awaiting --json` gives them, of the
    hand-overs that wait and of those whose stage never ended. faults: what could not be checked, one
    sentence each."""

    __slots__ = ("awaiting", "faults", "taken")

    def __init__(self) -> None:
        self.awaiting: list[dict[str, object]] = []
        self.taken: list[dict[str, object]] = []
        self.faults: list[str] = []

    @property
    def lines(self) -> list[str]:
        """One line for each that waits, the newest first, three at most and how many more."""
        told = [_awaiting_line(row) for row in self.awaiting[:_MOST]]
        more = len(self.awaiting) - _MOST
        told += [f"{more} more hand-over(s): `baton passport awaiting`"] if more > 0 else []
        return told + [_taken_line(row) for row in self.taken[:_MOST]]


def look(project: Project, state: State) -> Boundaries:
    """Give what waits. Never raises; nothing is read where no passport is found."""
    found = Boundaries()
    names = [name for name in passports.candidates(project, state) if _has_key(project.path(name))]
    if not names:
        return found
    try:
        _take(found, _answer(project, state, names))
    except (Failed, Stuck, OSError, ValueError) as error:
        found.faults.append(f"{UNCHECKED}{_words(error)}")
    return found


def _has_key(path: str) -> bool:
    try:
        return _KEY in (files.read(path, _LIMIT) or b"")
    except OSError:
        # The child says what is wrong with it.
        return True


def _answer(project: Project, state: State, names: list[str]) -> dict[str, object]:
    """What the child says, or what it said of the same files."""
    key = "\n".join(f"{name} {_signature(project.path(name))}" for name in names)
    key += f"\n{_consumed(project)}"
    kept = state.record(_NOTE)
    answer = kept.get("answer")
    if kept.get("key") == key and isinstance(answer, dict):
        return answer
    fresh = _ask(project)
    if not fresh.get("problems") and "error" not in fresh and _may_note():
        _keep(state, {"key": key, "answer": fresh})
    return fresh


def _may_note() -> bool:
    """A one-shot session leaves nothing behind."""
    return not os.environ.get("CLAUDE_CODE_ENTRYPOINT", "").startswith("sdk")


def _keep(state: State, note: dict[str, object]) -> None:
    try:
        state.set_record(_NOTE, note)
    except OSError:
        pass


def _signature(path: str) -> str:
    """What changes when the file, or a half-done append to it, does."""
    folder, name = os.path.split(path)
    st = os.stat(path)
    undo = os.path.lexists(os.path.join(folder, f".{name}.baton-undo"))
    return f"{st.st_size} {st.st_mtime_ns} {st.st_ino} {int(undo)}"


def _consumed(project: Project) -> str:
    """What changes when a hand-over is taken in another work tree of the repository."""
    if project.checkout is None:
        return ""
    try:
        return str(
            os.stat(os.path.join(project.checkout.common_dir, "baton", "consumed")).st_mtime_ns
        )
    except OSError:
        return ""


def _ask(project: Project) -> dict[str, object]:
    program = os.path.join(os.path.dirname(os.path.dirname(__file__)), "__main__.py")
    command = [sys.executable, "-I", "-S", program, "--project", project.root]
    env = {**os.environ, "BATON_PACKAGES": "there"}
    talk = speaker.start(
        "passport", time.monotonic() + _SECONDS, [*command, "passport", "awaiting", "--json"], env
    )
    try:
        answer = jsons.parse(talk.finish(_ANSWERED))
    finally:
        speaker.kill([talk])
    if not isinstance(answer, dict):
        raise ValueError("no answer")
    return answer


def _take(found: Boundaries, answer: dict[str, object]) -> None:
    # One that was resumed on another branch or in another work tree waits no more.
    found.awaiting = [row for row in _rows(answer, "awaiting") if not row.get("consumed_elsewhere")]
    found.taken = _rows(answer, "unfinished")
    error = answer.get("error")
    problems = _rows(answer, "problems") + ([error] if isinstance(error, dict) else [])
    for problem in problems:
        message, hint = _text(problem, "message"), _text(problem, "hint")
        way_out = f": {hint}" if hint else ""
        found.faults.append(f"{UNCHECKED}{clean.line(message, 160)}{way_out}")


def _rows(answer: dict[str, object], key: str) -> list[dict[str, object]]:
    rows = answer.get(key)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _text(row: dict[str, object], key: str) -> str:
    value = row.get(key)
    return value if isinstance(value, str) else ""


def _awaiting_line(row: dict[str, object]) -> str:
    leads = clean.quoted(_text(row, "next"), 20) if row.get("next") is not None else "the end"
    notes = (", superseded" if row.get("superseded") else "") + (
        ", a decision is pending" if row.get("pending_decision") else ""
    )
    stage = clean.quoted(_text(row, "stage"), 20)
    return f"resume_from_passport={clean.line(_text(row, 'hash'), 12)} (stage {stage} → {leads}{notes})"


def _taken_line(row: dict[str, object]) -> str:
    moment, stage = clean.line(_text(row, "resumed_at"), 40), clean.quoted(_text(row, "stage"), 20)
    return f"resumed at {moment}, stage {stage} not finished: {clean.line(_text(row, 'path'), 60)}"


def _words(error: Exception) -> str:
    if isinstance(error, Stuck):
        return f"no answer within {_SECONDS:g} s"
    if isinstance(error, Failed):
        return error.words.removeprefix("git ")
    return clean.line(str(error), 160)
