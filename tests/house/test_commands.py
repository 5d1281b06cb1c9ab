"""The commands that a person types: each may use what it needs of baton, and no more."""

from __future__ import annotations

import re

import pytest

from baton.cli.app import GROUPS
from support import ROOT

ALLOWED = {
    "close": {"close", "wal"},
    "pause": {"pause", "run", "wal"},
    "resume_from_passport": {"passport"},
    "tiep": {"passport", "run", "tiep", "wal"},
}
COMMANDS = sorted((ROOT / "commands").glob("*.md"))


@pytest.mark.parametrize("name", ALLOWED)
def test_what_a_command_allows(name: str) -> None:
    """A group that changes settings or history is never allowed on the way to something else."""
    head = (ROOT / f"commands/{name}.md").read_text(encoding="utf-8").split("---")[1]
    assert re.search(rf"^name: {name}$", head, re.M)
    [tools] = re.findall(r"^allowed-tools: (.*)$", head, re.M)
    rules = [rule for rule in tools.split(", ") if rule.startswith("Bash(baton")]
    assert set(rules) == {f"Bash(baton {group}:*)" for group in ALLOWED[name]}
    assert ALLOWED[name] <= set(GROUPS)


def test_every_command_is_in_the_table() -> None:
    assert [file.stem for file in COMMANDS] == sorted(ALLOWED)
