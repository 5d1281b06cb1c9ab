"""A paper's way from research to its final format in the real Claude Code, each stage in a fresh session.

The scripted model does what it is told, and in places what it must not get away with: it says that a
gate is passed, and is refused. Asserted is what the commands answered it and what stands on disk.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from passports import give_packages

from .claude import ALLOW_ALL, Home, run_print
from .conftest import MakeHome, OpenScreen
from .model_server import ModelServer, Reply, Text
from .session import bash
from .test_passport import obedient

PASSPORT = "passports/paper.yaml"
LOG = ".claude/pipelines/main.jsonl"
_TAG = re.compile(r"\[PASSPORT-RESET: hash=([0-9a-f]{12}), stage=([^,]+), next=([^\]]+)\]")
ONLY_A_PERSON = "only a person may decide this; ask them, and wait for what they type"


class Paper:
    """A project with a paper, and the sessions that work on it, each with an account of its own."""

    def __init__(self, project: Path, homes: MakeHome, model: ModelServer, plugin: Path) -> None:
        self.project = project
        self._homes = homes
        self.model = model
        self.plugin = plugin
        self.sessions = 0
        self.hash = ""
        (project / "passports").mkdir()
        (project / PASSPORT).write_text(
            "verification_status: VERIFIED\nreset_boundary: []\n", encoding="utf-8"
        )
        for name in ("draft", "report", "revised", "rereview", "decision", "road", "final"):
            (project / f"{name}.md").write_text(f"{name}\n", encoding="utf-8")
        for number in range(1, 6):
            (project / f"review{number}.md").write_text(f"review {number}\n", encoding="utf-8")

    def home(self, reset: str = "0") -> Home:
        """A new account."""
        self.sessions += 1
        home = self._homes(f"account {self.sessions}")
        home.extra["ARS_PASSPORT_RESET"] = reset
        give_packages(home.root)
        return home

    def fresh(self, prompt: str, *commands: str, reset: str = "0") -> Session:
        """A fresh session, and its first prompt."""
        session = Session(self, self.home(reset))
        session.prompt(prompt, *commands)
        return session

    def taken_over(self) -> Session:
        """A fresh session that takes the newest hand-over by the bare line that a person pastes."""
        return self.fresh(f"resume_from_passport={self.hash}")

    @property
    def events(self) -> list[dict[str, object]]:
        """What the pipeline's log holds."""
        lines = (self.project / LOG).read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]


class Session:
    """A session of Claude Code that is prompted again and again. told: what the newest prompt's commands
    answered, in order."""

    def __init__(self, paper: Paper, home: Home) -> None:
        self._paper = paper
        self._home = home
        self._id = ""
        self.told: list[str] = []

    def prompt(self, words: str, *commands: str) -> list[str]:
        """A person's prompt; the model runs these commands, or what baton's own words tell it to."""
        paper = self._paper
        script: list[Reply] = [*map(bash, commands), Text("Done.")]
        paper.model.play(script if commands else obedient)
        before = len(paper.model.main())
        done = run_print(
            paper.project, words, home=self._home, server=paper.model, plugin_dirs=[paper.plugin],
            extra_args=(*ALLOW_ALL, *(("--resume", self._id) if self._id else ())),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        self._id = str(done.of_type("result")[-1]["session_id"])
        requests = paper.model.main()[before:]
        self.told = [result.text for request in requests for result in request.tool_results()]
        for text in self.told:
            for hash_, _, _ in _TAG.findall(text):
                paper.hash = hash_
        return self.told


@pytest.fixture
def paper(project: Path, claude_home: MakeHome, model: ModelServer, plugin: Path) -> Paper:
    """A paper before its first stage."""
    return Paper(project, claude_home, model, plugin)


def test_from_research_to_the_final_paper_in_nine_sessions(paper: Paper) -> None:
    start = "baton pipeline start --entry 1 --mode full"
    [_, ended] = paper.fresh("begin", start, "baton pipeline complete", reset="1").told
    assert f"[PASSPORT-RESET: hash={paper.hash}, stage=1, next=2]" in ended

    writing = paper.taken_over()
    assert writing.told[0].startswith(f"### Resume Acknowledged\n- Hash: {paper.hash}\n")
    assert "- Pipeline main: stage 2 WRITE begins in mode full\n" in writing.told[0]
    writing.prompt(
        "write it", "baton pipeline material 'Paper Draft' draft.md", "baton pipeline complete"
    )

    checking = paper.taken_over()
    word, boundary, skipped, passed = checking.prompt(
        "check it",
        "baton pipeline complete",
        "ARS_PASSPORT_RESET=1 baton passport boundary --stage 2.5 --next 3",
        "baton pipeline skip 2.5",
        "baton pipeline integrity pass --report report.md --draft draft.md",
    )
    assert "stage 2.5 ends with an integrity check that passes, not by a word" in word
    assert "whose stages end with baton pipeline complete, integrity or decide" in boundary
    assert "stage 2.5 cannot be skipped" in skipped
    assert f"[PASSPORT-RESET: hash={paper.hash}, stage=2.5, next=3]" in passed

    review = paper.taken_over()
    assert "still needs a person's confirmation" in review.told[0]
    [refused] = review.prompt("what now?", "baton pipeline confirm")
    assert ONLY_A_PERSON in refused
    review.prompt(
        "yes, on to the review",
        "baton pipeline confirm",
        "baton pipeline material 'Review Reports' review1.md review2.md review3.md review4.md review5.md",
        "baton pipeline material 'Editorial Decision' decision.md",
        "baton pipeline material 'Revision Roadmap' road.md",
        "baton pipeline decide major",
    )
    assert review.told[0].startswith("stage 3 REVIEW begins in mode full")

    revising = paper.taken_over()
    assert '"revise" → stage 4 (REVISE), mode revision' in revising.told[0]
    revising.prompt(
        "revise it",
        f"baton passport resume {paper.hash} --branch revise",
        "baton pipeline material 'Revised Draft' revised.md",
        "baton pipeline complete --unresolved 'one site only'",
    )
    assert "- Pipeline main: stage 4 REVISE begins in mode revision\n" in revising.told[0]

    again = paper.taken_over()
    again.prompt(
        "look again",
        "baton pipeline material 'Re-Review Report' rereview.md",
        "baton pipeline decide minor",
    )

    final = paper.taken_over()
    final.prompt("go on", "baton pipeline confirm")
    final.prompt(
        "yes",
        "baton pipeline confirm",
        "baton pipeline integrity pass --report report.md --draft revised.md --issues 1",
        "baton pipeline integrity pass --report report.md --draft revised.md --issues 0",
    )
    assert "stage 4.5 passes with no issue left (--issues 0); there are 1" in final.told[1]

    formatting = paper.taken_over()
    formatting.prompt(
        "as a pdf",
        f"baton passport resume {paper.hash} --branch pdf",
        "baton pipeline material 'Final Paper' final.md",
        "baton pipeline complete",
    )

    last = paper.taken_over()
    assert (
        "- Pipeline main: the pipeline is completed: the final paper is there\n"
        in f"{last.told[0]}\n"
    )
    assert paper.sessions == 9
    [status] = last.prompt("how does it stand?", "baton pipeline status --json")
    found = json.loads(status)
    assert (found["global"], found["format"], found["limitations"]) == (
        "completed", "pdf", ["one site only"],
    )  # fmt: skip
    kinds = [event["event"] for event in paper.events]
    assert (kinds.count("reached"), kinds.count("taken")) == (8, 8)
    ledger = (paper.project / PASSPORT).read_text(encoding="utf-8")
    assert (ledger.count('kind: "boundary"'), ledger.count('kind: "resume"')) == (8, 8)


def test_a_person_sees_it_and_pauses_it(paper: Paper, screen: OpenScreen) -> None:
    paper.fresh("begin", "baton pipeline start --entry 1")
    paper.model.play([Text("That is where it stands.")])
    terminal = screen(paper.home(), plugin_dirs=[paper.plugin], extra_args=ALLOW_ALL)
    terminal.wait_for("A research pipeline is under way")
    terminal.wait_for("pipeline main: stage 1 RESEARCH in progress")
    terminal.submit("/pipeline")
    terminal.wait_for("That is where it stands")
    body = paper.model.last().role_text("user")
    assert "pipeline main · running\n▸ 1   RESEARCH        in progress" in body
    assert "Nothing counts that only you say." in body

    paper.model.play([Text("Paused.")])
    terminal.submit("/pause")
    terminal.wait_for("pipeline main: paused at stage 1")
    assert paper.events[-1]["event"] == "paused"

    terminal.submit("/tiep")
    terminal.wait_for("pipeline main: paused at stage 1 RESEARCH")
