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


class Undecided(Exception):
    """Only the program itself can tell."""


def evaluate(meaning: native.Native, root: str) -> Result | None:
    """Give what a recognised command shows in the project at `root`.

    None when it turns out not to be one that baton can judge.
    """
    try:
        return _EVALUATORS[type(meaning)](meaning, root)
    except Undecided:
        return None
    except Outside as error:
        return Result(None, reason=f"{error} lies outside the project")
    except OSError as error:
        return Result(None, reason=f"{error.filename}: {error.strerror}")


def _showed(exit_code: int, output: str = "", errors: str = "") -> Result:
    return Result(exit_code, output[:_OUTPUT_LIMIT], errors[:_OUTPUT_LIMIT], by_baton=True)


def _inside(path: str, root: str) -> str:
    full = os.path.realpath(os.path.join(root, path))
    if full != root and not full.startswith(root.rstrip(os.sep) + os.sep):
        raise Outside(path)
    return os.path.join(root, path)


def _listing(meaning: native.Listing, root: str) -> Result:
    missing = [path for path in meaning.paths if not os.path.lexists(_inside(path, root))]
    if missing:
        return _showed(2, errors="\n".join(f"{path}: no such file or folder" for path in missing))
    return _showed(0, "\n".join(meaning.paths))


def _test(meaning: native.Test, root: str) -> Result:
    is_string = meaning.operator not in _FILE_TESTS
    holds = _string_test(meaning) if is_string else _file_test(meaning, root)
    return _showed(int(holds == meaning.negated))


def _file_test(meaning: native.Test, root: str) -> bool:
    return _FILE_TESTS[meaning.operator](_inside(meaning.operands[0], root))


def _string_test(meaning: native.Test) -> bool:
    if meaning.operator in ("-n", "-z"):
        return bool(meaning.operands[0]) == (meaning.operator == "-n")
    return (meaning.operands[0] == meaning.operands[1]) == (meaning.operator == "=")


def _content(path: str, root: str) -> bytes | None:
    """None when there is no such file."""
    full = _inside(path, root)
    if not os.path.exists(full):
        return None
    if not os.path.isfile(full):
        raise Undecided
    if os.path.getsize(full) > _FILE_LIMIT:
        raise OSError(0, f"larger than {_FILE_LIMIT >> 20} MiB", path)
    with open(full, "rb") as file:
        return file.read(_FILE_LIMIT)


def _search(meaning: native.Search, root: str) -> Result:
    content = _content(meaning.path, root)
    if content is None:
        return _showed(2, errors=f"{meaning.path}: no such file")
    if meaning.any_case and not content.isascii():
        # Which letters are the same then depends on the locale.
        raise Undecided
    pattern = re.compile(meaning.pattern, re.IGNORECASE if meaning.any_case else 0)
    count = sum(bool(pattern.search(line)) for line in _lines(content))
    return _showed(int(not count), str(count) if meaning.count else "")


def _lines(content: bytes) -> list[str]:
    """In a binary file grep's lines end elsewhere, and a dot stands for less."""
    try:
        lines = content.decode().split("\n")
    except UnicodeDecodeError:
        raise Undecided from None
    if b"\0" in content:
        raise Undecided
    return lines if lines[-1] else lines[:-1]


def _line_count(meaning: native.LineCount, root: str) -> Result:
    content = _content(meaning.path, root)
    if content is None:
        return _showed(1, errors=f"{meaning.path}: no such file")
    count = content.count(b"\n")
    return _showed(0, f"{count} {meaning.path}")


def _git(meaning: native.Git, root: str) -> Result:
    done = git.read(root, *meaning.words)
    if done.exit is None:
        raise Undecided
    output, errors = (part.decode("utf-8", "replace") for part in (done.output, done.errors))
    return _showed(done.exit, output.strip(), errors.strip())


def _commit_id(meaning: native.CommitId, root: str) -> Result:
    if os.path.lexists(os.path.join(root, meaning.id)):
        return _showed(0, meaning.id)
    return _git(native.Git(("cat-file", "-t", meaning.id)), root)


def _existing(meaning: native.Existing, root: str) -> Result:
    names = filter(None, (meaning.path, native.without_line(meaning.path)))
    if any(os.path.lexists(_inside(name, root)) for name in names):
        return _showed(0, meaning.path)
    if " " in meaning.path:
        # More likely a command with a dotted word in it than a path that has gone.
        raise Undecided
    return _showed(1, errors=f"{meaning.path}: no such file or folder")


_EVALUATORS: dict[type, Callable[[Any, str], Result]] = {
    native.Listing: _listing,
    native.Test: _test,
    native.Search: _search,
    native.LineCount: _line_count,
    native.Git: _git,
    native.CommitId: _commit_id,
    native.Existing: _existing,
}
