"""What Claude Code leaves on disk of a workflow run, and the events that it sends: for tests of the
hooks, in the form of the recorded ones (tests/data/runs)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data/runs"
RUN_ID = "wf_9f05723c-7b2"
SESSION = "8500ed5f-2343-4326-a0e6-0c74eea042f8"
SCRIPT = "export const meta = { name: 'demo', description: 'a demo' }\nreturn agent('x')\n"
_FRAME = (
    "[Workflow harness — computed task] The task text below was computed at runtime by a workflow script. "
    "The computed task text follows:\n"
)


def recorded(name: str) -> dict[str, Any]:
    """An event as the real program sent it."""
    event: dict[str, Any] = json.loads((DATA / f"hooks/{name}.json").read_text(encoding="utf-8"))
    return event


def framed(task: str) -> str:
    """A task as the host frames it for the agent."""
    return _FRAME + "\n".join("  " + line for line in task.split("\n"))


def asked(task: str) -> dict[str, Any]:
    """The transcript's row with the agent's task."""
    return {"type": "user", "message": {"role": "user", "content": framed(task)}}


def said(*blocks: dict[str, Any], id: str = "m1", stop: str | None = "end_turn") -> dict[str, Any]:
    """A row of an assistant's message."""
    message = {"id": id, "role": "assistant", "model": "claude-x", "content": list(blocks)}
    return {"type": "assistant", "message": {**message, "stop_reason": stop}}


def text(words: str) -> dict[str, Any]:
    """A text block."""
    return {"type": "text", "text": words}


def tool(name: str, id: str, **given: Any) -> dict[str, Any]:
    """A tool call block."""
    return {"type": "tool_use", "name": name, "id": id, "input": given}


def sent_back(id: str, words: str = "no", *, error: bool) -> dict[str, Any]:
    """The row with a tool's result."""
    block = {"type": "tool_result", "tool_use_id": id, "content": words, "is_error": error}
    return {"type": "user", "message": {"role": "user", "content": [block]}}


def limit_error() -> dict[str, Any]:
    """The row that ends the transcript of an agent which the service refused."""
    row = said(text("API Error: Request rejected (429)"), id="e1", stop="stop_sequence")
    row["message"]["model"] = "<synthetic>"
    return row | {"isApiErrorMessage": True, "error": "rate_limit", "apiErrorStatus": 429}


class Host:
    """One session of Claude Code in `project`, its files below `config`."""

    def __init__(
        self, config: Path, project: Path, session: str = SESSION, slug: str = "-home-u-proj"
    ) -> None:
        self.config = config
        self.project = project
        self.session = session
        self.base = config / "projects" / slug / session

    def folder(self, run_id: str = RUN_ID) -> Path:
        """The run's folder with journal and transcripts."""
        return self.base / "subagents/workflows" / run_id

    def event(self, name: str, **more: Any) -> dict[str, Any]:
        """An event of this session."""
        common = {
            "session_id": self.session,
            "transcript_path": f"{self.base}.jsonl",
            "cwd": str(self.project),
            "hook_event_name": name,
        }
        return common | more

    def before(self, **call: Any) -> dict[str, Any]:
        """PreToolUse of a launch."""
        given = call or {"script": SCRIPT}
        return self.event(
            "PreToolUse", tool_name="Workflow", tool_input=given, tool_use_id="toolu_1"
        )

    def after(self, run_id: str = RUN_ID, *, error: str = "", **call: Any) -> dict[str, Any]:
        """PostToolUse of a launch: the script is in it whatever the call said."""
        answer = {
            "status": "async_launched",
            "workflowName": "demo",
            "summary": "a demo",
            "runId": run_id,
            "transcriptDir": str(self.folder(run_id)),
            **({"error": error} if error else {}),
        }
        return self.event(
            "PostToolUse",
            tool_name="Workflow",
            tool_input={"script": SCRIPT, **call},
            tool_response=answer,
            tool_use_id="toolu_1",
        )

    def agent(
        self, agent: str, *rows: dict[str, Any], run_id: str = RUN_ID, **meta: Any
    ) -> dict[str, Any]:
        """Write an agent's files and its `started` row; give its SubagentStop."""
        folder = self.folder(run_id)
        folder.mkdir(parents=True, exist_ok=True)
        lines = rows or (asked(f"task of {agent}"), said(text(f"result of {agent}")))
        path = folder / f"agent-{agent}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in lines), encoding="utf-8")
        known = {
            "agentType": "workflow-subagent",
            "description": f"label {agent}",
            "workflowPhase": "A",
            "model": "claude-x",
            "modelNotNamed": True,
        }
        (folder / f"agent-{agent}.meta.json").write_text(json.dumps(known | meta))
        label = meta.get("description", f"label {agent}")
        row = {"type": "started", "key": f"v2:{agent}", "agentId": agent, "label": label}
        self.journal(row, run_id)
        return self.event("SubagentStop", agent_id=agent, agent_transcript_path=str(path))

    def journal(self, row: dict[str, Any], run_id: str = RUN_ID) -> None:
        """Put a row behind the journal's others."""
        path = self.folder(run_id) / "journal.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, separators=(",", ":")) + "\n")

    def result(self, agent: str, value: Any, run_id: str = RUN_ID) -> None:
        """The journal's result row, which comes after the hook."""
        key = f"v2:{agent}"
        self.journal({"type": "result", "key": key, "agentId": agent, "result": value}, run_id)

    def failure(self, agent: str, error: str = "rate_limit") -> dict[str, Any]:
        """StopFailure of an agent: it names no transcript."""
        return self.event(
            "StopFailure", agent_id=agent, error=error, last_assistant_message="API Error"
        )
