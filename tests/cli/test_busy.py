"""baton.cli.busy: a word on a terminal, and on nothing else."""

from __future__ import annotations

import io
import sys

import pytest

from baton.cli.busy import busy


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_it_is_said_and_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when what was done is refused."""
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with pytest.raises(ValueError), busy("collecting"):
        assert screen.getvalue() == "\r\033[Kcollecting …"
        raise ValueError
    assert screen.getvalue().endswith("…\r\033[K")


def test_elsewhere_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with busy("collecting"):
        pass
    assert capsys.readouterr().err == ""
