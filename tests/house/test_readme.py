"""README ↔ command line: what it tells a stranger to type exists, and nothing that exists is kept from
them."""

from __future__ import annotations

import argparse
import json
import re

import pytest

from baton.cli import app
from baton.cli.usage import commands_of
from baton.core.pipeline import graph
from baton.hot import config
from support import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
_BLOCKS = re.findall(r"^```(?:sh)?\n(.*?)^```$", README, re.M | re.S)
_SPANS = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", README, flags=re.M | re.S))
_TYPED = re.compile(r"(?:^|(?<=[!/ ]))baton ([a-z]+)(?: ([a-z]+))?([^`\n]*)", re.M)
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def _options(parser: argparse.ArgumentParser) -> set[str]:
    found = {option for action in parser._actions for option in action.option_strings}
    return found.union(*map(_options, commands_of(parser).values()))


PARSERS = {group: commands_of(app._parser(group))[group] for group in app.GROUPS}
# Two commands on one line of a block stand apart.
LINES = [part for text in [*_BLOCKS, *_SPANS] for part in re.split(r"\s{4,}|\n", text)]
TYPED = [found for line in LINES for found in _TYPED.findall(line)]


@pytest.mark.parametrize(("group", "command", "rest"), TYPED)
def test_what_it_types_exists(group: str, command: str, rest: str) -> None:
    parser = PARSERS[group]
    if command and commands_of(parser):
        assert command in commands_of(parser)
    assert set(_OPTION.findall(rest)) <= _options(parser) | {"--project", "--help"}


def test_it_was_read() -> None:
    assert len(TYPED) > 30
    assert ("setup", "", " --persist ref") in TYPED


@pytest.mark.parametrize("group", app.GROUPS)
def test_every_command_is_named(group: str) -> None:
    told = " ".join(line for line in LINES if f"baton {group}" in line)
    assert told
    missing = [name for name in commands_of(PARSERS[group]) if not re.search(rf"\b{name}\b", told)]
    assert missing == []


def test_every_setting_is_named() -> None:
    section = README.partition("\n## Settings\n")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.M)) == {
        "paths",
        *config._CHOICES,
        *config._SECONDS,
    }


def test_links_on_the_page_lead_somewhere() -> None:
    headings = re.findall(r"^##+ (.+)$", README, re.M)
    anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    links = set(re.findall(r"\]\(#([^)]+)\)", README))
    assert len(links) > 5
    assert links <= anchors


def test_it_says_which_claude_code_is_needed() -> None:
    manifest = json.loads((ROOT / ".claude-plugin/plugin.json").read_text(encoding="utf-8"))
    version = manifest["engines"]["claude-code"].removeprefix(">=")
    assert f"Claude Code {version} or newer" in README


def test_the_pipelines_rules_are_drawn_from_its_tables() -> None:
    assert f"```mermaid\n{graph.mermaid()}\n```" in README
