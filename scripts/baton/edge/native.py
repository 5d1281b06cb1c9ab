"""Evaluates the commands that baton understands by itself.

Read-only, no shell, inside the project.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

from baton.core.chain import native
from baton.core.chain.checks import Result
from baton.edge import git

_FILE_LIMIT = 64 << 20
_OUTPUT_LIMIT = 4000
_FILE_TESTS: dict[str, Callable[[str], bool]] = {
    "-e": os.path.exists,
    "-f": os.path.isfile,
    "-d": os.path.isdir,
    "-s": lambda path: os.path.exists(path) and os.path.getsize(path) > 0,
    "-r": lambda path: os.access(path, os.R_OK),
    "-w": lambda path: os.access(path, os.W_OK),
    "-x": lambda path: os.access(path, os.X_OK),
    "-L": os.path.islink,
    "-h": os.path.islink,
}


class Outside(Exception):
    """A path leads out of the project."""


def evaluate(meaning: native.Native, root: str) -> Result | None:
    """Give what a recognised command shows in the project at `root`.

    None when it turns out not to be one that baton can judge.
    """
    try:
        found = _EVALUATORS[type(meaning)](meaning, root)
    except Outside as error:
        return Result(None, reason=f"{error} lies outside the project")
    except OSError as error:
        return Result(None, reason=f"{error.filename}: {error.strerror}")
    if found is None:
        return None
    exit_code, output = found
    return Result(exit_code, output[:_OUTPUT_LIMIT], by_baton=True)


def _inside(path: str, root: str) -> str:
    full = os.path.realpath(os.path.join(root, path))
    if full != root and not full.startswith(root.rstrip(os.sep) + os.sep):
        raise Outside(path)
    return os.path.join(root, path)


def _listing(meaning: native.Listing, root: str) -> tuple[int, str]:
    missing = [path for path in meaning.paths if not os.path.lexists(_inside(path, root))]
    return (
        (2, "\n".join(f"{path}: no such file or folder" for path in missing))
        if missing
        else (0, "\n".join(meaning.paths))
    )


def _test(meaning: native.Test, root: str) -> tuple[int, str]:
    holds = (
        _string_test(meaning) if meaning.operator not in _FILE_TESTS else _file_test(meaning, root)
    )
    return int(holds == meaning.negated), ""


def _file_test(meaning: native.Test, root: str) -> bool:
    return _FILE_TESTS[meaning.operator](_inside(meaning.operands[0], root))


def _string_test(meaning: native.Test) -> bool:
    if meaning.operator in ("-n", "-z"):
        return bool(meaning.operands[0]) == (meaning.operator == "-n")
    return (meaning.operands[0] == meaning.operands[1]) == (meaning.operator == "=")


def _lines(path: str, root: str) -> list[bytes] | None:
    full = _inside(path, root)
    if not os.path.isfile(full):
        return None
    if os.path.getsize(full) > _FILE_LIMIT:
        raise OSError(0, f"larger than {_FILE_LIMIT >> 20} MiB", path)
    with open(full, "rb") as file:
        return file.read(_FILE_LIMIT).split(b"\n")


def _search(meaning: native.Search, root: str) -> tuple[int, str]:
    lines = _lines(meaning.path, root)
    if lines is None:
        return 2, f"{meaning.path}: no such file"
    pattern = re.compile(meaning.pattern)
    texts = (
        line.decode("utf-8", "surrogateescape") for line in (lines if lines[-1] else lines[:-1])
    )
    count = sum(bool(pattern.search(text)) for text in texts)
    return int(not count), str(count) if meaning.count else ""


def _line_count(meaning: native.LineCount, root: str) -> tuple[int, str]:
    lines = _lines(meaning.path, root)
    return (
        (0, f"{len(lines) - 1} {meaning.path}")
        if lines is not None
        else (1, f"{meaning.path}: no such file")
    )


def _git(meaning: native.Git, root: str) -> tuple[int, str] | None:
    done = git.read(root, *meaning.words)
    text = (done.output or done.errors).decode("utf-8", "replace").strip()
    return None if done.exit is None else (done.exit, text)


def _commit_id(meaning: native.CommitId, root: str) -> tuple[int, str] | None:
    if os.path.lexists(os.path.join(root, meaning.id)):
        return 0, meaning.id
    done = git.read(root, "cat-file", "-t", meaning.id)
    return (
        None if done.exit is None else (done.exit, done.output.decode("ascii", "replace").strip())
    )


def _existing(meaning: native.Existing, root: str) -> tuple[int, str] | None:
    if os.path.lexists(_inside(meaning.path, root)):
        return 0, meaning.path
    if " " in meaning.path:
        # More likely a command with a dotted word in it than a path that has gone.
        return None
    return 1, f"{meaning.path}: no such file or folder"


_EVALUATORS: dict[type, Callable[[Any, str], tuple[int, str] | None]] = {
    native.Listing: _listing,
    native.Test: _test,
    native.Search: _search,
    native.LineCount: _line_count,
    native.Git: _git,
    native.CommitId: _commit_id,
    native.Existing: _existing,
}
