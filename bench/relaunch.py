"""Agents that are paid for again: a workflow killed half-way in the real Claude Code, and gone on with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from e2e.claude import CannotFetch, Home, binary
from e2e.model_server import ModelServer, ToolCall
from e2e.workflow import SURVEY, SURVEY_ARGS, Agents, Stage, in_turn, obedient
from paired import ROOT, Row, environment, git

_WHAT = "requests repeated for {} finished workflow agents of 8"
_FINISHED = (3, 6)


def rows(folder: Path) -> Iterator[Row]:
    """Kill a run of eight agents with some finished; let another account go on with it."""
    for finished in _FINISHED:
        what = _WHAT.format(finished)
        try:
            binary()
        except CannotFetch as error:
            yield Row(what, None, 0, "", str(error).splitlines()[0])
            continue
        repeated, asked = _gone_on(folder / str(finished), finished)
        yield Row(what, repeated, 0, "", f"{asked} asked for the {8 - finished} that were left")


def _gone_on(folder: Path, finished: int) -> tuple[int, int]:
    """Requests for agents that were finished, and all."""
    project = folder / "project"
    project.mkdir(parents=True)
    env = environment(folder / "git")
    git(project, env, "init", "--quiet")
    git(project, env, "commit", "--quiet", "--allow-empty", "--message", "begin")
    homes = [
        Home.create(folder / name, key=f"sk-ant-dummy-key-of-account-{name}", trusted=[project])
        for name in ("one", "two")
    ]
    try:
        with ModelServer() as model:
            return _two_sessions(Stage(project, ROOT, model), homes, finished)
    finally:
        for home in homes:
            home.kill_processes()


def _two_sessions(stage: Stage, homes: list[Home], finished: int) -> tuple[int, int]:
    launch = ToolCall("Workflow", {"script": SURVEY, "args": SURVEY_ARGS})
    stage.killed(homes[0], Agents(in_turn(launch), limit=finished), finished)
    done = stage.finished()
    second = Agents(obedient())
    stage.session(homes[1], "/tiep", second)
    return sum(second.asked[task] for task in done), second.asked.total()
