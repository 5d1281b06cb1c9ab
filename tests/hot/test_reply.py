"""baton.hot.reply: one JSON object or not a byte."""

from __future__ import annotations

import os

import pytest

from baton.hot import reply

ANSWERS = {
    "nothing": (("Stop", "", ""), ""),
    "for the person": (("Stop", "đã lưu\n✓", ""), '{"systemMessage": "\\u0111\\u00e3 l\\u01b0u\\n\\u2713"}\n'),
    "for the model": (
        ("SessionStart", "", "go on"),
        '{"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "go on"}}\n',
    ),
    "for both": (
        ("SessionStart", "waits", "go on"),
        '{"systemMessage": "waits", "hookSpecificOutput": '
        '{"hookEventName": "SessionStart", "additionalContext": "go on"}}\n',
    ),
}  # fmt: skip


@pytest.mark.parametrize(("words", "expected"), ANSWERS.values(), ids=ANSWERS)
def test_send(
    words: tuple[str, str, str], expected: str, capfd: pytest.CaptureFixture[str]
) -> None:
    reply.send(*words)
    assert capfd.readouterr() == (expected, "")


def test_text_is_utf_8_and_never_fails(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    reply.write("ổn \ud800\n")
    assert capfdbinary.readouterr() == ("ổn ?\n".encode(), b"")


@pytest.mark.parametrize("listener", ["left", "was never there"])
def test_nobody_listens(listener: str, capfd: pytest.CaptureFixture[str]) -> None:
    """A broken pipe, or a descriptor that is closed."""
    mine = os.dup(1)
    try:
        if listener == "left":
            read, write = os.pipe()
            os.close(read)
            os.dup2(write, 1)
            os.close(write)
        else:
            os.close(1)
        reply.send("Stop", person="waits")
    finally:
        os.dup2(mine, 1)
        os.close(mine)
    assert capfd.readouterr() == ("", "")
