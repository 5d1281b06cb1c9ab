"""Words typed behind /pause that hold a secret: the work is kept, the words are not, and that is said."""

from __future__ import annotations

import json
import os
from pathlib import Path

from baton.hot import config, pause, project
from baton.hot.state import State
from pause_cases import STANDS, write
from secret_cases import AWS
from support import git, run_hook


def test_the_work_is_kept_without_the_words(repo: Path) -> None:
    write(repo)
    found = project.locate({"HOME": os.environ["HOME"]}, str(repo))
    assert found is not None
    state = State(found, dict(os.environ))
    paused = pause.pause(found, state, config.load(found), f"half way\nkey: {AWS}")
    head = git("rev-parse", "--short=8", "HEAD", cwd=repo).strip()
    assert "\n".join(paused.lines) == (
        "⏸ Kept, but look at this first · 1/4 done\n"
        "your words were not kept: secret in line 2: AWS access key\n"
        f"{STANDS}kept: committed on main ({head}), nothing pushed"
    )
    assert (paused.safe, paused.words) == (False, "")
    assert git("log", "-1", "--format=%B", cwd=repo) == "wal: pause\n\n"


def test_typed(repo: Path) -> None:
    write(repo)
    event = {
        "hook_event_name": "UserPromptExpansion",
        "command_name": "baton:pause",
        "command_args": AWS,
        "session_id": "s1",
    }
    told = json.loads(run_hook("prompt", event, cwd=repo).stdout)
    text = json.dumps(told, ensure_ascii=False)
    assert "your words were not kept: secret in line 1: AWS access key" in text
    assert "words are kept in that commit" not in text
    assert AWS not in text
    assert git("log", "-1", "--format=%B", cwd=repo) == "wal: pause\n\n"
