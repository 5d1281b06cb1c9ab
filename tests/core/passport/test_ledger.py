"""baton.core.passport.ledger: the chain verified from bytes, what awaits, who consumed what."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from baton.core.errors import BatonError
from baton.core.passport import ledger
from baton.core.passport.append import appended
from baton.core.passport.chain_hash import sealed as seal
from baton.core.passport.document import Document
from baton.core.passport.entry import Boundary, Entry, Resume
from baton.core.passport.errors import LedgerError
from baton.core.passport.ledger import Awaiting
from baton.edge.yaml_events import events
from passport_samples import (
    BOUNDARIES,
    BOUNDARY,
    DECISION,
    EXPECTED,
    RESUMES,
    VECTORS,
    hash_after,
    passport,
    read,
    sealed,
)

RESUME = Resume("0" * 12, "2026-04-23T15:00:00Z", "sess-b")
A = replace(BOUNDARY, stage="1")
B = replace(BOUNDARY, stage="3", pending_decision=DECISION)
THREE = sealed([A, BOUNDARY, RESUME, B])


def boundary(entry: Entry) -> Boundary:
    assert isinstance(entry, Boundary)
    return entry


FIRST, SECOND, THIRD = map(boundary, (THREE[0], THREE[1], THREE[3]))


def document(entries: list[Entry]) -> Document:
    return read(passport(entries))


@pytest.mark.parametrize("name", EXPECTED)
def test_the_vectors(name: str) -> None:
    found = read((VECTORS / name).read_bytes())
    checked = ledger.checked(found)
    awaiting: list[object] = [one.boundary.hash for one in checked.awaiting()]
    assert awaiting == EXPECTED[name]["awaiting"][::-1]
    assert ledger.first_problem(found) is None
    assert [one.to_mapping() for one in checked.boundaries] == [
        one for one in EXPECTED[name]["entries"] if one["kind"] == "boundary"
    ]


def test_awaiting_newest_first_each_with_its_own_question() -> None:
    checked = ledger.checked(document(THREE))
    lines = document(THREE).lines
    assert checked.awaiting() == (
        Awaiting(THIRD, 3, lines[3], superseded=False),
        Awaiting(FIRST, 0, lines[0], superseded=True),
    )
    assert checked.find(FIRST.hash, "p.yaml").boundary.pending_decision is None
    assert checked.find(THIRD.hash, "p.yaml").boundary.pending_decision == DECISION
    assert checked.consumer(FIRST.hash) is None
    assert checked.consumer(SECOND.hash) == replace(RESUME, consumes_hash=SECOND.hash)
    assert ledger.holds(document(THREE), SECOND.hash)
    assert not ledger.holds(document(THREE), "aaaaaaaaaaaa")


FORM = "a hash is exactly 12 of the digits 0-9a-f, in lower case, got "
# hash → code, message
NOT_FOUND = {
    "aaaaaaaaaaaa": (
        "no-such-boundary",
        "no boundary aaaaaaaaaaaa in p.yaml; nothing was written",
    ),
    FIRST.hash[:11]: ("bad-hash-form", f'{FORM}"{FIRST.hash[:11]}" (11 characters)'),
    FIRST.hash + "0": ("bad-hash-form", f'{FORM}"{FIRST.hash}0" (13 characters)'),
    "ABCDEFABCDEF": ("bad-hash-form", f'{FORM}"ABCDEFABCDEF" (12 characters)'),
    FIRST.hash + "\n": ("bad-hash-form", f'{FORM}"{FIRST.hash}" (13 characters)'),
    "": ("bad-hash-form", f'{FORM}"" (0 characters)'),
    "７28078115253": ("bad-hash-form", f'{FORM}"７28078115253" (12 characters)'),
    SECOND.hash: (
        "already-resumed",
        f'boundary {SECOND.hash} was consumed at 2026-04-23T15:00:00Z by session "sess-b" '
        f"(p.yaml, line {document(THREE).lines[2]})",
    ),
}


@pytest.mark.parametrize("hash_", NOT_FOUND)
def test_what_is_not_found(hash_: str) -> None:
    with pytest.raises(BatonError) as caught:
        ledger.checked(document(THREE)).find(hash_, "p.yaml")
    error = caught.value
    assert (error.code, error.message) == NOT_FOUND[hash_]
    assert error.hint == "baton passport awaiting"


def test_a_hash_that_does_not_follow() -> None:
    edited = [*THREE[:1], replace(SECOND, stage="4"), *THREE[2:]]
    found = document(edited)
    with pytest.raises(LedgerError) as caught:
        ledger.checked(found)
    error = caught.value
    expected = hash_after(THREE[:1], replace(SECOND, stage="4"))
    assert (error.code, error.index, error.line, error.column) == (
        "hash-mismatch",
        1,
        found.lines[1],
        0,
    )
    assert (error.expected, error.got) == (expected, SECOND.hash)
    assert error.message == (
        f"line {found.lines[1]}, reset_boundary[1]: the hash of this boundary does not follow from it "
        f"and the boundaries before it: expected {expected}, got {SECOND.hash}"
    )


@pytest.mark.parametrize("place", range(12))
def test_every_digit_of_a_hash_counts(place: int) -> None:
    digit = "1" if SECOND.hash[place] == "0" else "0"
    edited = SECOND.hash[:place] + digit + SECOND.hash[place + 1 :]
    problem = ledger.first_problem(document([FIRST, replace(SECOND, hash=edited)]))
    assert problem is not None
    assert (problem.index, problem.expected, problem.got) == (1, SECOND.hash, edited)


def test_two_boundaries_of_one_hash() -> None:
    """A boundary copied by hand is no collision, but whoever asks for it is told what is there."""
    twice = document([*THREE[:2], FIRST])
    with pytest.raises(LedgerError) as caught:
        ledger.checked(twice, FIRST.hash)
    assert (caught.value.code, caught.value.message) == (
        "ambiguous-hash",
        f"line {twice.lines[2]}, reset_boundary[2]: two boundaries bear the hash {FIRST.hash} "
        f"(the other on line {twice.lines[0]}); neither can be meant",
    )
    for wanted in ("", SECOND.hash):
        with pytest.raises(LedgerError) as caught:
            ledger.checked(twice, wanted)
        assert (caught.value.code, caught.value.index) == ("hash-mismatch", 2)


def test_a_true_collision(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has two boundaries whose hashes collide, so here every hash is the same."""
    monkeypatch.setattr("baton.core.passport.ledger.Chain.hash_of", lambda self, boundary: "a" * 12)
    both = document([replace(A, hash="a" * 12), replace(BOUNDARY, hash="a" * 12)])
    problem = ledger.first_problem(both)
    assert problem is not None
    assert (problem.code, problem.index) == ("ambiguous-hash", 1)
    assert len(ledger.checked(both).awaiting()) == 2


def test_a_resume_of_nothing() -> None:
    found = document([FIRST, replace(RESUME, consumes_hash=SECOND.hash), SECOND])
    with pytest.raises(LedgerError) as caught:
        ledger.checked(found)
    assert (caught.value.code, caught.value.message) == (
        "invalid-ledger",
        f"line {found.lines[1]}, reset_boundary[1]: a resume entry consumes {SECOND.hash}, but no "
        "earlier boundary bears that hash",
    )


def test_a_second_resume_is_named_and_stands_in_nobodys_way() -> None:
    again = replace(RESUME, consumes_hash=SECOND.hash, session_marker="sess-c")
    found = document([*THREE, again])
    problem = ledger.first_problem(found)
    assert problem is not None
    assert (problem.code, problem.message) == (
        "invalid-ledger",
        f"line {found.lines[4]}, reset_boundary[4]: boundary {SECOND.hash} is consumed a second time "
        f"(first on line {found.lines[2]})",
    )
    checked = ledger.checked(found)
    assert [one.boundary for one in checked.awaiting()] == [THIRD, FIRST]
    consumer = checked.consumer(SECOND.hash)
    assert consumer is not None
    assert consumer.session_marker == "sess-b"


# ---- any mutation of a boundary is found at the first hash that fails ----

AT_LEAST_ONE = st.lists(BOUNDARIES | RESUMES, min_size=1, max_size=8).map(sealed).filter(bool)
FIELDS = ["stage", "next", "generated_at", "session_marker", "version_label", "mode", "hash"]


def first_bad(entries: list[Entry]) -> tuple[str, int] | None:
    """The first entry that does not hold, the long way: every hash from the whole prefix."""
    known: set[str] = set()
    spent: set[str] = set()
    for index, entry in enumerate(entries):
        if isinstance(entry, Resume):
            if entry.consumes_hash not in known or entry.consumes_hash in spent:
                return "invalid-ledger", index
            spent.add(entry.consumes_hash)
        elif hash_after(entries[:index], entry) != entry.hash:
            return "hash-mismatch", index
        else:
            known.add(entry.hash)
    return None


@given(AT_LEAST_ONE, st.sampled_from(["edit", "delete", "swap", "double"]), st.randoms())
def test_every_mutation(entries: list[Entry], kind: str, chance: random.Random) -> None:
    places = [n for n, entry in enumerate(entries) if isinstance(entry, Boundary)]
    at, other = chance.choice(places), chance.choice(places)
    mutated = list(entries)
    if kind == "edit":
        mutated[at] = _edited(mutated[at], chance)
    elif kind == "delete":
        del mutated[at]
    elif kind == "swap":
        mutated[at], mutated[other] = mutated[other], mutated[at]
    else:
        mutated.insert(other + 1, mutated[at])
    expected = first_bad(mutated)
    problem = ledger.first_problem(document(mutated))
    assert (problem and (problem.code, problem.index)) == expected
    # What no boundary's hash can notice: the newest ones are gone, or nothing was changed at all.
    gone = kind == "delete" and at == places[-1]
    assert expected is not None or gone or mutated == entries


def _edited(entry: Entry, chance: random.Random) -> Entry:
    field = chance.choice(FIELDS)
    value = {"generated_at": "2027-01-01T00:00:00Z", "hash": "0123456789ab"}.get(field, "other")
    change: dict[str, Any] = {field: value}
    return replace(boundary(entry), **change)


class Ledgers(RuleBasedStateMachine):
    """A ledger that is appended to for a while, beside the plainest model of it."""

    def __init__(self) -> None:
        super().__init__()
        self.text = b"topic: bees\n"
        self.awaiting: list[str] = []
        self.consumed: dict[str, str] = {}

    def _append(self, entry: Entry) -> None:
        self.text = appended(read(self.text), entry, events)

    @rule(new=BOUNDARIES)
    def emit(self, new: Boundary) -> None:
        new = seal(read(self.text).entries, new)
        self._append(new)
        self.awaiting.insert(0, new.hash)

    @rule(data=st.data(), session=st.sampled_from(["a", "b", "c"]))
    def consume(self, data: st.DataObject, session: str) -> None:
        if not self.awaiting:
            return
        hash_ = data.draw(st.sampled_from(self.awaiting))
        found = ledger.checked(read(self.text), hash_).find(hash_, "p.yaml")
        self._append(Resume(found.boundary.hash, "2026-04-23T15:00:00Z", session))
        self.awaiting.remove(hash_)
        self.consumed[hash_] = session

    @rule(data=st.data())
    def consume_again(self, data: st.DataObject) -> None:
        if not self.consumed:
            return
        hash_ = data.draw(st.sampled_from(sorted(self.consumed)))
        with pytest.raises(BatonError, match=f'by session "{self.consumed[hash_]}"') as caught:
            ledger.checked(read(self.text), hash_).find(hash_, "p.yaml")
        assert caught.value.code == "already-resumed"

    @invariant()
    def the_model_agrees(self) -> None:
        found = read(self.text)
        assert ledger.first_problem(found) is None
        awaiting = ledger.checked(found).awaiting()
        assert [one.boundary.hash for one in awaiting] == self.awaiting
        assert [one.superseded for one in awaiting] == [n > 0 for n in range(len(awaiting))]


TestLedgers = Ledgers.TestCase
TestLedgers.settings = settings(max_examples=20, stateful_step_count=12)
