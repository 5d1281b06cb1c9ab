"""baton.core.chain.edit: each change against a simple model, each refusal whole, nothing moved by it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from baton.core.chain import edit
from baton.core.chain.render import item_line, render
from baton.core.errors import BatonError
from baton.hot.chain import Chain, parse
from chain_cases import EMPTY, EXAMPLE, PROBLEMS, VI_EXAMPLE, Case, changed, finished, steps

NOT_WRITTEN = "; nothing was written"
FORM = (
    "a workflow item is wf:PURPOSE run=FOLDER runId=ID|pending args=FILE done=K/N "
    "harvested=no|partial|yes"
)
RUN = "wf:a run=b runId=pending args=c done=0/1 harvested=no"
HELP = "baton wal --help"


def example() -> Chain:
    """The example, fresh."""
    return parse(EXAMPLE)


def test_a_list_sign_before_an_item_is_no_part_of_it() -> None:
    """As it is read out of a file, so it is taken from a command line."""
    chain = edit.start("en", "G", ["- [x] a — ls a", "* b", "• [!] c — ls c"], "n", ["ls"])
    assert [(item.mark, item.text) for item in chain.items] == [
        ("done", "a"),
        ("todo", "b"),
        ("doing", "c"),
    ]


def test_start() -> None:
    chain = edit.start(
        "en", " Ship\n it ", ["[x] a — ls a", "[!] b —  ls b", "c", RUN], "go on", ["ls"]
    )
    assert render(chain).decode() == (
        "# WAL — written by baton; change it with `baton wal`\n"
        "updated: — | session: — | branch: —\n"
        "goal: Ship it\n\nchain:\n"
        f"[x] a — ls a\n[!] b — ls b\n[ ] c\n[ ] {RUN}\n\n"
        "next: go on\nverify: ls\n"
    )


# change → lines out, lines in (all others stay)
CHANGES: dict[str, tuple[Callable[[Chain], Chain], str, str]] = {
    "add": (lambda c: edit.add(c, "more", "", "todo", []), "", "[ ] more\n"),
    "add with evidence": (lambda c: edit.add(c, "a", "ls a", "done", []), "", "[x] a — ls a\n"),
    "add with its mark and evidence": (
        lambda c: edit.add(c, "[x] a — ls a", "", "todo", []),
        "",
        "[x] a — ls a\n",
    ),
    "add in progress, with its command": (
        lambda c: edit.add(c, "a", "ls a", "doing", ["ls a", "ls b"]),
        "",
        "[!] a — ls a\nverify: ls a\nverify: ls b\n",
    ),
    "add a run": (lambda c: edit.add(c, RUN, "", "doing", []), "", f"[!] {RUN}\n"),
    "mark done": (
        lambda c: edit.mark(c, 2, "done", "", []),
        "[!] codify the rule — grep -c 'H-22' GOVERNANCE.md\n",
        "[x] codify the rule — grep -c 'H-22' GOVERNANCE.md\n",
    ),
    "mark with other evidence": (
        lambda c: edit.mark(c, 2, "done", "ls GOVERNANCE.md", []),
        "[!] codify the rule — grep -c 'H-22' GOVERNANCE.md\n",
        "[x] codify the rule — ls GOVERNANCE.md\n",
    ),
    "mark to do": (
        lambda c: edit.mark(c, 1, "todo", "", []),
        "[x] script and template written — ls scripts/flush\n",
        "[ ] script and template written — ls scripts/flush\n",
    ),
    "mark in progress, with its command": (
        lambda c: edit.mark(c, 4, "doing", "ls NEWS.md", ["ls NEWS.md"]),
        "[ ] draft the announcement\n",
        "[!] draft the announcement — ls NEWS.md\nverify: ls NEWS.md\n",
    ),
    "next": (
        lambda c: edit.set_next(c, "announce  it"),
        "next: Append the section to GOVERNANCE.md and run its checks\n",
        "next: announce it\n",
    ),
    "verify": (
        lambda c: edit.set_verify(c, ["make  test  # expect ok", "grep -c 'a — b' f"]),
        "verify: grep -c 'H-22' GOVERNANCE.md  # expect >= 1\nverify: python3 scripts/check_rules.py\n",
        "verify: make  test  # expect ok\nverify: grep -c 'a — b' f\n",
    ),
    "compact": (
        lambda c: edit.compact(edit.mark(c, 2, "done", "", [])),
        "[x] script and template written — ls scripts/flush\n"
        "[!] codify the rule — grep -c 'H-22' GOVERNANCE.md\n",
        "[x] (2 done) script and template written; codify the rule — grep -c 'H-22' GOVERNANCE.md\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("change", "out", "in_"), CHANGES.values(), ids=CHANGES)
def test_change(change: Callable[[Chain], Chain], out: str, in_: str) -> None:
    before = example()
    lines = Counter(EXAMPLE.decode().splitlines())
    lines.subtract(out.splitlines())
    lines.update(in_.splitlines())
    after = change(before)
    assert Counter(render(after).decode().splitlines()) == +lines
    assert render(before) == EXAMPLE
    assert after.problems == []


def _verify(count: int, needed: int) -> str:
    return f"no-verify: {count} verify commands; {needed} needed (one, and one for each item in progress)"


# change → message, hint
REFUSALS: dict[str, tuple[Callable[[Chain], Chain], str, str]] = {
    "no such item": (
        lambda c: edit.mark(c, 5, "done", "", []),
        f"there is no item 5; the chain has 4{NOT_WRITTEN}",
        "baton wal show",
    ),
    "item 0": (
        lambda c: edit.mark(c, 0, "done", "", []),
        f"there is no item 0; the chain has 4{NOT_WRITTEN}",
        "baton wal show",
    ),
    "done without evidence": (
        lambda c: edit.mark(c, 4, "done", "", []),
        "no-evidence: line 9: no evidence (a command, a path or a commit id after ` — `): "
        f'"draft the announcement"{NOT_WRITTEN}',
        "give --evidence: a command, a path or a commit id that shows it",
    ),
    "in progress without a command": (
        lambda c: edit.set_verify(edit.mark(c, 4, "doing", "ls a", []), ["ls a"]),
        _verify(1, 2) + NOT_WRITTEN,
        "give --verify: a command that can be run now and shows the state",
    ),
    "two gaps at once": (
        lambda c: edit.add(edit.set_verify(c, ["ls"]), "a", "", "doing", []),
        "no-evidence: line 10: no evidence (a command, a path or a commit id after ` — `): "
        f'"a"; {_verify(1, 2)}{NOT_WRITTEN}',
        "give --evidence: a command, a path or a commit id that shows it",
    ),
    "no commands": (
        lambda c: edit.set_verify(c, []),
        _verify(0, 1) + NOT_WRITTEN,
        "give --verify: a command that can be run now and shows the state",
    ),
    "41 lines": (
        lambda _: edit.add(parse(steps(27)), "more", "", "todo", []),
        "too-long: line 41: 41 lines; a chain has at most 40 (`baton wal compact` folds what is done)"
        + NOT_WRITTEN,
        "baton wal compact",
    ),
    "too big": (
        lambda c: edit.set_next(c, "x" * 65536),
        f"too-big: it has more than 65536 bytes{NOT_WRITTEN}",
        "say it shorter; long notes belong into a file that the chain names",
    ),
    "an empty text": (
        lambda c: edit.add(c, " \n", "", "todo", []),
        f"an item's text is empty{NOT_WRITTEN}",
        HELP,
    ),
    "nothing but a mark": (
        lambda c: edit.add(c, "[x] ", "ls", "todo", []),
        f"an item's text is empty{NOT_WRITTEN}",
        HELP,
    ),
    "a word for nothing": (
        lambda c: edit.set_next(c, "(none)"),
        f"the next step is empty{NOT_WRITTEN}",
        HELP,
    ),
    "no goal": (
        lambda _: edit.start("en", " ", ["a"], "b", ["c"]),
        f"the goal is empty{NOT_WRITTEN}",
        HELP,
    ),
    "empty evidence": (
        lambda c: edit.mark(c, 2, "done", " ", []),
        f"the evidence is empty{NOT_WRITTEN}",
        HELP,
    ),
    "an empty command": (
        lambda c: edit.set_verify(c, ["ls", "(none)"]),
        f"a verify command is empty{NOT_WRITTEN}",
        HELP,
    ),
    "a command of two lines": (
        lambda c: edit.set_verify(c, ["ls\nrm a"]),
        f'a verify command must be one line without control characters: "ls rm a"{NOT_WRITTEN}',
        HELP,
    ),
    "evidence with a control character": (
        lambda c: edit.mark(c, 2, "done", "ls \x1b[1m", []),
        f'the evidence must be one line without control characters: "ls \ufffd[1m"{NOT_WRITTEN}',
        HELP,
    ),
    "evidence with the parting dash": (
        lambda c: edit.mark(c, 2, "done", "grep — a", []),
        f'the evidence must not hold a dash that parts it from the text: "grep — a"{NOT_WRITTEN}',
        HELP,
    ),
    "evidence that begins with it": (
        lambda c: edit.add(c, "a", "— ls", "todo", []),
        f'the evidence must not hold a dash that parts it from the text: "— ls"{NOT_WRITTEN}',
        HELP,
    ),
    "half a run": (
        lambda c: edit.add(c, "wf:a run=b", "", "doing", []),
        f"bad-wf: {FORM}{NOT_WRITTEN}",
        HELP,
    ),
    "evidence behind a run": (
        lambda c: edit.mark(c, 3, "done", "ls a", []),
        f"bad-wf: line 8: {FORM}{NOT_WRITTEN}",
        "baton wal check",
    ),
    "nothing to fold": (
        edit.compact,
        f"nothing to fold: 1 done item(s) at the head of the chain{NOT_WRITTEN}",
        "baton wal show",
    ),
}


@pytest.mark.parametrize(("change", "message", "hint"), REFUSALS.values(), ids=REFUSALS)
def test_refusal(change: Callable[[Chain], Chain], message: str, hint: str) -> None:
    before = example()
    with pytest.raises(BatonError) as caught:
        change(before)
    assert (caught.value.message, caught.value.hint) == (message, hint)
    assert caught.value.code == ("usage" if hint == "baton wal show" else "invalid-chain")
    assert render(before) == EXAMPLE


GAPS = {key: case for key, case in PROBLEMS.items() if case.state == "unfinished"}


@pytest.mark.parametrize("key", GAPS)
def test_an_old_gap_stands_in_nobodys_way(key: str) -> None:
    """Next to it a new one of the same kind is refused."""
    before = parse(GAPS[key].document)
    after = edit.mark(before, 1, "todo", "", [])
    assert Counter(p.code for p in after.problems) <= Counter(p.code for p in before.problems)
    with pytest.raises(BatonError, match="no-evidence: line"):
        edit.add(before, "a", "", "done", [])


def test_a_gap_can_be_mended() -> None:
    before = parse(PROBLEMS["no-evidence of what is done"].document)
    assert edit.mark(before, 1, "done", "ls scripts/flush", []).problems == []


COMPACTIONS = {
    "all done": (
        finished().decode().replace("[x] wf:", "[x] review of ").encode(),
        [(True, 4)],
    ),
    "a run stays": (finished(), [(True, 2), (True, 1), (True, 1)]),
    "folded again": (
        changed(
            ("[x] script", "[x] (5 done) script"), ("[!] codify", "[x] codify")
        ),
        [(True, 6), (False, 1), (False, 1)],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("document", "expected"), COMPACTIONS.values(), ids=COMPACTIONS)
def test_compact_counts_all_that_it_folds(
    document: bytes, expected: list[tuple[bool, int]]
) -> None:
    before = parse(document)
    after = edit.compact(before)
    assert [(item.mark == "done", item.weight) for item in after.items] == expected
    assert (after.done, after.total) == (before.done, before.total)


def test_compact_keeps_the_words_of_what_it_folded_before() -> None:
    chain = parse(COMPACTIONS["folded again"][0])
    assert edit.compact(chain).items[0].text == (
        "(6 done) script and template written; codify the rule"
    )


def test_compact_cuts_long_words() -> None:
    chain = parse(changed(("[x] script", "[x] " + "x" * 300), ("[!] codify", "[x] codify")))
    text = edit.compact(chain).items[0].text
    assert text.endswith("x…")
    assert len(text) == len("(2 done) ") + 160


def test_whole() -> None:
    assert render(edit.whole(EXAMPLE, parse(EMPTY))) == EXAMPLE
    assert edit.whole(VI_EXAMPLE, example()).lang == "vi"


@pytest.mark.parametrize("case", PROBLEMS.values(), ids=PROBLEMS)
def test_whole_names_every_problem(case: Case) -> None:
    document = case.document
    with pytest.raises(BatonError) as caught:
        edit.whole(document, example())
    told = "; ".join(f"{problem.code}: {problem}" for problem in parse(document).problems)
    assert caught.value.message == f"{told}; the document was not written"
    assert (caught.value.code, caught.value.hint) == ("invalid-chain", "baton wal write --help")


class Model:
    """A chain as a person would keep it on paper."""

    def __init__(self) -> None:
        self.items: list[tuple[str, str, str]] = []
        self.next = ""
        self.verify: list[str] = []

    @property
    def gaps(self) -> Counter[str]:
        """What is missing."""
        found = Counter("no-evidence" for mark, _, e in self.items if mark != "todo" and not e)
        running = sum(mark == "doing" for mark, _, _ in self.items)
        if any(mark != "done" for mark, _, _ in self.items):
            found["no-verify"] += len(self.verify) < max(1, running)
        found["too-long"] += 7 + len(self.items) + max(1, len(self.verify)) > 40
        return +found


WORDS = st.text("abcdef", min_size=1, max_size=5)
EVIDENCE = st.sampled_from(["", "ls a", "4f1c2a9"])
MARKS = st.sampled_from(["todo", "doing", "done"])


class Walk(RuleBasedStateMachine):
    """A random walk of edits, each followed in the model and refused exactly where it leaves a new gap."""

    def __init__(self) -> None:
        super().__init__()
        self.chain = edit.empty("en")
        self.model = Model()

    def _try(self, change: Callable[[], Chain], after: Model) -> None:
        new = after.gaps - self.model.gaps
        try:
            chain = change()
        except BatonError as error:
            assert new, error.message
            assert all(f"{code}: " in error.message for code in new)
            return
        assert not new
        self.chain, self.model = chain, after

    def _after(self) -> Model:
        after = Model()
        after.items, after.next = list(self.model.items), self.model.next
        after.verify = list(self.model.verify)
        return after

    @initialize(count=st.integers(1, 32), next_step=WORDS, command=WORDS)
    def start(self, count: int, next_step: str, command: str) -> None:
        after = Model()
        after.items = [("todo", f"step {n}", "") for n in range(count)]
        after.next, after.verify = next_step, [command]
        texts = [text for _, text, _ in after.items]
        self._try(lambda: edit.start("en", "Ship", texts, next_step, [command]), after)

    @rule(text=WORDS, evidence=EVIDENCE, mark=MARKS, verify=st.lists(WORDS, max_size=1))
    def add(self, text: str, evidence: str, mark: str, verify: list[str]) -> None:
        after = self._after()
        after.items.append((mark, text, evidence))
        after.verify += verify
        self._try(lambda: edit.add(self.chain, text, evidence, mark, verify), after)

    @rule(data=st.data(), evidence=EVIDENCE, mark=MARKS, verify=st.lists(WORDS, max_size=1))
    def mark(self, data: st.DataObject, evidence: str, mark: str, verify: list[str]) -> None:
        number = data.draw(st.integers(1, len(self.model.items)))
        after = self._after()
        _, text, old = after.items[number - 1]
        after.items[number - 1] = (mark, text, evidence or old)
        after.verify += verify
        self._try(lambda: edit.mark(self.chain, number, mark, evidence, verify), after)

    @rule(text=WORDS)
    def next_step(self, text: str) -> None:
        after = self._after()
        after.next = text
        self._try(lambda: edit.set_next(self.chain, text), after)

    @rule(commands=st.lists(WORDS, max_size=3))
    def set_verify(self, commands: list[str]) -> None:
        after = self._after()
        after.verify = commands
        self._try(lambda: edit.set_verify(self.chain, commands), after)

    @precondition(lambda self: [m for m, _, _ in self.model.items[:2]] == ["done", "done"])
    @rule()
    def compact(self) -> None:
        done, total = self.chain.done, self.chain.total
        self.chain = edit.compact(self.chain)
        assert (self.chain.done, self.chain.total) == (done, total)
        self.model.items = [(i.mark, i.text, i.evidence) for i in self.chain.items]

    @invariant()
    def agrees_with_the_model(self) -> None:
        items = [(item.mark, item.text, item.evidence) for item in self.chain.items]
        assert (items, self.chain.next, self.chain.verify) == (
            self.model.items,
            self.model.next,
            self.model.verify,
        )
        assert render(parse(render(self.chain))) == render(self.chain)
        assert Counter(problem.code for problem in self.chain.problems) == self.model.gaps


Walk.TestCase.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
TestWalk = Walk.TestCase


RUN_FOLDER = ".claude/workflows/runs/r1"
FIELDS = f"run={RUN_FOLDER} runId=wf_2 args=a.json done=4/8 harvested=partial"
RUN_BEFORE = "[!] wf:review-docs "


@pytest.mark.parametrize("folder", [RUN_FOLDER, f"{RUN_FOLDER}/", f"./{RUN_FOLDER}"])
def test_a_runs_line_is_replaced(folder: str) -> None:
    """Its purpose and mark stay."""
    before = parse(changed((f" run={RUN_FOLDER} ", f" run={folder} ")))
    after = edit.set_run(before, "another", FIELDS)
    assert [item_line(item) for item in after.items if item.run] == [RUN_BEFORE + FIELDS]
    assert len(after.items) == len(before.items)


def test_a_runs_line_is_added() -> None:
    fields = FIELDS.replace(RUN_FOLDER, "elsewhere")
    after = edit.set_run(parse(EXAMPLE), "another", fields)
    assert item_line(after.items[-1]) == f"[!] wf:another {fields}"
    with pytest.raises(BatonError, match="bad-wf"):
        edit.set_run(parse(EXAMPLE), "another", "run=x")
