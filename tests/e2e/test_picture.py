"""The pictures in the README are what the real Claude Code and baton show today."""

from __future__ import annotations

import subprocess
import sys

from support import ROOT

from .fetch import binary


def test_the_pictures_are_what_is_shown() -> None:
    binary()
    command = [sys.executable, str(ROOT / "scripts/draw_screens.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=800)
    told = "".join(f"docs/{name}.svg is what would be drawn\n" for name in ("tiep", "pipeline"))
    assert (done.stdout, done.returncode) == (told, 0), done.stderr
