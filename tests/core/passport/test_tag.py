"""baton.core.passport.tag: printed once, found again in any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.core.errors import BatonError
from baton.core.passport.tag import Tag, announcement, checked_stage, found

TAG = Tag("aaefcfa5ad5e", "2", "2.5")
LAST = Tag("728078115253", "5", None)


def test_printed() -> None:
    assert str(TAG) == "[PASSPORT-RESET: hash=aaefcfa5ad5e, stage=2, next=2.5]"
    assert str(LAST) == "[PASSPORT-RESET: hash=728078115253, stage=5, next=null]"


def test_what_a_boundary_prints() -> None:
    assert announcement(TAG, "passports/my\x1b paper.yaml") == (
        "[PASSPORT-RESET: hash=aaefcfa5ad5e, stage=2, next=2.5]\n"
        "\n"
        "### Resume Instruction\n"
        "- Passport file: passports/my\ufffd paper.yaml\n"
        "- In a fresh Claude Code session: resume_from_passport=aaefcfa5ad5e\n"
        "- Only a fresh session saves the tokens: it reads the passport, not this conversation."
    )


# text → tags
TEXTS = {
    "nothing": ("no tag here", ()),
    "in a log": (f"12:00 <b>{TAG}</b>\r\nmore", (TAG,)),
    "two": (f"{TAG} and {LAST}", (TAG, LAST)),
    "one twice": (f"{TAG}\n{LAST}\n> {TAG}", (TAG, LAST)),
    "nested": (f"[[{TAG}]]", (TAG,)),
    "a prime": (
        "[PASSPORT-RESET: hash=aaefcfa5ad5e, stage=3', next=4']",
        (Tag("aaefcfa5ad5e", "3'", "4'"),),
    ),
    "upper case": ("[PASSPORT-RESET: hash=AAEFCFA5AD5E, stage=2, next=3]", ()),
    "eleven": ("[PASSPORT-RESET: hash=aaefcfa5ad5, stage=2, next=3]", ()),
    "thirteen": ("[PASSPORT-RESET: hash=aaefcfa5ad5e0, stage=2, next=3]", ()),
    "over two lines": ("[PASSPORT-RESET: hash=aaefcfa5ad5e, stage=2,\nnext=3]", ()),
    "no next": ("[PASSPORT-RESET: hash=aaefcfa5ad5e, stage=2]", ()),
    "a bracket within": ("[PASSPORT-RESET: hash=aaefcfa5ad5e, stage=2] x, next=3]", ()),
    "a bracket within next": (
        "[PASSPORT-RESET: hash=aaefcfa5ad5e, stage=2, next=3] x]",
        (Tag("aaefcfa5ad5e", "2", "3"),),
    ),
    "a comma within": ("[PASSPORT-RESET: hash=aaefcfa5ad5e, stage=2, x, next=3]", ()),
    "another word": ("[PASSPORT: hash=aaefcfa5ad5e, stage=2, next=3]", ()),
    "cut off, then whole": (f"[PASSPORT-RESET: hash={TAG}", (TAG,)),
}


@pytest.mark.parametrize("case", TEXTS)
def test_found(case: str) -> None:
    text, tags = TEXTS[case]
    assert found(text) == tags


@pytest.mark.parametrize(
    "stage", ["", "null", "a,b", "a]", "a\nb", "a\x1b", " a", "a ", "\ud83d", "a\u2028"]
)
def test_stages_that_no_tag_can_carry(stage: str) -> None:
    with pytest.raises(BatonError) as caught:
        checked_stage(stage, "--next")
    error = caught.value
    assert error.code == "usage"
    assert error.message.startswith(
        "--next must be a stage without `,`, `]`, line ends and blanks around it, and not the word null, got "
    )
    assert error.message.endswith("; nothing was written")
    assert error.hint == "baton passport boundary --help"


@given(st.text(), st.text(), st.text())
def test_whatever_a_stage_is_it_comes_back(stage: str, before: str, after: str) -> None:
    try:
        tag = Tag("aaefcfa5ad5e", checked_stage(stage, "--stage"), None)
    except BatonError:
        return
    assert tag in found(f"{before}\n{tag}{after}")
