"""baton.edge.passport.undo: what a file is that an undo record lies beside."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.edge.passport import undo as undos
from baton.edge.passport.undo import FOREIGN, TORN, UNTOUCHED, Undo

BEFORE = b"a: 1\nledger:\n  - one\nb: 2\n"
AFTER = b"a: 1\nledger:\n  - one\n  - two\nb: 2\n"
RECORD = Undo.between(BEFORE, AFTER, "session s")

FILES = [
    ("old", BEFORE, UNTOUCHED),
    ("new", AFTER, TORN),
    ("cut after the first new byte", AFTER[: RECORD.at + 1] + BEFORE[RECORD.at + 1 :], TORN),
    ("the new size, nothing written yet", BEFORE.ljust(len(AFTER), b"\0"), TORN),
    ("a block that never came", AFTER[:-4] + b"\0\0\0\0", TORN),
    ("one in the middle", AFTER[: RECORD.at] + b"\0\0" + AFTER[RECORD.at + 2 :], TORN),
    ("an editor's word more", BEFORE + b"c: 3\n", FOREIGN),
    ("a byte of neither", AFTER[:-2] + b"x\n", FOREIGN),
    ("edited before the place", b"A" + BEFORE[1:], FOREIGN),
    ("shorter than before", BEFORE[:-1], FOREIGN),
    ("longer than after", AFTER + b"\0", FOREIGN),
    ("cut before the place", BEFORE[:3], FOREIGN),
    ("empty", b"", FOREIGN),
]


@pytest.mark.parametrize(("data", "wanted"), [c[1:] for c in FILES], ids=[c[0] for c in FILES])
def test_judging_a_file(data: bytes, wanted: str) -> None:
    assert RECORD.judge(data) == wanted


@given(st.binary(max_size=40), st.binary(max_size=40), st.binary(max_size=40), st.text(max_size=9))
def test_a_record_comes_back_as_it_was_written(a: bytes, b: bytes, c: bytes, by: str) -> None:
    record = Undo.between(a + b, a + c, by)
    assert undos.parse(record.render()) == record
    assert (a + b)[: record.at] == (a + c)[: record.at]
    assert record.judge(a + b) == UNTOUCHED
    assert record.judge(a + c) == (UNTOUCHED if b == c else TORN)


@pytest.mark.parametrize("cut", range(len(RECORD.render())))
def test_half_a_record_was_never_finished(cut: int) -> None:
    assert undos.parse(RECORD.render()[:cut]) is None


@pytest.mark.parametrize(
    "body",
    [
        b"\n",
        b"\xff\xfe\n",
        b"[1]\n",
        b'{"at": 0}\n',
        b'{"at": "0", "prefix": "", "old": 0, "by": ""}\n',
        b'{"at": 0, "prefix": "", "old": null, "by": ""}\n',
    ],
)
def test_a_whole_record_in_a_form_that_is_not_known(body: bytes) -> None:
    with pytest.raises(undos.Strange):
        undos.parse(body + sha256(body).digest())


def test_a_record_lies_hidden_beside_its_passport() -> None:
    assert undos.path_for("/p/passports/a.yaml") == "/p/passports/.a.yaml.baton-undo"
