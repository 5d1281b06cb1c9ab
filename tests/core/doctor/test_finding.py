"""baton.core.doctor.finding: how the findings are told."""

from __future__ import annotations

from baton.core.doctor import finding
from baton.core.doctor.finding import Finding, editing, ok, unknown, wrong

FOUND = [
    ok("git", "git 2.39.5"),
    unknown("cloud", "nobody knows"),
    wrong("chain", "broken\x1b[2J\nin two", "baton wal check"),
    unknown("hooks", "not read", "ls -l x"),
]


def test_for_a_person_what_is_wrong_comes_last() -> None:
    assert finding.text(FOUND, {}) == (
        "1 ok, 1 wrong, 2 that could not be checked\n"
        "\n"
        "ok              git: git 2.39.5\n"
        "\n"
        "could not check cloud: nobody knows\n"
        "could not check hooks: not read\n"
        "                fix: ls -l x\n"
        "\n"
        "wrong           chain: broken\ufffd[2J in two\n"
        "                fix: baton wal check"
    )


def test_in_colour() -> None:
    told = finding.text(FOUND[:1], {finding.OK: "<{}>"})
    assert told == "1 ok, 0 wrong, 0 that could not be checked\n\n<ok             > git: git 2.39.5"


def test_for_scripts() -> None:
    row = {
        "check": "chain",
        "state": "wrong",
        "message": "broken\ufffd[2J in two",
        "fix": "baton wal check",
    }
    assert finding.data(FOUND[2:3]) == {"ok": False, "checks": [row]}
    assert finding.data(FOUND[:1])["ok"] is True


def test_a_long_message_is_cut_and_a_fix_never() -> None:
    told = finding.text([Finding("x", finding.WRONG, "m" * 500, "f" * 500)], {})
    assert "m" * 399 + "…" in told
    assert "f" * 500 in told


def test_a_fix_that_cannot_be_shown_as_it_is_is_not_shown() -> None:
    found = [wrong("x", "m", f"rm 'a{sign}b'") for sign in "\n\x1b\u202e\udcff"]
    assert "fix" not in finding.text(found, {})
    assert finding.data(found)["checks"] == [
        {"check": "x", "state": "wrong", "message": "m", "fix": ""}
    ] * len(found)


def test_editing() -> None:
    assert editing("/a b/c.json") == "\"${EDITOR:-vi}\" '/a b/c.json'"
