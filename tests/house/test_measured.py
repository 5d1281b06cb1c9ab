"""Lines that a hook runs in a process of its own are counted when the tests run under coverage."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from support import ROOT, run_hook


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
