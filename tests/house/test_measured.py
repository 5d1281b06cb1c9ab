"""Hooks in processes of their own: their lines are counted when the tests run under coverage, and they have
more time than on a machine at rest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import baton
import patience
from support import ROOT, SCRIPTS, run_hook

BOUNDS = """
import sys
sys.path.insert(0, sys.argv[1])
from baton.hot import nudge, places
from baton.hot.flush import flush
print(nudge._SECONDS, places._SECONDS, *places.elsewhere.__defaults__, flush.flush.__kwdefaults__["seconds"])
"""


def test_a_hook_runs(repo: Path) -> None:
    done = run_hook("flush", {"hook_event_name": "Stop", "cwd": str(repo)}, cwd=repo)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_its_lines_are_counted(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n0"]
    command += [f"{__file__}::test_a_hook_runs", "--cov", f"--cov-report=json:{report}"]
    env = {**os.environ, "COVERAGE_FILE": str(tmp_path / "data")}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    files = json.loads(report.read_text(encoding="utf-8"))["files"]
    assert files["scripts/baton/hot/guarded.py"]["summary"]["covered_lines"] > 5


def test_a_hook_has_more_time(home: Path, tmp_path: Path) -> None:
    [python] = (home / f".local/share/baton/{baton.__version__}/python").read_text().splitlines()
    (tmp_path / "door.py").write_text(BOUNDS)
    command = [python, "-I", "-S", str(tmp_path / "door.py"), str(SCRIPTS)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (f"{' '.join([str(patience.SECONDS)] * 4)}\n", "")
