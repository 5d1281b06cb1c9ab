"""An agent of a run has ended: its result, on disk before the host has it in its journal (design pages
runs, host).

The host waits for the hook, and the transcript is complete by then; the event's own last message
is trimmed, and null for an agent with a schema. A hook holds the agent's slot, so nothing is
committed here: what was written is on disk, and the next Stop, /pause or failure brings it into git,
all results in one commit.
"""

import errno
import os
import time

from baton.hot import door, files, project
from baton.hot.runs import journal, keep, launch, layout, transcript
from baton.hot.runs.keep import Kept
from baton.hot.runs.layout import Place
from baton.hot.runs.transcript import Answer, Row
from baton.hot.state import State

# A longer transcript is read at both ends: the task is its first message, the answer its last.
_WHOLE, _HEAD, _TAIL = 12 << 20, 2 << 20, 8 << 20
_META_LIMIT = 1 << 20


class Agent:
    """Whose transcript it is. folder: the host's, with the run's journal. agent: its id."""

    __slots__ = ("agent", "folder", "run_id", "session")

    def __init__(self, folder: str, agent: str, session: str) -> None:
        self.folder = folder
        self.run_id = os.path.basename(folder)
        self.agent = agent
        self.session = session

    def path(self, ending: str) -> str:
        """Give the path of one of the agent's files: its transcript `.jsonl`, or `.meta.json`."""
        return os.path.join(self.folder, f"agent-{self.agent}{ending}")


def stopped(event: dict[str, object]) -> Agent | None:
    """Give the agent of a SubagentStop; None for one that belongs to no workflow run."""
    folder, name = os.path.split(door.text(event, "agent_transcript_path"))
    agent = name.removeprefix("agent-").removesuffix(".jsonl")
    return _agent(folder, agent, event) if name == f"agent-{agent}.jsonl" else None


def failed(event: dict[str, object]) -> Agent | None:
    """Give the agent of a StopFailure, which names no transcript: it is looked for in the session."""
    agent = door.text(event, "agent_id")
    runs = os.path.join(
        door.text(event, "transcript_path").removesuffix(".jsonl"), "subagents", "workflows"
    )
    if not layout.valid(agent) or not os.path.isdir(runs):
        return None
    for run_id in os.listdir(runs):
        found = _agent(os.path.join(runs, run_id), agent, event)
        if found and os.path.exists(found.path(".jsonl")):
            return found
    return None


def _agent(folder: str, agent: str, event: dict[str, object]) -> Agent | None:
    above, run_id = os.path.split(folder)
    inside = os.path.basename(above) == "workflows"
    if not (inside and layout.valid(run_id) and layout.valid(agent)):
        return None
    return Agent(folder, agent, door.text(event, "session_id"))


def home(agent: Agent, cwd: str, environ: dict[str, str]) -> Place | None:
    """Give the run of an agent: where it was launched, else a new one in the session's project.

    cwd: the event's. An agent may have a work tree of its own, in which git has a copy of the run's
    folder: the launch's own cwd decides. None where there is no project. Raises OSError and Locked.
    """
    found = [project.locate(environ, "", at) for at in ("", cwd)]
    projects = [each for each in found if each is not None]
    for each in projects:
        place = layout.find(each, State(each, environ), agent.run_id)
        if place is not None:
            return _launched_at(place, agent.run_id, environ)
    if not projects:
        return None
    state = State(projects[0], environ)
    return launch.recover(projects[0], state, agent.session, agent.run_id, agent.folder)


def _launched_at(place: Place, run_id: str, environ: dict[str, str]) -> Place:
    launches = [each for each in layout.attempts(place)[0] if each.get("run_id") == run_id]
    cwd = door.text(launches[-1], "cwd") if launches else ""
    there = project.locate(environ, "", cwd) if os.path.isdir(cwd) else None
    if there is None:
        return place
    right = Place(there, State(there, environ), place.name)
    return right if right.exists else place


def take(place: Place, agent: Agent, error: str = "") -> str:
    """Put an agent's result into its run, or what an agent that died of `error` left.

    Gives what a person is told. A result that is there already is never replaced by less. Raises
    OSError.
    """
    rows = read(agent.path(".jsonl"))
    answer = None if error else transcript.answer(rows, ended=True)
    left = transcript.last_text(rows) if answer is None else None
    if answer is None and not error and left is None:
        return ""
    name = layout.result_file(agent.agent)
    if answer is None and layout.parse(place.read(name) or b"").get("status") == layout.COMPLETE:
        return ""
    data = _bytes(os.path.join(agent.folder, "journal.jsonl"), layout.LIMIT)
    record = facts(place, agent, rows, _attempt(place, agent.run_id))
    record["started"] = journal.started_place(data, agent.agent)
    record.update(outcome(answer, left, layout.HOOK, error))
    return keep.telling(place, [put(place, name, record)])


def put(place: Place, name: str, record: dict[str, object]) -> Kept:
    """Put a results file where it may stand. Raises OSError."""
    text = f"{record['prompt'] or ''}\n{layout.words(record['result'])}"
    return keep.store(place, name, layout.render(record), text)


def facts(place: Place, agent: Agent, rows: list[Row], attempt: int) -> dict[str, object]:
    """Give what a results file says of an agent beside its outcome. rows: its transcript's."""
    meta = layout.parse(_bytes(agent.path(".meta.json"), _META_LIMIT))
    return {
        "format": layout.FORMAT,
        "run": place.name,
        "attempt": attempt,
        "run_id": agent.run_id,
        "session": agent.session,
        "agent": agent.agent,
        "task": None,
        "label": door.text(meta, "description") or None,
        "phase": door.text(meta, "workflowPhase") or None,
        "prompt": transcript.prompt(rows),
        "model": None if meta.get("modelNotNamed") else door.text(meta, "model") or None,
        "agent_type": door.text(meta, "agentType") or None,
        "worktree": bool(meta.get("spawnedWithWorktree")),
        "started": None,
        "ended": time.time_ns(),
        "row": None,
    }


def outcome(answer: Answer | None, left: str | None, source: str, error: str) -> dict[str, object]:
    """Give what a results file says of an agent's outcome. left: what one without an answer left."""
    result = left if answer is None else answer.value
    return {
        "kind": None if result is None else layout.TEXT if answer is None else answer.kind,
        "result": result,
        "digest": None if result is None else layout.value_digest(result),
        "source": source,
        "status": layout.PARTIAL if answer is None else layout.COMPLETE,
        "error": error or None,
    }


def _attempt(place: Place, run_id: str) -> int:
    done, _ = layout.attempts(place)
    numbers = [each.get("attempt") for each in done if each.get("run_id") == run_id]
    last = numbers[-1] if numbers else None
    return last if isinstance(last, int) else 1


def read(path: str) -> list[Row]:
    """Give the rows of a transcript; of a very long one those at both ends. Raises OSError."""
    fd = _open(path)
    with open(fd, "rb") as file:
        size = os.fstat(fd).st_size
        if size <= _WHOLE:
            return transcript.rows(file.read())[0]
        head = file.read(_HEAD).rpartition(b"\n")[0]
        file.seek(size - _TAIL)
        tail = file.read().partition(b"\n")[2]
    return transcript.rows(head + b"\n" + tail)[0]


def _open(path: str) -> int:
    try:
        return files.open_regular(path)
    except ValueError:
        raise OSError(errno.EINVAL, "no file has such a name", path) from None


def _bytes(path: str, limit: int) -> bytes:
    try:
        data = files.read(path, limit) or b""
    except OSError:
        return b""
    return data if len(data) <= limit else b""
