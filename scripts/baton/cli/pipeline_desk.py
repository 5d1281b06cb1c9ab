"""One pipeline command at work: lock, fold, settle, check, ask, append, answer."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence

from baton.cli import consent
from baton.cli.context import Context, complain, warn
from baton.cli.passport_desk import Desk
from baton.cli.pipeline_handover import pending, reach, settle
from baton.core.errors import BatonError
from baton.core.pipeline import dashboard, machine, moves, telling
from baton.core.pipeline.asking import Ask, Facts
from baton.core.pipeline.event import Event
from baton.core.pipeline.moves import Legal
from baton.core.pipeline.state import FULL, Pipeline
from baton.edge.pipeline import recorded
from baton.edge.pipeline.log_file import Held, LogFile
from baton.edge.pipeline.place import DEFAULT
from baton.hot import reply

_OWN = "baton pipeline "


class PipelineDesk:
    """One pipeline and who works on it. writes: whether the command may; one that only looks needs no
    session."""

    def __init__(
        self, arguments: argparse.Namespace, context: Context, *, writes: bool = True
    ) -> None:
        self.context = context
        self.desk = Desk(context, "" if writes else None)
        self.name: str = arguments.name
        wait = float(context.config.lock_wait)
        self.file = LogFile(self.name, context.project, self.desk.session, wait, warn)

    def read(self) -> Pipeline:
        """Give where the pipeline stands by its log. Raises `usage` where there is none."""
        pipeline = self.file.read().pipeline
        if pipeline is None:
            raise self.file.unknown()
        return pipeline

    def facts(self, pipeline: Pipeline) -> Facts:
        """Give what became of the files that it recorded."""
        return recorded.facts(self.context.project, pipeline)

    def do(self, ask: Ask, typed: Sequence[str] = ()) -> int:
        """Do what is asked, or refuse it with nothing recorded, and answer.

        typed: the command's words, to be repeated once a person has answered.
        """
        said: list[str] = []
        try:
            with self.file.hold() as held:
                before = self._settled(held, said)
                done = self._done(held, before, ask, self._typed(typed))
                after = held.standing
                said += telling.happened(before, after, done)
                if machine.is_ending(after):
                    said += reach(self.desk, held, self.facts(after))
                after = held.standing
        except BatonError as error:
            self._say(said)
            error.hint = self.typed_for(error.hint)
            raise
        point, fresh = after.checkpoint, before.reached < after.reached
        full = fresh and point is not None and point.level == FULL
        self.answer(after, said, whole=full or ask.command == "resume")
        return 0

    def _settled(self, held: Held, said: list[str]) -> Pipeline:
        """Bring the log in step. said: is told each thing that was done for that."""
        pipeline = held.pipeline
        if pipeline is None:
            raise self.file.unknown()
        settle(self.desk, held, self.facts(pipeline), said)
        return held.standing

    def _say(self, said: Sequence[str]) -> None:
        """Say what was completed though the command itself is refused: a hand-over is announced once."""
        if said and self.context.as_json:
            complain("\n".join(said) + "\n")
        elif said:
            reply.write("\n".join(said) + "\n")

    def _done(self, held: Held, pipeline: Pipeline, ask: Ask, typed: str) -> tuple[Event, ...]:
        outcome = machine.step(pipeline, ask, self.facts(pipeline))
        if outcome.act and outcome.events:
            stage = pipeline.current or pipeline.entry
            # At every checkpoint anew: what was answered at an earlier one is no answer here.
            moment = f"{stage}:{pipeline.reached}"
            question = f"pipeline-{self.name}:{ask.command}:{ask.value}:{moment}"
            consent.spend(self.context, question, outcome.act, f"once they have said so: {typed}")
        if outcome.events:
            held.append(*outcome.events)
        return outcome.events

    def _typed(self, words: Sequence[str]) -> str:
        return self.typed_for(shlex.join(["baton", "pipeline", *words]))

    def typed_for(self, command: str) -> str:
        """Give a command of this group as it is typed for this very pipeline."""
        mine = self.name != DEFAULT and command.startswith(_OWN) and "--name" not in command
        return f"{command} --name {self.name}" if mine else command

    def legal(self, pipeline: Pipeline, facts: Facts) -> list[Legal]:
        """Give what may come next, as it is typed for this very pipeline."""
        return [
            Legal(self.typed_for(each.command), each.to, each.told, each.person)
            for each in moves.legal(pipeline, facts)
        ]

    def answer(self, pipeline: Pipeline, said: Sequence[str], *, whole: bool = False) -> None:
        """Say what happened and what may come next. whole: on the whole dashboard."""
        facts = self.facts(pipeline)
        legal = self.legal(pipeline, facts)
        board = ["", dashboard.text(self.name, pipeline, facts, legal)]
        brief = [*dashboard.wanted(pipeline, facts), *telling.offered(legal)]
        lines = [*said, *(board if whole else brief)]
        data = dashboard.data(self.name, pipeline, facts, legal)
        self.context.answer("\n".join(lines), {**data, "said": list(said)})

    def show(self, pipeline: Pipeline) -> None:
        """Show the dashboard; nothing is written."""
        facts = self.facts(pipeline)
        notes = pending(self.desk, pipeline, facts)
        legal = self.legal(pipeline, facts)
        text = dashboard.text(self.name, pipeline, facts, legal, notes)
        data = dashboard.data(self.name, pipeline, facts, legal)
        self.context.answer(text, {**data, "notes": notes})
