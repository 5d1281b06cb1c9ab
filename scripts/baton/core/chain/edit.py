"""Changes of a chain, each a pure step from one chain to the next (design page chain).

A change is refused when the chain that it would leave has a gap that was not there before; what a
hand-written chain already lacked stands in nobody's way.
"""

from __future__ import annotations

import copy

from baton.core.chain.render import render
from baton.core.errors import BatonError
from baton.hot import clean
from baton.hot.chain import (
    DOING,
    DONE,
    FOLDED,
    MARKS,
    RUN_FORM,
    TODO,
    Chain,
    Item,
    Run,
    item_of,
    parse,
    something,
    without_bullet,
)


def empty(lang: str) -> Chain:
    """Give the empty chain of a language."""
    chain = Chain()
    chain.lang = lang
    return chain


def start(lang: str, goal: str, items: list[str], next_step: str, verify: list[str]) -> Chain:
    """Give a new chain. An item's text may begin with its mark and hold its evidence after ` — `."""
    chain = empty(lang)
    chain.goal = _text(goal, "the goal")
    chain.items = [_item(text, "", TODO) for text in items]
    chain.next = _text(next_step, "the next step")
    chain.verify = [_command(command, "a verify command") for command in verify]
    return _checked(chain, empty(lang))


def add(chain: Chain, text: str, evidence: str, mark: str, verify: list[str]) -> Chain:
    """Give the chain with one more item at its end."""
    after = _copy(chain)
    after.items.append(_item(text, evidence, mark))
    after.verify += [_command(command, "a verify command") for command in verify]
    return _checked(after, chain)


def mark(chain: Chain, number: int, mark: str, evidence: str, verify: list[str]) -> Chain:
    """Give the chain with item `number` (from 1) marked, its evidence replaced where one is given."""
    if not 1 <= number <= len(chain.items):
        raise BatonError(
            "usage",
            f"there is no item {number}; the chain has {len(chain.items)}; nothing was written",
            "baton wal show",
        )
    after = _copy(chain)
    item = after.items[number - 1]
    item.mark = mark
    if evidence:
        item.evidence = _evidence(evidence)
    after.verify += [_command(command, "a verify command") for command in verify]
    return _checked(after, chain)


def set_run(chain: Chain, purpose: str, fields: str) -> Chain:
    """Give the chain with the workflow line of one run: `purpose` and its five `fields`.

    The line of that run's folder keeps its purpose and mark; where there is none, one is added, in
    progress.
    """
    after = _copy(chain)
    fresh = _item(f"wf:{purpose} {fields}", "", DOING)
    for at, item in enumerate(after.items):
        if item.run is not None and fresh.run is not None and same_run(item.run, fresh.run.folder):
            after.items[at] = _item(f"wf:{item.run.purpose} {fields}", "", item.mark)
            return _checked(after, chain)
    after.items.append(fresh)
    return _checked(after, chain)


def same_run(run: Run, folder: str) -> bool:
    """Whether a workflow line speaks of the run of this folder."""
    return run.folder.rstrip("/").removeprefix("./") == folder.rstrip("/").removeprefix("./")


def set_next(chain: Chain, text: str) -> Chain:
    """Give the chain with another next step."""
    after = _copy(chain)
    after.next = _text(text, "the next step")
    return _checked(after, chain)


def set_verify(chain: Chain, commands: list[str]) -> Chain:
    """Give the chain with these verify commands and no others."""
    after = _copy(chain)
    after.verify = [_command(command, "a verify command") for command in commands]
    return _checked(after, chain)


def compact(chain: Chain) -> Chain:
    """Give the chain with its leading done items folded into one, which still counts as all of
    them."""
    count = next(
        (n for n, item in enumerate(chain.items) if item.mark != DONE or item.run), len(chain.items)
    )
    if count < 2:
        raise BatonError(
            "usage",
            f"nothing to fold: {count} done item(s) at the head of the chain; nothing was written",
            "baton wal show",
        )
    after = _copy(chain)
    folded, rest = after.items[:count], after.items[count:]
    weight = sum(item.weight for item in folded)
    text = clean.line("; ".join(_unfolded(item.text) for item in folded), 160)
    after.items = [Item(DONE, f"({weight}{FOLDED}{text}", folded[-1].evidence), *rest]
    return _checked(after, chain)


def whole(document: bytes, before: Chain) -> Chain:
    """Give the chain that a whole document holds.

    Raises invalid-chain naming every problem with its line.
    """
    chain = parse(document)
    if chain.problems:
        raise BatonError(
            "invalid-chain",
            _listed("the document was not written", chain),
            "baton wal write --help",
        )
    return _checked(chain, before)


def _unfolded(text: str) -> str:
    return text.partition(FOLDED)[2] if Item(DONE, text).weight > 1 else text


def _copy(chain: Chain) -> Chain:
    after = copy.copy(chain)
    after.items = [copy.copy(item) for item in chain.items]
    after.verify = list(chain.verify)
    return after


def _text(text: str, what: str) -> str:
    line = clean.line(" ".join(text.split()))
    if not something(line):
        raise _refusal(f"{what} is empty")
    return line


def _command(text: str, what: str) -> str:
    """A command is kept to the letter or refused: an altered one would prove something else."""
    command = text.strip()
    if clean.line(command) != command:
        raise _refusal(
            f"{what} must be one line without control characters: {clean.quoted(command, 80)}"
        )
    if not something(command):
        raise _refusal(f"{what} is empty")
    return command


def _evidence(text: str) -> str:
    evidence = _command(text, "the evidence")
    if " — " in f" {evidence} ":
        raise _refusal(
            f"the evidence must not hold a dash that parts it from the text: {clean.quoted(evidence, 80)}"
        )
    return evidence


def _item(text: str, evidence: str, mark: str) -> Item:
    line = without_bullet(_text(text, "an item's text"))
    if line[:3] in MARKS:
        mark, line = MARKS[line[:3]], _text(line[3:], "an item's text")
    if evidence:
        line += " — " + _evidence(evidence)
    item = item_of(mark, line)
    if line.startswith("wf:") and item.run is None:
        raise _refusal(f"bad-wf: {RUN_FORM}")
    return item


def _refusal(what: str) -> BatonError:
    return BatonError("invalid-chain", f"{what}; nothing was written", "baton wal --help")


def _checked(after: Chain, before: Chain) -> Chain:
    """Read back what would be written: it must be the same chain, without a gap that is new."""
    read = parse(render(after))
    known = [problem.code for problem in before.problems]
    new = [problem for problem in read.problems if not _take(known, problem.code)]
    if new:
        after = copy.copy(read)
        after.problems = new
        raise BatonError("invalid-chain", _listed("nothing was written", after), _hint(new[0].code))
    return read


def _take(codes: list[str], code: str) -> bool:
    if code in codes:
        codes.remove(code)
        return True
    return False


def _listed(outcome: str, chain: Chain) -> str:
    return "; ".join(f"{problem.code}: {problem}" for problem in chain.problems) + f"; {outcome}"


def _hint(code: str) -> str:
    return {
        "no-evidence": "give --evidence: a command, a path or a commit id that shows it",
        "no-verify": "give --verify: a command that can be run now and shows the state",
        "no-next": "baton wal next TEXT",
        "too-long": "baton wal compact",
        "too-big": "say it shorter; long notes belong into a file that the chain names",
    }.get(code, "baton wal check")
