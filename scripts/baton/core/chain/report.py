"""What `/tiep` tells: mismatches first, then what agrees, what is left to run, what happened since,
and the next step.

Everything that comes from a file is quoted as data; a reader that obeys it would obey the file
(design page chain).
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field

from baton.core.chain import show
from baton.core.chain.checks import Check, Result, agrees
from baton.hot import clean
from baton.hot.chain import ABSENT, DOING, DONE, EMPTY, FINISHED, UNREADABLE, Chain

_SIGNS = {DONE: "[x]", DOING: "[!]", "todo": "[ ]"}
_OUTPUT, _COMMAND = 120, 400


@dataclass(frozen=True)
class Finding:
    """A check with what came of it.

    result None: nobody ran it yet, it is left to Claude's own Bash tool or a person.
    """

    check: Check
    result: Result | None

    @property
    def agrees(self) -> bool | None:
        """Whether it agrees with the chain; None when that is not known."""
        return agrees(self.check, self.result) if self.result else None


@dataclass(frozen=True)
class Report:
    """All that `/tiep` found out.

    source: where the chain was read. contradictions: what else speaks against the chain (its
    branch, a session beside this one), one sentence each. since: what happened after the chain was
    last written. help: for a chain that cannot be read, how to get a good version back. raw: the
    unreadable chain's lines, quoted.
    """

    state: str
    chain: Chain
    source: str
    age: str
    findings: list[Finding] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)
    since: list[str] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)
    help: list[str] = field(default_factory=list)

    @property
    def mismatches(self) -> list[Finding]:
        """The findings that contradict the chain."""
        return [finding for finding in self.findings if finding.agrees is False]

    @property
    def to_run(self) -> list[Check]:
        """The checks that nobody has run."""
        return [
            finding.check
            for finding in self.findings
            if finding.result is None and not finding.check.obstacle
        ]

    @property
    def wrong(self) -> bool:
        """Whether something contradicts the chain, or it cannot be read at all."""
        return bool(self.mismatches or self.contradictions) or self.state == UNREADABLE


def text(report: Report) -> str:
    """Give the report for a person and a model."""
    if report.state in (ABSENT, EMPTY):
        return "\n".join([f"No unfinished work here: {report.source}.", *report.help])
    if report.state == UNREADABLE:
        return "\n".join(_unreadable(report))
    sections = [
        _head(report),
        _mismatches(report),
        _agreeing(report),
        _left(report),
        _unknown(report),
        _runs(report.chain),
    ]
    sections += [_block("SINCE THE CHAIN WAS WRITTEN", report.since), _next(report)]
    return "\n\n".join("\n".join(section) for section in sections if section)


def _unreadable(report: Report) -> list[str]:
    problems = [f"  {problem.code}: {problem}" for problem in report.chain.problems]
    lines = [
        "The chain cannot be read; it was left as it is.",
        f"chain: {report.source}",
        *problems,
    ]
    return [*lines, "Its text, as data:", *report.raw, *report.help]


def _head(report: Report) -> list[str]:
    chain = report.chain
    written = " ".join(
        part
        for part in (
            f"written {report.age or 'at an unknown time'}",
            f"by session {clean.quoted(chain.session, 20)}" if chain.session else "",
            f"on {clean.quoted(chain.branch, 40)}" if chain.branch else "",
        )
        if part
    )
    lines = [
        f"▸ {chain.done}/{chain.total} done: {clean.quoted(chain.goal, 200)}",
        f"  {report.source}, {written}",
    ]
    return [
        *lines,
        *(f"  warning: {problem.code}: {problem}" for problem in chain.problems),
        *_items(chain),
    ]


def _items(chain: Chain) -> list[str]:
    return [
        "",
        *(
            f"  {number}. {_SIGNS[item.mark]} {clean.quoted(item.text, 200)}"
            for number, item in enumerate(chain.items, 1)
        ),
    ]


def _block(title: str, lines: list[str]) -> list[str]:
    return [title, *(f"  {line}" for line in lines)] if lines else []


def _mismatches(report: Report) -> list[str]:
    lines = list(report.contradictions)
    for finding in report.mismatches:
        lines += [_showed(finding), f"    correct it: {correction(finding, report.chain)}"]
    return _block("MISMATCH: correct the chain first, say so, then go on", lines)


def _showed(finding: Finding) -> str:
    check, result = finding.check, finding.result
    assert result is not None
    output = clean.line(result.output or result.errors, _OUTPUT)
    shown = f"exit {result.exit}" + (f", {clean.quoted(output)}" if output else "")
    return f"{_of(check)}{clean.line(check.command, 200)} → {shown}{_wanted(check)}"


def _of(check: Check) -> str:
    return f"item {check.item} {_SIGNS[check.mark]}: " if check.item else ""


def correction(finding: Finding, chain: Chain) -> str:
    """Give the `baton wal` command that brings the chain in step with a finding that contradicts
    it."""
    check = finding.check
    if check.mark == DONE:
        running = sum(item.mark == DOING and item.run is None for item in chain.items)
        more = (
            f" --verify {shlex.quote(_as_written(check))}"
            if len(chain.verify) < running + 1
            else ""
        )
        return f"baton wal mark {check.item} doing{more}"
    if check.item:
        evidence = (
            ""
            if chain.items[check.item - 1].evidence
            else f" --evidence {shlex.quote(check.command)}"
        )
        return f"baton wal mark {check.item} done{evidence}"
    return "baton wal mark N doing, or baton wal verify CMD… when the command itself is wrong"


def _as_written(check: Check) -> str:
    return f"{check.command}  # expect {check.expectation}" if check.expectation else check.command


def _agreeing(report: Report) -> list[str]:
    return _block(
        "AGREES", [_showed(finding) for finding in report.findings if finding.agrees is True]
    )


def _left(report: Report) -> list[str]:
    lines = [_command(check) for check in report.to_run]
    title = "TO RUN with your own Bash tool first (baton runs no command out of a file)"
    return _block(title, lines)


def _command(check: Check) -> str:
    """Whole or not at all: half a command is another one."""
    size = len(check.command)
    if size > _COMMAND:
        return f"{_of(check)}a command of {size} characters: take it from `baton tiep --json`"
    return f"{_of(check)}{clean.line(check.command)}  {_wanted(check)}".rstrip()


def _wanted(check: Check) -> str:
    return f" (done when {clean.line(str(check.expectation), 60)})" if check.expectation else ""


def _unknown(report: Report) -> list[str]:
    lines = []
    for finding in report.findings:
        reason = finding.check.obstacle or (
            finding.result.reason if finding.result and finding.agrees is None else ""
        )
        if finding.agrees is None and (finding.result or finding.check.obstacle):
            reason = reason or "its output holds no number to compare"
            lines.append(
                f"{_of(finding.check)}{clean.line(finding.check.command, 200)}: {clean.line(reason, 200)}"
            )
    return _block("COULD NOT CHECK: do not take it as done", lines)


def _runs(chain: Chain) -> list[str]:
    lines = [
        f"{clean.quoted(run.purpose, 100)}: {run.finished}/{run.total} done, harvested={run.harvested}, "
        f"run={clean.quoted(run.folder, 120)} runId={clean.quoted(run.run_id, 60)} args={clean.quoted(run.args, 140)}"
        for run in (item.run for item in chain.items)
        if run
    ]
    return _block("WORKFLOW RUNS: collect what is finished before launching anything again", lines)


def _next(report: Report) -> list[str]:
    if report.state == FINISHED:
        return ["All items are done. Nothing is next; `baton wal start` begins other work."]
    return ["NEXT, once the checks agree", f"  {clean.quoted(report.chain.next, 600)}"]


def data(report: Report, revision: str) -> dict[str, object]:
    """Give the object of `baton tiep --json`."""
    checks: list[object] = [_row(finding) for finding in report.findings]
    mismatches: list[object] = [
        {"message": _showed(finding), "correction": correction(finding, report.chain)}
        for finding in report.mismatches
    ]
    mismatches += [{"message": sentence, "correction": ""} for sentence in report.contradictions]
    chain = show.data(report.state, report.chain, revision)
    items = chain["items"]
    assert isinstance(items, list)
    return {
        "state": report.state,
        "chain": chain,
        "source": report.source,
        "checks": checks,
        "mismatches": mismatches,
        "runs": [item["run"] for item in items if item["run"]],
        "awaiting": [],
        "since": report.since,
        "next": report.chain.next,
        "consent_needed": [check.command for check in report.to_run],
    }


def _row(finding: Finding) -> dict[str, object]:
    check, result = finding.check, finding.result
    return {
        "command": check.command,
        "ran": result is not None and result.exit is not None,
        "native": bool(result and result.by_baton),
        "exit": result.exit if result else None,
        "output": clean.line(f"{result.output} {result.errors}", 2000) if result else "",
        "expect": str(check.expectation) if check.expectation else None,
        "item": check.item or None,
        "agrees": finding.agrees,
        "reason": check.obstacle or (result.reason if result else ""),
    }
