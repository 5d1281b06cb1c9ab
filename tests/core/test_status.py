"""baton.core.status: the screen of 80 columns and 24 lines."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from baton.core import status
from baton.core.doctor.finding import Unseen
from baton.core.status import Part, Row, Status
from baton.hot import chain as chains
from chain_cases import EMPTY, EXAMPLE, PROBLEMS, changed, finished

NONE = Part()
LONG = "ổ" * 200


def _status(
    document: bytes | None = EXAMPLE,
    *,
    state: str = "",
    written: str = "",
    elsewhere: Sequence[str] = (),
    flush: Sequence[str] = (),
    awaiting: Part = NONE,
    runs: Part = NONE,
    pipelines: Part = NONE,
    session: Sequence[str] = (),
    others: Sequence[Row] | Unseen | None = None,
    faults: Sequence[str] = (),
) -> str:
    chain = chains.Chain() if document is None else chains.parse(document)
    stands = state or (chains.ABSENT if document is None else chain.state)
    return status.text(
        Status(
            stands,
            chain,
            written,
            elsewhere,
            flush,
            awaiting,
            runs,
            pipelines,
            session,
            others,
            (),
            faults,
        )
    )


REST = "last flush   none yet\nhand-overs   none\nruns         none\npipelines    none"
CASES = {
    "absent": (_status(None), f"chain        none; `baton wal start` begins one\n{REST}"),
    "empty": (_status(EMPTY), f"chain        empty; `baton wal start` begins one\n{REST}"),
    "unreadable": (
        _status(PROBLEMS["conflict-markers"].document),
        "chain        cannot be read: conflict-markers: line 7: a merge conflict is not…\n" + REST,
    ),
    "no file": (
        _status(None, state="unreadable", written="Permission denied"),
        f"chain        cannot be read: Permission denied\n{REST}",
    ),
    "finished": (
        _status(finished(), written=" · written 14:03"),
        "chain        4/4 done, finished · written 14:03\n"
        'goal         "Build feature X: codify the rule, then announce it"\n'
        'next         "Append the section to GOVERNANCE.md and run its checks"\n' + REST,
    ),
    "no next": (
        _status(changed(("next: Append the section to GOVERNANCE.md and run its checks", "next: —"),
                        ("[!] codify", "[ ] codify"), ("[!] wf:", "[ ] wf:"))),
        "chain        1/4 done, unfinished\n"
        'goal         "Build feature X: codify the rule, then announce it"\n' + REST,
    ),
    "everything": (
        _status(
            changed(("[ ] draft the announcement", "[!] a — ls\n[!] b — ls")),
            written=" · written 14:03",
            elsewhere=["not in the work tree, but in branch topic at 0123", "to bring it: baton wal restore 0123"],
            flush=["kept 14:03 on branch main 01234567", "left out a: b"],
            awaiting=Part([f"hand-over {number}" for number in range(5)]),
            runs=Part(["run r1: 3 results to collect"]),
            pipelines=Part(unseen=Unseen("the folder cannot be read")),
            session=["the last one stopped: a usage limit at 01:58"],
            faults=["unknown key 'x'", "unknown key 'y'", "unknown key 'z'"],
        ),
        "chain        1/5 done, unfinished · written 14:03\n"
        "             not in the work tree, but in branch topic at 0123\n"
        "             to bring it: baton wal restore 0123\n"
        'goal         "Build feature X: codify the rule, then announce it"\n'
        'in progress  "codify the rule"\n'
        '             "wf:review-docs run=.claude/workflows/runs/r1 runId=wf_bb0ce1d7-62…\n'
        "             and 2 more\n"
        'next         "Append the section to GOVERNANCE.md and run its checks"\n'
        "last flush   kept 14:03 on branch main 01234567\n"
        "             left out a: b\n"
        "hand-overs   hand-over 0\n"
        "             hand-over 1\n"
        "             hand-over 2\n"
        "             and 2 more\n"
        "runs         run r1: 3 results to collect\n"
        "pipelines    could not be checked: the folder cannot be read\n"
        "session      the last one stopped: a usage limit at 01:58\n"
        "settings     unknown key 'x'",
    ),
    "others": (
        _status(
            None,
            others=[
                Row("/w/p", "main", True, "unfinished", 1, 4, "build \x1b[2Jit"),
                Row("/w/a tree", "a-branch-with-a-very-long-name", False, "finished", 3, 3, "x"),
                Row("/w/b", "", False, "unreadable", 0, 0, "", "Permission denied"),
                Row("", "topic", False, "absent", 0, 0, ""),
            ],
        ),
        f"chain        none; `baton wal start` begins one\n{REST}\n\n"
        "work trees and branches\n"
        '  main (here)                    1/4 unfinished   "build \ufffd[2Jit"\n'
        '  a-branch-with-a-very-… in a t… 3/3 finished     "x"\n'
        "  (detached) in b                unreadable       Permission denied\n"
        "  topic                          no chain",
    ),
    "no others": (
        _status(None, others=[]),
        f"chain        none; `baton wal start` begins one\n{REST}\n\n"
        "work trees and branches\n  none: not a git repository",
    ),
    "others unseen": (
        _status(None, others=Unseen("git did not answer", "git --version")),
        f"chain        none; `baton wal start` begins one\n{REST}\n\n"
        "work trees and branches could not be checked: git did not answer",
    ),
    "unseen in part": (
        _status(None, runs=Part(["run r1: 3 result(s)"] * 3, unseen=Unseen("r2: damaged"))),
        "chain        none; `baton wal start` begins one\n"
        + REST.replace(
            "runs         none",
            "runs         run r1: 3 result(s)\n"
            "             run r1: 3 result(s)\n"
            "             and 1 more\n"
            "             could not be checked: r2: damaged",
        ),
    ),
    "unseen with what may help": (
        _status(None, awaiting=Part(unseen=Unseen("no packages", "baton environment"))),
        "chain        none; `baton wal start` begins one\n"
        + REST.replace(
            "hand-overs   none", "hand-overs   could not be checked: no packages: baton environment"
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("told", "expected"), CASES.values(), ids=CASES)
def test_the_screen(told: str, expected: str) -> None:
    assert told == expected


def test_it_fits_whatever_is_in_it() -> None:
    part = Part([LONG] * 9)
    told = _status(
        changed(("goal: Build feature X: codify the rule, then announce it", f"goal: {LONG}")),
        written=LONG,
        elsewhere=[LONG] * 2,
        flush=[LONG] * 4,
        awaiting=part,
        runs=part,
        pipelines=part,
        session=[LONG] * 2,
        faults=[LONG] * 9,
    )
    lines = told.splitlines()
    assert len(lines) <= 23
    assert max(map(len, lines)) <= 80
