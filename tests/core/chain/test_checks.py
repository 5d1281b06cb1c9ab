"""baton.core.chain.checks: what is checked, for which item, and what a result says about the chain."""

from __future__ import annotations

import pytest

from baton.core.chain import native
from baton.core.chain.checks import Check, Result, agrees, plan
from baton.core.chain.expectation import Expectation
from baton.hot.chain import Chain, Item, parse
from chain_cases import EXAMPLE, VI_EXAMPLE


def facts(check: Check) -> tuple[object, ...]:
    """What a check is, briefly."""
    kind = type(check.meaning).__name__ if check.meaning else ""
    wanted = str(check.expectation) if check.expectation else ""
    role = "evidence" if check.is_evidence else "verify"
    return role, check.item, check.mark, check.command, wanted, check.obstacle or kind


def test_plan_of_the_example() -> None:
    assert [facts(check) for check in plan(parse(EXAMPLE))] == [
        ("verify", 2, "doing", "grep -c 'H-22' GOVERNANCE.md", ">= 1", "Search"),
        ("verify", 0, "", "python3 scripts/check_rules.py", "", ""),
        ("evidence", 1, "done", "ls scripts/flush", "", "Listing"),
    ]


def test_plan_of_the_vietnamese_example() -> None:
    unfilled = "<governance-doc> is a placeholder: a person must fill it in"
    assert [facts(check) for check in plan(parse(VI_EXAMPLE))] == [
        ("verify", 3, "doing", "grep -c 'H-22' <governance-doc>", ">= 1", unfilled),
        ("evidence", 1, "done", "ls .claude/hooks/wal-flush.sh", "", "Listing"),
        ("evidence", 2, "done", "ls .claude/commands/pause.md", "", "Listing"),
        (
            "evidence", 3, "doing", "grep -c 'H-22' <governance-doc> = 0 (chưa append)", "", unfilled,
        ),
    ]  # fmt: skip


def chain(items: list[tuple[str, str]], verify: list[str]) -> Chain:
    """Give a chain of items (mark, evidence), each a run where its evidence is "run"."""
    made = Chain()
    for mark, evidence in items:
        item = Item(mark, "a", evidence)
        if evidence == "run":
            run = "wf:a run=b runId=c args=d done=0/1 harvested=no"
            item = parse(f"chain:\n[!] {run}\n".encode()).items[0]
        made.items.append(item)
    made.verify = verify
    return made


# items, verify commands → the item that each command speaks of
OWNERS = {
    "by its evidence": ([("done", "x"), ("doing", "y")], ["y", "x"], [2, 1]),
    "in order, for items in progress": (
        [("doing", "p"), ("done", "q"), ("doing", "r")],
        ["a", "b", "c"],
        [1, 3, 0],
    ),
    "evidence first": ([("doing", "p"), ("doing", "q")], ["a", "p"], [2, 1]),
    "not a run": ([("doing", "run"), ("doing", "q")], ["a"], [2]),
    "not what is to do": ([("todo", ""), ("done", "x")], ["a"], [0]),
    "to do, by its evidence": ([("todo", "x")], ["x"], [1]),
    "expectations are no part of it": (
        [("doing", "x  # expect >= 2")],
        ["x # expect >= 1"],
        [1],
    ),
}


@pytest.mark.parametrize(("items", "verify", "owners"), OWNERS.values(), ids=OWNERS)
def test_owners(items: list[tuple[str, str]], verify: list[str], owners: list[int]) -> None:
    checks = [check for check in plan(chain(items, verify)) if not check.is_evidence]
    assert [check.item for check in checks] == owners
    assert [check.mark for check in checks] == [items[n - 1][0] if n else "" for n in owners]


MEANINGS = {
    "a path is evidence": ("docs/x.md", True, native.Existing("docs/x.md")),
    "a path is no command": ("docs/x.md", False, None),
    "what ls prints is not known": ("ls a  # expect = b", False, None),
    "that it succeeds is": ("ls a  # expect ok", False, native.Listing(("a",))),
    "what grep prints is": ("grep -c a b  # expect = 1", False, native.Search("a", "b", True)),
    "a placeholder has no meaning": ("ls <a>", False, None),
}


@pytest.mark.parametrize(("written", "evidence", "meaning"), MEANINGS.values(), ids=MEANINGS)
def test_meaning(written: str, evidence: bool, meaning: native.Native | None) -> None:
    made = chain([("done", written)], []) if evidence else chain([], [written])
    (check,) = plan(made)
    assert check.meaning == meaning


AT_LEAST_ONE = Expectation(">=", "1")
# mark, expectation, result → agrees
AGREES = {
    "done and it succeeds": ("done", None, Result(0), True),
    "done and it fails": ("done", None, Result(1), False),
    "done and met": ("done", AT_LEAST_ONE, Result(0, "1"), True),
    "done and unmet": ("done", AT_LEAST_ONE, Result(1, "0"), False),
    "in progress and unmet": ("doing", AT_LEAST_ONE, Result(1, "0"), True),
    "in progress and met": ("doing", AT_LEAST_ONE, Result(0, "3"), False),
    "in progress, nothing expected": ("doing", None, Result(0), True),
    "in progress, nothing expected, and it fails": ("doing", None, Result(1), True),
    "to do and met": ("todo", AT_LEAST_ONE, Result(0, "1"), False),
    "to do and unmet": ("todo", AT_LEAST_ONE, Result(0, "0"), True),
    "of no item, and it succeeds": ("", None, Result(0), True),
    "of no item, and it fails": ("", None, Result(2), False),
    "of no item and unmet": ("", AT_LEAST_ONE, Result(0, "0"), False),
    "no number to compare": ("done", AT_LEAST_ONE, Result(0, "many"), None),
    "an error is no output": (
        "done",
        AT_LEAST_ONE,
        Result(2, "", "notes2.md: no such file"),
        False,
    ),
    "in progress, and an error": ("doing", AT_LEAST_ONE, Result(2, "", "x2: no such file"), True),
    "could not be run": ("done", None, Result(None, reason="not found"), None),
    "could not be run, in progress": ("doing", AT_LEAST_ONE, Result(None, "9"), None),
}


@pytest.mark.parametrize(("mark", "expected", "result", "verdict"), AGREES.values(), ids=AGREES)
def test_agrees(
    mark: str, expected: Expectation | None, result: Result, verdict: bool | None
) -> None:
    check = Check("x", expected, 1 if mark else 0, mark, False, None, "")
    assert agrees(check, result) is verdict
