"""The command line under test: as the process that people start, and in this process."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping

import pytest

from baton.cli.app import main
from support import ROOT

BATON = ROOT / "bin/baton"


class Said:
    """What a command line came to: its exit code, and what it printed as text."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Said) and vars(self) == vars(other)

    def __repr__(self) -> str:
        return f"Said({self.code}, {self.out!r}, {self.err!r})"


def refused(code: int, message: str, hint: str = "") -> Said:
    """Give what a refusal looks like: nothing on stdout, two lines on stderr."""
    return Said(code, "", f"baton: {message}\n" + (f"try: {hint}\n" if hint else ""))


def run_baton(
    *args: str | bytes,
    cwd: str | os.PathLike[str],
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
) -> Said:
    """Run the launcher as a process. env: added to the test's own environment."""
    done = subprocess.run(
        [os.fsencode(BATON), *map(os.fsencode, args)],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        input=stdin,
        capture_output=True,
        timeout=60,
    )
    return Said(done.returncode, done.stdout.decode(), done.stderr.decode())


class Here:
    """Runs command lines in this process, where the working folder is."""

    def __init__(self, capture: pytest.CaptureFixture[str]) -> None:
        self._capture = capture

    def __call__(self, *args: str, **env: str) -> Said:
        """env: added to the test's own environment."""
        self._capture.readouterr()
        code = main(list(args), {**os.environ, **env})
        return Said(code, *self._capture.readouterr())
