"""`baton passport inspect|awaiting|show`: what stands in ledgers; nothing is written."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import product
from operator import itemgetter
from typing import TYPE_CHECKING

from baton.cli import consent
from baton.cli.context import Context, warn
from baton.cli.passport_consume import answers_of, check_routing, question, typed
from baton.cli.passport_desk import Desk, mapping
from baton.cli.passport_pipeline import require_legal
from baton.core.errors import BatonError
from baton.core.passport import resume as resumes
from baton.core.passport.asking import Answers, Evidence, Question, status
from baton.core.passport.entry import Boundary, Entry, Option, Override, Resume, instant
from baton.core.passport.ledger import Awaiting, Ledger
from baton.core.passport.modes import stage_or_text
from baton.core.passport.unfinished import unfinished
from baton.core.passport.words import led_to, named, shown
from baton.edge.passport_file import PassportFile, Read

if TYPE_CHECKING:
    from baton.core.pipeline.state import Pipeline

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def inspect(arguments: argparse.Namespace, context: Context) -> int:
    """Show a boundary that awaits, what must be asked, where it leads; put the question."""
    check_routing(arguments, "inspect")
    desk = Desk(context, arguments.session or "")
    file = desk.holding(arguments.hash, arguments.passport or "")
    read, unchecked = file.whole(arguments.hash)
    for problem in unchecked:
        warn(problem)
    found = read.ledger.find(arguments.hash, file.place.name)
    file.require_free(arguments.hash)
    evidence = desk.evidence(found, read.document, file.place.name)
    asked = resumes.questions(found, answers_of(arguments), evidence)
    require_legal(desk, file.place.name, found.boundary, _override(arguments))
    if asked:
        consent.put(context, question("resume", arguments.hash))
    commands = _commands(arguments, asked)
    told = _Inspection(file.place.name, found, evidence, answers_of(arguments), asked, commands)
    context.answer(told.text(), told.data())
    return 0


def _override(arguments: argparse.Namespace) -> Override | None:
    """Where a person wants to be led instead, None where they said nothing."""
    if arguments.stage is None and arguments.mode is None:
        return None
    stage = None if arguments.stage is None else stage_or_text(arguments.stage)
    return Override(stage, arguments.mode)


@dataclass(frozen=True, slots=True)
class _Inspection:
    path: str
    found: Awaiting
    evidence: Evidence
    answers: Answers
    asked: list[Question]
    commands: list[str]

    def text(self) -> str:
        boundary = self.found.boundary
        mode = f", mode {shown(boundary.mode)}" if boundary.mode is not None else ""
        lines = [
            f"Boundary {boundary.hash} awaits in {self.path}",
            f"- Completed: stage {named(boundary.stage)}, version {shown(boundary.version_label)}{mode}",
            f"- Source session: {shown(boundary.session_marker)}, {boundary.generated_at}",
            f"- Leads to: {self._leads()}",
            f"- Material: {status(boundary, self.evidence.top_status)}",
        ]
        if self.found.superseded:
            lines.append("- Superseded: a newer boundary of this passport awaits too")
        if self.asked:
            lines += ["", "To be asked first, and answered by the person alone:"]
            lines += [each.text for each in self.asked]
        first, *others = self.commands
        return "\n".join([*lines, "", f"Then: {first}", *(f"or:   {each}" for each in others)])

    def data(self) -> dict[str, object]:
        boundary = self.found.boundary
        return {
            "hash": boundary.hash,
            "path": self.path,
            "boundary": mapping(boundary),
            "superseded": self.found.superseded,
            "status": status(boundary, self.evidence.top_status),
            "questions": [
                {"code": each.code, "text": each.text, "flags": list(each.flags)}
                for each in self.asked
            ],
            "command": self.commands[0],
            "commands": self.commands,
        }

    def _leads(self) -> str:
        if self.found.boundary.pending_decision:
            return "where the person decides"
        return led_to(Option("", self.answers.stage or self.found.boundary.next, self.answers.mode))


def _commands(arguments: argparse.Namespace, asked: list[Question]) -> list[str]:
    """What can be typed once all is answered: one command for each way to answer.

    A stage or mode that was typed before a decision was asked is not in them: it is asked for again.
    """
    decides = any(each.code == "needs-decision" for each in asked)
    options = ("passport", "session") if decides else ("passport", "stage", "mode", "session")
    base = typed("resume", arguments, options)
    return [" ".join([base, *flags]) for flags in product(*(each.flags for each in asked))]


def awaiting(_: argparse.Namespace, context: Context) -> int:
    """List what awaits in all passports, newest first; exit 1 when one could not be read."""
    desk = Desk(context)
    read, faults = _read_all(desk)
    dated = [pair for each in read for pair in each.dated()]
    rows = [row for _, row in sorted(dated, key=itemgetter(0), reverse=True)]
    taken = [row for each in read for row in each.taken()]
    lines = [_line(row) for row in rows] or [_nothing(read, faults)]
    lines += [
        f"resumed at {row['resumed_at']}, stage {row['stage']} not finished: {row['path']}"
        for row in taken
    ]
    problems: list[object] = [
        {"path": path, "code": error.code, "message": error.message} for path, error in faults
    ]
    context.answer("\n".join(lines), {"awaiting": rows, "unfinished": taken, "problems": problems})
    for _path, error in faults:
        if not context.as_json:
            warn(error.message)
    return 1 if faults else 0


def _nothing(read: list[_Found], faults: list[tuple[str, BatonError]]) -> str:
    if read:
        return f"nothing awaits in {', '.join(each.file.place.name for each in read)}"
    return "nothing could be read" if faults else "no passport here"


def _read_all(desk: Desk) -> tuple[list[_Found], list[tuple[str, BatonError]]]:
    read, faults = [], []
    for file in desk.candidates():
        try:
            read.append(_Found(file, file.read(), desk.pipelines(file.place.name)))
        except BatonError as error:
            faults.append((file.place.name, error))
    return read, faults


@dataclass(frozen=True, slots=True)
class _Found:
    """A passport that was read, and the pipelines that are bound to it."""

    file: PassportFile
    read: Read
    pipelines: list[Pipeline]

    def dated(self) -> list[tuple[datetime, dict[str, object]]]:
        """Give what awaits in it, newest first, each with an instant to order it by among others.

        The ledger's own order holds where a clock went back: none is older than the one before it.
        """
        found: list[tuple[datetime, dict[str, object]]] = []
        latest = _LONG_AGO
        for each in reversed(self.read.ledger.awaiting()):
            latest = max(latest, instant(each.boundary.generated_at) or _LONG_AGO)
            found.append((latest, self._row(each)))
        return found[::-1]

    def taken(self) -> list[dict[str, object]]:
        """Give the hand-over that was taken, and whose stage has not ended."""
        found = unfinished(self.read.ledger)
        if found is None or not self._goes_on(found.resume, found.stage):
            return []
        return [
            {
                "path": self.file.place.name,
                "hash": found.resume.consumes_hash,
                "stage": found.stage,
                "resumed_at": found.resume.generated_at,
                "session": found.resume.session_marker,
            }
        ]

    def _goes_on(self, resume: Resume, stage: str) -> bool:
        if not self.pipelines:
            return True
        from baton.core.pipeline.handover import still_at_work  # only where there is a pipeline

        return still_at_work(self.pipelines, resume, stage)

    def _row(self, each: Awaiting) -> dict[str, object]:
        boundary = each.boundary
        by = self.file.taken_by(boundary.hash)
        return {
            "hash": boundary.hash,
            "stage": boundary.stage,
            "next": boundary.next,
            "path": self.file.place.name,
            "generated_at": boundary.generated_at,
            "pending_decision": mapping(boundary).get("pending_decision"),
            "superseded": each.superseded,
            "consumed_elsewhere": {"session": by.session, "time": by.time} if by else None,
            "pipeline_over": any(
                each.over and boundary.hash in each.known for each in self.pipelines
            ),
        }


def _line(row: dict[str, object]) -> str:
    following = "the end" if row["next"] is None else f"stage {shown(str(row['next']))}"
    notes = [
        ", a decision is pending" if row["pending_decision"] else "",
        ", superseded" if row["superseded"] else "",
        ", already resumed, which this file does not hold" if row["consumed_elsewhere"] else "",
        ", its pipeline is over" if row["pipeline_over"] else "",
    ]
    return (
        f"resume_from_passport={row['hash']}  stage {shown(str(row['stage']))} → {following}, "
        f"{row['generated_at']}, {row['path']}{''.join(notes)}"
    )


def show(arguments: argparse.Namespace, context: Context) -> int:
    """List the entries of one ledger."""
    file = Desk(context).only(arguments.file or "", "baton passport show")
    read = file.read()
    lines = [f"{file.place.name}: {len(read.ledger.entries)} entries"]
    lines += [
        f"{number:4} {_entry(each, read.ledger)}" for number, each in enumerate(read.ledger.entries)
    ]
    entries = [mapping(each) for each in read.ledger.entries]
    context.answer("\n".join(lines), {"path": file.place.name, "entries": entries})
    return 0


def _entry(each: Entry, ledger: Ledger) -> str:
    tail = f"{each.generated_at} by {shown(each.session_marker)}"
    if not isinstance(each, Boundary):
        branch = f", branch {shown(each.chosen_branch)}" if each.chosen_branch is not None else ""
        return f"resume of {each.consumes_hash}{branch}, {tail}"
    state = "consumed" if ledger.consumer(each.hash) else "awaits"
    following = "the end" if each.next is None else shown(each.next)
    return (
        f"boundary {each.hash} {state}: stage {shown(each.stage)} → {following}, "
        f"{shown(each.version_label)}, {tail}"
    )
