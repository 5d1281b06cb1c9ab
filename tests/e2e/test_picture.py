"""The picture in the README is what the real Claude Code shows, and a person sees at once what waits."""

from __future__ import annotations

import subprocess
import sys

from support import ROOT

from .fetch import binary


def test_the_picture_is_what_is_shown() -> None:
    binary()
    command = [sys.executable, str(ROOT / "scripts/draw_screens.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=800)
    assert (done.stdout, done.returncode) == ("docs/tiep.svg is what would be drawn\n", 0), (
        done.stderr
    )
