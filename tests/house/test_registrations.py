"""What Claude Code is told about baton: hooks, and the same hooks without the plugin."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from support import HOOKS, ROOT

PLUGIN = HOOKS / "hooks.json"
FRAGMENT = ROOT / ".claude/settings.json"
MUST_BE_HEARD = {
    "SessionStart": "session_start",
    "UserPromptSubmit": "prompt",
    "UserPromptExpansion": "prompt",
    "PreToolUse": "lead_only",
    "Stop": "flush",
    "StopFailure": "flush",
    "PreCompact": "flush",
    "SessionEnd": "flush",
}
RUNS_MUST_BE_HEARD = {
    ("PreToolUse", "run_events"),
    ("PostToolUse", "run_events"),
    ("SubagentStop", "run_events"),
    ("StopFailure", "run_events"),
}


def _events() -> dict[str, Any]:
    events: dict[str, Any] = json.loads(PLUGIN.read_text(encoding="utf-8"))["hooks"]
    return events


def _entries() -> Iterator[tuple[str, dict[str, Any]]]:
    for event, groups in _events().items():
        for group in groups:
            for entry in group["hooks"]:
                yield event, entry


ENTRIES = list(_entries())
NAMES = [f"{event}-{entry['args'][-1]}" for event, entry in ENTRIES]


def test_the_fragment_is_the_same_modulo_the_root() -> None:
    text = json.dumps(_events()).replace("${CLAUDE_PLUGIN_ROOT}", "${CLAUDE_PROJECT_DIR}")
    assert json.loads(FRAGMENT.read_text(encoding="utf-8")) == {"hooks": json.loads(text)}


def test_every_event_that_matters_is_heard() -> None:
    heard = {(event, entry["args"][-1]) for event, entry in ENTRIES}
    assert heard >= set(MUST_BE_HEARD.items()) | RUNS_MUST_BE_HEARD


@pytest.mark.parametrize(("event", "entry"), ENTRIES, ids=NAMES)
def test_an_entry(event: str, entry: dict[str, Any]) -> None:
    """Exec form, no shell line of the user's; a missing launcher is no failure; bounded."""
    door = entry["args"][-1]
    narrowed = {"if": entry["if"]} if "if" in entry else {}
    assert (HOOKS / f"{door}.py").is_file(), f"hooks/{door}.py is not there yet"
    assert entry == {
        "type": "command",
        "command": "sh",
        "args": ["-c", '[ ! -r "$0" ] || . "$0"', "${CLAUDE_PLUGIN_ROOT}/hooks/run", door],
        # A plugin's SessionEnd hook has 1.5 s unless it is asynchronous.
        **({"async": True} if event == "SessionEnd" else {}),
        **narrowed,
        "timeout": entry["timeout"],
    }
    assert 5 <= entry["timeout"] <= 15


def test_the_guard_of_the_chain_costs_other_calls_nothing() -> None:
    guards = [entry for _, entry in ENTRIES if entry["args"][-1] == "lead_only"]
    assert sorted(entry["if"] for entry in guards) == [
        "Bash(*WAL.md*)",
        "Bash(*baton *)",
        "Edit(//**/WAL.md)",
        "MultiEdit(//**/WAL.md)",
        "Write(//**/WAL.md)",
    ]
    assert [entry for _, entry in ENTRIES if "if" in entry] == guards


def test_every_door_is_registered() -> None:
    assert {file.stem for file in HOOKS.glob("*.py")} == {e["args"][-1] for _, e in ENTRIES}


def test_tools_are_heard_of_only_where_they_launch_a_run() -> None:
    for event in ("PreToolUse", "PostToolUse"):
        for group in _events()[event]:
            if group["hooks"][0]["args"][-1] == "run_events":
                assert group["matcher"] == "Workflow"


COMMANDS = {
    "baton:pause": True,
    "baton:tiep": True,
    "pause": True,
    "tiep": True,
    "baton:pauser": False,
    "other:pause": False,
    "baton:close": False,
}


@pytest.mark.parametrize(("command", "heard"), COMMANDS.items(), ids=list(COMMANDS))
def test_the_commands_that_the_prompt_hook_hears(command: str, heard: bool) -> None:
    matchers = [group["matcher"] for group in _events()["UserPromptExpansion"]]
    assert any(re.search(matcher, command) for matcher in matchers) is heard


def test_the_fragment_allows_nothing() -> None:
    assert set(json.loads(FRAGMENT.read_text(encoding="utf-8"))) == {"hooks"}
