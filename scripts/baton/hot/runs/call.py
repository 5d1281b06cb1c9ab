"""One call of the Workflow tool, as a hook's event tells of it (design page host)."""

import os

from baton.hot import clean, door, files
from baton.hot.project import Project
from baton.hot.runs import children, layout

# Twice the host's own bound.
_SCRIPT_LIMIT = 1 << 20


class Launch:
    """One call of the Workflow tool, as a hook's event tells of it.

    script: "" where the call only names one that cannot be found. path: the scriptPath or name that
    was given, "" for an inline script. children: `children.scripts`. run_id, transcripts: "" before
    the tool ran. refused: whether the answer says that nothing was launched. source, launched: layout's;
    "" for now.
    """

    __slots__ = (
        "args", "args_given", "children", "cwd", "launched", "name", "path", "refused", "run_id", "script",
        "session", "source", "summary", "tool_use", "transcripts",
    )  # fmt: skip

    def __init__(self, event: dict[str, object]) -> None:
        given = _object(event, "tool_input")
        answer = _object(event, "tool_response")
        self.session = door.text(event, "session_id")
        self.cwd = door.text(event, "cwd")
        self.tool_use = door.text(event, "tool_use_id")
        self.path = door.text(given, "scriptPath") or door.text(given, "name")
        self.script = door.text(given, "script")
        self.args_given = "args" in given
        self.args = given.get("args")
        self.refused = bool(answer.get("error"))
        self.run_id = door.text(answer, "runId")
        self.name = door.text(answer, "workflowName")
        self.summary = door.text(answer, "summary")
        self.transcripts = door.text(answer, "transcriptDir")
        self.children: dict[str, str] = {}
        self.source, self.launched = layout.HOOK, ""


def complete(launch: Launch, project: Project, event: dict[str, object]) -> None:
    """Find what the event does not hold: a script that it only names, and the scripts of children."""
    # <config>/projects/<slug>/<session>.jsonl
    transcript = door.text(event, "transcript_path")
    config = os.path.dirname(os.path.dirname(os.path.dirname(transcript)))
    folders = list(dict.fromkeys((project.root, launch.cwd or project.root)))
    if not launch.script and launch.path:
        path = os.path.join(launch.cwd, launch.path)
        launch.script = _file(path) or children.named(launch.path, config, folders)
    launch.children = children.scripts(launch.script, config, folders, launch.cwd)


def facts(launch: Launch) -> dict[str, object]:
    """Give what a snapshot holds of a launch, by the snapshot's keys."""
    what = launch.name or os.path.basename(launch.path) or "workflow"
    more = launch.summary if launch.summary != what else ""
    return {
        "purpose": clean.line(f"{what}: {more}" if more else what, 200),
        "session": launch.session,
        "name": launch.name or None,
        "path": launch.path or None,
        "args_given": launch.args_given,
        "args": launch.args,
        "children": dict(launch.children),
    }


def noted(record: dict[str, object]) -> Launch:
    """Give the launch that was noted before the tool ran: its `facts`, cwd, script and tool_use."""
    launch = Launch({"session_id": record.get("session"), "cwd": record.get("cwd")})
    launch.script = door.text(record, "script")
    launch.path = door.text(record, "path")
    launch.args_given = record.get("args_given") is True
    launch.args = record.get("args")
    launch.tool_use = door.text(record, "tool_use")
    launch.children = {
        name: text
        for name, text in _object(record, "children").items()
        if isinstance(name, str) and isinstance(text, str)
    }
    return launch


def _file(path: str) -> str:
    try:
        data = files.read(path, _SCRIPT_LIMIT) or b""
    except OSError:
        return ""
    return data.decode("utf-8", "replace") if len(data) <= _SCRIPT_LIMIT else ""


def _object(event: dict[str, object], key: str) -> dict[str, object]:
    value = event.get(key)
    return value if isinstance(value, dict) else {}
