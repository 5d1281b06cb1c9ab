"""The table of budgets: how its rows read, and that the README shows the one that `scripts/check --bench` prints."""

from __future__ import annotations

import re
import sys

import pytest

from support import ROOT

sys.path.append(str(ROOT / "bench"))

from paired import Row, in_turn, ratio


@pytest.mark.parametrize(
    ("row", "text", "kept"),
    [
        (Row("a", 1.414, 1.6, "×", "14 / 10 ms"), "| a | 1.41× | ≤ 1.60× | 14 / 10 ms |", True),
        (Row("a", 1.7, 1.6, "×", "b"), "| a | 1.70× **missed** | ≤ 1.60× | b |", False),
        (Row("a", 6924, 8000, "", "b"), "| a | 6,924 | ≤ 8,000 | b |", True),
        (Row("a", None, 0, "", "no npm"), "| a | not measured | ≤ 0 | no npm |", False),
    ],
)
def test_a_row(row: Row, text: str, kept: bool) -> None:
    assert (str(row), row.kept) == (text, kept)


def test_contenders_run_in_turn_and_the_first_round_does_not_count() -> None:
    order: list[str] = []

    def run(name: str) -> float:
        order.append(name)
        return float(len(order))

    times = in_turn({"a": lambda: run("a"), "b": lambda: run("b")}, 2)
    assert order == ["a", "b"] * 3
    assert times == {"a": [3.0, 5.0], "b": [4.0, 6.0]}
    assert ratio("x", times, "b", "a", 2.0) == Row("x", 1.25, 2.0, "×", "5.0 / 4.0 ms")


def test_the_readme_shows_a_whole_table_which_says_what_missed_its_budget() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \| (.+?)( \*\*missed\*\*)? \| ≤ (.+?) \| .+ \|$", text, re.M)
    assert len(rows) == 19
    for what, measured, missed, budget in rows:
        number, limit = (float(re.sub(r"[×,]", "", each)) for each in (measured, budget))
        assert (number > limit) == bool(missed), what
