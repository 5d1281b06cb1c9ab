"""`baton tiep`: the one road back.

Ground truth first, then the chain's next step (design page chain).
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import sys

from baton.cli import tiep_kept, tiep_runs
from baton.cli.context import Context, warn
from baton.core.chain import checks, report, show, telling
from baton.core.chain.checks import Result
from baton.core.chain.report import Finding, Report
from baton.core.errors import BatonError
from baton.edge import clock, evidence, git, native, shell, since
from baton.edge.chain_file import Version
from baton.hot import acts, boundaries, clean, files, overlay, pipelines, places
from baton.hot.chain import ABSENT, EMPTY, MAX_BYTES, UNREADABLE, Chain
from baton.hot.git.head import BRANCHES
from baton.hot.places import Place
from baton.hot.project import CHAIN

_WORDS_LIMIT = 4096


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.epilog = "example: baton tiep --run"
    parser.add_argument(
        "--run",
        dest="run_checks",
        action="store_true",
        help="run the chain's own commands too (a person's act)",
    )
    parser.add_argument(
        "--deep",
        action="store_true",
        help="with --run: run the evidence of every item, not the verify commands alone",
    )
    parser.add_argument(
        "--timeout",
        type=_seconds,
        metavar="S",
        help="seconds for each command (default: verify_timeout, 30)",
    )
    parser.add_argument(
        "--words", action="store_true", help="take the words typed behind /tiep from stdin"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    parser.set_defaults(run=run)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise argparse.ArgumentTypeError(f"must be a number of seconds above 0; it is {text!r}")
    return seconds


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Report; exit 1 when something contradicts the chain."""
    consent = _consent(arguments, context)
    version, place = newest(context)
    seconds = (
        arguments.timeout if arguments.timeout is not None else float(context.config.verify_timeout)
    )
    found = _report(version, place, context, seconds if consent else 0.0, arguments.deep)
    passports = boundaries.look(context.project, context.state)
    under_way = pipelines.look(context.project, context.state)
    found = dataclasses.replace(
        found,
        runs=tiep_runs.waiting_runs(context, version.chain),
        awaiting=passports.awaiting,
        handovers=[*passports.lines, *passports.faults],
        pipelines=under_way.waiting,
        under_way=[*under_way.lines, *under_way.faults],
        at_terminal=not context.inside_claude,
    )
    context.answer(telling.text(found), report.data(found, version.revision))
    return 1 if found.wrong else 0


def _consent(arguments: argparse.Namespace, context: Context) -> bool:
    """Whether a person wants the chain's own commands run.

    Inside Claude Code only one who typed `/tiep run`, or answered when asked, may have that, and a
    model cannot answer for them. Where the words came with /tiep but the prompt hook saw no person
    type them, the commands are left to be run, as without the words. Raises needs-person.
    """
    typed = bool(arguments.words) and _typed_run()
    if not (arguments.run_checks or typed):
        return False
    if not context.inside_claude or acts.take(context.state, context.session, acts.RUN_CHECKS):
        return True
    if typed:
        warn("nobody was seen typing /tiep run in this session, so its commands were not run")
        return False
    acts.ask(context.state, context.session, acts.RUN_CHECKS)
    raise BatonError(
        "needs-person",
        "only a person may have these commands run; nobody agreed in this session; nothing was run",
        "ask the person, and the same again once they have typed their answer; or use your Bash tool",
    )


def _typed_run() -> bool:
    return sys.stdin.buffer.read(_WORDS_LIMIT).split()[:1] == [b"run"]


def newest(context: Context) -> tuple[Version, Place | None]:
    """Give the newest version of the chain, and where it is when that is not the work tree."""
    here = context.chain_file.read()
    place = places.newer(context.project, context.state, here.data)
    return (Version(place.data), place) if place else (here, None)


def _report(
    version: Version, place: Place | None, context: Context, seconds: float, deep: bool
) -> Report:
    chain, state = version.chain, version.state
    if state in (ABSENT, EMPTY):
        source = f"{CHAIN} is empty" if state == EMPTY else f"there is no {CHAIN}"
        told = tiep_kept.elsewhere(context) if state == ABSENT else tiep_kept.unseen(context)
        return Report(state, chain, source, "", help=told)
    if state == UNREADABLE:
        return Report(
            state,
            chain,
            CHAIN,
            "",
            raw=show.quoted_lines(version.data or b""),
            help=tiep_kept.restore(context),
        )
    moment = clock.moment(chain.updated)
    findings, not_shown = _findings(chain, context, seconds, deep)
    return Report(
        state,
        chain,
        place.words if place else _source(version, context),
        _age(moment),
        help=tiep_kept.bring(place) if place else [],
        findings=findings,
        not_shown=not_shown,
        contradictions=_contradictions(chain, moment, context),
        since=[*_running(context), *_happened(context, moment), *tiep_kept.beside(chain, context)],
    )


def _source(version: Version, context: Context) -> str:
    """The chain's file, and whether its newest content is kept aside or only in baton's notes."""
    why = overlay.under_way(context.project)
    if overlay.stands(context.state):
        return f"{CHAIN} as kept aside while {why}" if why else f"{CHAIN} as kept aside"
    if why and version.data != files.read(context.project.path(CHAIN), MAX_BYTES):
        return f"{CHAIN} as last written here; {why}"
    return CHAIN


def _running(context: Context) -> list[str]:
    count = context.state.tasks
    return (
        [f"{count} task(s) still ran at the last stop; their results are not in it"]
        if count
        else []
    )


def _happened(context: Context, moment: datetime.datetime | None) -> list[str]:
    return since.happened(context.project, context.config, moment) if moment else []


def _findings(
    chain: Chain, context: Context, seconds: float, deep: bool
) -> tuple[list[Finding], list[int]]:
    """What the checks showed, and the items whose evidence only a shell could show."""
    budget = shell.Budget()
    root = context.project.root
    findings, not_shown = [], []
    for check in checks.plan(chain):
        result = native.evaluate(check.meaning, root) if check.meaning else None
        left_to_others = result is None and not check.obstacle
        if left_to_others and check.is_evidence and not deep:
            if evidence.plausible(check.command, context.project):
                not_shown.append(check.item)
                continue
            result = Result(None, reason="no command here, no path, and no commit id")
        elif left_to_others and seconds:
            result = shell.run(check.command, root, seconds, budget)
        findings.append(Finding(check, result))
    return findings, not_shown


def _contradictions(chain: Chain, moment: datetime.datetime | None, context: Context) -> list[str]:
    sentences = []
    here = context.branch
    if chain.branch and here and chain.branch != here:
        switch = "switch to that branch, or " if _is_there(chain.branch, context) else ""
        sentences.append(
            f"the chain was written on {clean.quoted(chain.branch, 60)}, HEAD is on {clean.quoted(here, 60)}: "
            f"{switch}adopt the chain here with `baton wal next TEXT`"
        )
    started = (
        context.state.record(f"sessions/{context.session}").get("start")
        if context.session
        else None
    )
    another = chain.session and chain.session != context.session_mark
    if isinstance(started, int) and another and moment and moment.timestamp() > started:
        sentences.append(
            f"session {clean.quoted(chain.session, 20)} wrote the chain at {moment:%H:%M}, after this session began: "
            "it may be running beside this one"
        )
    return sentences


def _is_there(branch: str, context: Context) -> bool:
    # A name out of a file need not be one.
    shown = git.read(context.project.root, "show-ref", "--verify", "--quiet", BRANCHES + branch)
    return shown.exit == 0


def _age(moment: datetime.datetime | None) -> str:
    if moment is None:
        return ""
    seconds = max(0, int((clock.now() - moment).total_seconds()))
    ago = next(
        (
            f"{seconds // size} {unit} ago"
            for size, unit in ((86400, "d"), (3600, "h"), (60, "min"))
            if seconds >= size
        ),
        "just now",
    )
    today = moment.date() == clock.now().date()
    return f"{moment:%H:%M} ({ago})" if today else f"{moment:%Y-%m-%d %H:%M} ({ago})"
