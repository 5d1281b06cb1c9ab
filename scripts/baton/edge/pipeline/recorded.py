"""Files as a pipeline records them, and what has become of those that it did record."""

from __future__ import annotations

import hashlib
import os

from baton.core.errors import BatonError, typed, way_out
from baton.core.pipeline.asking import Facts
from baton.core.pipeline.event import File
from baton.core.pipeline.state import Pipeline
from baton.edge.passport.place import working_folder
from baton.hot import files
from baton.hot.project import Project

_CHUNK = 1 << 20


def record(project: Project, path: str, option: str) -> File:
    """Give a file as it is now, for the log. path: as typed, in the working folder or from the
    project's root. option: what it was given for.

    Raises `bad-path` for one outside the project, that is no regular file, or that cannot be read;
    `missing-material` for one that is empty or not there.
    """
    _require_text(path, option)
    root = project.root.rstrip(os.sep) + os.sep
    whole = _whole(path, project.root, root)
    if not whole.startswith(root):
        message = f"{option} {path}: outside the project {project.root}; nothing was recorded"
        raise BatonError("bad-path", message, f"cp {typed(path)} {typed(project.root)}")
    try:
        size, digest = _measured(whole)
    except FileNotFoundError:
        message = f"{option} {path}: there is no such file; nothing was recorded"
        raise BatonError("missing-material", message, f"ls -l {typed(path)}") from None
    except OSError as error:
        message = f"{option} {path}: {error.strerror}; nothing was recorded"
        raise BatonError("bad-path", message, way_out(error, f"ls -ld {typed(path)}")) from error
    if not size:
        message = f"{option} {path}: the file is empty; nothing was recorded"
        raise BatonError("missing-material", message, f"ls -l {typed(path)}")
    return File(whole.removeprefix(root).replace(os.sep, "/"), size, digest)


def _whole(path: str, top: str, root: str) -> str:
    """The file that is meant, links resolved: one in the project before one outside."""
    offered = [os.path.realpath(os.path.join(start, path)) for start in (working_folder(), top)]
    offered.sort(key=lambda each: not each.startswith(root))
    return next(filter(os.path.isfile, offered), offered[0])


def _require_text(path: str, option: str) -> None:
    try:
        path.encode()
    except UnicodeEncodeError:
        message = f"{option}: its name is not UTF-8 text; nothing was recorded"
        raise BatonError("bad-path", message, "mv FILE draft.md") from None


def facts(project: Project, pipeline: Pipeline | None) -> Facts:
    """Give what the recorded files are now; one that cannot be read counts as gone."""
    if pipeline is None:
        return Facts()
    recorded = [file for made in pipeline.materials.values() for file in made]
    recorded += [stage.draft for stage in pipeline.stages.values() if stage.draft]
    paths = {file.path for file in recorded}
    return Facts({path: _digest(project.path(path)) for path in paths})


def _digest(path: str) -> str | None:
    try:
        return _measured(path)[1]
    except OSError:
        return None


def _measured(path: str) -> tuple[int, str]:
    """Size and digest of a regular file."""
    fd = files.open_regular(path)
    try:
        sha, size = hashlib.sha256(), 0
        while part := os.read(fd, _CHUNK):
            sha.update(part)
            size += len(part)
        return size, sha.hexdigest()
    finally:
        os.close(fd)
