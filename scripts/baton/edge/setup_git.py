"""What `baton setup` asks of git: which state files it tracks, and no longer to track them."""

from __future__ import annotations

import os
from collections.abc import Sequence

from baton.edge import git, process
from baton.hot.git.speaker import environment
from baton.hot.project import Project

_SECONDS = 30.0
_QUIET = ("-c", f"core.hooksPath={os.devnull}", "-c", "core.fsmonitor=false")


def tracked(project: Project, paths: Sequence[str]) -> list[str]:
    """Give the files under the project's paths that git tracks, by their names in the project.

    Raises git-failed.
    """
    done = git.read(project.root, "ls-files", "-z", "--", *map(_literally, paths))
    if done.exit != 0:
        raise git.failed("ls-files", done, "nothing was written")
    return [os.fsdecode(name) for name in done.output.split(b"\0") if name]


def untrack(project: Project, paths: Sequence[str]) -> None:
    """Take what is under the paths out of the index; it stays on disk. Raises git-failed."""
    words = ["rm", "-r", "--cached", "--force", "--quiet", "--ignore-unmatch", "--"]
    argv = ["git", *_QUIET, *words, *map(_literally, paths)]
    done = process.run(argv, cwd=project.root, env=environment(), timeout=_SECONDS)
    if done.exit != 0:
        raise git.failed("rm", done, "all else is set up", "the same command again")


def _literally(path: str) -> str:
    return f":(literal){path}"
