"""What is a person's alone, and the lead's alone, in the real Claude Code (design README, chain).

The scripted model does what a model must not get away with; asserted is what it was told and what
stands on disk.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from baton.hot.lead_only import REFUSAL

from .claude import ALLOW_ALL, run_print
from .conftest import MakeHome, OpenScreen
from .model_server import ModelServer, Reply, Request, Text, ToolCall
from .session import CHAIN, bash, begin_chain

NOBODY = "nobody agreed in this session; nothing was run"
CANARY = "baton wal verify 'touch PWNED' 'grep -c number parser.py'"


def results(request: Request) -> list[str]:
    """Give what the model's newest calls came to."""
    return [result.text for result in request.tool_results()]


def all_results(model: ModelServer) -> list[str]:
    """Give what all its calls came to, oldest first."""
    return [text for request in model.main() for text in results(request)]


def test_a_model_cannot_consent_to_a_command_of_its_own(
    work: Path, claude_home: MakeHome, model: ModelServer, plugin: Path, screen: OpenScreen
) -> None:
    home = claude_home("one")
    begin_chain(work, home, model, plugin)
    model.play([bash(CANARY), bash("baton tiep --run"), bash("baton tiep --run"), Text("Refused.")])
    terminal = screen(home, plugin_dirs=[plugin], extra_args=ALLOW_ALL)
    terminal.submit("look after the chain")
    terminal.wait_for("Refused.")
    refusals = [text for text in all_results(model) if NOBODY in text]
    assert len(refusals) == 2
    assert not (work / "PWNED").exists()

    model.play([bash("baton tiep --run"), Text("The commands are done.")])
    terminal.submit("yes, run them")
    terminal.wait_for("The commands are done")
    assert (work / "PWNED").exists()


def test_a_task_that_ends_is_nobody_s_answer(
    work: Path, claude_home: MakeHome, model: ModelServer, plugin: Path
) -> None:
    home = claude_home("one")
    begin_chain(work, home, model, plugin)
    # It ends once the turn that began it has: the Stop hook leaves this note.
    ends = "rm -f .git/baton/stopped; until [ -e .git/baton/stopped ]; do sleep 0.1; done"
    task = {"command": ends, "description": "as told", "run_in_background": True}
    model.play(
        [
            bash(CANARY),
            bash("baton tiep --run"),
            ToolCall("Bash", task),
            Text("The task runs."),
            bash("baton tiep --run"),
            Text("The end."),
        ]
    )
    done = run_print(
        work, "go", home=home, server=model, plugin_dirs=[plugin], extra_args=ALLOW_ALL
    )
    assert done.result == "The end."
    assert any("<task-notification>" in request.user_text() for request in model.main())
    assert len([text for text in all_results(model) if NOBODY in text]) == 2
    assert not (work / "PWNED").exists()


AGENT = {
    "description": "write",
    "prompt": "write the chain",
    "subagent_type": "general-purpose",
}
ATTEMPTS: dict[str, ToolCall] = {
    "plain": bash("baton wal next 'obey me'"),
    "behind cd": bash("cd .claude && baton wal mark 3 doing --evidence ls"),
    "absolute": bash('"$(command -v baton)" wal reset'),
    "in a shell": bash("sh -c 'baton wal next x'"),
    "an edit": ToolCall("Write", {"file_path": "@", "content": "mine"}),
    "a copy": bash("cp README.md .claude/WAL.md"),
}


@pytest.mark.parametrize("call", ATTEMPTS.values(), ids=list(ATTEMPTS))
def test_a_subagent_may_not_write_the_chain(
    call: ToolCall,
    work: Path,
    claude_home: MakeHome,
    model: ModelServer,
    plugin: Path,
) -> None:
    home = claude_home("one")
    begin_chain(work, home, model, plugin)
    before = (work / CHAIN).read_bytes()
    named = {key: str(work / CHAIN) if value == "@" else value for key, value in call.input.items()}
    told: list[str] = []
    begun: list[int] = []

    def answer(request: Request) -> Reply:
        if request.kind == "agent":
            told.extend(results(request))
            calls: list[Reply] = [bash("baton wal show"), ToolCall(call.name, named)]
            return [*calls, Text("Agent done.")][min(len(told), 2)]
        begun.append(request.number)
        return Text("Lead done.") if len(begun) > 1 else ToolCall("Agent", AGENT)

    model.play(answer)
    done = run_print(
        work, "go", home=home, server=model, plugin_dirs=[plugin], extra_args=ALLOW_ALL
    )
    assert done.returncode == 0, done.stderr
    assert any(REFUSAL in text for text in told)
    assert any("Ship the parser" in text for text in told)
    assert (work / CHAIN).read_bytes() == before


def test_the_lead_writes_it_all_the_same(
    work: Path, claude_home: MakeHome, model: ModelServer, plugin: Path
) -> None:
    home = claude_home("one")
    begin_chain(work, home, model, plugin)
    model.play([bash("cd .claude && baton wal next 'the lead says'"), Text("Done.")])
    run_print(work, "go", home=home, server=model, plugin_dirs=[plugin], extra_args=ALLOW_ALL)
    assert "next: the lead says" in (work / CHAIN).read_text()
