"""What is committed: modes, line ends, and words that have no business here."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from house.sources import MODULES, PACKAGE, tracked
from support import ROOT, git

EXECUTABLE = ("hooks/run", "bin/baton", "scripts/check", "scripts/mutate", ".ci/run")
BINARY = {".png"}

# Put together here, so that this file does not name them either.
OF_ONE_MACHINE = [
    "/" + "work/",
    "/" + "farm",
    "/" + "root/",
    "/tmp/" + "brief",
    "farm-" + "bench",
    "farm-" + "studio",
    "." + "library",
    "before-" + "stop",
    "DEVELOPERS" + ".md",
]
MOST_EXCLUSIONS = 15


def _name(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


TEXTS = [file for file in tracked() if file.suffix not in BINARY]


@pytest.mark.parametrize("name", EXECUTABLE)
def test_it_can_be_executed(name: str) -> None:
    assert os.access(ROOT / name, os.X_OK)
    assert git("ls-files", "--stage", name, cwd=ROOT).startswith("100755 ")


def test_shell_entry_points_are_for_any_sh() -> None:
    for name in ("hooks/run", "bin/baton", ".ci/run"):
        text = (ROOT / name).read_bytes()
        assert text.startswith(b"#!/bin/sh\n")
        assert b"\r" not in text


def test_carriage_returns_are_kept_out_of_what_a_shell_reads() -> None:
    names = ["hooks/run", "bin/baton", ".ci/run", "scripts/check", "scripts/mutate", "x.sh"]
    said = git("check-attr", "eol", "--", *names, cwd=ROOT).splitlines()
    assert said == [f"{name}: eol: lf" for name in names]


@pytest.mark.parametrize("file", TEXTS, ids=_name)
def test_it_speaks_of_the_project_alone(file: Path) -> None:
    text = file.read_text(encoding="utf-8", errors="replace")
    assert [word for word in OF_ONE_MACHINE if word in text] == []
    assert re.findall(r"\bissue #?\d+", text, re.IGNORECASE) == []


def test_nothing_generated_and_nothing_large_is_committed() -> None:
    unwanted = re.compile(r"(^|/)(__pycache__|node_modules|\.venv|\.coverage)|\.py[co]$|\.egg-info")
    assert [_name(file) for file in tracked() if unwanted.search(_name(file))] == []
    assert [_name(file) for file in tracked() if file.stat().st_size > 400_000] == []


def test_lines_left_out_of_coverage_are_few_and_say_why() -> None:
    marks = [
        (_name(file), mark.strip())
        for file in MODULES
        for mark in file.read_text(encoding="utf-8").split("# pragma: no cover")[1:]
    ]
    assert len(marks) <= MOST_EXCLUSIONS
    assert [(name, mark[:40]) for name, mark in marks if not mark.startswith("- ")] == []


# ---- the way back has one name ----

COMMANDS = {file.stem for file in (ROOT / "commands").glob("*.md")}
OF_CLAUDE_CODE = {"plugin", "clear", "compact", "exit", "reload-plugins", "workflows"}
PRODUCT = [
    *sorted((ROOT / "commands").glob("*.md")),
    ROOT / "README.md",
    *MODULES,
]
SLASH = re.compile(r"(?<![\w./~<>$}\\-])/(?:baton:)?([a-z][a-z_-]{2,})(?![\w/.])")
FILES = {"dev", "etc", "tmp", "usr", "bin", "proc", "null"}
WAY_BACK = re.compile(r"(?:type|with|run|say) `?/(\w+)`? (?:to|and) (?:go on|continue|resume)")
NO_WAY_BACK = re.compile(r"(?<![\w.}])/(?:resume|continue|recover|restore|unpause|handoff)\b(?!_)")


@pytest.mark.parametrize("file", PRODUCT, ids=_name)
def test_a_slash_command_that_is_named_exists(file: Path) -> None:
    named = set(SLASH.findall(file.read_text(encoding="utf-8")))
    assert named - COMMANDS - OF_CLAUDE_CODE - FILES == set()


@pytest.mark.parametrize("file", PRODUCT, ids=_name)
def test_every_pointer_to_recovery_names_tiep(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert set(WAY_BACK.findall(text)) <= {"tiep"}
    assert NO_WAY_BACK.findall(text) == []


def test_tiep_is_named_where_work_waits() -> None:
    for name in ("commands/pause.md", "README.md"):
        assert "/tiep" in (ROOT / name).read_text(encoding="utf-8")
    notice = PACKAGE / "hot/notice.py"
    assert "/tiep" in notice.read_text(encoding="utf-8")
