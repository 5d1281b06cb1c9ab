"""baton.core.close: what may be squashed, and every refusal, from facts alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from baton.core.close import (
    Commit,
    Facts,
    Run,
    check_chain,
    check_message,
    check_repository,
    listed,
    trailing,
)
from baton.core.errors import BatonError
from baton.hot.chain import Chain, parse
from baton.hot.git.operation import REFTABLE
from chain_cases import EXAMPLE

BASE = Commit("b0", ("a0",), "begin")
ROOT = "they begin at the root commit, which has no parent"
HELD = "they are pushed, or another branch or a tag has them"


def _row(*subjects: str, merge: int = 0, root: bool = False) -> tuple[Commit, ...]:
    """Commits, newest first, each on the next; the last one on b0. merge: which one is, from 1."""
    ids = [f"c{number}" for number in range(1, len(subjects) + 1)]
    below = [*ids[1:], *([] if root else ["b0"])]
    return tuple(
        Commit(id_, (*below[at : at + 1], *(["m0"] if at + 1 == merge else [])), subject)
        for at, (id_, subject) in enumerate(zip(ids, subjects, strict=True))
    )


FACTS = Facts(
    branch="refs/heads/main",
    head="c1",
    blocked="",
    busy="",
    unmerged=False,
    own=_row("wal: pause", "wal: flush"),
    below=BASE,
    staged=(),
    guards=(),
    known=True,
)
WAL_BELOW = Commit("b0", ("a0",), "wal: flush")

# name: (facts, ids of the run, base, left)
RUNS: dict[str, tuple[Facts, str, str, str]] = {
    "all": (FACTS, "c1 c2", "b0", ""),
    "with another below": (replace(FACTS, own=_row("wal: a", "wal: b", "mine")), "c1 c2", "c3", ""),
    "not at HEAD": (replace(FACTS, own=_row("mine", "wal: b")), "", "c1", ""),
    "any word behind the colon": (replace(FACTS, own=_row("wal:x", "wal:")), "c1 c2", "b0", ""),
    "much like it": (replace(FACTS, own=_row("wall: a", "wal: b")), "", "c1", ""),
    "a merge at HEAD": (replace(FACTS, own=_row("wal: a", "wal: b", merge=1)), "", "c1", "a merge is among them"),
    "a merge below": (replace(FACTS, own=_row("wal: a", "wal: b", merge=2)), "c1", "c2", "a merge is among them"),
    "a merge of the user's": (replace(FACTS, own=_row("wal: a", "join", merge=2)), "c1", "c2", ""),
    "more below, held": (replace(FACTS, below=WAL_BELOW), "c1 c2", "b0", HELD),
    "all held": (replace(FACTS, own=(), below=WAL_BELOW), "", "c1", HELD),
    "none of baton's, held": (replace(FACTS, own=(), below=BASE), "", "c1", ""),
    "the root alone": (replace(FACTS, own=_row("wal: a", root=True), below=None), "", "c1", ROOT),
    "down to the root": (replace(FACTS, own=_row("wal: a", "wal: b", root=True), below=None), "", "c1", ROOT),
    "down to the user's root": (replace(FACTS, own=_row("wal: a", "begin", root=True), below=None), "c1", "c2", ""),
    "unborn": (replace(FACTS, head="", own=(), below=None), "", "", ""),
}  # fmt: skip


@pytest.mark.parametrize(("facts", "ids", "base", "left"), RUNS.values(), ids=RUNS)
def test_trailing(facts: Facts, ids: str, base: str, left: str) -> None:
    by_id = {commit.id: commit for commit in facts.own}
    assert trailing(facts) == Run(tuple(by_id[id_] for id_ in ids.split()), base, left)


CHAIN = parse(EXAMPLE)
STANDS = "1/4 done · Build feature X: codify the rule, then announce it"
GOES_ON = "baton tiep goes on with it; baton close --abandon gives it up"
CHAINS: dict[str, tuple[str, Chain, bool, str]] = {
    "absent": ("absent", Chain(), False, ""),
    "empty": ("empty", Chain(), False, ""),
    "finished": ("finished", CHAIN, False, ""),
    "unfinished": ("unfinished", CHAIN, False, f"the chain is unfinished ({STANDS}); nothing was done"),
    "unreadable": ("unreadable", CHAIN, False, "the chain is unreadable; nothing was done"),
    "unfinished, given up": ("unfinished", CHAIN, True, ""),
    "unreadable, given up": ("unreadable", CHAIN, True, ""),
}  # fmt: skip


@pytest.mark.parametrize(("state", "chain", "abandon", "message"), CHAINS.values(), ids=CHAINS)
def test_chain(state: str, chain: Chain, abandon: bool, message: str) -> None:
    if not message:
        check_chain(state, chain, abandon=abandon)
        return
    with pytest.raises(BatonError) as refusal:
        check_chain(state, chain, abandon=abandon)
    error = refusal.value
    assert (error.code, error.message, error.hint) == ("unsafe-state", message, GOES_ON)


SIGNED = replace(FACTS, staged=("a.py", "b", "c", "d"), guards=("the hook pre-commit", "signing"))
# name: (facts, message, code, what is said, hint)
REFUSALS: dict[str, tuple[Facts, str | None, str, str, str]] = {
    "merge": (
        replace(FACTS, blocked="a merge is in progress"), None, "unsafe-state",
        "a merge is in progress; nothing was done", "git status says how to end it; then baton close",
    ),
    "detached": (
        replace(FACTS, branch="", blocked="HEAD is detached"), None, "unsafe-state",
        "HEAD is detached; nothing was done", "git switch BRANCH, then baton close",
    ),
    "reftable": (
        replace(FACTS, blocked=REFTABLE), None, "unsafe-state",
        f"{REFTABLE}; nothing was done", "git reset --soft COMMIT, then baton wal reset",
    ),
    "busy": (
        replace(FACTS, busy="git commit is running in this work tree"), None, "locked",
        "git commit is running in this work tree; nothing was done", "baton close",
    ),
    "conflict": (
        replace(FACTS, unmerged=True), None, "unsafe-state",
        "the index holds a conflict that is not resolved; nothing was done", "git status, then baton close",
    ),
    "staged, hooks and signing": (
        SIGNED, "Done", "unsafe-state",
        "the closing commit would take in what you have staged (a.py, b, c and 1 more), but past the hook "
        "pre-commit and signing, which baton never runs; nothing was done",
        "baton close, then git commit -m MESSAGE",
    ),
    "staged, by nobody": (
        replace(SIGNED, guards=(), known=False), "Done", "unsafe-state",
        "the closing commit would take in what you have staged (a.py, b, c and 1 more), but git does not know "
        "who you are; nothing was done",
        "git config user.name NAME and git config user.email ADDRESS, then baton close -m MESSAGE",
    ),
}  # fmt: skip
FINE: dict[str, tuple[Facts, str | None]] = {
    "clean": (FACTS, None),
    "with a message": (FACTS, "Done"),
    "staged": (replace(SIGNED, guards=()), "Done"),
    "hooks, nothing staged": (replace(SIGNED, staged=()), "Done"),
    "nobody, nothing staged": (replace(FACTS, known=False), "Done"),
    "nobody, no message": (replace(SIGNED, known=False), None),
    "hooks, staged, no message": (SIGNED, None),
}


@pytest.mark.parametrize(
    ("facts", "message", "code", "said", "hint"), REFUSALS.values(), ids=REFUSALS
)
def test_a_refusal(facts: Facts, message: str | None, code: str, said: str, hint: str) -> None:
    with pytest.raises(BatonError) as refusal:
        check_repository(facts, message)
    error = refusal.value
    assert (error.code, error.message, error.hint) == (code, said, hint)


@pytest.mark.parametrize(("facts", "message"), FINE.values(), ids=FINE)
def test_no_refusal(facts: Facts, message: str | None) -> None:
    check_repository(facts, message)


MESSAGES: dict[str, tuple[str | None, str]] = {
    "none": (None, ""),
    "plain": ("Done", ""),
    "empty": ("", "-m: the message is empty; nothing was done"),
    "blank": (" \n", "-m: the message is empty; nothing was done"),
    "ours": (" wal: done", "-m: a subject that starts with wal: is baton's own; nothing was done"),
}


@pytest.mark.parametrize(("message", "said"), MESSAGES.values(), ids=MESSAGES)
def test_message(message: str | None, said: str) -> None:
    if not said:
        check_message(message)
        return
    with pytest.raises(BatonError) as refusal:
        check_message(message)
    error = refusal.value
    assert (error.code, error.message, error.hint) == ("usage", said, "baton close -m MESSAGE")


def test_names_are_harmless() -> None:
    assert listed(["a\x1b[1m", "b"]) == "a\ufffd[1m, b"
