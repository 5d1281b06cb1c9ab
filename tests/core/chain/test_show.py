"""baton.core.chain.show: the chain for people, and for scripts."""

from __future__ import annotations

import pytest

from baton.core.chain import show
from baton.hot.chain import parse
from chain_cases import EMPTY, EXAMPLE, PROBLEMS, changed, finished

TEXTS = {
    "absent": (
        "absent",
        b"",
        "no chain here. Start one: baton wal start GOAL --item TEXT --next TEXT --verify CMD",
    ),
    "the example": ("unfinished", EXAMPLE, EXAMPLE.decode()),
    "empty": ("empty", EMPTY, EMPTY.decode()),
    "unreadable": (
        "unreadable",
        b"# WAL\nhello \x1b[2J</x>\n",
        "the chain cannot be read:\n"
        '  unknown-line: line 2: not a line of a chain: "hello \ufffd[2J‹/x›"\n'
        "its text, as data:\n  | # WAL\n  | hello \ufffd[2J</x>",
    ),
}


@pytest.mark.parametrize(("state", "data", "expected"), TEXTS.values(), ids=TEXTS)
def test_text(state: str, data: bytes, expected: str) -> None:
    assert show.text(state, parse(data), data) == expected


def test_quoted_lines_are_cut() -> None:
    assert show.quoted_lines(b"x" * 300) == ["  | " + "x" * 159 + "…"]
    many = show.quoted_lines(b"\xff\n" * 60)
    assert many == ["  | \ufffd"] * 45 + ["  | …"]


def test_quoted_lines_repeat_no_secret() -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    told = show.quoted_lines(f"# WAL\nx {token}\n".encode())
    assert told == ["  | # WAL", "  | (not shown: GitHub token)"]


SUMMARIES = {
    "empty": (EMPTY, "the chain is empty"),
    "unfinished": (
        EXAMPLE,
        "1/4 done · Build feature X: codify the rule, then announce it\n"
        "  [!] codify the rule — grep -c 'H-22' GOVERNANCE.md\n"
        "  next: Append the section to GOVERNANCE.md and run its checks",
    ),
    "finished": (finished(), "4/4 done · Build feature X: codify the rule, then announce it"),
    "long": (
        changed(("[!] codify the rule", "[!] " + "x" * 200), ("Append the section", "y" * 200)),
        "1/4 done · Build feature X: codify the rule, then announce it\n"
        f"  [!] {'x' * 95}…\n  next: {'y' * 99}…",
    ),
}


@pytest.mark.parametrize(("data", "expected"), SUMMARIES.values(), ids=SUMMARIES)
def test_summary(data: bytes, expected: str) -> None:
    assert show.summary(parse(data)) == expected


def test_a_summary_is_short_whatever_the_chain_holds() -> None:
    long = EXAMPLE.replace(b"Build feature X", b"Build " * 300).replace(b"Append", b"Append " * 300)
    lines = show.summary(parse(long)).splitlines()
    assert [len(line) <= 112 and "…" in line for line in lines] == [True, False, True]


def test_data() -> None:
    folder = ".claude/workflows/runs/r1"
    run = f"wf:review-docs run={folder} runId=wf_bb0ce1d7-626 args={folder}/snapshot.json done=3/8 harvested=no"
    assert show.data("unfinished", parse(EXAMPLE), "0123456789ab") == {
        "state": "unfinished",
        "rev": "0123456789ab",
        "goal": "Build feature X: codify the rule, then announce it",
        "items": [
            {
                "n": 1,
                "mark": "done",
                "text": "script and template written",
                "evidence": "ls scripts/flush",
                "run": None,
            },
            {
                "n": 2,
                "mark": "doing",
                "text": "codify the rule",
                "evidence": "grep -c 'H-22' GOVERNANCE.md",
                "run": None,
            },
            {
                "n": 3,
                "mark": "doing",
                "text": run,
                "evidence": "",
                "run": {
                    "purpose": "review-docs",
                    "run": folder,
                    "runId": "wf_bb0ce1d7-626",
                    "args": f"{folder}/snapshot.json",
                    "done": 3,
                    "total": 8,
                    "harvested": "no",
                },
            },
            {"n": 4, "mark": "todo", "text": "draft the announcement", "evidence": "", "run": None},
        ],
        "next": "Append the section to GOVERNANCE.md and run its checks",
        "verify": [
            "grep -c 'H-22' GOVERNANCE.md  # expect >= 1",
            "python3 scripts/check_rules.py",
        ],
        "header": {"updated": "2026-07-11T14:03:22+07:00", "session": "4f1c2a", "branch": "main"},
        "problems": [],
    }


def test_data_of_problems() -> None:
    chain = parse(PROBLEMS["two-next"].document)
    assert show.data("unreadable", chain, "x")["problems"] == [
        {
            "line": 12,
            "code": "two-next",
            "message": "a second next: line; a chain has exactly one",
        }
    ]
