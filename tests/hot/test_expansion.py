"""baton.hot.expansion: what happens before the model is asked (design pages chain, host)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from baton.hot import acts, project, prompt
from baton.hot.state import State
from chain_cases import EXAMPLE
from doors import Answer, Door
from pause_cases import PAUSES, Case, write
from support import git, run_hook

SESSION = "4f1c2a00-0000"


@pytest.fixture
def door(capfd: pytest.CaptureFixture[str]) -> Door:
    """The UserPromptExpansion door in this process."""
    return Door(prompt.main, capfd)


def typed(command: str, words: str = "", session: str = SESSION) -> dict[str, object]:
    """Give what Claude Code sends for a typed command."""
    return {
        "session_id": session,
        "cwd": os.getcwd(),
        "hook_event_name": "UserPromptExpansion",
        "expansion_type": "slash_command",
        "command_name": command,
        "command_args": words,
        "command_source": "plugin",
        "prompt": f"/{command} {words}",
    }


def _state(root: Path) -> State:
    found = project.locate({"HOME": os.environ["HOME"]}, str(root))
    assert found is not None
    return State(found, dict(os.environ))


def for_model(report: str, words: str = "") -> str:
    """What the model is told of a pause."""
    return (
        "baton has done the deterministic half of /pause already, before you were asked:\n"
        f"{report}\n{words}Now do what only you can, as the command says."
    )


@pytest.mark.parametrize("case", PAUSES.values(), ids=PAUSES)
def test_pause(case: Case, repo: Path, door: Door) -> None:
    case.make(repo)
    answer = door(typed("baton:pause"))
    report = "\n".join(case.expected(repo))
    assert (answer.person, answer.model) == (report, for_model(report))
    assert answer.event == "UserPromptExpansion"


@pytest.mark.parametrize("name", ["a changed chain", "detached HEAD", "persist is off"])
def test_pause_in_a_process(name: str, repo: Path) -> None:
    PAUSES[name].make(repo)
    done = run_hook("prompt", typed("pause"), cwd=repo)
    assert (done.returncode, done.stderr) == (0, b"")
    report = "\n".join(PAUSES[name].expected(repo))
    answer = Answer(done.stdout.decode())
    assert (answer.person, answer.model) == (report, for_model(report))


def test_pause_with_words(repo: Path, door: Door) -> None:
    """They go into the commit, and nowhere near a shell."""
    write(repo)
    answer = door(typed("pause", "back at 9; $(touch PWNED) `touch PWNED`"))
    assert git("log", "-1", "--format=%B", cwd=repo) == (
        "wal: pause\n\nback at 9; $(touch PWNED) `touch PWNED`\n\n"
    )
    assert answer.model == for_model(answer.person, "The person's words are kept in that commit.\n")
    assert not (repo / "PWNED").exists()


def test_pause_with_words_that_nothing_keeps(repo: Path, door: Door) -> None:
    PAUSES["persist is off"].make(repo)
    answer = door(typed("pause", "back at 9"))
    assert "words" not in answer.model


def test_pause_at_a_usage_limit_needs_no_model(repo: Path) -> None:
    """The commit is there when the hook has answered."""
    write(repo)
    run_hook("prompt", typed("pause", "limit"), cwd=repo)
    assert git("log", "-1", "--format=%s", cwd=repo) == "wal: pause\n"
    assert git("status", "--porcelain", cwd=repo) == ""


TIEPS = {
    "unfinished": (
        EXAMPLE,
        "Unfinished work: 1/4 done\n"
        'goal: "Build feature X: codify the rule, then announce it"\n'
        'next: "Append the section to GOVERNANCE.md and run its checks"',
    ),
    "nothing": (b"", "Nothing unfinished in this project"),
}


@pytest.mark.parametrize(("data", "person"), TIEPS.values(), ids=TIEPS)
@pytest.mark.parametrize("command", ["tiep", "baton:tiep"])
def test_tiep(data: bytes, person: str, command: str, repo: Path, door: Door) -> None:
    write(repo, data)
    answer = door(typed(command))
    assert (answer.person, answer.model) == (person, "")
    done = run_hook("prompt", typed(command), cwd=repo)
    assert (done.returncode, done.stderr, done.stdout.decode()) == (0, b"", answer.out)


CONSENTS = {
    "run": ("run", True),
    "run and more": (" run  please", True),
    "nothing": ("", False),
    "more": ("please run", False),
    "another word": ("running", False),
}


@pytest.mark.parametrize(("words", "given"), CONSENTS.values(), ids=CONSENTS)
def test_typing_run_is_a_persons_consent(words: str, given: bool, repo: Path, door: Door) -> None:
    write(repo)
    door(typed("tiep", words))
    assert acts.take(_state(repo), SESSION, acts.RUN_CHECKS) is given


SILENT: dict[str, dict[str, object]] = {
    "another command": typed("compact"),
    "one whose name ends alike": typed("unpause"),
    "another plugin's of another name": typed("other:stop", "run"),
    "no command": {"cwd": "/", "prompt": "go on"},
    "nothing": {},
}


@pytest.mark.parametrize("event", SILENT.values(), ids=SILENT)
def test_silent(event: dict[str, object], repo: Path, door: Door) -> None:
    write(repo)
    assert door({**event, "cwd": str(repo)}).out == ""
    assert git("log", "--format=%s", cwd=repo) == "begin\n"
    assert not (repo / ".git/baton").exists()


@pytest.mark.parametrize("command", ["pause", "tiep"])
def test_switched_off_or_nowhere(command: str, repo: Path, door: Door) -> None:
    write(repo)
    assert door(typed(command, "run"), BATON_DISABLED="1").out == ""
    assert door({**typed(command, "run"), "cwd": str(repo / "gone")}).out == ""
    assert git("log", "--format=%s", cwd=repo) == "begin\n"
    assert not (repo / ".git/baton").exists()
