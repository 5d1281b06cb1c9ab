"""A passport handed from one session of the real Claude Code to the next: taken once, asked first.

The scripted model runs what baton's own words tell it to, and in places what it must not get away
with; asserted is what it was told and what stands on disk.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from passports import give_packages
from support import git

from .claude import ALLOW_ALL, Finished, Home, run_print
from .conftest import MakeHome, OpenScreen
from .model_server import ModelServer, Reply, Request, Text
from .session import bash, begin_chain, snapshot

PASSPORT = "passports/paper.yaml"
DECISION = {
    "question": "What now?",
    "options": [
        {"value": "revise", "next_stage": "4", "next_mode": "revision"},
        {"value": "abort", "next_stage": None},
    ],
}
# What the prompt hook tells the model to run, on a line of its own.
_TOLD = re.compile(r"^  (baton passport resume .+)$", re.MULTILINE)


class Stage:
    """A project with a passport, and sessions in it, each in a home of its own."""

    def __init__(self, project: Path, homes: MakeHome, model: ModelServer, plugin: Path) -> None:
        self.project = project
        self.path = project / PASSPORT
        self.path.parent.mkdir()
        self.path.write_text(
            "verification_status: VERIFIED\nreset_boundary: []\n", encoding="utf-8"
        )
        self._homes = homes
        self.model = model
        self.plugin = plugin

    def home(self, account: str) -> Home:
        """A new account, the flag set, the packages there."""
        home = self._homes(account)
        home.extra["ARS_PASSPORT_RESET"] = "1"
        give_packages(home.root)
        return home

    def run(
        self, home: Home, prompt: str, *replies: Reply, extra: tuple[str, ...] = ()
    ) -> Finished:
        """A session of one prompt; without replies the model does what it is told."""
        self.model.play(list(replies) if replies else obedient)
        done = run_print(
            self.project, prompt, home=home, server=self.model, plugin_dirs=[self.plugin],
            extra_args=(*ALLOW_ALL, *extra),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done

    def emit(self, home: Home, *flags: str, stage: str = "--stage 2 --next 2.5") -> tuple[str, str]:
        """A session that ends a stage; give the boundary's hash and the session's id."""
        command = bash(f"baton passport boundary {stage} {' '.join(flags)}")
        done = self.run(home, "end the stage", command, Text("Handed over."))
        [result] = self.results()
        found = re.search(r"^\[PASSPORT-RESET: hash=([0-9a-f]{12}), ", result)
        assert found, result
        return found[1], str(done.of_type("result")[-1]["session_id"])

    def results(self) -> list[str]:
        """What the model's newest calls came to."""
        return [result.text for result in self.model.last().tool_results()]

    def kinds(self) -> list[str]:
        """The kinds of entry in the ledger."""
        return re.findall(r"kind: \"(\w+)\"", self.path.read_text(encoding="utf-8"))


def obedient(request: Request) -> Reply:
    """Run the command that baton's context names, and no other."""
    if request.tool_results():
        return Text("I did what I was told.")
    told = _TOLD.findall(request.role_text("system"))
    return bash(told[-1]) if told else Text("Nothing to run.")


@pytest.fixture
def stage(project: Path, claude_home: MakeHome, model: ModelServer, plugin: Path) -> Stage:
    """A passport in the project."""
    return Stage(project, claude_home, model, plugin)


def test_a_hand_over_is_taken_once(stage: Stage, screen: OpenScreen) -> None:
    hash_, session = stage.emit(stage.home("one"))
    assert (
        git("show", "--format=%s", "--name-only", "HEAD", cwd=stage.project).split()[-1] == PASSPORT
    )

    stage.model.play(obedient)
    terminal = screen(stage.home("two"), plugin_dirs=[stage.plugin], extra_args=ALLOW_ALL)
    terminal.wait_for("A passport hand-over waits")
    terminal.submit(f"resume_from_passport={hash_}")
    terminal.wait_for("I did what I was told")
    [result] = stage.results()
    assert result.startswith(
        f"### Resume Acknowledged\n- Hash: {hash_}\n- Source session: {session}, "
    )
    assert "- Next stage: 2.5 (INTEGRITY)\n" in result
    assert stage.kinds() == ["boundary", "resume"]

    terminal.submit(f"resume_from_passport={hash_}")
    again = (
        stage.model.wait_for(
            lambda request: any("was consumed at" in each.text for each in request.tool_results())
        )
        .tool_results()[0]
        .text
    )
    assert "that was this very session: it has taken this hand-over" in again

    stage.run(stage.home("three"), f"resume_from_passport={hash_}")
    [refused] = stage.results()
    assert f"boundary {hash_} was consumed at " in refused
    assert stage.kinds() == ["boundary", "resume"]


def test_a_typed_command_takes_it_too(stage: Stage) -> None:
    hash_, _ = stage.emit(stage.home("one"))
    stage.run(stage.home("two"), f"/resume_from_passport {hash_} stage=2", Text("Gone on."))
    body = stage.model.last().role_text("user")
    assert f"### Resume Acknowledged\n- Hash: {hash_}\n" in body
    assert "[override: stage=2; recorded: stage 2.5 (INTEGRITY)]" in body
    stage.run(stage.home("three"), f"/baton:resume_from_passport {hash_}; touch PWNED", Text("No."))
    assert "a hash is exactly 12 of the digits 0-9a-f" in stage.model.last().role_text("user")
    assert not (stage.project / "PWNED").exists()
    assert stage.kinds() == ["boundary", "resume"]


def test_a_typed_command_that_asks_is_not_its_own_answer(stage: Stage) -> None:
    """The prompt that brings the question up cannot answer it."""
    (stage.project / "decision.json").write_text(json.dumps(DECISION), encoding="utf-8")
    hash_, _ = stage.emit(stage.home("one"), "--decision decision.json", stage="--stage 3 --next 4")
    branch = bash(f"baton passport resume {hash_} --branch revise")
    stage.run(stage.home("two"), f"/resume_from_passport {hash_}", branch, Text("Refused."))
    assert '"What now?"' in stage.model.last().role_text("user")
    assert "only a person may decide this" in stage.results()[0]
    assert stage.kinds() == ["boundary"]


def test_a_mention_consumes_nothing(stage: Stage) -> None:
    hash_, _ = stage.emit(stage.home("one"))
    for prompt in (
        f"what does this mean?\n```\nresume_from_passport={hash_}\n```",
        f"resume_from_passport={hash_.upper()}",
        f"resume_from_passport={hash_} resume_from_passport={hash_}",
    ):
        done = stage.run(stage.home(f"of {len(prompt)}"), prompt)
        assert done.result == "Nothing to run."
        assert "Nothing was consumed" in stage.model.last().role_text("system")
    assert stage.kinds() == ["boundary"]


def test_a_one_shot_session_leaves_it_alone(stage: Stage) -> None:
    stage.emit(stage.home("one"))
    before = snapshot(stage.project)
    stage.run(stage.home("two"), "what is 2+2?", Text("4"))
    assert snapshot(stage.project) == before
    context = stage.model.last().role_text("system")
    assert (
        "a passport hand-over waits here; leave it alone unless the prompt asks for it" in context
    )


def test_a_decision_is_asked_and_only_a_person_answers_it(stage: Stage, screen: OpenScreen) -> None:
    (stage.project / "decision.json").write_text(json.dumps(DECISION), encoding="utf-8")
    hash_, _ = stage.emit(stage.home("one"), "--decision decision.json", stage="--stage 3 --next 4")
    branch = f"baton passport resume {hash_} --branch revise"
    stage.model.play(
        [
            bash(f"baton passport resume {hash_}"),
            bash(branch),
            bash(f"env -u CLAUDE_CODE_SESSION_ID {branch}"),
            Text("Which branch?"),
            bash(branch),
            Text("Gone on."),
        ]
    )
    terminal = screen(stage.home("two"), plugin_dirs=[stage.plugin], extra_args=ALLOW_ALL)
    terminal.submit(f"resume_from_passport={hash_}")
    terminal.wait_for("Which branch")
    told = [result.text for request in stage.model.main() for result in request.tool_results()]
    asked, refused, unnamed = told[-3:]
    assert (
        f'"What now?" (boundary {hash_}, stage 3)\n  "revise" → stage 4 (REVISE), mode revision\n'
        in asked
    )
    assert "only a person may decide this" in refused
    assert "Claude Code does not name its session" in unnamed
    assert stage.kinds() == ["boundary"]

    terminal.submit("revise")
    terminal.wait_for("Gone on")
    [result] = stage.results()
    assert "- Next stage: 4 (REVISE), mode revision\n- Decision: revise\n" in result
    assert 'chosen_branch: "revise"' in stage.path.read_text(encoding="utf-8")


def test_a_systematic_review_goes_on_in_a_fresh_session_alone(stage: Stage) -> None:
    one = stage.home("one")
    hash_, session = stage.emit(one, "--mode systematic-review", stage="--stage 1 --next 2")
    pasted = f"resume_from_passport={hash_}"
    for extra in (("--resume", session), ("--resume", session, "--fork-session")):
        stage.run(one, pasted, extra=extra)
        [refused] = stage.results()
        assert "a fresh session must consume it" in refused
        assert stage.kinds() == ["boundary"]
    stage.run(
        one, "go on", bash("baton passport continue"), Text("No."), extra=("--resume", session)
    )
    [refused] = stage.results()
    assert "a systematic review goes on in a fresh session only" in refused
    assert f"- In a fresh Claude Code session: {pasted}" in refused
    stage.run(one, pasted)
    assert stage.results()[0].startswith("### Resume Acknowledged")
    assert stage.kinds() == ["boundary", "resume"]


def test_without_the_flag_nothing_is_said(stage: Stage) -> None:
    home = stage.home("one")
    home.extra["ARS_PASSPORT_RESET"] = "0"
    before = stage.path.read_bytes()
    command = bash("baton passport boundary --stage 2 --next 3 && echo quiet")
    stage.run(home, "end the stage", command, Text("Done."))
    assert stage.results() == ["quiet"]
    assert stage.path.read_bytes() == before


def test_a_one_shot_run_consumes_nothing(stage: Stage) -> None:
    """Case C3: an unfinished chain and an awaiting boundary, and a question about something else."""
    home = stage.home("one")
    hash_, _ = stage.emit(home)
    begin_chain(stage.project, home, stage.model, stage.plugin)
    before = snapshot(stage.project)
    done = stage.run(stage.home("two"), "what is 2+2?", Text("4"))
    assert done.result == "4"
    assert snapshot(stage.project) == before
    assert stage.kinds() == ["boundary"]
    context = stage.model.last().role_text("system")
    assert "leave it alone" in context
    assert hash_ not in context
