"""baton.hot.runs.transcript: what an agent was asked and answered (facts of the real program)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.hot.runs import transcript
from workflow_host import DATA, asked, framed, limit_error, said, sent_back, text, tool

THOUGHT = {"type": "thinking", "thinking": "hm"}
NOTHING = "nothing"
OBJECT = {"a": [1.5]}
STRUCTURED = tool("StructuredOutput", "t1", **OBJECT)


def lines(*rows: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


# rows, what it is once the host said that the agent ended, what the transcript alone proves
ANSWERS: dict[str, tuple[list[dict[str, Any]], object, object]] = {
    "nothing said": ([], NOTHING, NOTHING),
    "one text": ([said(text(" blanks stay \n"))], " blanks stay \n", " blanks stay \n"),
    "the last of two texts": ([said(text("a"), text("b"))], "b", "b"),
    "one row a block": ([said(text("a"), stop=None), said(text("b"))], "b", "b"),
    "a message cut short": ([said(text("a"), stop=None)], "a", NOTHING),
    "at its length limit": ([said(text("a"), stop="max_tokens")], "a", "a"),
    "the last message": ([said(text("a"), id="m1"), said(text("b"), id="m2")], "b", "b"),
    "a tool call at the end": ([said(text("a"), tool("Bash", "t"))], NOTHING, NOTHING),
    "a thought at the end": ([said(text("a"), THOUGHT)], "", NOTHING),
    "an error after a text": ([said(text("a")), limit_error()], "a", NOTHING),
    "an error alone": ([limit_error()], NOTHING, NOTHING),
    "an object": ([said(STRUCTURED, stop="tool_use")], OBJECT, OBJECT),
    "an object sent back": (
        [said(STRUCTURED, stop="tool_use"), sent_back("t1", error=True)],
        NOTHING,
        NOTHING,
    ),
    "an object taken, words after": (
        [said(STRUCTURED, stop="tool_use"), sent_back("t1", error=False), said(text("ok"))],
        OBJECT,
        OBJECT,
    ),
    "the second object": (
        [
            said(tool("StructuredOutput", "t0", b=1)),
            sent_back("t0", error=True),
            said(STRUCTURED, id="m2"),
        ],
        OBJECT,
        OBJECT,
    ),
    "text that is no text": ([said({"type": "text", "text": 1})], NOTHING, NOTHING),
    "no blocks": ([said()], NOTHING, NOTHING),
    "odd rows": (
        [{"type": "assistant"}, {"type": "assistant", "message": {"content": "words"}}],
        NOTHING,
        NOTHING,
    ),
}


@pytest.mark.parametrize(("rows", "ended", "alone"), ANSWERS.values(), ids=list(ANSWERS))
def test_answers(rows: list[dict[str, Any]], ended: object, alone: object) -> None:
    found, bad = transcript.rows(lines(asked("x"), *rows))
    assert bad == 0
    for wanted, given_ in ((ended, True), (alone, False)):
        answer = transcript.answer(found, ended=given_)
        assert (NOTHING if answer is None else answer.value) == wanted
        if answer is not None:
            assert answer.kind == ("text" if isinstance(wanted, str) else "object")


LAST = {
    "none": ([], None),
    "blank": ([said(text("a")), said(text("  "), id="m2")], "a"),
    "before the error": ([said(text("half")), limit_error()], "half"),
    "before a tool call": ([said(text("let me"), tool("Bash", "t"))], "let me"),
}


@pytest.mark.parametrize(("rows", "wanted"), LAST.values(), ids=list(LAST))
def test_the_last_text_of_a_dead_agent(rows: list[dict[str, Any]], wanted: str | None) -> None:
    assert transcript.last_text(transcript.rows(lines(asked("x"), *rows))[0]) == wanted


TASKS = [
    "one",
    "two\nlines",
    "\n leading and trailing \n\n",
    "The computed task text follows:\n  x",
]


@pytest.mark.parametrize("task", TASKS)
def test_the_task_behind_the_frame(task: str) -> None:
    assert transcript.prompt([asked(task)]) == task


def test_what_the_host_adds_to_a_task_is_dropped() -> None:
    row = asked("one\n\ntwo")
    row["message"]["content"] += "\n\n---\nYou are running in an isolated git worktree"
    assert transcript.prompt([row]) == "one\n\ntwo"


def test_a_task_in_blocks() -> None:
    row = asked("one")
    row["message"]["content"] = [text(framed("one"))]
    assert transcript.prompt([{"type": "system"}, row]) == "one"


NO_FRAME = {
    "nothing": [],
    "another frame": [{"type": "user", "message": {"content": "do this:\n  x"}}],
    "half a frame": [{"type": "user", "message": {"content": "[Workflow harness] do\n  x"}}],
    "no content": [{"type": "user"}],
    "odd content": [{"type": "user", "message": {"content": [1, {"type": "text"}]}}],
}


@pytest.mark.parametrize("rows", NO_FRAME.values(), ids=list(NO_FRAME))
def test_a_task_that_is_not_framed_is_unknown(rows: list[dict[str, Any]]) -> None:
    assert transcript.prompt(rows) is None


def test_line_ends_are_all_one() -> None:
    odd = "a\r\nb\rc\vd\fe\x1cf\x1dg\x1eh\x85i\u2028j\u2029k\nl"
    assert transcript.normal(odd) == "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl"


def test_lines_part_at_newlines_alone() -> None:
    row = said(text("a\u2028b\x85c"))
    data = json.dumps(row, ensure_ascii=False).encode()
    found, bad = transcript.rows(data + b"\n\n[1]\n" + data[:20])
    assert (found, bad) == ([row], 2)


@given(st.binary())
def test_any_bytes_are_read(data: bytes) -> None:
    found, _ = transcript.rows(data)
    transcript.prompt(found)
    transcript.answer(found, ended=True)
    transcript.last_text(found)


def test_transcripts_of_the_real_program() -> None:
    folder = DATA / "killed-after-2-of-4/fc8a8afc-b1ab-439f-aae2-c2fba7670ec0/subagents/workflows"
    told = {}
    for path in sorted(folder.rglob("*.jsonl")):
        found, bad = transcript.rows(path.read_bytes())
        assert bad == 0
        answer = transcript.answer(found, ended=False)
        told[transcript.prompt(found)] = answer.value if answer else None
    assert told == {
        None: None,
        "SLEEP0 seconds then TASK alpha": "RESULT for  alpha",
        "SLEEP3 seconds then TASK beta": "RESULT for  beta",
        "SLEEP6 seconds then TASK gamma": None,
        "SLEEP9 seconds then TASK delta": None,
    }
