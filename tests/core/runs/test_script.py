"""baton.core.runs.script: where `meta` ends, whatever the host accepts for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.core.runs import script

BODY = "return await agent('x')\n"
LITERAL = "{name: 'flow', description: 'a } flow'}"
HEADS = {
    "plain": f"export const meta = {LITERAL}",
    "semicolon": f"export const meta = {LITERAL};",
    "semicolon after blanks": f"export const meta = {LITERAL} /* x */ ;",
    "BOM": f"\ufeffexport const meta = {LITERAL}",
    "hashbang": f"#!/usr/bin/env node\nexport const meta = {LITERAL}",
    "BOM and hashbang": f"\ufeff#!/x 'y' {{\nexport const meta = {LITERAL}",
    "blank lines": f"\n\n  export   const\tmeta\n=\n{LITERAL}",
    "comments before": f"// export const meta = {{\n/* '`{{ */export const meta = {LITERAL}",
    "comments between": f"export /*a*/ const // b\n meta /* = */ = /*c*/ {LITERAL}",
    "parentheses": f"export const meta = ({LITERAL});",
    "double quotes": 'export const meta = {"name": "flow", "description": "}\\" {"}',
    "templates": "export const meta = {name: `flow`, description: `} ' \\` {`}",
    "comments inside": "export const meta = {name: 'flow', // } '\n description: 'd', /* } */}",
    "nested": "export const meta = {name: 'flow', description: 'd', phases: [{title: 'A'}, {title: 'B'}],}",
    "numbers": "export const meta = {name: 'flow', description: 'd', a: 0x1f, b: 1_000, c: -2.5e3}",
    "regex": r"export const meta = {name: 'flow', description: 'd', r: /[}/'\]]\/}/u}",
    "escaped quote": r"export const meta = {name: 'fl\'ow', description: 'd\\'}",
    "escaped identifier": f"export const \\u006deta = {LITERAL}",
    "escaped identifier in braces": f"export const m\\u{{65}}ta = {LITERAL}",
    "CRLF": "export const meta = {\r\n  name: 'flow',\r\n  description: 'd'\r\n}",
    "no-break space": f"export\u00a0const meta\u2028=\ufeff{LITERAL}",
}


@pytest.mark.parametrize("name", HEADS)
def test_the_head_ends_with_meta(name: str) -> None:
    head = HEADS[name]
    assert script.split(f"{head}\n\n{BODY}") == (head, BODY)


def test_a_body_on_the_same_line() -> None:
    head = f"export const meta = {LITERAL};"
    assert script.split(f"{head} {BODY}") == (head, BODY)


def test_an_empty_body() -> None:
    assert script.split(HEADS["plain"]) == (HEADS["plain"], "")


NO_SCRIPTS = {
    "": "expected `export const meta = {…}`, no `export` at 0",
    "let meta = {}": "expected `export const meta = {…}`, no `export` at 0",
    "export let meta = {}": "expected `export const meta = {…}`, no `const` at 7",
    "export const \\u{ffffff}eta = {}": "expected `export const meta = {…}`, no `meta` at 13",
    "export const meta : any = {}": "expected `=` behind `meta`, at 18",
    "export const meta = make()": "meta is not an object literal",
    "export const meta = }": "a `}` that closes nothing, at 20",
    "export const meta = {]": "a `]` that closes nothing, at 21",
    "export const meta = {name: 'x": "the script ends inside its meta",
    "export const meta = {name: /x": "the script ends inside its meta",
    "export const meta": "the script ends inside its meta",
    "/* never closed": "expected `export const meta = {…}`, no `export` at 15",
    "#!x": "expected `export const meta = {…}`, no `export` at 3",
}


@pytest.mark.parametrize("text", NO_SCRIPTS)
def test_what_is_no_script(text: str) -> None:
    with pytest.raises(script.NotAScript) as caught:
        script.split(text)
    assert str(caught.value) == NO_SCRIPTS[text]


@given(st.text(alphabet="export const meta={}[]()'\"`/\\*;:,\n \ufeff#!u0", max_size=60))
def test_any_text_splits_or_is_refused(text: str) -> None:
    try:
        head, body = script.split("export const meta = " + text)
    except script.NotAScript:
        return
    assert ("export const meta = " + text).startswith(head)
    assert text.endswith(body)


def test_name() -> None:
    assert script.name(HEADS["plain"]) == "flow"
    assert script.name(HEADS["escaped quote"]) == "fl'ow"
    assert script.name(HEADS["double quotes"]) == "flow"
    assert script.name("export const meta = {nickname: 'x', description: 'd'}") == ""


OWN_AGENT = {
    "const agent = 1": True,
    "let x = 1, agent = 2": True,
    "function agent() {}": True,
    "function* agent() {}": True,
    "class agent {}": True,
    "const {agent} = globalThis": True,
    "const {a: agent, b} = globalThis": True,
    "agent = wrapped": True,
    "await agent('x')": False,
    "const live = agent": False,
    "if (agent === undefined) throw 1": False,
    "items.map(agent => agent)": False,
    "const reagent = 1": False,
}


@pytest.mark.parametrize("body", OWN_AGENT)
def test_declares_agent(body: str) -> None:
    assert script.declares_agent(body) is OWN_AGENT[body]


def test_reads_budget() -> None:
    assert script.reads_budget("while (budget.remaining() > 0) await agent('x')")
    assert not script.reads_budget("const budgets = 1")
