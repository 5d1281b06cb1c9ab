"""Which pipelines are bound to a passport, as their logs have it.

Light: most passports belong to no pipeline, and their commands do not load what one needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from baton.cli.context import Context, warn
from baton.core.errors import BatonError
from baton.edge.pipeline.place import names

if TYPE_CHECKING:
    from baton.core.pipeline.state import Pipeline
    from baton.edge.pipeline.log_file import LogFile


class Bound(NamedTuple):
    """A pipeline by its name, where it stands, and its log."""

    name: str
    pipeline: Pipeline
    log: LogFile


def all_logs(context: Context, session: str = "") -> list[LogFile]:
    """Give the logs of the project's pipelines, by name. Raises `io`."""
    wait = float(context.config.lock_wait)
    try:
        found = names(context.project)
    except OSError as error:
        message = f"the pipelines cannot be listed: {error.strerror}; nothing was done"
        raise BatonError("io", message, "ls -ld .claude/pipelines") from error
    if not found:
        return []
    from baton.edge.pipeline.log_file import LogFile

    return [LogFile(name, context.project, session, wait, warn) for name in found]


def bound(context: Context, passport: str, session: str = "") -> list[Bound]:
    """Give the pipelines that are bound to a passport. passport: its name in the project.

    Raises `log-broken`, `io`: whose log cannot be read may be bound to it.
    """
    found = []
    for file in all_logs(context, session):
        pipeline = file.read().pipeline
        if pipeline is not None and pipeline.passport == passport:
            found.append(Bound(file.name, pipeline, file))
    return found


def working(context: Context, passport: str, session: str = "") -> Bound | None:
    """Give the pipeline that hands over in that passport and is not over, None without one."""
    found = newest(context, passport, session)
    return found if found and not found.pipeline.over else None


def newest(context: Context, passport: str, session: str = "") -> Bound | None:
    """Give the pipeline that hands over in that passport, the one at work or else the one that was
    started last; None without one."""
    handing = [each for each in bound(context, passport, session) if each.pipeline.reset]
    return max(handing, key=_newness, default=None)


def _newness(each: Bound) -> tuple[bool, str]:
    return not each.pipeline.over, each.pipeline.started
