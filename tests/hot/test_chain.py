"""baton.hot.chain: the grammar as it is read. What is written is in core/chain."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.hot.chain import Chain, Item, Run, item_of, parse, parse_run, something
from chain_cases import EMPTY, EXAMPLE, PROBLEMS, STATES, VI_EXAMPLE, VI_TEMPLATE, Case, changed

RUN = (
    "wf:review-docs run=.claude/workflows/runs/r1 runId=wf_bb0ce1d7-626 "
    "args=.claude/workflows/runs/r1/snapshot.json done=3/8 harvested=no"
)


def facts(chain: Chain) -> dict[str, object]:
    """All that a chain holds, for comparison."""
    return {
        "lang": chain.lang,
        "header": (chain.updated, chain.session, chain.branch),
        "goal": chain.goal,
        "items": [(item.mark, item.text, item.evidence) for item in chain.items],
        "next": chain.next,
        "verify": chain.verify,
        "problems": [(problem.line, problem.code, problem.message) for problem in chain.problems],
    }


EXAMPLE_FACTS: dict[str, object] = {
    "lang": "en",
    "header": ("2026-07-11T14:03:22+07:00", "4f1c2a", "main"),
    "goal": "Build feature X: codify the rule, then announce it",
    "items": [
        ("done", "script and template written", "ls scripts/flush"),
        ("doing", "codify the rule", "grep -c 'H-22' GOVERNANCE.md"),
        ("doing", RUN, ""),
        ("todo", "draft the announcement", ""),
    ],
    "next": "Append the section to GOVERNANCE.md and run its checks",
    "verify": [
        "grep -c 'H-22' GOVERNANCE.md  # expect >= 1",
        "python3 scripts/check_rules.py",
    ],
    "problems": [],
}
NOTHING: dict[str, object] = {
    "lang": "en",
    "header": ("", "", ""),
    "goal": "",
    "items": [],
    "next": "",
    "verify": [],
    "problems": [],
}
VI_FACTS: dict[str, object] = {
    "lang": "vi",
    "header": ("2026-07-11T14:03", "sNN", "main"),
    "goal": "Dựng tính-năng X — codify governance rồi phát broadcast",
    "items": [
        ("done", "script + template viết xong", "ls .claude/hooks/wal-flush.sh"),
        ("done", "cặp lệnh /pause /tiep viết xong", "ls .claude/commands/pause.md"),
        (
            "doing",
            "codify governance (mục mới)",
            "grep -c 'H-22' <governance-doc> = 0 (chưa append)",
        ),
        ("todo", "author broadcast-draft", ""),
    ],
    "next": "Append mục mới vào governance-doc rồi chạy bộ kiểm governance",
    "verify": ["grep -c 'H-22' <governance-doc>   # kỳ-vọng ≥ 1 sau khi append"],
    "problems": [],
}

READ = {
    "the example": (EXAMPLE, EXAMPLE_FACTS),
    "the empty file": (EMPTY, NOTHING),
    "the Vietnamese example": (VI_EXAMPLE, VI_FACTS),
    "the Vietnamese template": (VI_TEMPLATE, {**NOTHING, "lang": "vi"}),
    "the template in decomposed letters": (
        unicodedata.normalize("NFD", VI_TEMPLATE.decode()).encode(),
        {**NOTHING, "lang": "vi"},
    ),
    "0 bytes": (b"", NOTHING),
    "CRLF": (EXAMPLE.replace(b"\n", b"\r\n"), EXAMPLE_FACTS),
    "CR alone": (EXAMPLE.replace(b"\n", b"\r"), EXAMPLE_FACTS),
    "a BOM": (b"\xef\xbb\xbf" + EXAMPLE, EXAMPLE_FACTS),
    "no line end at the end": (EXAMPLE.rstrip(b"\n"), EXAMPLE_FACTS),
    "blank lines between": (EXAMPLE.replace(b"\n", b"\n\n"), EXAMPLE_FACTS),
    "dashes for bullets": (
        EXAMPLE.replace(b"\n[", b"\n- ["),
        EXAMPLE_FACTS,
    ),
    "dots for bullets, indented": (
        EXAMPLE.replace(b"\n[", "\n  • [".encode()),
        EXAMPLE_FACTS,
    ),
    "stars for bullets": (EXAMPLE.replace(b"\n[", b"\n* ["), EXAMPLE_FACTS),
    "commands below one verify line": (
        changed(("verify: grep", "verify:\n  grep"), ("verify: python3", "\tpython3")),
        EXAMPLE_FACTS,
    ),
    "commands below one verify line, with bullets": (
        changed(("verify: grep", "verify:\n- grep"), ("verify: python3", "• python3")),
        EXAMPLE_FACTS,
    ),
    "a further command below a verify line": (
        changed(("\nverify: python3", "\n        python3")),
        EXAMPLE_FACTS,
    ),
    "spaces round the dash": (
        changed(("written — ls", "written    —  ls")),
        EXAMPLE_FACTS,
    ),
    "the last dash parts text and evidence": (
        changed(("codify the rule — grep", "codify — the rule — grep")),
        {
            **EXAMPLE_FACTS,
            "items": [
                ("done", "script and template written", "ls scripts/flush"),
                ("doing", "codify — the rule", "grep -c 'H-22' GOVERNANCE.md"),
                ("doing", RUN, ""),
                ("todo", "draft the announcement", ""),
            ],
        },
    ),
    "a bar in the branch's name": (
        changed(("branch: main", "branch: a|b")),
        {**EXAMPLE_FACTS, "header": ("2026-07-11T14:03:22+07:00", "4f1c2a", "a|b")},
    ),
    "header fields missing": (
        changed((" | session: 4f1c2a | branch: main", "")),
        {**EXAMPLE_FACTS, "header": ("2026-07-11T14:03:22+07:00", "", "")},
    ),
    "an empty next line beside the real one": (
        changed(("next: ", "next: (none)\nnext: ")),
        EXAMPLE_FACTS,
    ),
    "controls become visible": (
        changed(("codify the rule —", "codify \x1b[2J\x07the rule —")),
        {
            **EXAMPLE_FACTS,
            "items": [
                ("done", "script and template written", "ls scripts/flush"),
                ("doing", "codify \ufffd[2J\ufffdthe rule", "grep -c 'H-22' GOVERNANCE.md"),
                ("doing", RUN, ""),
                ("todo", "draft the announcement", ""),
            ],
        },
    ),
}


@pytest.mark.parametrize(("document", "expected"), READ.values(), ids=READ)
def test_what_is_read(document: bytes, expected: dict[str, object]) -> None:
    assert facts(parse(document)) == expected


@pytest.mark.parametrize("case", (PROBLEMS | STATES).values(), ids=PROBLEMS | STATES)
def test_state_and_problems(case: Case) -> None:
    chain = parse(case.document)
    problems = [(problem.line, problem.code, problem.message) for problem in chain.problems]
    assert (chain.state, problems) == (case.state, list(case.problems))
    assert chain.readable == (case.state != "unreadable")


def test_every_code_of_the_design_page_has_its_case() -> None:
    codes = (
        "too-long no-goal bad-mark no-evidence two-next no-next no-verify bad-wf conflict-markers "
        "binary not-utf8 too-big unknown-line"
    )
    assert {code for case in PROBLEMS.values() for _, code, _ in case.problems} == set(
        codes.split()
    )


def test_a_problem_names_its_line_where_it_has_one() -> None:
    mark, goal = (
        parse(PROBLEMS[key].document).problems[0] for key in ("bad-wf: no total", "no-goal")
    )
    assert str(mark).startswith("line 8: a workflow item is wf:PURPOSE")
    assert str(goal) == "no goal"


TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SECRETS = {
    "unknown line": (("goal: ", f"x {TOKEN}\ngoal: "), "unknown-line", 3),
    "header": (("updated: ", f"updated: {TOKEN} | "), "unknown-line", 2),
    "no mark": (("[x] ", f"[?] {TOKEN}\n[x] "), "bad-mark", 6),
    "no evidence": (("[!] codify the rule — grep -c 'H-22' GOVERNANCE.md", f"[!] {TOKEN}"), "no-evidence", 7),
}  # fmt: skip


@pytest.mark.parametrize(("edit", "code", "line"), SECRETS.values(), ids=SECRETS)
def test_a_problem_repeats_no_secret(edit: tuple[str, str], code: str, line: int) -> None:
    problem = parse(changed(edit)).problems[0]
    assert (problem.code, str(problem)) == (
        code,
        f"line {line}: not shown, it looks like a secret: GitHub token",
    )


@given(st.binary())
def test_any_bytes_can_be_read(data: bytes) -> None:
    _is_harmless(parse(data))


@given(st.lists(st.tuples(st.integers(0, len(EXAMPLE)), st.binary(max_size=4)), max_size=4))
def test_any_damage_can_be_read(damage: list[tuple[int, bytes]]) -> None:
    data = EXAMPLE
    for place, bytes_ in damage:
        data = data[:place] + bytes_ + data[place + len(bytes_) :]
    _is_harmless(parse(data))


@given(st.lists(st.sampled_from(EXAMPLE.decode().splitlines() + VI_EXAMPLE.decode().splitlines())))
def test_any_order_of_lines_can_be_read(lines: list[str]) -> None:
    _is_harmless(parse("\n".join(lines).encode()))


def _is_harmless(chain: Chain) -> None:
    assert chain.state in ("empty", "unfinished", "finished", "unreadable")
    assert 0 <= chain.done <= chain.total
    texts = [chain.updated, chain.session, chain.branch, chain.goal, chain.next, *chain.verify]
    texts += [text for item in chain.items for text in (item.text, item.evidence)]
    texts += [str(problem) for problem in chain.problems]
    for text in texts:
        assert not {unicodedata.category(sign) for sign in text} & {"Cc", "Cs", "Zl", "Zp"}


COUNTS = {
    "nothing": (EMPTY, 0, 0),
    "the example": (EXAMPLE, 1, 4),
    "five folded into one": (changed(("[x] script", "[x] (5 done) script")), 5, 8),
    "one is no fold": (changed(("[x] script", "[x] (1 done) script")), 1, 4),
    "no number": (changed(("[x] script", "[x] (all done) script")), 1, 4),
    "no fold at all": (changed(("[x] script", "[x] (5 scripts) script")), 1, 4),
    "an absurd number": (changed(("[x] script", "[x] (9999 done) script")), 1, 4),
    "folded, but not done": (changed(("[ ] draft", "[ ] (3 done) draft")), 1, 6),
}


@pytest.mark.parametrize(("document", "done", "total"), COUNTS.values(), ids=COUNTS)
def test_counts(document: bytes, done: int, total: int) -> None:
    chain = parse(document)
    assert (chain.done, chain.total) == (done, total)


FIRST_OPEN = {
    "in progress comes before to do": (
        changed(("[x] script and template written — ls scripts/flush", "[ ] script")),
        "codify the rule",
    ),
    "to do when nothing is in progress": (
        changed(("[!] codify", "[x] codify"), ("[!] wf:", "[x] wf:")),
        "draft the announcement",
    ),
    "nothing is open": (STATES["all done"].document, None),
}


@pytest.mark.parametrize(("document", "expected"), FIRST_OPEN.values(), ids=FIRST_OPEN)
def test_first_open(document: bytes, expected: str | None) -> None:
    item = parse(document).first_open
    assert (item.text if item else None) == expected


@pytest.mark.parametrize(
    "word", ["", "-", "—", "(none)", "(empty)", "(rỗng)", "(trống)", "(trống — không có gì)", " — "]
)
def test_words_for_nothing(word: str) -> None:
    assert something(word) == ""
    assert something(unicodedata.normalize("NFD", word)) == ""


@pytest.mark.parametrize("word", ["none", "(nothing)", "(trống không)", "--", "(none) of it"])
def test_words_for_something(word: str) -> None:
    assert something(word) == word


def run_facts(run: Run | None) -> tuple[object, ...] | None:
    """All that a run holds, for comparison."""
    if run is None:
        return None
    done = (run.finished, run.total)
    return (run.purpose, run.folder, run.run_id, run.args, done, run.harvested)


RUNS = {
    "the example": (
        RUN,
        (
            "review-docs",
            ".claude/workflows/runs/r1",
            "wf_bb0ce1d7-626",
            ".claude/workflows/runs/r1/snapshot.json",
            (3, 8),
            "no",
        ),
    ),
    "spaces in purpose and paths": (
        "wf:review all docs run=my runs/r1 runId=pending args=my runs/r1/snapshot.json done=0/2 "
        "harvested=partial",
        ("review all docs", "my runs/r1", "pending", "my runs/r1/snapshot.json", (0, 2), "partial"),
    ),
    "not a run": ("wf:review-docs", None),
}


@pytest.mark.parametrize(("text", "expected"), RUNS.values(), ids=RUNS)
def test_parse_run(text: str, expected: tuple[object, ...] | None) -> None:
    assert run_facts(parse_run(text)) == expected


def test_item_of_a_run_keeps_the_whole_line() -> None:
    item = item_of("doing", RUN, 8)
    assert (item.mark, item.text, item.evidence, item.line) == ("doing", RUN, "", 8)
    assert run_facts(item.run) == RUNS["the example"][1]
    assert Item("todo", "a").line == 0
