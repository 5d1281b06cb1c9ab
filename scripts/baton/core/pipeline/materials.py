"""Which materials a stage wants, and which of them are missing (the material matrix)."""

from __future__ import annotations

from dataclasses import dataclass

from baton.core.pipeline import tables
from baton.core.pipeline.asking import Facts
from baton.core.pipeline.state import PENDING, SKIPPED, Pipeline
from baton.core.pipeline.tables import REQUIRED, Material


@dataclass(frozen=True, slots=True)
class Gap:
    """A material that is missing. made: the stage that makes it, "" for what a person brings along.
    got, wanted: how many files. required: whether nothing goes on without. integrity: not even at a
    person's risk."""

    name: str
    made: str
    got: int
    wanted: int
    required: bool
    integrity: bool


def gaps(pipeline: Pipeline, to: str, facts: Facts) -> list[Gap]:
    """Give what the stage `to` (or END) wants and does not have, at nobody's risk yet."""
    if not pipeline.current:
        return _entry_gaps(pipeline, facts)
    found = [
        Gap(
            row.name,
            row.made,
            there(pipeline, row.name, facts),
            row.count,
            row.need == REQUIRED,
            row.integrity,
        )
        for row in tables.MATERIALS
        if row.used == to and _counts(pipeline, row)
    ]
    return [gap for gap in found if gap.got < gap.wanted and gap.name not in pipeline.risks]


def there(pipeline: Pipeline, name: str, facts: Facts) -> int:
    """Give how many different files of a material are recorded and have not vanished; what says the same
    twice is one."""
    recorded = pipeline.materials.get(name, ())
    return len({file.digest for file in recorded if not facts.gone(file)})


def _counts(pipeline: Pipeline, row: Material) -> bool:
    """Whether a row holds on this way: a check makes its own materials, and what a stage makes that did
    not run is wanted of nobody."""
    stage = pipeline.stages[row.made]
    if row.integrity:
        return not stage.checks
    return not row.executed or stage.state not in (PENDING, SKIPPED)


def _entry_gaps(pipeline: Pipeline, facts: Facts) -> list[Gap]:
    return [
        Gap(" or ".join(group), "", 0, 1, True, any(tables.BY_NAME[n].integrity for n in group))
        for group in tables.ENTRIES[pipeline.entry]
        if not any(there(pipeline, name, facts) for name in group)
    ]


def stale(pipeline: Pipeline, facts: Facts) -> list[tuple[str, str, bool]]:
    """Give the recorded files that are not what they were: material, path, whether it is gone."""
    return [
        (name, file.path, facts.gone(file))
        for name, files in pipeline.materials.items()
        for file in files
        if facts.changed(file)
    ]
