"""A launch that no hook recorded, found in the transcript of its session (design pages runs, host).

baton may have come later, or its hooks were off. The session's transcript holds the tool call, its args
as the host had them, and the answer with the run id: all that a hook would have been told. A script that
the call only names is read where the answer says, unless it was changed since.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence

from baton.edge.runs import journals
from baton.hot import files, moments
from baton.hot.project import Project
from baton.hot.runs import call, launch, layout
from baton.hot.runs.call import Launch
from baton.hot.runs.launch import Made
from baton.hot.runs.transcript import Row
from baton.hot.state import State

# The host writes its own copy of a script just before the answer, with a clock of another grain.
_SLACK_SECONDS = 2.0


def bring(
    project: Project,
    state: State,
    run_id: str,
    configs: Sequence[str],
    places: Sequence[str],
    wait: float,
) -> Made | None:
    """Record a launch as its hook would have done it; None where no session tells of it.

    configs, places: as for `journals.search`. wait: seconds for the lock. Raises OSError and Locked.
    """
    for found in journals.search(run_id, configs, [], [project.root, *places]).found:
        told = _told(found.folder, run_id)
        if told is None:
            continue
        made = _launch(*told, folder=found.folder)
        if made.script:
            event: dict[str, object] = {"transcript_path": journals.transcript(found.folder)}
            call.complete(made, project, event)
            return launch.record(project, state, made, wait)
    return None


def _told(folder: str, run_id: str) -> tuple[Row, Row] | None:
    """The tool call and the row with its answer; of several launches of one run id the last."""
    calls: dict[object, Row] = {}
    found = None
    for row in _rows(journals.transcript(folder), run_id.encode()):
        blocks = _blocks(row)
        calls.update({b.get("id"): b for b in blocks if b.get("name") == "Workflow"})
        answer = row.get("toolUseResult")
        made = calls.get(blocks[0].get("tool_use_id")) if blocks else None
        if isinstance(answer, dict) and answer.get("runId") == run_id and made is not None:
            found = made, row
    return found


def _rows(path: str, run_id: bytes) -> Iterator[Row]:
    """The rows that may matter, without taking a long transcript apart."""
    if not os.path.isfile(path):
        return
    with contextlib.suppress(OSError), open(path, "rb") as file:
        for line in file:
            if b'"Workflow"' in line or (run_id in line and b'"toolUseResult"' in line):
                yield layout.parse(line)


def _blocks(row: Row) -> list[Row]:
    message = row.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []


def _launch(made: Row, row: Row, *, folder: str) -> Launch:
    answer = row["toolUseResult"]
    assert isinstance(answer, dict)
    found = Launch(
        {
            "session_id": row.get("sessionId"),
            "cwd": row.get("cwd"),
            "tool_use_id": made.get("id"),
            "tool_input": made.get("input"),
            "tool_response": {**answer, "transcriptDir": folder},
        }
    )
    seconds = moments.seconds(str(row.get("timestamp")))
    found.source, found.launched = layout.FROM_TRANSCRIPT, layout.stamp(seconds)
    path = answer.get("scriptPath")
    if not found.script and isinstance(path, str) and seconds:
        found.script = _unchanged(path, seconds)
    return found


def _unchanged(path: str, seconds: float) -> str:
    """The text of a script that nobody has written to since, "" for any other."""
    try:
        if os.stat(path).st_mtime > seconds + _SLACK_SECONDS:
            return ""
        return (files.read(path, layout.CAP) or b"").decode("utf-8")
    except (OSError, ValueError):
        return ""
