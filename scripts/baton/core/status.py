"""`baton status`: where everything stands, on one screen (design page cli)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from baton.core.doctor.finding import Unseen
from baton.hot import clean
from baton.hot.chain import ABSENT, DOING, EMPTY, UNREADABLE, Chain

COLUMNS = 80
_LABEL = 12
_MOST = 3
_OTHERS = 40


@dataclass(frozen=True, slots=True)
class Part:
    """One kind of thing that may wait. rows: one line each. data: the same for scripts. unseen: why it,
    or a part of it, could not be looked at, None when all was."""

    rows: Sequence[str] = ()
    data: Sequence[object] = ()
    unseen: Unseen | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A work tree or a branch, for `--all`."""

    tree: str
    branch: str
    here: bool
    state: str
    done: int
    total: int
    goal: str
    fault: str = ""

    def data(self) -> dict[str, object]:
        """Give the row for scripts."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Status:
    """What stands where. written, elsewhere, flush, session: in words, "" when there is nothing to
    say. others: None when they were not asked for. unfinished: for scripts, hand-overs that were taken
    and whose stage never ended; their lines stand among those of awaiting."""

    state: str
    chain: Chain
    written: str
    elsewhere: Sequence[str]
    flush: Sequence[str]
    awaiting: Part
    runs: Part
    pipelines: Part
    session: Sequence[str] = ()
    others: Sequence[Row] | Unseen | None = None
    unfinished: Sequence[object] = ()
    faults: Sequence[str] = field(default_factory=tuple)


def text(status: Status) -> str:
    """Give the screen: at most 80 columns, and 24 lines but for what `--all` adds."""
    rows: list[tuple[str, Sequence[str]]] = [
        ("chain", [_standing(status), *status.elsewhere[:2]]),
        *_content(status.chain),
        ("last flush", status.flush[:3] or ["none yet"]),
        ("hand-overs", _part(status.awaiting)),
        ("runs", _part(status.runs)),
        ("pipelines", _part(status.pipelines, 1)),
        ("session", [" · ".join(status.session)] if status.session else []),
        ("settings", status.faults[:1]),
    ]
    lines = [line for label, texts in rows for line in _labelled(label, texts)]
    return "\n".join(lines + _others(status.others))


def _labelled(label: str, texts: Sequence[str]) -> list[str]:
    labels = [label] + [""] * len(texts)
    return [
        clean.fit(f"{name:{_LABEL}} {line}", COLUMNS)
        if name
        else " " * (_LABEL + 1) + clean.fit(line, COLUMNS - _LABEL - 1)
        for name, line in zip(labels, texts, strict=False)
    ]


def _standing(status: Status) -> str:
    chain = status.chain
    if status.state == ABSENT:
        return "none; `baton wal start` begins one"
    if status.state == UNREADABLE:
        first = (
            f"{chain.problems[0].code}: {chain.problems[0]}" if chain.problems else status.written
        )
        return f"cannot be read: {first}"
    if status.state == EMPTY:
        return "empty; `baton wal start` begins one"
    return f"{chain.done}/{chain.total} done, {status.state}{status.written}"


def _content(chain: Chain) -> list[tuple[str, Sequence[str]]]:
    if not chain.items or not chain.readable:
        return []
    doing = [clean.quoted(item.text, COLUMNS) for item in chain.items if item.mark == DOING]
    return [
        ("goal", [clean.quoted(chain.goal, COLUMNS)]),
        ("in progress", _capped(doing, 2)),
        ("next", [clean.quoted(chain.next, COLUMNS)] if chain.next else []),
    ]


def _part(part: Part, most: int = _MOST) -> list[str]:
    if part.unseen is None:
        return _capped(part.rows, most) or ["none"]
    fix = f": {part.unseen.fix}" if part.unseen.fix else ""
    return [*_capped(part.rows, most - 1), f"could not be checked: {part.unseen.reason}{fix}"]


def _capped(rows: Sequence[str], most: int) -> list[str]:
    left = len(rows) - most
    return [*rows[:most], *([f"and {left} more"] if left > 0 else [])]


def _others(others: Sequence[Row] | Unseen | None) -> list[str]:
    if others is None:
        return []
    if isinstance(others, Unseen):
        return ["", f"work trees and branches could not be checked: {others.reason}"]
    rows = [
        "  " + clean.fit(f"{_place(row):30} {_state(row):16} {_goal(row)}", COLUMNS - 2)
        for row in others
    ]
    return [
        "",
        "work trees and branches",
        *_capped(rows or ["  none: not a git repository"], _OTHERS),
    ]


def _place(row: Row) -> str:
    if not row.tree:
        return clean.line(row.branch, 30)
    branch = clean.line(row.branch, 22) or "(detached)"
    if row.here:
        return f"{branch} (here)"
    return clean.fit(f"{branch} in {row.tree.rpartition('/')[2]}", 30)


def _state(row: Row) -> str:
    counted = f"{row.done}/{row.total} " if row.total else ""
    return f"{counted}{'no chain' if row.state == ABSENT else row.state}"


def _goal(row: Row) -> str:
    return clean.quoted(row.goal, COLUMNS) if row.goal else clean.line(row.fault)
