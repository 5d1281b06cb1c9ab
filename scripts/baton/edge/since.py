"""What happened in the project after the chain was last written.

The ground truth that no note mentions.
"""

from __future__ import annotations

import datetime
import os

from baton.edge import git
from baton.hot import clean
from baton.hot.config import Config
from baton.hot.project import CHAIN, OWN, Project

_MOST = 6


def happened(project: Project, config: Config, moment: datetime.datetime) -> list[str]:
    """Give a line or two about commits and changed files later than `moment`; [] outside git."""
    if project.checkout is None:
        return []
    return [*_commits(project, moment), *_files(project, config, moment)]


def _commits(project: Project, moment: datetime.datetime) -> list[str]:
    after = f"--since={int(moment.timestamp()) + 1}"
    done = git.read(project.root, "log", "-50", after, "--format=%h %s", "HEAD", "--")
    if done.exit != 0:
        return []
    lines = [
        line
        for line in done.output.decode("utf-8", "replace").split("\n")
        if line and not line.partition(" ")[2].startswith(OWN)
    ]
    return _listed("commit", [clean.quoted(line, 70) for line in lines])


def _files(project: Project, config: Config, moment: datetime.datetime) -> list[str]:
    done = git.read(
        project.root,
        "status",
        "--porcelain=v1",
        "-z",
        "--no-renames",
        "--untracked-files=normal",
        "--",
        ".",
    )
    if done.exit != 0:
        return [f"files could not be looked at: {git.failed('status', done).message}"]
    rows = [row for row in done.output.split(b"\0") if row]
    names = [project.from_git(os.fsdecode(row[3:])) for row in rows]
    newer = [
        name
        for name in names
        if not _is_state(name, config) and _changed(project.path(name), moment)
    ]
    return _listed("changed file", [clean.quoted(name, 60) for name in newer])


def _is_state(name: str, config: Config) -> bool:
    """Whether a name is a state file's, or that of an untracked folder that git names for one."""
    stem = name.rstrip("/")
    paths = [path.rstrip("/") for path in config.paths]
    inside = any(path == stem or stem.startswith(path + "/") for path in paths)
    return inside or any(path.startswith(stem + "/") for path in paths) or stem.startswith(CHAIN)


def _changed(path: str, moment: datetime.datetime) -> bool:
    try:
        return os.lstat(path).st_mtime > moment.timestamp() + 1
    except OSError:
        # Gone: when, nobody can tell, so it is worth a look.
        return True


def _listed(what: str, rows: list[str]) -> list[str]:
    more = [f"and {len(rows) - _MOST} more"] if len(rows) > _MOST else []
    plural = "s" if len(rows) > 1 else ""
    return [f"{len(rows)} {what}{plural}: " + ", ".join(rows[:_MOST] + more)] if rows else []
