"""The pipeline as a Mermaid flowchart, drawn from the tables."""

from __future__ import annotations

from collections.abc import Iterator

from baton.core.passport.modes import STAGES
from baton.core.pipeline import state as states
from baton.core.pipeline import tables
from baton.core.pipeline.state import Pipeline

_CLASSES = {
    states.IN_PROGRESS: "working",
    states.COMPLETED: "done",
    states.SKIPPED: "skipped",
    states.BLOCKED: "blocked",
}
_STYLES = (
    "classDef gate stroke-width:3px",
    "classDef working fill:#cfe8ff,color:#000",
    "classDef done fill:#d5f0d5,color:#000",
    "classDef skipped fill:#eeeeee,color:#000",
    "classDef blocked fill:#ffd9d9,color:#000",
)


def mermaid(pipeline: Pipeline | None = None) -> str:
    """Give the flowchart; with a pipeline its stages are coloured by where they stand."""
    lines = ["flowchart TD", *_nodes(), *_edges(), *_STYLES[: 5 if pipeline else 1]]
    lines.append(f"class {','.join(map(_id, tables.MANDATORY))} gate")
    if pipeline is not None:
        lines += [
            f"class {_id(name)} {_CLASSES[stage.state]}"
            for name, stage in pipeline.stages.items()
            if stage.state in _CLASSES
        ]
    return "\n    ".join(lines)


def _nodes() -> Iterator[str]:
    yield 'INIT(["begin"])'
    for stage, name in STAGES.items():
        yield f'{_id(stage)}["{stage} {name}"]'
    yield 'END(["final paper"])'
    yield 'ABORT(["aborted"])'


def _edges() -> Iterator[str]:
    for move in tables.NORMAL:
        if move.frm == tables.INIT:
            yield f"INIT -.-> {_id(move.to)}"
        elif move.to != tables.CHECKPOINT:
            label = "FAIL" if move.frm == move.to else " / ".join(move.when)
            yield _edge(move.after or move.frm, move.to, label)
    for choice in tables.CHOICES:
        if (choice.stage, choice.value) in _DRAWN:
            yield _edge(choice.stage, choice.to, choice.value)
    for skip in tables.SKIPS:
        yield _edge(skip.stage, skip.to, "skipped", "-.->")
    yield _edge("5", tables.END, "")


_DRAWN = (
    ("3", tables.RESTRUCTURE),
    ("3", tables.GIVE_UP),
    ("3'", tables.GIVE_UP),
    ("2.5", tables.UNVERIFIED),
    ("4.5", tables.UNVERIFIED),
)


def _edge(frm: str, to: str, label: str, arrow: str = "-->") -> str:
    told = f'|"{label}"|' if label else ""
    return f"{_id(frm)} {arrow}{told} {_id(to)}"


def _id(stage: str) -> str:
    return f"S{stage.replace('.', '_').replace(chr(39), 'p')}" if stage in STAGES else stage
