"""The pictures in docs/ and the script that draws them. That Claude Code itself shows the first is in
tests/e2e."""

from __future__ import annotations

import importlib.util
import re
from types import ModuleType
from xml.etree import ElementTree

import pytest

from baton.hot import chain as chains
from baton.hot import notice
from baton.hot.waiting import Waiting
from support import ROOT

PICTURE = ROOT / "docs/tiep.svg"
CHAIN = """\
# WAL
goal: Ship the parser

chain:
[x] grammar written — ls grammar.txt
[!] parser handles numbers — grep -c number parser.py
[ ] announce it

next: write NEWS.md
verify: sh prove.sh
"""


@pytest.fixture(scope="module")
def draw() -> ModuleType:
    """The script, as a module."""
    spec = importlib.util.spec_from_file_location("draw_screens", ROOT / "scripts/draw_screens.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _lines() -> list[str]:
    tree = ElementTree.fromstring(PICTURE.read_text(encoding="utf-8"))
    return ["".join(node.itertext()) for node in tree.iter() if node.tag.endswith("text")]


@pytest.mark.parametrize("name", ["tiep", "pipeline"])
def test_it_is_small_and_names_no_place_of_the_machine_that_drew_it(name: str) -> None:
    text = (ROOT / f"docs/{name}.svg").read_text(encoding="utf-8")
    assert len(text) < 100_000
    assert "script" not in text
    assert [
        place for place in ("/tmp", "/home", "/root", "/work", "baton-draw") if place in text
    ] == []


def test_it_shows_what_the_notice_says_today() -> None:
    waits = Waiting()
    waits.chain = chains.parse(CHAIN.encode())
    told = [*notice.for_start(waits, False, True).person.splitlines(),
            *notice.for_tiep(waits).person.splitlines()]  # fmt: skip
    shown = [line.removeprefix("⎿  ").partition(" says: ")[2] or line for line in _lines()]
    missing = [line for line in told if re.sub(r"\d\d:\d\d", "14:03", line) not in shown]
    assert missing == []


SCREENS = {
    "plain": ("a  b", '<text x="14" y="28" textLength="33.6">a  b</text>'),
    "indented, escaped": ("  <&", '<text x="30.8" y="28" textLength="16.8">&lt;&amp;</text>'),
    "bold, then not": (
        "\033[1ma\033[22mb",
        '<text x="14" y="28" textLength="8.4" font-weight="bold">a</text>\n'
        '<text x="22.4" y="28" textLength="8.4">b</text>',
    ),
    "every other way": (
        "\033[2;3;4ma\033[0m\033[23;24;27mb",
        '<text x="14" y="28" textLength="8.4" opacity="0.62" font-style="italic" '
        'text-decoration="underline">a</text>\n<text x="22.4" y="28" textLength="8.4">b</text>',
    ),
    "sixteen colours": (
        "\033[31ma\033[97mb\033[39mc",
        '<text x="14" y="28" textLength="8.4" fill="#e06c75">a</text>\n'
        '<text x="22.4" y="28" textLength="8.4" fill="#ffffff">b</text>\n'
        '<text x="30.8" y="28" textLength="8.4">c</text>',
    ),
    "256 colours, and all": (
        "\033[38;5;174ma\033[38;5;246mb\033[38;5;1mc\033[38;2;1;2;255md",
        '<text x="14" y="28" textLength="8.4" fill="#d78787">a</text>\n'
        '<text x="22.4" y="28" textLength="8.4" fill="#949494">b</text>\n'
        '<text x="30.8" y="28" textLength="8.4" fill="#e06c75">c</text>\n'
        '<text x="39.2" y="28" textLength="8.4" fill="#0102ff">d</text>',
    ),
    "behind": (
        "\033[48;5;16ma\033[101m \033[49mb",
        '<rect x="14" y="14" width="8.4" height="18" fill="#000000"/>\n'
        '<rect x="22.4" y="14" width="8.4" height="18" fill="#f08c95"/>\n'
        '<text x="14" y="28" textLength="8.4">a</text>\n'
        '<text x="30.8" y="28" textLength="8.4">b</text>',
    ),
    "the cursor": (
        "\033[7ma",
        '<rect x="14" y="14" width="8.4" height="18" fill="#d6d6d0"/>\n'
        '<text x="14" y="28" textLength="8.4" fill="#1b1d21">a</text>',
    ),
    "wide signs": ("漢a", '<text x="14" y="28" textLength="25.2">漢a</text>'),
    "nothing": ("", ""),
}


@pytest.mark.parametrize(("screen", "rows"), SCREENS.values(), ids=SCREENS)
def test_a_screen_becomes_a_picture(screen: str, rows: str, draw: ModuleType) -> None:
    drawn = draw.svg(screen)
    ElementTree.fromstring(drawn)
    inside = drawn.partition('xml:space="preserve">\n')[2].partition("</g>")[0].rstrip("\n")
    assert inside == rows


def test_what_is_otherwise_each_time_is_made_steady(draw: ModuleType) -> None:
    told = (
        "at 09:41\n\n\n\033[1m✻ Mulled for 12s\033[0m\n  ⏸ manual mode on · x\n"
        "updated: 2031-01-02T03:04:05+07:00 | session: 0a1b2c |\n\n"
    )
    assert draw.steady(told) == (
        "at 14:03\n\nupdated: 2026-07-11T14:03:22+07:00 | session: 4f1c2a |"
    )


def test_the_dashboard_is_what_status_prints(draw: ModuleType) -> None:
    drawn = draw.svg(draw.steady(draw.dashboard()), draw.PICTURES[draw.PIPELINE][1])
    assert (ROOT / "docs/pipeline.svg").read_text(encoding="utf-8") == drawn
