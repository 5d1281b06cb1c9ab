"""A person's act: what a human typed in this session after a question was put.

Claude Code's prompt hook notes time and session, never text (design README). A model can put a
question; it cannot answer it.
"""

import time

from baton.hot.state import State

RUN_CHECKS = "run-checks"
_GRANTED, _ASKED = "granted", "asked"
_GRANT_NS = 600 * 10**9
# Of a moment in nanoseconds, until the year 2286.
_DIGITS = 19
# What Claude Code submits by itself when a background task ends.
_AUTOMATIC = "<task-notification>"


def by_person(prompt: str) -> bool:
    """Whether a submitted prompt is a human's, and not the host's own."""
    return not prompt.lstrip().startswith(_AUTOMATIC)


def submitted(state: State, session: str) -> None:
    """Note that a person submitted a prompt in `session` just now.

    A note that cannot be written is a prompt that answers nothing; half a number answers nothing
    either.
    """
    try:
        state.jot(_prompts(session), b"%d" % time.time_ns())
    except OSError:
        pass


def ask(state: State, session: str, question: str) -> bool:
    """Note that `question` is put in `session` now; prompts from now on answer it.

    A question that is open already stays as it is. Gives whether the note was written.
    """
    asked = _questions(state, session)
    if question in asked:
        return True
    return bool(session) and _set(state, session, {**asked, question: [_ASKED, time.time_ns()]})


def grant(state: State, session: str, question: str) -> None:
    """Note that a person typed the answer to `question` unasked; it holds for ten minutes."""
    if session:
        asked = _questions(state, session)
        _set(state, session, {**asked, question: [_GRANTED, time.time_ns()]})


def answered(state: State, session: str, question: str) -> bool:
    """Whether a person submitted a prompt in `session` after `question` was put there."""
    kind, moment = _question(state, session, question)
    if kind == _GRANTED:
        return 0 <= time.time_ns() - moment <= _GRANT_NS
    return kind == _ASKED and _last_prompt(state, session) > moment


def take(state: State, session: str, question: str) -> bool:
    """Say whether `question` is answered in `session`, and use the answer up.

    One act answers one question: where it cannot be used up, it answers none.
    """
    if not answered(state, session, question):
        return False
    asked = _questions(state, session)
    asked.pop(question, None)
    return _set(state, session, asked)


def _question(state: State, session: str, question: str) -> tuple[str, int]:
    match _questions(state, session).get(question):
        case [str(kind), int(moment)]:
            return kind, moment
    return "", 0


def _questions(state: State, session: str) -> dict[str, object]:
    return state.record(f"questions/{_named(session)}") if session else {}


def _set(state: State, session: str, asked: dict[str, object]) -> bool:
    try:
        state.set_record(f"questions/{_named(session)}", asked)
    except OSError:
        return False
    return True


def _last_prompt(state: State, session: str) -> int:
    moment = state.read(_prompts(session))
    return int(moment) if moment.isdigit() and len(moment) == _DIGITS else 0


def _prompts(session: str) -> str:
    return f"prompts/{_named(session)}"


def _named(session: str) -> str:
    """A session's id as a file name; the host's ids are letters, digits and dashes already."""
    return "".join(char for char in session if char.isalnum() or char == "-")[:80] or "none"
