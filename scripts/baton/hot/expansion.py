"""UserPromptExpansion: what baton does with a typed command before the model is asked (design pages
chain, host)."""

from baton.hot import acts, config, door, notice, once, project, reply, waiting
from baton.hot.pause import pause
from baton.hot.state import State

_PAUSED = """baton has done the deterministic half of /pause already, before you were asked:
{report}
{words}Now do what only you can, as the command says."""


def answer(event: dict[str, object], line: bytes, environ: dict[str, str]) -> None:
    """Answer one event; line: as it came. Commands that are not baton's cost no more than the look
    at their name."""
    command = door.text(event, "command_name").rpartition(":")[2]
    does = _ANSWERS.get(command)
    found = project.locate(environ, "", door.text(event, "cwd")) if does else None
    if does and found and once.first(environ, "prompt", line):
        does(found, State(found, environ), event)


def _pause(found: project.Project, state: State, event: dict[str, object]) -> None:
    words = door.text(event, "command_args")
    paused = pause(found, state, config.load(found), words)
    report = "\n".join(paused.lines)
    said = "The person's words are kept in that commit.\n" if paused.words else ""
    reply.send("UserPromptExpansion", report, _PAUSED.format(report=report, words=said))


def _tiep(found: project.Project, state: State, event: dict[str, object]) -> None:
    """Tell the person at once what will be gone on with: the report itself goes to the model alone.

    Typed with `run`, it is the person's consent to have the chain's own commands run once.
    """
    if door.text(event, "command_args").split()[:1] == ["run"]:
        acts.grant(state, door.text(event, "session_id"), acts.RUN_CHECKS)
    waits = waiting.look(found, state, config.load(found))
    reply.send("UserPromptExpansion", notice.for_tiep(waits).person)


_ANSWERS = {"pause": _pause, "tiep": _tiep}
