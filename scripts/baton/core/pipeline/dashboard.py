"""The dashboard: where a pipeline stands on one screen of 80×24, and the same as data for scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from baton.core.passport.modes import MODES, STAGES
from baton.core.pipeline import checkpoints, guards, materials, routes, tables
from baton.core.pipeline import state as states
from baton.core.pipeline.asking import Ask, Facts
from baton.core.pipeline.moves import Legal
from baton.core.pipeline.state import Checkpoint, Pipeline, Stage
from baton.hot import clean

COLUMNS, ROWS = 80, 24
_LABEL = 12
_SIGNS = {
    states.PENDING: "·",
    states.IN_PROGRESS: "▸",
    states.COMPLETED: "✓",
    states.SKIPPED: "–",
    states.BLOCKED: "✗",
}
_MOST = {"materials": 3, "missing": 2, "limits": 2}
"""How many lines a part may have, where it is not one. With the head, the stages, one line of each other
part and two of what comes next these are as many as a screen has."""


def text(
    name: str,
    pipeline: Pipeline,
    facts: Facts,
    legal: Sequence[Legal],
    notes: Sequence[str] = (),
) -> str:
    """Give the dashboard: never wider than 80 columns, never longer than 24 lines."""
    rows = [_head(name, pipeline, facts), *(_stage(pipeline, each, facts) for each in tables.ORDER)]
    parts: dict[str, list[str]] = {
        "checkpoint": _checkpoint(pipeline),
        "because": [pipeline.reason] if pipeline.reason else [],
        "blocks": _blocks(pipeline, facts),
        "materials": _materials(pipeline),
        "missing": [_gap(gap) for gap in missing(pipeline, facts)],
        "changed": _changed(pipeline, facts),
        "limits": [clean.quoted(each, 64) for each in pipeline.limitations],
        "note": list(notes),
    }
    for label, lines in parts.items():
        rows += _part(label, lines, _MOST.get(label, 1))
    rows += _part("next", [_legal(each) for each in legal], max(1, ROWS - len(rows)))
    return "\n".join(row.rstrip() for row in rows)


def _part(label: str, lines: Sequence[str], most: int) -> list[str]:
    """Lines behind their label, the last one a count of those for which there is no room."""
    if len(lines) > most:
        shown = max(1, most - 1)
        more = f"and {len(lines) - shown} more: baton pipeline status --json"
        lines = [*lines[:shown], more] if most > 1 else [f"{lines[0]}; {more}"]
    labels = [label, *[""] * len(lines)]
    return [
        f"{label:{_LABEL}}{clean.fit(line, COLUMNS - _LABEL)}"
        for label, line in zip(labels, lines, strict=False)
    ]


def _head(name: str, pipeline: Pipeline, facts: Facts) -> str:
    mode = f"mode {pipeline.mode}" if pipeline.mode else ""
    passport = clean.line(pipeline.passport or "", 40) if pipeline.reset else ""
    unverified = states.UNVERIFIED if pipeline.unverified else ""
    parts = [f"pipeline {name}", pipeline.now.replace("_", " "), unverified, mode, passport]
    return clean.fit(" · ".join(filter(None, parts)), COLUMNS)


def _stage(pipeline: Pipeline, name: str, facts: Facts) -> str:
    stage = shown(pipeline, name, facts)
    label = f"{_SIGNS[stage.state]} {name:4}{STAGES[name]:16}{_state(pipeline, name, stage):15}"
    row = f"{label}{clean.fit(stage.version, 12):13}{_notes(name, stage)}"
    return clean.fit(row, COLUMNS)


def _state(pipeline: Pipeline, name: str, stage: Stage) -> str:
    if stage.state != states.PENDING:
        return stage.state.replace("_", " ")
    begun = [each for each in tables.ORDER if pipeline.stages[each].attempt]
    first = min([pipeline.entry, *begun], key=tables.ORDER.index)
    before = tables.ORDER.index(name) < tables.ORDER.index(first)
    return "not part of it" if before else stage.state


def shown(pipeline: Pipeline, name: str, facts: Facts) -> Stage:
    """Give a stage as it must be shown: blocked and STALE where what passed has changed since."""
    stage = pipeline.stages[name]
    if name != pipeline.current or not guards.is_void(pipeline, facts):
        return stage
    found = pipeline.with_stage(name, state=states.BLOCKED, verdict=states.STALE)
    return found.stages[name]


def _notes(name: str, stage: Stage) -> str:
    failed = stage.state == states.BLOCKED and stage.verdict != states.STALE
    rounds = f"round {min(stage.rounds, tables.CORRECTIONS)}/{tables.CORRECTIONS}"
    issues = f"{stage.issues} issue(s)" if failed and stage.issues is not None else ""
    parts = [
        "STALLED" if stage.stalled else "",
        "FAIL" if failed else stage.verdict,
        rounds if stage.checks > 1 else "",
        issues,
        stage.decision,
        stage.mode if stage.mode and len(MODES[name]) > 1 else "",
        f"attempt {stage.attempt}" if stage.attempt > 1 else "",
    ]
    return ", ".join(filter(None, parts))


def _checkpoint(pipeline: Pipeline) -> list[str]:
    point = pipeline.checkpoint
    if point is None:
        return []
    parts = [
        f"{point.level}{', MANDATORY' if point.mandatory else ''}",
        "confirmed" if point.confirmed else "",
        f"hand-over {point.hash}{' (taken)' if point.taken else ''}" if point.hash else "",
    ]
    asks = checkpoints.options(pipeline, point.stage)
    question = checkpoints.question(pipeline, point.stage) if asks else ""
    return [" · ".join(filter(None, [*parts, question]))]


def _blocks(pipeline: Pipeline, facts: Facts) -> list[str]:
    if not guards.is_void(pipeline, facts):
        return []
    draft = pipeline.stage.draft
    path = clean.line(draft.path, 40) if draft else ""
    return [f"{path} changed since it passed: check it again"]


def _materials(pipeline: Pipeline) -> list[str]:
    made = [
        f"{name}{f' ({len(recorded)})' if len(recorded) > 1 else ''}"
        for name, recorded in pipeline.materials.items()
    ]
    lines: list[str] = []
    for each in made:
        if lines and len(lines[-1]) + len(each) + 2 <= COLUMNS - _LABEL:
            lines[-1] += f", {each}"
        else:
            lines.append(each)
    return lines


def missing(pipeline: Pipeline, facts: Facts) -> list[materials.Gap]:
    """Give what the next step wants and does not have yet, what it requires first. While a review has not
    decided that is what a revision would want."""
    if pipeline.over:
        return []
    presumed = tables.MAJOR if pipeline.current in tables.REVIEWS else ""
    ask = Ask("confirm") if pipeline.checkpoint else Ask("decide", presumed)
    gaps = materials.gaps(pipeline, routes.wants(pipeline, ask), facts)
    return sorted(gaps, key=lambda gap: not gap.required)


def wanted(pipeline: Pipeline, facts: Facts) -> list[str]:
    """Give what the next step requires and does not have yet, in one line; [] when it has all."""
    required = [gap for gap in missing(pipeline, facts) if gap.required]
    return [f"wanted: {', '.join(_gap(gap) for gap in required)}"] if required else []


def _gap(gap: materials.Gap) -> str:
    counted = f" {gap.got}/{gap.wanted}" if gap.wanted > 1 else ""
    made = f" (stage {gap.made} makes it)" if gap.made else ""
    return f"{gap.name}{counted}{made}{'' if gap.required else ', recommended'}"


def _changed(pipeline: Pipeline, facts: Facts) -> list[str]:
    """One line for each file that is not what it was when it was recorded."""
    found: dict[tuple[str, bool], list[str]] = {}
    for material, path, gone in materials.stale(pipeline, facts):
        found.setdefault((path, gone), []).append(material)
    return [
        f"{clean.line(path, 40)} {'is gone' if gone else 'has changed'} ({', '.join(names)})"
        for (path, gone), names in found.items()
    ]


def _legal(each: Legal) -> str:
    person = " (a person)" if each.person else ""
    return f"{each.command}: {each.told}{person}"


def data(name: str, pipeline: Pipeline, facts: Facts, legal: Sequence[Legal]) -> dict[str, object]:
    """Give the dashboard as data (design page cli)."""
    stages = {each: _stage_data(shown(pipeline, each, facts)) for each in tables.ORDER}
    point = pipeline.checkpoint
    return {
        "name": name,
        "global": pipeline.now,
        "entry": pipeline.entry,
        "current": pipeline.current or None,
        "mode": pipeline.mode,
        "passport": pipeline.passport,
        "reset": pipeline.reset,
        "stages": stages,
        "checkpoint": _point_data(pipeline, point) if point else None,
        "legal": [_legal_data(each) for each in legal],
        "missing": [_gap_data(gap) for gap in missing(pipeline, facts)],
        "stale": [
            {"material": material, "path": path, "gone": gone}
            for material, path, gone in materials.stale(pipeline, facts)
        ],
        "materials": _files_data(pipeline),
        "limitations": list(pipeline.limitations),
        "at_risk": sorted(pipeline.risks),
        "unverified": list(pipeline.unverified),
        "format": pipeline.form or None,
        "reason": pipeline.reason or None,
    }


def _stage_data(stage: Stage) -> Mapping[str, object]:
    return {
        "state": stage.state,
        "version": stage.version or None,
        "rounds": stage.rounds,
        "attempt": stage.attempt,
        "mode": stage.mode,
        "verdict": stage.verdict or None,
        "issues": stage.issues,
        "decision": stage.decision or None,
        "stalled": stage.stalled,
        "begun": stage.begun or None,
        "ended": stage.ended or None,
    }


def _point_data(pipeline: Pipeline, point: Checkpoint) -> Mapping[str, object]:
    return {
        "stage": point.stage,
        "level": point.level,
        "mandatory": point.mandatory,
        "hash": point.hash,
        "taken": point.taken,
        "confirmed": point.confirmed,
        "to": point.to or None,
        "options": [
            {"value": each.value, "to": each.to, "told": each.told}
            for each in checkpoints.options(pipeline, point.stage)
        ],
    }


def _legal_data(each: Legal) -> Mapping[str, object]:
    return {
        "command": each.command,
        "to": each.to or None,
        "told": each.told,
        "person": each.person,
    }


def _gap_data(gap: materials.Gap) -> Mapping[str, object]:
    return {
        "name": gap.name,
        "stage": gap.made or None,
        "got": gap.got,
        "wanted": gap.wanted,
        "required": gap.required,
    }


def _files_data(pipeline: Pipeline) -> Mapping[str, object]:
    return {
        name: [{"path": file.path, "size": file.size, "digest": file.digest} for file in recorded]
        for name, recorded in pipeline.materials.items()
    }
