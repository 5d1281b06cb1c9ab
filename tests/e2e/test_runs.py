"""Workflow runs in the real Claude Code: what is finished is never paid for twice (design page runs).

Asserted is what the model server was asked for, and what stands on disk.
"""

from __future__ import annotations

import json
import random
import re
import shutil
from pathlib import Path

import pytest

from commands import run_baton
from facts import wait_until
from support import git

from .claude import ALLOW_ALL, Home
from .conftest import MakeHome, OpenScreen
from .model_server import ModelServer, Reply, Request, Text, ToolCall, usage_limit
from .session import bash
from .workflow import (
    CALL,
    SURVEY,
    SURVEY_ARGS,
    SURVEY_RESULT,
    Agents,
    Stage,
    in_turn,
    last_line,
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
    # With its last result kept, the first session may have been told the outcome before it died.
    ended_in_time = (stage.run / "harvested.json").exists()
    shutil.rmtree(one.root)
    second = Agents(obedient())
    stage.session(two, "/tiep", second)
    assert sum(second.asked.values()) == 8 - finished, second.asked
    if not ended_in_time:
        assert stage.outcome() == SURVEY_RESULT
    assert (stage.run / "harvested.json").exists()


@pytest.mark.parametrize("turn", range(4))
def test_killed_at_any_moment(stage: Stage, claude_home: MakeHome, turn: int) -> None:
    """Hooks at work die too. What is on disk then is all that counts, and no more is paid for."""
    results, seconds = random.randint(0, 6), random.uniform(0, 0.5)
    stage.killed_soon(claude_home("one"), Agents(in_turn(LAUNCH)), results, seconds)
    finished = len(stage.results())
    print(f"killed {seconds:.3f} s after result {results}, with {finished} on disk")
    ended_in_time = (stage.run / "harvested.json").exists()
    second = Agents(obedient())
    stage.session(claude_home("two"), "/tiep", second)
    # The host may have kept more than the hooks that died had time for.
    found = sum(record["attempt"] == 1 for record in stage.results())
    assert found >= finished
    assert sum(second.asked.values()) == 8 - found, second.asked
    if not ended_in_time:
        assert stage.outcome() == SURVEY_RESULT


def test_the_session_died_before_it_was_told_the_outcome(
    stage: Stage, claude_home: MakeHome
) -> None:
    """The run is over, nobody heard of it: its outcome is had again, and no agent is asked."""
    stage.killed_untold(claude_home("one"), Agents(in_turn(LAUNCH)))
    second = Agents(obedient())
    stage.session(claude_home("two"), "/tiep", second)
    assert not second.asked
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
const tree = await agent('TREE', {label: 'tree', isolation: 'worktree'})
const typed = await agent('TYPED', {label: 'typed', agentType: 'Explore', model: 'haiku'})
let frail = await agent('FRAIL', {label: 'frail'})
if (frail === null) frail = await agent('FRAIL once more', {label: 'frail'})
const late = await agent(`LATE ${frail}`, {label: 'late'})
return [big.map(b => b.length), shape, twins, same, tree, typed, frail, late]
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
    """Eleven calls are finished when it dies; left are the dead one, and what depends on it."""
    one, two = claude_home("one"), claude_home("two")
    died: list[str] = []
    first = hard(died)
    # Big 2, shape 1, twins 3, same 2, tree and typed, the frail one twice: first refused, then not.
    first.limit = 12
    stage.killed(one, first, 11, total=12)
    trees = [record for record in stage.results() if record["worktree"]]
    assert [record["result"] for record in trees] == ["done: TREE"]
    [journal] = one.claude_folder.rglob("journal.jsonl")
    journal.write_bytes(journal.read_bytes()[:-30])
    second = hard(died)
    second.main = obedient()
    stage.session(two, "/tiep", second)
    assert dict(second.asked) == {"FRAIL": 1, "LATE done: FRAIL": 1}
    big, shape, twins, same, *others, frail, late = stage.outcome()
    assert (big, shape) == ([200_000, 200_000], {"a": 1.5})
    assert twins == ["done: TWIN x", "done: TWIN y", "done: TWIN z"]
    assert sorted(same) == ["same 0", "same 1"]
    assert others == ["done: TREE", "done: TYPED"]
    assert (frail, late) == ("done: FRAIL", "done: LATE done: FRAIL")


def test_what_holds_a_secret_stays_out_of_git_and_goes_on(
    stage: Stage, claude_home: MakeHome
) -> None:
    """Script and data of the relaunch stand in the state directory then; the host reads them there."""
    secret = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
    args = {"names": SURVEY_ARGS["names"], "pack": f"the token is {secret}"}
    launch = ToolCall("Workflow", {"script": SURVEY, "args": args})
    stage.killed(claude_home("one"), Agents(in_turn(launch), limit=5), 5)
    second = Agents(obedient())
    stage.session(claude_home("two"), "/tiep", second)
    assert sum(second.asked.values()) == 3, second.asked
    assert stage.outcome() == SURVEY_RESULT
    held = [path.name for path in stage.run.rglob("*") if path.is_file()]
    assert not [name for name in held if name.startswith(("agent-", "relaunch-"))], held
    assert secret not in "".join(p.read_text() for p in stage.run.rglob("*") if p.is_file())
    assert secret not in git("log", "--all", "-p", cwd=stage.project)


KID = """\
export const meta = { name: 'kid', description: 'two agents' }
const first = await agent(`KID A ${args}`, {label: 'a'})
return agent(`KID B ${first}`, {label: 'b'})
"""
PARENT = """\
export const meta = { name: 'parent', description: 'two children' }
return parallel(['x', 'y'].map(n => () => workflow('kid', n)))
"""


def test_childrens_scripts_are_kept_with_the_run(stage: Stage, claude_home: MakeHome) -> None:
    """The host keeps them nowhere; the file is gone when the run is gone on with."""
    saved = stage.project / ".claude/workflows/kid.js"
    saved.parent.mkdir(parents=True)
    saved.write_text(KID)
    launch = ToolCall("Workflow", {"script": PARENT})
    stage.killed(claude_home("one"), Agents(in_turn(launch), limit=3), 3, total=4)
    saved.unlink()
    second = Agents(obedient())
    stage.session(claude_home("two"), "/tiep", second)
    assert sum(second.asked.values()) == 1, second.asked
    assert stage.outcome() == ["done: KID B done: KID A x", "done: KID B done: KID A y"]


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


def test_a_call_that_was_made_already_pays_for_nothing(stage: Stage, claude_home: MakeHome) -> None:
    """Another session makes the same call once more: no agent is asked, and the model hears why."""
    stage.killed(claude_home("one"), Agents(in_turn(LAUNCH), limit=3), 3)
    stage.killed(claude_home("two"), Agents(obedient(), limit=2), 5, prompt="/tiep")
    late = Agents(in_turn(ToolCall("Workflow", {"scriptPath": str(stage.run / "relaunch-2.js")})))
    stage.session(claude_home("three"), "go", late)
    assert not late.asked
    told = stage.model.last().all_text()
    assert f"relaunch 2 of run {stage.run.name} was launched already" in told
    assert f"baton run relaunch {stage.run.name}" in told
    last = Agents(obedient())
    stage.session(claude_home("four"), "/tiep", last)
    assert sum(last.asked.values()) == 3, last.asked
    assert stage.outcome() == SURVEY_RESULT


def test_killed_three_times(stage: Stage, claude_home: MakeHome) -> None:
    """Each relaunch is made of the original script and the results of all attempts."""
    first = Agents(in_turn(LAUNCH), limit=3)
    stage.killed(claude_home("one"), first, 3)
    asked = [first.asked]
    for number, results in ((2, 5), (3, 6)):
        again = Agents(obedient(), limit=results - len(stage.results()))
        stage.killed(claude_home(f"number {number}"), again, results, prompt="/tiep")
        asked.append(again.asked)
    last = Agents(obedient())
    finished = stage.finished()
    stage.session(claude_home("last"), "/tiep", last)
    assert sum(last.asked.values()) == 2, last.asked
    assert not finished & set(last.asked)
    assert stage.outcome() == SURVEY_RESULT
    attempts = (stage.run / "attempts.jsonl").read_text().splitlines()
    assert [json.loads(line)["attempt"] for line in attempts] == [1, 2, 3, 4]


def test_two_runs_at_once_in_one_session(stage: Stage, claude_home: MakeHome) -> None:
    """Each has its own script, args and results; /tiep gives the call of both."""
    other = {"names": ["fir", "oak", "yew", "box"], "pack": "memory of today"}
    launches = [LAUNCH, ToolCall("Workflow", {"script": SURVEY, "args": other})]
    first = Agents(in_turn(*launches), limit=7)
    stage.killed(claude_home("one"), first, 7, total=16)
    finished = stage.finished()
    said = run_baton("tiep", cwd=stage.project).out
    calls = [json.loads(path) for path in CALL.findall(said)]
    assert len(calls) == 2, said
    second = Agents(in_turn(*(ToolCall("Workflow", {"scriptPath": path}) for path in calls)))
    stage.session(claude_home("two"), "go on", second)
    assert sum(second.asked.values()) == 16 - 7, second.asked
    assert not finished & set(second.asked)
    assert len(stage.finished()) == 16
    assert run_baton("run", "list", cwd=stage.project).out == "no run waits to be harvested\n"


@pytest.mark.parametrize("how", ["inline", "by its name"])
def test_baton_came_after_it_had_died(stage: Stage, claude_home: MakeHome, how: str) -> None:
    """No hook saw anything: the session's own transcript tells of the launch."""
    one, launch = claude_home("one"), LAUNCH
    if how == "by its name":
        saved = stage.project / ".claude/workflows/survey.js"
        saved.parent.mkdir(parents=True)
        saved.write_text(SURVEY)
        launch = ToolCall("Workflow", {"name": "survey", "args": SURVEY_ARGS})
    run_id = stage.killed_unseen(one, Agents(in_turn(launch), limit=5), 5)
    said = run_baton(
        "run", "relaunch", run_id, "--config-dir", str(one.claude_folder), cwd=stage.project
    )
    assert said.code == 0, said
    [path] = stage.run.glob("relaunch-*.js")
    second = Agents(in_turn(ToolCall("Workflow", {"scriptPath": str(path)})))
    stage.session(claude_home("two"), "go on", second)
    assert sum(second.asked.values()) == 3, second.asked
    assert stage.outcome() == SURVEY_RESULT


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


def test_paused_in_mid_run_then_partial_becomes_full(
    stage: Stage, claude_home: MakeHome, screen: OpenScreen
) -> None:
    """The model does what baton's own words say: the word after the launch, /pause, /tiep."""
    begin = (
        "baton wal start 'Survey the trees' --item 'write the summary'"
        " --next 'collect the run' --verify 'ls README.md'"
    )
    told: list[str] = []

    def launching(request: Request) -> Reply:
        word = re.search(r"work chain now: `(baton wal run \S+)`", request.role_text("system"))
        replies = [bash(begin), LAUNCH]
        if len(told) < len(replies):
            told.append("")
            return replies[len(told) - 1]
        if word and len(told) == len(replies):
            told.append(word[1])
            return bash(word[1])
        return Text("It is on its way.")

    one, two = claude_home("one"), claude_home("two")
    stage.model.play(Agents(launching, limit=3))
    terminal = screen(one, plugin_dirs=[stage.plugin], extra_args=ALLOW_ALL)
    terminal.submit("survey the trees")
    terminal.wait_for("It is on its way.")
    wait_until(lambda: len(stage.results()) == 3)
    name = stage.run.name
    pausing = [
        bash(f"baton run harvest {name}"),
        bash(f"baton wal run {name}"),
        bash("baton pause"),
    ]
    stage.model.play(Agents(in_turn(*pausing, Text("Paused.")), limit=0))
    terminal.submit("/pause half of it is there")
    terminal.wait_for("Paused.")
    terminal.close()
    one.kill_processes()
    kept = git("ls-tree", "-r", "--name-only", "HEAD", "--", ".claude", cwd=stage.project)
    assert kept.count("/results/agent-") == 3
    assert "harvested=partial" in git("show", "HEAD:.claude/WAL.md", cwd=stage.project)

    relaunch = obedient()

    def going_on(request: Request) -> Reply:
        if "<result>" in request.all_text() and "harvested" not in told:
            told.append("harvested")
            return bash(f"baton run harvest {name}")
        return relaunch(request)

    second = Agents(going_on)
    stage.session(two, "/tiep", second)
    assert sum(second.asked.values()) == 5, second.asked
    chain = (stage.project / ".claude/WAL.md").read_text()
    assert re.search(
        rf"wf:survey.* run={stage.run.relative_to(stage.project)} .* done=8/8 harvested=yes", chain
    )


class TestWhatIsPaidAgain:
    """Killed with some agents finished; then how many of the finished ones are asked a second time.

    Printed, for the table in README: by what goes on with the run.
    """

    def killed(self, stage: Stage, home: Home, dead: bool) -> None:
        """Four finished; or six, with the first agent dead of a usage limit."""

        def answer(task: str, request: Request) -> Reply:
            if dead and task.endswith("READ ash"):
                return usage_limit()
            return last_line(task, request)

        finished = 6 if dead else 4
        stage.killed(home, Agents(in_turn(LAUNCH), answer, limit=finished + dead), finished)

    def again(self, stage: Stage, agents: Agents, finished: set[str], what: str, dead: bool) -> int:
        count = sum(agents.asked[task] for task in finished)
        after = "6 of 8 finished, the first refused by a limit" if dead else "4 of 8 finished"
        print(f"paid again | {after} | {what} | {count}")
        return count

    @pytest.mark.parametrize("dead", [False, True], ids=["killed", "limit and killed"])
    def test_with_the_hosts_own_resume(
        self, stage: Stage, claude_home: MakeHome, dead: bool
    ) -> None:
        """`claude --resume` in the same home, and `resumeFromRunId`."""
        home = claude_home("one")
        self.killed(stage, home, dead)
        finished, attempt = stage.finished(), stage.attempt()
        [script] = home.claude_folder.rglob(f"*{attempt['run_id']}.js")
        call = {
            "scriptPath": str(script),
            "resumeFromRunId": attempt["run_id"],
            "args": SURVEY_ARGS,
        }
        agents = Agents(in_turn(ToolCall("Workflow", call)))
        stage.session(home, "go on", agents, "--resume", attempt["session"])
        assert len(stage.outcome()) == 4
        self.again(stage, agents, finished, "claude --resume + resumeFromRunId, same account", dead)

    @pytest.mark.parametrize("dead", [False, True], ids=["killed", "limit and killed"])
    def test_with_resumefromrunid_in_another_account(
        self, stage: Stage, claude_home: MakeHome, dead: bool
    ) -> None:
        """The host refuses it; all that is left is to launch the whole once more."""
        self.killed(stage, claude_home("one"), dead)
        finished, attempt = stage.finished(), stage.attempt()
        call = {"script": SURVEY, "resumeFromRunId": attempt["run_id"], "args": SURVEY_ARGS}
        agents = Agents(in_turn(ToolCall("Workflow", call), LAUNCH))
        stage.session(claude_home("two"), "go on", agents)
        refusal = [
            r.text for request in stage.model.main() for r in request.tool_results() if r.failed
        ]
        assert any("not on disk" in text for text in refusal), refusal
        count = self.again(stage, agents, finished, "a new session + resumeFromRunId", dead)
        # One that came after the refused agent has another task now.
        assert count == len(finished) - dead

    @pytest.mark.parametrize("dead", [False, True], ids=["killed", "limit and killed"])
    def test_with_baton(self, stage: Stage, claude_home: MakeHome, dead: bool) -> None:
        self.killed(stage, claude_home("one"), dead)
        finished = stage.finished()
        agents = Agents(obedient())
        stage.session(claude_home("two"), "/tiep", agents)
        assert stage.outcome() == SURVEY_RESULT
        assert self.again(stage, agents, finished, "baton, any session or account", dead) == 0
