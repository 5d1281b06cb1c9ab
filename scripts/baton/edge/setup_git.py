"""What `baton setup` asks of git: which state files it tracks, and no longer to track them."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from baton.core.errors import BatonError
from baton.edge import git
from baton.hot.git.speaker import Failed, Git, Stuck
from baton.hot.project import Project

_SECONDS = 30.0
_CAP = 64 << 20


def tracked(project: Project, paths: Sequence[str]) -> list[str]:
    """Give the files under the project's paths that git tracks, by their names in the project.

    Raises git-failed.
    """
    done = git.read(project.root, "ls-files", "-z", "--", *map(_literally, paths), cap=_CAP)
    if done.exit != 0:
        raise git.failed("ls-files", done, "nothing was written")
    return [os.fsdecode(name) for name in done.output.split(b"\0") if name]


def untrack(project: Project, paths: Sequence[str]) -> None:
    """Take what is under the paths out of the index; it stays on disk. Raises git-failed.

    Nothing that the repository names is run for it.
    """
    names = b"".join(os.fsencode(name) + b"\0" for name in tracked(project, paths))
    command = ("-c", "core.fsmonitor=false", "update-index", "-z", "--force-remove", "--stdin")
    env = _without_filters(project)
    try:
        with Git(project.root, time.monotonic() + _SECONDS) as speaker:
            speaker.run(*command, data=names, env=env)
    except (Failed, Stuck) as error:
        said = str(error) or "git update-index: no answer in time"
        raise BatonError(
            "git-failed", f"{said}; all else is set up", "the same command again"
        ) from error


def _without_filters(project: Project) -> dict[str, str]:
    """Give the environment in which no filter is set.

    Whoever writes an index compares files as young as the old one with it, through their filters.
    """
    keys = git.filters(project.root, ("system", "global", "local", "worktree"))
    env = {"GIT_CONFIG_COUNT": str(len(keys))}
    for number, key in enumerate(keys):
        env[f"GIT_CONFIG_KEY_{number}"] = key
        env[f"GIT_CONFIG_VALUE_{number}"] = "false" if key.endswith("required") else ""
    return env


def _literally(path: str) -> str:
    return f":(literal){path}"
