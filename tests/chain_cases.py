"""Chains that many tests share: the documents as they are printed elsewhere, and changes of one of them.

`EXAMPLE` and `EMPTY` are those of the design page, `VI_EXAMPLE` and `VI_TEMPLATE` those of the
Vietnamese document that the chain comes from, byte for byte.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_DATA = Path(__file__).parent / "data/chain"
EXAMPLE = (_DATA / "en-example.md").read_bytes()
EMPTY = (_DATA / "en-empty.md").read_bytes()
VI_EXAMPLE = (_DATA / "vi-example.md").read_bytes()
VI_TEMPLATE = (_DATA / "vi-template.md").read_bytes()

_FORM = (
    "a workflow item is wf:PURPOSE run=FOLDER runId=ID|pending args=FILE done=K/N "
    "harvested=no|partial|yes"
)
_FOLDER = ".claude/workflows/runs/r1"


def changed(*edits: tuple[str, str], document: bytes = EXAMPLE) -> bytes:
    """Give the example with each first occurrence of a text replaced; the text must be there."""
    text = document.decode()
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text.encode()


def finished() -> bytes:
    """The example with every item done."""
    run = f"[!] wf:review-docs run={_FOLDER} runId=wf_bb0ce1d7-626 args={_FOLDER}/snapshot.json "
    return changed(
        ("[!] codify", "[x] codify"),
        (run + "done=3/8 harvested=no", run.replace("[!]", "[x]") + "done=8/8 harvested=yes"),
        ("[ ] draft the announcement", "[x] draft the announcement — ls NEWS.md"),
    )


def steps(count: int) -> bytes:
    """The example with so many more steps to do; it has 13 lines by itself."""
    more = "".join(f"[ ] step {number}\n" for number in range(1, count + 1))
    return changed(("[ ] draft the announcement\n", "[ ] draft the announcement\n" + more))


@dataclass(frozen=True)
class Case:
    """A document, its state, and its problems as (line, code, message)."""

    document: bytes
    state: str
    problems: tuple[tuple[int, str, str], ...] = ()


def _bad(line: int, code: str, message: str, *edits: tuple[str, str]) -> Case:
    return Case(changed(*edits), "unreadable", ((line, code, message),))


def _gap(line: int, code: str, message: str, *edits: tuple[str, str]) -> Case:
    return Case(changed(*edits), "unfinished", ((line, code, message),))


_UNKNOWN = "not a line of a chain: "
_CONFLICT = "a merge conflict is not resolved here"

PROBLEMS: dict[str, Case] = {
    "too-long": Case(
        steps(28),
        "unfinished",
        (
            (
                41,
                "too-long",
                "41 lines; a chain has at most 40 (`baton wal compact` folds what is done)",
            ),
        ),
    ),
    "no-goal": _gap(
        0, "no-goal", "no goal",
        ("goal: Build feature X: codify the rule, then announce it", "goal: (none)"),
    ),
    "no-goal: no such line": _gap(
        0, "no-goal", "no goal",
        ("goal: Build feature X: codify the rule, then announce it\n", ""),
    ),
    "bad-mark": _bad(
        7, "bad-mark",
        "an item starts with [x], [!] or [ ]: \"[?] codify the rule — grep -c 'H-22' GOVERNANCE.md\"",
        ("[!] codify", "[?] codify"),
    ),
    "bad-mark: none": _bad(
        9, "bad-mark", 'an item starts with [x], [!] or [ ]: "draft the announcement"',
        ("[ ] draft", "draft"),
    ),
    "bad-mark: capital": _bad(
        6, "bad-mark",
        'an item starts with [x], [!] or [ ]: "[X] script and template written — ls scripts/flush"',
        ("[x] script", "[X] script"),
    ),
    "no-evidence of what is done": _gap(
        6, "no-evidence",
        'no evidence (a command, a path or a commit id after ` — `): "script and template written"',
        (" — ls scripts/flush", ""),
    ),
    "no-evidence of what is in progress": _gap(
        7, "no-evidence",
        'no evidence (a command, a path or a commit id after ` — `): "codify the rule"',
        ("codify the rule — grep -c 'H-22' GOVERNANCE.md", "codify the rule"),
    ),
    "two-next": _bad(
        12, "two-next", "a second next: line; a chain has exactly one",
        ("verify: grep", "next: Announce it\nverify: grep"),
    ),
    "no-next": _gap(
        0, "no-next", "no next step",
        ("next: Append the section to GOVERNANCE.md and run its checks", "next: (none)"),
    ),
    "no-next: no such line": _gap(
        0, "no-next", "no next step",
        ("next: Append the section to GOVERNANCE.md and run its checks\n", ""),
    ),
    "no-verify": _gap(
        0, "no-verify",
        "0 verify commands; 1 needed (one, and one for each item in progress)",
        ("verify: grep -c 'H-22' GOVERNANCE.md  # expect >= 1\n", ""),
        ("verify: python3 scripts/check_rules.py", "verify: (none)"),
    ),
    "no-verify for one of two in progress": _gap(
        0, "no-verify",
        "1 verify commands; 2 needed (one, and one for each item in progress)",
        ("verify: python3 scripts/check_rules.py\n", ""),
        ("[ ] draft the announcement", "[!] draft the announcement — ls NEWS.md"),
    ),
    "bad-wf: a field is missing": _bad(8, "bad-wf", _FORM, (" harvested=no", "")),
    "bad-wf: another order": _bad(
        8, "bad-wf", _FORM, ("done=3/8 harvested=no", "harvested=no done=3/8")
    ),
    "bad-wf: an empty field": _bad(8, "bad-wf", _FORM, ("runId=wf_bb0ce1d7-626", "runId=")),
    "bad-wf: an id of two words": _bad(8, "bad-wf", _FORM, ("runId=wf_bb0", "runId=wf bb0")),
    "bad-wf: more done than there are": _bad(8, "bad-wf", _FORM, ("done=3/8", "done=9/8")),
    "bad-wf: no total": _bad(8, "bad-wf", _FORM, ("done=3/8", "done=3")),
    "bad-wf: no number": _bad(8, "bad-wf", _FORM, ("done=3/8", "done=some/8")),
    "bad-wf: harvested maybe": _bad(8, "bad-wf", _FORM, ("harvested=no", "harvested=maybe")),
    "bad-wf: no purpose": _bad(8, "bad-wf", _FORM, ("wf:review-docs", "wf:")),
    "bad-wf: evidence behind it": _bad(8, "bad-wf", _FORM, ("harvested=no", "harvested=no — ls")),
    "conflict-markers": Case(
        changed(
            ("[!] codify", "<<<<<<< HEAD\n[!] codify"),
            ("[!] wf:", "=======\n[!] wf:"),
            ("[ ] draft", ">>>>>>> other\n[ ] draft"),
        ),
        "unreadable",
        tuple((line, "conflict-markers", _CONFLICT) for line in (7, 9, 11)),
    ),
    "conflict-markers: the base too": _bad(
        9, "conflict-markers", _CONFLICT, ("[ ] draft", "||||||| 5f3c2d1\n[ ] draft")
    ),
    "binary": Case(
        EXAMPLE + b"\0", "unreadable", ((0, "binary", "it holds NUL bytes: this is not a text file"),)
    ),
    "not-utf8": Case(
        EXAMPLE.replace(b"codify the rule \xe2", b"codify the rule \xff"),
        "unreadable",
        ((7, "not-utf8", "not UTF-8 text"),),
    ),
    "not-utf8: UTF-16": Case(
        "# WAL".encode("utf-16"), "unreadable", ((0, "binary", "it holds NUL bytes: this is not a text file"),)
    ),
    "too-big": Case(
        EXAMPLE + b"x" * (65537 - len(EXAMPLE)),
        "unreadable",
        ((0, "too-big", "it has more than 65536 bytes"),),
    ),
    "unknown-line before the header": _bad(
        1, "unknown-line", _UNKNOWN + '"# My chain"',
        ("# WAL — written by baton; change it with `baton wal`", "# My chain"),
    ),
    "unknown-line below goal": _bad(
        4, "unknown-line", _UNKNOWN + '"and more of it"',
        ("then announce it\n", "then announce it\nand more of it\n"),
    ),
    "unknown-line below next": _bad(
        12, "unknown-line", _UNKNOWN + '"and then the other"',
        ("run its checks\n", "run its checks\nand then the other\n"),
    ),
    "unknown-line below verify": _bad(
        13, "unknown-line", _UNKNOWN + '"make test"',
        ("verify: python3 scripts/check_rules.py", "make test"),
    ),
    "unknown-line: items on the chain line": _bad(
        5, "unknown-line", "items stand on lines of their own below chain:",
        ("chain:\n", "chain: [x] all of it\n"),
    ),
    "unknown-line: a second goal": _bad(
        4, "unknown-line", "a second goal: line",
        ("then announce it\n", "then announce it\ngoal: Rest\n"),
    ),
    "unknown-line: a second chain": _bad(
        9, "unknown-line", "a second chain: line", ("[ ] draft", "chain:\n[ ] draft")
    ),
    "unknown-line: another field in the header": _bad(
        2, "unknown-line", 'not a field of the header: "host: pear"',
        ("| branch: main", "| host: pear"),
    ),
}  # fmt: skip

STATES: dict[str, Case] = {
    "the example": Case(EXAMPLE, "unfinished"),
    "empty": Case(EMPTY, "empty"),
    "0 bytes": Case(b"", "empty"),
    "blank lines": Case(b"\n \n\t\n", "empty"),
    "header only": Case(b"# WAL\nupdated: - | session: - | branch: -\n", "empty"),
    "all done": Case(finished(), "finished"),
    "the Vietnamese template": Case(VI_TEMPLATE, "empty"),
    "the Vietnamese example": Case(VI_EXAMPLE, "unfinished"),
    "40 lines": Case(steps(27), "unfinished"),
    "40 lines and a line end missing": Case(steps(27)[:-1], "unfinished"),
    "41 lines": PROBLEMS["too-long"],
    "one line of 1 MB": Case(
        b"[ ] " + b"x" * (1 << 20), "unreadable", ((0, "too-big", "it has more than 65536 bytes"),)
    ),
    "one line of 60 KB": Case(
        changed(("[ ] draft the announcement", "[ ] " + "x" * 60_000)), "unfinished"
    ),
}
