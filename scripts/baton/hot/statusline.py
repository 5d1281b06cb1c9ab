"""One line for Claude Code's status line: where the chain stands, and whether it is saved (design page
notice).

It is asked for after every turn: no git, no parser of arguments, a look at three files.
"""

import os
import time

from baton.hot import chain as chains
from baton.hot import clean, config, door, left_out, overlay, project, reply
from baton.hot.flush import outcome as outcomes
from baton.hot.moments import clock
from baton.hot.state import DEATH, OUTCOME, State

_GOAL_COLUMNS, _REASON_WIDTH = 32, 40
_LOOKS, _LOOK_SECONDS = 10, 0.08
_NEWER, _UNSAVED = ", newer on disk", "not saved yet"
_WARNING = "\033[33m{}\033[0m"
_CAUSES = {
    "rate_limit": "limit",
    "overloaded": "overload",
    "authentication_failed": "sign-in failed",
    "billing_error": "billing",
    "server_error": "server error",
    "max_output_tokens": "output limit",
}


def main(environ: dict[str, str], stdin: int = 0, named: str = "") -> None:
    """Answer one question of Claude Code's: its JSON on `stdin`, the line on standard output.

    named: what `--project` says. Nothing at all where baton has nothing to say. Yellow is for
    warnings, unless NO_COLOR is set. Never raises: a fault of baton's own is the line.
    """
    if environ.get("BATON_DISABLED") == "1":
        return
    asked = door.event(door.read_line(stdin))
    try:
        found = _project(environ, named, asked)
        told = _whole(found, State(found, environ)) if found else ""
    except Exception as error:
        from baton.hot.guarded import report

        told = f"⚠ {report(error, environ)[0]}"
    if told.startswith("⚠") and not environ.get("NO_COLOR"):
        told = _WARNING.format(told)
    if told:
        reply.write(told + "\n")


def _project(
    environ: dict[str, str], named: str, asked: dict[str, object]
) -> project.Project | None:
    """The project by the one rule for all: where the session was started, and where it is now."""
    workspace = asked.get("workspace")
    places = workspace if isinstance(workspace, dict) else {}
    began = environ.get("CLAUDE_PROJECT_DIR") or door.text(places, "project_dir")
    now = door.text(asked, "cwd") or os.getcwd()
    return project.locate({**environ, "CLAUDE_PROJECT_DIR": began}, named, now)


def _whole(found: project.Project, state: State) -> str:
    return _with_pipelines(found, state, _settled(found, state))


def _settled(found: project.Project, state: State) -> str:
    """The line, once the flush that runs beside this question is done.

    Claude Code asks when a turn ends, and starts the Stop hook at the same moment.
    """
    for _ in range(_LOOKS):
        told = line(found, state)
        if not told.endswith((_NEWER, _UNSAVED)):
            break
        time.sleep(_LOOK_SECONDS)
    return told


def line(found: project.Project, state: State) -> str:
    """Give the line of a project, "" when there is nothing to say."""
    try:
        data = overlay.content(found, state)
        looks = os.lstat(overlay.chain_path(found, state)) if data is not None else None
    except OSError as error:
        return f"⚠ the chain cannot be read: {error.strerror}"
    if data is None or looks is None:
        return ""
    chain = chains.parse(data)
    if chain.state == chains.UNREADABLE:
        return f"⚠ the chain cannot be read: {chain.problems[0].code}, type /tiep"
    note = state.record(OUTCOME)
    saved = note.get("chain") == [looks.st_size, looks.st_mtime_ns]
    return _unsaved(note, saved) or _death(state, saved) or _standing(found, chain, note, saved)


def _unsaved(note: dict[str, object], saved: bool) -> str:
    kind, reason = note.get("kind"), note.get("reason")
    if kind in (outcomes.DEFERRED, outcomes.FAILED):
        what = "not on the branch" if saved else "not saved"
        return f"⚠ {what}: {_short(str(reason))}"
    why = dict(left_out.rows(note)).get(project.CHAIN)
    return f"⚠ not saved: {_short(why)}" if why else ""


def _short(reason: str) -> str:
    return "locked" if "lock" in reason else clean.line(reason, _REASON_WIDTH)


def _death(state: State, saved: bool) -> str:
    death = state.record(DEATH)
    error, when = death.get("error"), death.get("time")
    if not isinstance(error, str) or not isinstance(when, int):
        return ""
    return f"⏸ {_CAUSES.get(error, 'error')} {clock(when)}, {'saved' if saved else _UNSAVED}"


def _standing(
    found: project.Project, chain: chains.Chain, note: dict[str, object], saved: bool
) -> str:
    if not chain.items:
        return ""
    sign = "✓" if chain.state == chains.FINISHED else "▸"
    goal = clean.fit(chain.goal, _GOAL_COLUMNS)
    return f"{sign} {chain.done}/{chain.total} {goal} · {_kept(found, note, saved)}"


def _with_pipelines(found: project.Project, state: State, told: str) -> str:
    """The line with what pipelines add to it: only who has one pays for that."""
    if not os.path.isdir(found.path(project.PIPELINES)):
        return told
    from baton.hot import pipelines

    return " · ".join(filter(None, [told, pipelines.marks(found, state)]))


def _kept(found: project.Project, note: dict[str, object], saved: bool) -> str:
    if config.load(found).persist == "off":
        return "kept nowhere"
    when = note.get("kept_at")
    if not isinstance(when, int):
        return _UNSAVED
    return f"saved {clock(when)}" + ("" if saved else _NEWER)
