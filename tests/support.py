"""What tests of every folder share: the repository's own paths, git, and the hooks as processes."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "scripts"
HOOKS = ROOT / "hooks"
LAUNCHER = HOOKS / "run"


def git(*args: str | os.PathLike[str], cwd: str | os.PathLike[str], stdin: str = "") -> str:
    """Run git in `cwd` and give what it printed; fails the test with git's own words otherwise."""
    done = subprocess.run(
        ["git", *args],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        errors="surrogateescape",
    )
    assert done.returncode == 0, f"git {' '.join(map(str, args))}: {done.stdout}{done.stderr}"
    return done.stdout


def make_repository(folder: Path) -> Path:
    """Make a repository with an identity, the branch main and one commit."""
    folder.mkdir(parents=True, exist_ok=True)
    git("init", "--quiet", "--initial-branch=main", cwd=folder)
    git("config", "user.name", "Ada Example", cwd=folder)
    git("config", "user.email", "ada@example.org", cwd=folder)
    (folder / "README.md").write_text("a project\n", encoding="utf-8")
    git("add", "README.md", cwd=folder)
    git("commit", "--quiet", "--message", "begin", cwd=folder)
    return folder


def run_hook(
    door: str,
    payload: Mapping[str, object] | bytes,
    *,
    cwd: str | os.PathLike[str],
    env: Mapping[str, str] | None = None,
    args: Sequence[str] = (),
    timeout: float = 60,
) -> subprocess.CompletedProcess[bytes]:
    """Run a hook as Claude Code does: one JSON line on stdin, CLAUDE_PROJECT_DIR set.

    env: added to the test's own environment. Under coverage the door's lines are counted too.
    """
    line = payload if isinstance(payload, bytes) else json.dumps(payload).encode() + b"\n"
    whole = {**os.environ, "CLAUDE_PROJECT_DIR": os.path.realpath(cwd), **(env or {})}
    command = ["sh", str(LAUNCHER), door, *args]
    return subprocess.run(
        command, cwd=cwd, env=whole, input=line, capture_output=True, timeout=timeout
    )
