"""Names that are git's own, with git as the judge."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from baton.hot.flush import signature
from baton.hot.git.names import reserved
from support import git

FILE, LINK = "100644", "120000"
FILES = [
    ".git",
    ".GIT",
    ".Git.",
    ".git ",
    ".git . .",
    ".git::$INDEX_ALLOCATION",
    ".git\\x",
    "git~1",
    "GIT~1",
    "git~1 :x",
    ".g\u200cit",
    "\ufeff.git",
    ".\u202aGIT\u206f",
    ".gitignore",
    ".gitmodules",
    ".git~1",
    "git~2",
    "git",
    ".git-x",
    ". git",
    "x.git",
    "goal.md",
    "\u200dnote.md",
    "ünïcödé",
]
LINKS = [".gitmodules", ".GITMODULES ", "gitmod~1", ".git", "link.md", ".gitkeep"]
CASES = [(FILE, name) for name in FILES] + [(LINK, name) for name in LINKS]


@pytest.mark.parametrize(("mode", "name"), CASES, ids=[f"{mode}-{name!r}" for mode, name in CASES])
def test_as_git_says(mode: str, name: str, repo: Path) -> None:
    blob = git("rev-parse", "HEAD:README.md", cwd=repo).strip()
    safe = ("-c", "core.protectHFS=true", "-c", "core.protectNTFS=true")
    entry = f"{mode},{blob},.claude/agent-memory/{name}"
    added = subprocess.run(
        ["git", *safe, "update-index", "--add", "--cacheinfo", entry], cwd=repo, capture_output=True
    )
    told = reserved(os.fsencode(name), link=mode == LINK)

    assert told == (added.returncode != 0), added.stderr
    # Only such names are looked at in a state folder.
    assert os.fsencode(name)[:1] in signature._FIRST or not told
