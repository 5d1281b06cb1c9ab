"""baton.hot.lead_only: the one refusal of a hook, told apart from all that only looks."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from baton.hot import lead_only
from baton.hot.lead_only import REFUSAL, writes
from support import run_hook

WRITES = [
    "baton wal mark 1 done --evidence ls",
    "baton wal start G --item a --next n --verify ls",
    "cd /tmp && baton wal next x",
    "/opt/a b/bin/baton wal add x",
    "'/opt/a b/bin/baton' --project . wal verify ls",
    'sh -c "cd x && baton wal reset"',
    "env X=1 baton wal --json write --base none < doc",
    "X=1 timeout 5 baton wal compact",
    "B=baton; $B wal mark 1 done",
    '"baton" "wal" "mark" 1 doing',
    "ba\\ton wal init",
    "echo hi; baton wal restore newest",
    "baton pause -m x",
    "baton run harvest wf_1",
    "baton --project x run relaunch wf_1",
    "baton --project /p close --dry-run",
    "baton --project=/p pause",
    "baton --project '/my work' pause -m x",
    "cat x | baton wal write --base none",
    "sed -i s/a/b/ .claude/WAL.md",
    "echo x > .claude/WAL.md",
    "cat a > .claude/WAL.md",
    "cp a .claude/WAL.md",
    "rm -f '.claude/WAL.md'",
    'cat .claude/WAL.md && python3 -c \'open(".claude/WAL.md", "w")\'',
    "git checkout HEAD~1 -- .claude/WAL.md",
    "echo x 2>/dev/null >.claude/WAL.md",
    "cat a 2>&1 >> .claude/WAL.md",
    "echo x &>.claude/WAL.md",
    "if true; then rm .claude/WAL.md; fi",
    "while ! tee .claude/WAL.md",
    "sort -o .claude/WAL.md a",
]
LOOKS = [
    "baton wal show",
    "baton wal show --json | jq .next",
    "baton wal check && baton wal log",
    "baton tiep --json",
    "baton status",
    "baton run list",
    "baton run remaining wf_1",
    "baton passport verify p.yaml",
    "echo 'the wal is started'",
    "cat .claude/WAL.md",
    "grep -c goal .claude/WAL.md | tail -1",
    "git log --oneline -- .claude/WAL.md",
    "git diff HEAD~1 .claude/WAL.md",
    "ls -l docs/",
    "cat .claude/WAL.md 2>/dev/null",
    "cat .claude/WAL.md 2>&1 | head",
    "grep -q goal .claude/WAL.md >/dev/null && echo yes",
    "test -f .claude/WAL.md && echo there || echo none",
    "if [ -s .claude/WAL.md ]; then cat .claude/WAL.md; fi",
    "! grep -q goal .claude/WAL.md &>/dev/null",
    "echo .claude/WAL.md",
    "",
]


@pytest.mark.parametrize("command", WRITES)
def test_a_command_line_that_writes(command: str) -> None:
    assert writes({"command": command})


@pytest.mark.parametrize("command", LOOKS)
def test_a_command_line_that_looks(command: str) -> None:
    assert not writes({"command": command})


PATHS = {
    "/p//.claude//WAL.md": True,
    "/p/.claude/./WAL.md": True,
    "/p/.claude/x/../WAL.md": True,
    ".claude\\.\\WAL.md": True,
    "/p/.claude/WAL.md/../x": False,
    "/p/.claude/WAL.md": True,
    ".claude/WAL.md": True,
    "C:\\p\\.claude\\WAL.md": True,
    "/p/docs/WAL.md": False,
    "/p/x.claude/WAL.md": False,
    "/p/.claude/settings.json": False,
}


@pytest.mark.parametrize(("path", "expected"), PATHS.items(), ids=list(PATHS))
def test_an_edit(path: str, expected: bool) -> None:
    assert writes({"file_path": path, "content": "x"}) is expected


@pytest.mark.parametrize("given", [{}, {"command": 5}, {"file_path": None, "command": ["baton"]}])
def test_an_input_that_is_neither(given: dict[str, object]) -> None:
    assert not writes(given)


def called(agent: object, tool: str = "Bash", **given: object) -> dict[str, object]:
    """Give what Claude Code sends before a tool is used."""
    event: dict[str, object] = {"session_id": "s", "cwd": os.getcwd()}
    event |= {"hook_event_name": "PreToolUse"}
    event |= {"tool_name": tool, "tool_input": given or {"command": WRITES[0]}}
    return {**event, "agent_id": agent, "agent_type": "general-purpose"} if agent else event


def _answer(event: dict[str, object], repo: Path, **env: str) -> object:
    done = run_hook("lead_only", event, cwd=repo, env=env)
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout) if done.stdout else None


DENIED = {
    "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": REFUSAL,
    }
}


def test_a_subagent_is_refused(repo: Path) -> None:
    assert _answer(called("a1"), repo) == DENIED
    assert _answer(called("a1", "Edit", file_path=f"{repo}/.claude/WAL.md"), repo) == DENIED


def test_the_lead_is_not(repo: Path) -> None:
    assert _answer(called(""), repo) is None


def test_a_subagent_may_look(repo: Path) -> None:
    assert _answer(called("a1", command="baton wal show"), repo) is None


def test_switched_off(repo: Path) -> None:
    assert _answer(called("a1"), repo, BATON_DISABLED="1") is None


@pytest.mark.parametrize("event", [b"", b"[]\n", b'{"agent_id": "a", "tool_input": 5}\n'])
def test_what_is_no_event(event: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    read, write = os.pipe()
    os.write(write, event)
    os.close(write)
    lead_only.main({}, read)
    os.close(read)
    assert capfd.readouterr() == ("", "")
