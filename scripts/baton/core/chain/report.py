"""What `/tiep` found out, as a value and as data for scripts (design page chain)."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field

from baton.core.chain import show
from baton.core.chain.checks import Check, Result, agrees
from baton.core.chain.render import SIGNS
from baton.hot import clean
from baton.hot.chain import DOING, DONE, UNREADABLE, Chain

_OUTPUT = 120


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
class RunReport:
    """A workflow run that waits.

    folder: in the project. told: what must be said of it, more: what should be. row: for scripts.
    """

    folder: str
    told: list[str]
    more: list[str] = field(default_factory=list)
    row: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    """All that `/tiep` found out.

    source: where the chain was read. contradictions: what else speaks against the chain (its
    branch, a session beside this one), one sentence each. since: what happened after the chain was
    last written. help: where the chain is not in the work tree, or cannot be read, how to get it
    back. runs: those that wait. awaiting: the passport hand-overs that wait, as data; handovers: the
    same as lines, and why some could not be looked at. pipelines, under_way: the same of research
    pipelines that are not over. raw: the unreadable chain's lines, quoted.
    at_terminal: whether a person reads this outside Claude Code. not_shown: the numbers of items whose
    evidence only a shell could show, and was not run.
    """

    state: str
    chain: Chain
    source: str
    age: str
    findings: list[Finding] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)
    since: list[str] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)
    at_terminal: bool = False
    not_shown: list[int] = field(default_factory=list)
    help: list[str] = field(default_factory=list)
    runs: list[RunReport] = field(default_factory=list)
    awaiting: list[dict[str, object]] = field(default_factory=list)
    handovers: list[str] = field(default_factory=list)
    pipelines: list[dict[str, object]] = field(default_factory=list)
    under_way: list[str] = field(default_factory=list)

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


def showed(finding: Finding) -> str:
    """Give one line of what a finished check showed, beside what is expected of it."""
    check, result = finding.check, finding.result
    assert result is not None
    output = clean.line(result.output or result.errors, _OUTPUT)
    shown = f"exit {result.exit}" + (f", {clean.quoted(output)}" if output else "")
    return f"{owner(check)}{clean.line(check.command, 200)} → {shown}{wanted(check)}"


def owner(check: Check) -> str:
    """Give the item that a check speaks of, as a prefix, "" when it speaks of none."""
    return f"item {check.item} {SIGNS[check.mark]}: " if check.item else ""


def wanted(check: Check) -> str:
    """Give what a check shows once its item is done, as a suffix."""
    return f" (done when {clean.line(str(check.expectation), 60)})" if check.expectation else ""


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


def data(report: Report, revision: str) -> dict[str, object]:
    """Give the object of `baton tiep --json`."""
    checks: list[object] = [_row(finding) for finding in report.findings]
    mismatches: list[object] = [
        {"message": showed(finding), "correction": correction(finding, report.chain)}
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
        "runs": _run_rows([item["run"] for item in items if item["run"]], report.runs),
        "awaiting": report.awaiting,
        "pipelines": report.pipelines,
        "since": report.since,
        "next": report.chain.next,
        "not_shown": report.not_shown,
        "consent_needed": [check.command for check in report.to_run],
    }


def _run_rows(rows: list[dict[str, object]], runs: Sequence[RunReport]) -> list[dict[str, object]]:
    """The chain's own lines, with what is known of their runs; then the runs that it does not hold."""
    known = {run.folder: run.row for run in runs if run.row}
    told = [known.pop(str(row["run"]).rstrip("/"), {}) | row for row in rows]
    return [*told, *known.values()]


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
