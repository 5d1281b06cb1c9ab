"""A chain for reading: as text for people and as data for scripts (design page cli)."""

from __future__ import annotations

from baton.core.chain.render import item_line, render
from baton.hot import clean, secrets
from baton.hot.chain import ABSENT, EMPTY, UNREADABLE, Chain, Item

FORM = """\
the document, at most 40 lines; behind ` — ` stands what shows a step: a
command, a path or a commit id

  # WAL
  goal: what the work is for
  chain:
  [x] a step that is done — ls docs/x.md
  [!] one in progress — grep -c X docs/y.md
  [ ] one to do
  next: the one instruction to go on with
  verify: grep -c X docs/y.md  # expect >= 1
"""
START = "baton wal start GOAL --item TEXT --next TEXT --verify CMD"


def text(state: str, chain: Chain, raw: bytes) -> str:
    """Give the whole chain; an unreadable one as its problems and its lines, each harmless."""
    if state == ABSENT:
        return f"no chain here. Start one: {START}"
    if state == UNREADABLE:
        problems = [f"  {problem.code}: {problem}" for problem in chain.problems]
        return "\n".join(
            ["the chain cannot be read:", *problems, "its text, as data:", *quoted_lines(raw)]
        )
    return render(chain).decode()


def quoted_lines(raw: bytes) -> list[str]:
    """Give the lines of a file as quoted data, at most 45 of them; none that looks like a secret."""
    lines = raw[:65536].decode("utf-8", "replace").splitlines()
    told = [_unless_secret(line) for line in lines[:45]] + ["…"] * (len(lines) > 45)
    return [f"  | {line}" for line in told]


def _unless_secret(line: str) -> str:
    found = secrets.find(line)
    return f"(not shown: {found[0].kind})" if found else clean.line(line, 160)


def summary(chain: Chain) -> str:
    """Give one to three lines that say where the chain stands now."""
    if chain.state == EMPTY:
        return "the chain is empty"
    lines = [f"{chain.done}/{chain.total} done · {clean.line(chain.goal, 100)}"]
    current = chain.first_open
    if current is not None:
        lines.append(f"  {clean.line(item_line(current), 100)}")
        lines.append(f"  next: {clean.line(chain.next, 100)}")
    return "\n".join(lines)


def data(state: str, chain: Chain, revision: str) -> dict[str, object]:
    """Give the object of `baton wal show --json`."""
    items: list[object] = [
        {
            "n": number,
            "mark": item.mark,
            "text": item.text,
            "evidence": item.evidence,
            "run": _run(item),
        }
        for number, item in enumerate(chain.items, 1)
    ]
    return {
        "state": state,
        "rev": revision,
        "goal": chain.goal,
        "items": items,
        "next": chain.next,
        "verify": chain.verify,
        "header": {"updated": chain.updated, "session": chain.session, "branch": chain.branch},
        "problems": [
            {"line": p.line, "code": p.code, "message": p.message} for p in chain.problems
        ],
    }


def _run(item: Item) -> dict[str, object] | None:
    run = item.run
    if run is None:
        return None
    return {
        "purpose": run.purpose,
        "run": run.folder,
        "runId": run.run_id,
        "args": run.args,
        "done": run.finished,
        "total": run.total,
        "harvested": run.harvested,
    }
