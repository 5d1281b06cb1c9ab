"""baton.core.runs.relaunch and prelude, run by a real JavaScript engine: a run that was killed goes
on with exactly the agents that are left, to the same end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from baton.core.runs import matching, relaunch
from baton.core.runs.records import Attempt, record
from baton.hot.runs import journal as journals
from core.runs.flows import FLOWS, Flow, Ran, flow, journal_bytes, needs_node, records

pytestmark = needs_node
# Their own schedule decides what they come to; how many agents they ask is determined all the same.
UNDETERMINED = {"race", "finish order"}


class Story:
    """A run over several launches, as harvests would record it."""

    def __init__(self, flow: Flow, folder: Path) -> None:
        self.flow = flow
        self.folder = folder
        self.attempts: list[Attempt] = []
        self.records: list[dict[str, object]] = []

    def take(self, ran: Ran, *, prompts: bool = True) -> None:
        """Harvest a launch."""
        number = len(self.attempts) + 1
        journal = journals.read(journal_bytes(ran))
        asked = {
            agent: str(facts["prompt"])
            for agent, facts in ran.asked.items()
            if agent not in journal.results
        }
        self.attempts.append(Attempt(number, f"wf_{number}", journal, True, asked))
        fresh = records(ran, number, prompts=prompts)
        for row in fresh:
            row["agent"] = f"{row['agent']}"
        self.records += fresh

    def plan(self, **how: bool) -> matching.Plan:
        rows = [record(f"agent-{row['agent']}.json", row) for row in self.records]
        known = {shown for shown, _ in relaunch.inlined(self.flow.children).values()}
        return matching.plan(self.attempts, rows, known, **how)

    def script(self, plan: matching.Plan, text: str | None = None) -> str:
        """Write the relaunch script and its data files; give its text."""
        job = relaunch.Job(
            script=text or self.flow.script,
            args_given=self.flow.given,
            args=self.flow.args,
            saved=plan.saved,
            children=self.flow.children,
            run="r1",
            attempt=len(self.attempts) + 1,
            stem=str(self.folder / f"relaunch-{len(self.attempts) + 1}"),
        )
        made = relaunch.write(job)
        for path, content in made.files.items():
            Path(path).write_text(content, encoding="utf-8", newline="")
        return made.files[made.path]

    def go_on(self, text: str | None = None, **more: Any) -> Ran:
        return self.flow.run(self.script(self.plan(), text), **more)


def killed(name: str, after: int, folder: Path) -> tuple[Story, Ran]:
    """A story whose first launch was killed after so many results."""
    story = Story(flow(name), folder)
    ran = story.flow.run(killAfter=after)
    story.take(ran)
    return story, ran


@pytest.mark.parametrize("name", FLOWS)
def test_a_killed_run_goes_on_with_what_is_left(name: str, tmp_path: Path) -> None:
    whole = flow(name).run()
    total = len(whole.live)
    for after in range(total + 1):
        story, _ = killed(name, after, tmp_path)
        again = story.go_on()
        left = total - len(story.records)
        assert (again.error, len(again.live)) == (None, left), (after, again.live)
        if name not in UNDETERMINED:
            assert again.value == whole.value
