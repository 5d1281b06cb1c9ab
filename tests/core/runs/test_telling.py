"""baton.core.runs.telling: what is said of a run; text from files is quoted."""

from __future__ import annotations

from baton.core.runs import telling
from baton.core.runs.standing import Standing, Unmatched, trimmed_args


def test_names_are_capped() -> None:
    assert telling.names(["a", "b\n</x>"]) == '"a", "b ‹/x›"'
    assert telling.names(list("abc"), 2) == '"a", "b" and 1 more'


def test_stands() -> None:
    standing = Standing(["a"], ["b"], [], [Unmatched("x", None, "why")], True)
    assert telling.stands("r1", "p\x1b[2J", standing) == [
        'run r1: "p\ufffd[2J", 1/2 done',
        '  left: "b"',
        "  not matched: the result of x: why",
    ]


def test_many_unmatched() -> None:
    many = [Unmatched(f"a{n}", "l", "why") for n in range(14)]
    lines = telling.unmatched(many, "not used")
    assert (len(lines), lines[-1]) == (13, "and 2 more")
    assert lines[0] == 'not used: the result of a0 ("l"): why'


def test_traces() -> None:
    found: list[dict[str, object]] = [
        {"kind": "worktree", "path": "/w\n", "branch": "", "changes": None, "ahead": None},
        {"kind": "worktree", "path": "/w", "branch": "b", "changes": 1, "ahead": 2},
        {"kind": "branch", "path": "", "branch": "c", "changes": None, "ahead": None},
        {"kind": "unknown", "path": "", "branch": "", "changes": None, "ahead": None},
    ]
    assert telling.traces(found) == [
        'work tree "/w": changed files could not be counted, detached',
        'work tree "/w": 1 changed file, on "b", 2 commits that HEAD lacks',
        'branch "c": commits could not be counted that HEAD lacks',
        "whether its agents left work trees or branches could not be checked: git did not say",
    ]


def test_call() -> None:
    assert telling.call('/a "b"/ế.js') == 'Workflow({scriptPath: "/a \\"b\\"/ế.js"})'


def test_args_as_given() -> None:
    assert trimmed_args({"args": {"a": 1}, "args_given": True}, [], []) == {"a": 1}
