"""Pipelines for tests: asked of the machine alone, and on a disk through the command line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from baton.core.errors import BatonError
from baton.core.pipeline import event as events
from baton.core.pipeline import fold, machine, tables
from baton.core.pipeline.asking import Ask, Facts
from baton.core.pipeline.event import Entry, Event, File
from baton.core.pipeline.state import Pipeline
from commands import Here, Said

MOMENT = "2026-12-01T09:00:00.000000Z"
DRAFT = File("draft.md", 6, "d" * 64)
REPORT = File("report.md", 7, "e" * 64)
CHANGED = Facts({"draft.md": "0" * 64})
NOTHING = Facts()
_INTEGRITY = {"report": REPORT, "draft": DRAFT}


def files(count: int, stem: str = "file") -> tuple[File, ...]:
    """So many different files."""
    return tuple(File(f"{stem}{n}.md", 1, f"{n:x}" * 64) for n in range(count))


class Course:
    """A pipeline that is walked without a disk: every event goes through the fold."""

    def __init__(self, entry: str = "1", mode: str | None = "full", *, reset: bool = False) -> None:
        self.entries: list[Entry] = []
        self.pipeline = Pipeline(entry)
        self.acts: list[str] = []
        self._hashes = iter(f"{n:012x}" for n in range(1, 1000))
        passport = "passports/paper.yaml" if reset else None
        self.put(events.Started(entry, mode, passport, 0, reset))
        if entry == "1":
            self.put(events.Entered("1", mode))

    def put(self, *done: Event) -> Pipeline:
        """Let events happen, and the checkpoint that they lead to be reached."""
        for event in done:
            self.entries.append(Entry(MOMENT, "sess-a", event))
            self.pipeline = fold.applied(
                self.pipeline if len(self.entries) > 1 else None, self.entries[-1]
            )
        if machine.is_ending(self.pipeline):
            level = machine.reached(self.pipeline, "v1.0", None).level
            hash_ = next(self._hashes) if self.pipeline.reset and level == "FULL" else None
            self.put(machine.reached(self.pipeline, "v1.0", hash_))
        return self.pipeline

    def do(self, ask: Ask, facts: Facts = NOTHING) -> Pipeline:
        """Do what is asked."""
        outcome = machine.step(self.pipeline, ask, facts)
        self.acts.append(outcome.act)
        return self.put(*outcome.events)

    def refused(self, ask: Ask, facts: Facts = NOTHING) -> BatonError:
        """Give the refusal of what is asked, and see that nothing moved."""
        before = self.pipeline
        try:
            machine.step(self.pipeline, ask, facts)
        except BatonError as error:
            assert self.pipeline is before
            return error
        raise AssertionError(f"{ask} was done")

    def have(self, *names: str) -> Course:
        """Record materials, as many files of each as are wanted."""
        for name in names:
            count = tables.BY_NAME[name].count
            self.do(Ask("material", name, files=files(count, name)))
        return self

    def check(self, verdict: str = "pass", issues: int | None = 0, **more: object) -> Pipeline:
        """An integrity check."""
        ask = Ask("integrity", verdict, issues=issues, **_INTEGRITY, **more)  # type: ignore[arg-type]
        return self.do(ask)

    def confirm(self) -> Pipeline:
        """Say yes."""
        return self.do(Ask("confirm"))

    def end(self) -> Pipeline:
        """End the stage at work with all that it is to make, at its likeliest."""
        stage = self.pipeline.current
        if stage in tables.INTEGRITY:
            return self.check()
        self.have(*(m.name for m in tables.MATERIALS if m.made == stage and not m.integrity))
        if stage in tables.REVIEWS:
            return self.do(Ask("decide", "minor"))
        return self.do(Ask("complete"))

    def to(self, stage: str) -> Course:
        """Go on until a stage is at work."""
        while (self.pipeline.current, self.pipeline.checkpoint) != (stage, None):
            self.confirm() if self.pipeline.checkpoint else self.end()
        return self

    def decided(self, decision: str) -> Course:
        """End the review at work with a decision."""
        stage = self.pipeline.current
        self.have(*(m.name for m in tables.MATERIALS if m.made == stage))
        self.do(Ask("decide", decision))
        return self


def course(stage: str) -> Course:
    """A pipeline from its beginning to where a stage is at work."""
    return Course().to(stage)


class PipelineDesk:
    """A project with a pipeline, and `baton pipeline` run there in this process."""

    def __init__(self, root: Path, baton: Here) -> None:
        self.root = root
        self.baton = baton
        for name in (
            "draft",
            "report",
            "road",
            "decision",
            "revised",
            "again",
            "rereview",
            "final",
        ):
            self.lay(f"{name}.md", f"{name}\n")
        for number in range(1, 6):
            self.lay(f"review{number}.md", f"review {number}\n")

    def lay(self, name: str, text: str) -> Path:
        """Write a file of the project."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def __call__(self, *args: str, **env: str) -> Said:
        """Run `baton pipeline …` at a terminal."""
        return self.baton("pipeline", *args, **env)

    def ok(self, *args: str, **env: str) -> str:
        """The same, and see that it was done; its answer."""
        said = self(*args, **env)
        assert said.code == 0, said
        return said.out

    def inside(self, *args: str, session: str = "sess-b", **env: str) -> Said:
        """Run it as Claude Code's session does."""
        return self(*args, CLAUDECODE="1", CLAUDE_CODE_SESSION_ID=session, **env)

    @property
    def log(self) -> Path:
        """The log of the pipeline `main`."""
        return self.root / ".claude/pipelines/main.jsonl"

    @property
    def events(self) -> list[str]:
        """The kinds of the events in its log."""
        return [json.loads(line)["event"] for line in self.log.read_text("utf-8").splitlines()]

    def status(self, *args: str) -> Mapping[str, object]:
        """The dashboard as data."""
        found: Mapping[str, object] = json.loads(self.ok("status", "--json", *args))
        return found

    def checked(self, *more: str, verdict: str = "pass") -> str:
        """An integrity check of the draft."""
        return self.ok("integrity", verdict, "--report", "report.md", "--draft", "draft.md", *more)

    def material(self, name: str, *paths: str) -> str:
        """Record a material."""
        return self.ok("material", name, *paths)

    def reviewed(self) -> None:
        """Record all that a review makes."""
        self.material("Review Reports", *(f"review{n}.md" for n in range(1, 6)))
        self.material("Editorial Decision", "decision.md")
        self.material("Revision Roadmap", "road.md")

    def to_integrity(self, *start: str, **env: str) -> None:
        """From the beginning to where stage 2.5 is at work."""
        self.ok("start", "--entry", "1", *start, **env)
        self.ok("complete")
        self.ok("confirm")
        self.material("Paper Draft", "draft.md")
        self.ok("complete")
        self.ok("confirm")

    def to_review(self, *start: str) -> None:
        """From the beginning to where stage 3 is at work."""
        self.to_integrity(*start)
        self.checked()
        self.ok("confirm")
