"""The rules as a flowchart."""

from __future__ import annotations

import re

from baton.core.pipeline import graph, tables
from pipelines import course

EDGE = re.compile(r'^    (\w+) (?:-->|-\.->)(?:\|"[^"|]*"\|)? (\w+)$')


def test_every_line_is_mermaid() -> None:
    first, *rest = graph.mermaid().split("\n")
    assert first == "flowchart TD"
    for line in rest:
        node = re.fullmatch(r'    \w+(\["[^"]*"\]|\(\["[^"]*"\]\))', line)
        assert node or EDGE.match(line) or line.startswith(("    classDef ", "    class ")), line


def test_every_transition_is_drawn() -> None:
    drawn = {match.groups() for line in graph.mermaid().split("\n") if (match := EDGE.match(line))}
    for move in tables.NORMAL:
        if move.to != tables.CHECKPOINT:
            frm = graph._id(move.after or move.frm)
            assert (frm, graph._id(move.to)) in drawn, move.name
    assert {("S3", "S2"), ("S3", "ABORT"), ("S2_5", "S2_5"), ("S5", "END"), ("S3p", "S4p")} <= drawn


def test_what_is_prohibited_is_not() -> None:
    drawn = {match.groups() for line in graph.mermaid().split("\n") if (match := EDGE.match(line))}
    for row in tables.PROHIBITED[:-1]:
        assert (graph._id(row.frm), graph._id(row.to)) not in drawn


def test_where_a_pipeline_stands() -> None:
    found = course("2.5")
    found.check("fail", 1)
    lines = graph.mermaid(found.pipeline).split("\n")
    assert "    class S1 done" in lines
    assert "    class S2_5 blocked" in lines
    assert "    class S3 " not in "\n".join(lines)
