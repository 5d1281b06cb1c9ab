"""Workflow tool calls and the ends of agents: one event, recorded (design page runs).

Never touches the chain, never decides about the tool, never forces a turn.
"""

from baton.hot import door, once, project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from baton.hot.runs.capture import Agent

_TOOL = "Workflow"
_UNRECORDED = "baton: this workflow run is not recorded, only Claude Code has it: {fault}"


def main(environ: dict[str, str], stdin: int = 0) -> None:
    """Answer one event. What is not about a workflow run costs nothing more than the look at it."""
    line = door.read_line(stdin)
    event = door.event(line)
    answer = _ANSWERS.get(door.text(event, "hook_event_name"))
    if answer is None or environ.get("BATON_DISABLED") == "1":
        return
    if once.first(environ, "run_events", line):
        answer(event, environ)


def _launching(event: dict[str, object], environ: dict[str, str]) -> None:
    found = _project(event, environ)
    if found is None:
        return
    from baton.hot.runs import launch
    from baton.hot.state import State

    try:
        launch.before(found, State(found, environ), event)
    except OSError:
        # Once it is launched all of it is written again; then a fault is told.
        pass


def _launched(event: dict[str, object], environ: dict[str, str]) -> None:
    found = _project(event, environ)
    if found is None:
        return
    from baton.hot import reply
    from baton.hot.lock import Locked
    from baton.hot.runs import launch, word
    from baton.hot.state import State

    state = State(found, environ)
    try:
        made = launch.after(found, state, event)
    except (OSError, Locked) as error:
        reply.send("PostToolUse", _UNRECORDED.format(fault=_said(error)))
        return
    if made is not None:
        reply.send("PostToolUse", made.told, word.launched(found, state, made))


def _project(event: dict[str, object], environ: dict[str, str]) -> project.Project | None:
    if door.text(event, "tool_name") != _TOOL:
        return None
    return project.locate(environ, "", door.text(event, "cwd"))


def _stopped(event: dict[str, object], environ: dict[str, str]) -> None:
    if "workflows" in door.text(event, "agent_transcript_path"):
        from baton.hot.runs import capture

        _capture(capture.stopped(event), event, environ)


def _failed(event: dict[str, object], environ: dict[str, str]) -> None:
    if event.get("agent_id"):
        from baton.hot.runs import capture

        _capture(capture.failed(event), event, environ)


def _capture(agent: "Agent | None", event: dict[str, object], environ: dict[str, str]) -> None:
    from baton.hot import reply
    from baton.hot.lock import Locked
    from baton.hot.runs import capture

    if agent is None:
        return
    try:
        place = capture.home(agent, door.text(event, "cwd"), environ)
        told = capture.take(place, agent, door.text(event, "error")) if place else ""
    except (OSError, Locked) as error:
        told = f"baton: a result of workflow run {agent.run_id} is not kept: {_said(error)}"
    reply.send(door.text(event, "hook_event_name"), told)


def _said(error: Exception) -> str:
    return str(getattr(error, "strerror", "") or "another process holds its lock")


_ANSWERS = {
    "PreToolUse": _launching,
    "PostToolUse": _launched,
    "SubagentStop": _stopped,
    "StopFailure": _failed,
}
