"""One line of `baton doctor`: what was looked at, how it is, and the command that mends it (design page
cli)."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from baton.hot import clean

OK, WRONG, UNKNOWN = "ok", "wrong", "unknown"
_WORDS = {OK: "ok", WRONG: "wrong", UNKNOWN: "could not check"}
_ORDER = (OK, UNKNOWN, WRONG)
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class Finding:
    """state: ok, wrong or unknown. message: one sentence. fix: a command to type, "" when there is none."""

    check: str
    state: str
    message: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Unseen:
    """Facts that could not be had. reason: why. fix: what may let them be had."""

    reason: str
    fix: str = ""


def ok(check: str, message: str) -> Finding:
    """Give the finding that something is as it should be."""
    return Finding(check, OK, message)


def wrong(check: str, message: str, fix: str) -> Finding:
    """Give the finding that something is not as it should be, with what mends it."""
    return Finding(check, WRONG, message, fix)


def unknown(check: str, message: str, fix: str = "") -> Finding:
    """Give the finding that nobody could tell: never to be taken for fine."""
    return Finding(check, UNKNOWN, message, fix)


def editing(path: str) -> str:
    """Give the command that opens a file which only its owner can put right."""
    return f'"${{EDITOR:-vi}}" {shlex.quote(path)}'


def data(findings: Sequence[Finding]) -> dict[str, object]:
    """Give the object of `baton doctor --json`."""
    rows: list[object] = [
        {
            "check": found.check,
            "state": found.state,
            "message": clean.line(found.message),
            "fix": clean.command(found.fix),
        }
        for found in findings
    ]
    return {"ok": all(found.state != WRONG for found in findings), "checks": rows}


def text(findings: Sequence[Finding], paint: dict[str, str]) -> str:
    """Give the report for a person: the count, then every check, what is wrong last.

    A terminal shows the end of what is long, Claude Code later on only its beginning.

    paint: state → a format for its word, e.g. with the codes of a colour; {} for none.
    """
    counts = {state: sum(found.state == state for found in findings) for state in _ORDER}
    lines = [f"{counts[OK]} ok, {counts[WRONG]} wrong, {counts[UNKNOWN]} that could not be checked"]
    for state in _ORDER:
        rows = [found for found in findings if found.state == state]
        lines += [""] * bool(rows)
        for found in rows:
            lines += _lines(found, paint.get(state, "{}"))
    return "\n".join(lines)


def _lines(found: Finding, paint: str) -> list[str]:
    word = paint.format(f"{_WORDS[found.state]:15}")
    lines = [f"{word} {found.check}: {clean.line(found.message, _LONGEST)}"]
    # A command cut short would be another command.
    fix = clean.command(found.fix)
    return lines + ([f"{'':15} fix: {fix}"] if fix else [])
