"""Workflow runs in the real Claude Code: what is finished is never paid for twice (design page runs).

Asserted is what the model server was asked for, and what stands on disk.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from commands import run_baton

from .conftest import MakeHome
from .model_server import ModelServer, Reply, Request, Text, ToolCall, usage_limit
from .workflow import (
    SURVEY,
    SURVEY_ARGS,
    SURVEY_RESULT,
    Agents,
    Stage,
    in_turn,
    obedient,
)

LAUNCH = ToolCall("Workflow", {"script": SURVEY, "args": SURVEY_ARGS})


@pytest.fixture
def stage(project: Path, plugin: Path, model: ModelServer) -> Stage:
    return Stage(project, plugin, model)


@pytest.mark.parametrize("finished", range(9))
def test_killed_after_so_many_results_and_gone_on_with_by_another_account(
    stage: Stage, claude_home: MakeHome, finished: int
) -> None:
    """Exactly the agents that are left, and the same outcome; the old account's files are gone."""
    one, two = claude_home("one"), claude_home("two")
    first = Agents(in_turn(LAUNCH), limit=finished)
    stage.killed(one, first, finished)
    # With its last result kept, the first session may have heard of the run's end before it died.
    ended_in_time = (stage.run / "harvested.json").exists()
    shutil.rmtree(one.root)
    second = Agents(obedient())
    stage.session(two, "/tiep", second)
    assert sum(second.asked.values()) == 8 - finished, second.asked
    if not ended_in_time:
        assert stage.outcome() == SURVEY_RESULT
    assert (stage.run / "harvested.json").exists()


def test_a_fresh_memory_pack_in_every_prompt_pays_for_nothing_twice(
    stage: Stage, claude_home: MakeHome
) -> None:
    """The label is unique and the script is unchanged: that is enough, whatever the prompt."""
    stage.killed(claude_home("one"), Agents(in_turn(LAUNCH), limit=5), 5)
    packs: list[str] = []

    def answer(task: str, request: Request) -> Reply:
        packs.append(task.splitlines()[0])
        return Text(f"done: {task.splitlines()[-1]}")

    second = Agents(obedient(args={"pack": "memory of tomorrow"}), answer)
    stage.session(claude_home("two"), "/tiep", second)
    assert sum(second.asked.values()) == 3, second.asked
    assert packs == ["memory of tomorrow"] * 3
    assert stage.outcome() == SURVEY_RESULT


HARD = """\
export const meta = { name: 'hard', description: 'all that is hard to match' }
const big = await parallel([1, 2].map(i => () => agent(`BIG ${i}`, {label: `big ${i}`})))
const shape = await agent('SHAPE', {label: 'shape',
  schema: {type: 'object', properties: {a: {type: 'number'}}, required: ['a']}})
const twins = await parallel(['x', 'y', 'z'].map(i => () => agent(`TWIN ${i}`, {label: 'twin'})))
const same = await parallel([1, 2].map(() => () => agent('SAME', {label: 'same'})))
let frail = await agent('FRAIL', {label: 'frail'})
if (frail === null) frail = await agent('FRAIL once more', {label: 'frail'})
const late = await agent(`LATE ${frail}`, {label: 'late'})
return [big.map(b => b.length), shape, twins, same, frail, late]
"""


def hard(died: list[str]) -> Agents:
    """The agents of HARD: the frail one meets a usage limit the first time."""
    count = iter(range(100))

    def answer(task: str, request: Request) -> Reply:
        if task.startswith("BIG"):
            return Text(task[-1] * 200_000)
        if task == "SHAPE":
            return ToolCall("StructuredOutput", {"a": 1.5})
        if task == "FRAIL" and not died:
            died.append(task)
            return usage_limit()
        return Text(f"same {next(count)}" if task == "SAME" else f"done: {task}")

    return Agents(in_turn(ToolCall("Workflow", {"script": HARD})), answer)


def test_null_results_respawned_agents_twins_schema_large_results_and_a_cut_journal(
    stage: Stage, claude_home: MakeHome
) -> None:
    """Ten calls are finished when it dies; left are the dead one, and what depends on it."""
    one, two = claude_home("one"), claude_home("two")
    died: list[str] = []
    first = hard(died)
    # Big 2, shape 1, twins 3, same 2, the frail one twice: the last one is answered after a null.
    first.limit = 10
    stage.killed(one, first, 9, total=11)
    [journal] = one.claude_folder.rglob("journal.jsonl")
    journal.write_bytes(journal.read_bytes()[:-30])
    second = hard(died)
    second.main = obedient()
    stage.session(two, "/tiep", second)
    assert dict(second.asked) == {"FRAIL": 1, "LATE done: FRAIL": 1}
    big, shape, twins, same, frail, late = stage.outcome()
    assert (big, shape) == ([200_000, 200_000], {"a": 1.5})
    assert twins == ["done: TWIN x", "done: TWIN y", "done: TWIN z"]
    assert sorted(same) == ["same 0", "same 1"]
    assert (frail, late) == ("done: FRAIL", "done: LATE done: FRAIL")


def test_the_hosts_journal_is_gone_after_the_harvest(stage: Stage, claude_home: MakeHome) -> None:
    one = claude_home("one")
    stage.killed(one, Agents(in_turn(LAUNCH), limit=3), 3)
    said = run_baton("run", "harvest", stage.run.name, cwd=stage.project)
    assert said.code == 0, said
    shutil.rmtree(one.claude_folder)
    second = Agents(obedient())
    stage.session(claude_home("two"), "/tiep", second)
    assert sum(second.asked.values()) == 5, second.asked
    assert stage.outcome() == SURVEY_RESULT


def test_killed_twice(stage: Stage, claude_home: MakeHome) -> None:
    """The second relaunch is made of the original script and the results of both attempts."""
    stage.killed(claude_home("one"), Agents(in_turn(LAUNCH), limit=3), 3)
    second = Agents(obedient(), limit=2)
    stage.killed(claude_home("two"), second, 5, prompt="/tiep")
    third = Agents(obedient())
    stage.session(claude_home("three"), "/tiep", third)
    assert sum(third.asked.values()) == 3, third.asked
    assert stage.outcome() == SURVEY_RESULT
    attempts = (stage.run / "attempts.jsonl").read_text().splitlines()
    assert [json.loads(line)["attempt"] for line in attempts] == [1, 2, 3]


def test_hooks_alone(stage: Stage, claude_home: MakeHome) -> None:
    """baton was never used in the project; a later session's `baton run list` knows the run."""
    stage.killed(claude_home("one"), Agents(in_turn(LAUNCH), limit=2), 2)
    asking = ToolCall("Bash", {"command": "baton run list", "description": "look"})
    stage.session(claude_home("two"), "what is there?", Agents(in_turn(asking)))
    [listed] = stage.model.last().tool_results()
    assert not listed.failed
    assert stage.run.name in listed.text
    assert "survey" in listed.text


def test_a_run_that_ends_by_itself_waits_for_nobody(stage: Stage, claude_home: MakeHome) -> None:
    stage.session(claude_home("one"), "go", Agents(in_turn(LAUNCH)))
    assert stage.outcome() == SURVEY_RESULT
    assert json.loads((stage.run / "harvested.json").read_text())["done"] == 8
    stage.session(claude_home("two"), "hello", Agents(in_turn()))
    assert "collected" not in stage.model.last().role_text("system")
