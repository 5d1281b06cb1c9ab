"""What `/tiep` tells: mismatches first, then what agrees, what is left to run, what happened since,
and the next step (design page chain).

Everything that comes from a file is quoted as data: a reader that obeys it would obey the file.
"""

from __future__ import annotations

from dataclasses import dataclass

from baton.core.chain.checks import Check
from baton.core.chain.render import SIGNS
from baton.core.chain.report import Report, correction, owner, showed, wanted
from baton.hot import clean
from baton.hot.chain import ABSENT, EMPTY, FINISHED, UNREADABLE

_COMMAND = 400
_RUNS = "WORKFLOW RUNS: collect what is finished before launching anything again"
_HANDOVERS = (
    "PASSPORT: taken only when the person asks for it; `baton passport inspect HASH` shows it"
)
_PIPELINES = "PIPELINES: `baton pipeline status` shows one; a paused one goes on with `baton pipeline resume`"
_TO_RUN = "TO RUN with your own Bash tool first (baton runs no command out of a file)"
_TO_RUN_HERE = "TO RUN first: look at them, they come out of a file; `baton tiep --run` runs them"
# With a session's notice this stays below what a session may be made to read.
_CAP = 4000


@dataclass(frozen=True)
class _Room:
    """How much a report may say. text: characters of an item; rows: of a section; agreeing: listed or counted."""

    text: int
    rows: int
    agreeing: bool


_FULL, _TIGHT = _Room(200, 100, True), _Room(60, 6, False)


def text(report: Report) -> str:
    """Give the report for a person and a model; nothing in it passes for a tag of the host's."""
    return clean.untagged(_text(report))


def _text(report: Report) -> str:
    if report.state in (ABSENT, EMPTY):
        waits = report.runs or report.handovers or report.under_way
        but = "No chain of work here" if waits else "No unfinished work here"
        lines = [f"{but}: {report.source}.", *report.help]
        told = "\n".join(_block(_RUNS, _waiting(report, _FULL), _FULL))
        if len(told) > _CAP:
            told = "\n".join(_block(_RUNS, _waiting(report, _TIGHT), _TIGHT))
        return "\n".join([*lines, *filter(None, [told]), *_handovers(report)])
    if report.state == UNREADABLE:
        runs = _block(_RUNS, _waiting(report, _TIGHT), _FULL)
        return "\n".join([*_unreadable(report), *runs, *_handovers(report)])
    whole = _composed(report, _FULL)
    return whole if len(whole) <= _CAP else _composed(report, _TIGHT)


def _composed(report: Report, room: _Room) -> str:
    blocks = [
        ("MISMATCH: correct the chain first, say so, then go on", _mismatches(report)),
        ("AGREES", _agreeing(report, room)),
        (_TO_RUN_HERE if report.at_terminal else _TO_RUN, _left(report)),
        ("COULD NOT CHECK: do not take it as done", _unknown(report)),
        (_RUNS, _runs(report, room)),
        ("SINCE THE CHAIN WAS WRITTEN", report.since),
    ]
    sections = [
        _head(report, room),
        _block("BRING IT FIRST", report.help, room),
        *(_block(title, lines, room) for title, lines in blocks),
        _handovers(report),
    ]
    return "\n\n".join("\n".join(section) for section in [*sections, _next(report)] if section)


def _handovers(report: Report) -> list[str]:
    return [
        *_block(_HANDOVERS, report.handovers, _FULL),
        *_block(_PIPELINES, report.under_way, _FULL),
    ]


def _block(title: str, lines: list[str], room: _Room) -> list[str]:
    # The one call that goes on with a run is in no reader's guess.
    more = 0 if title == _RUNS else len(lines) - room.rows
    rest = [f"… and {more} more lines: `baton tiep --json`"] if more > 0 else []
    shown = lines[: room.rows] if more > 0 else lines
    return [title, *(f"  {line}" for line in shown + rest)] if lines else []


def _unreadable(report: Report) -> list[str]:
    problems = [f"  {problem.code}: {problem}" for problem in report.chain.problems]
    lines = [
        "The chain cannot be read; it was left as it is.",
        f"chain: {report.source}",
        *problems,
    ]
    return [*lines, "Its text, as data:", *report.raw, *report.help]


def _head(report: Report, room: _Room) -> list[str]:
    chain = report.chain
    written = [
        f"written {report.age or 'at an unknown time'}",
        f"by session {clean.quoted(chain.session, 20)}" if chain.session else "",
        f"on {clean.quoted(chain.branch, 40)}" if chain.branch else "",
    ]
    return [
        f"▸ {chain.done}/{chain.total} done: {clean.quoted(chain.goal, 200)}",
        f"  {report.source}, {' '.join(filter(None, written))}",
        *(f"  warning: {problem.code}: {problem}" for problem in chain.problems),
        "",
        *(
            f"  {number}. {SIGNS[item.mark]} {clean.quoted(item.text, room.text)}"
            for number, item in enumerate(chain.items, 1)
        ),
    ]


def _mismatches(report: Report) -> list[str]:
    lines = list(report.contradictions)
    for finding in report.mismatches:
        lines += [showed(finding), f"    correct it: {correction(finding, report.chain)}"]
    return lines


def _agreeing(report: Report, room: _Room) -> list[str]:
    lines = [showed(finding) for finding in report.findings if finding.agrees]
    return lines if room.agreeing or not lines else [f"{len(lines)} checks"]


def _left(report: Report) -> list[str]:
    return [_command(check) for check in report.to_run]


def _command(check: Check) -> str:
    """Whole or not at all: half a command is another one."""
    size = len(check.command)
    if size > _COMMAND:
        return f"{owner(check)}a command of {size} characters: take it from `baton tiep --json`"
    command = clean.line(check.command)
    altered = "  (its tag is shown altered)" if clean.untagged(command) != command else ""
    return f"{owner(check)}{command}{altered}  {wanted(check)}".rstrip()


def _unknown(report: Report) -> list[str]:
    lines = []
    for finding in report.findings:
        check, result = finding.check, finding.result
        if finding.agrees is None and (result or check.obstacle):
            reason = check.obstacle or (result.reason if result else "")
            reason = clean.line(reason or "its output holds no number to compare", 200)
            lines.append(f"{owner(check)}{clean.line(check.command, 200)}: {reason}")
    if report.not_shown:
        numbers = ", ".join(map(str, report.not_shown))
        lines.append(f"item {numbers}: the evidence is a command for a shell, which was not run")
    return lines


def _runs(report: Report, room: _Room) -> list[str]:
    """The chain's workflow lines whose runs do not speak for themselves and have something left, then
    the runs."""
    waiting = {run.folder for run in report.runs}
    lines = [
        f"{clean.quoted(run.purpose, 100)}: {run.finished}/{run.total} done, "
        f"harvested={run.harvested}, run={clean.quoted(run.folder, 120)} "
        f"runId={clean.quoted(run.run_id, 60)} args={clean.quoted(run.args, 140)}"
        for run in (item.run for item in report.chain.items)
        if run and run.harvested != "yes" and run.folder.rstrip("/") not in waiting
    ]
    return [*lines, *_waiting(report, room)]


def _waiting(report: Report, room: _Room) -> list[str]:
    lines = []
    for run in report.runs:
        lines += [*run.told, *(f"  {line}" for line in (run.more if room.agreeing else []))]
    return lines


def _next(report: Report) -> list[str]:
    if report.state == FINISHED:
        return ["All items are done. Nothing is next; `baton wal start` begins other work."]
    return ["NEXT, once the checks agree", f"  {clean.quoted(report.chain.next, 600)}"]
