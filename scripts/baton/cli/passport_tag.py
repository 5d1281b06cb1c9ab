"""`baton passport tag`: the machine lines of hand-overs, found in any text."""

from __future__ import annotations

import argparse
import sys

from baton.cli.context import Context
from baton.core.errors import BatonError, typed
from baton.core.passport.tag import BEGIN, found
from baton.hot import clean, files

_LIMIT = 16 << 20
_STDIN = "standard input"


def tags(arguments: argparse.Namespace, context: Context) -> int:
    """Print the tags of a file or of stdin, each once. Raises `no-tag`, `bad-path` for what is too
    large to be searched."""
    tags = found(_read(arguments.file or "").decode("utf-8", "replace"))
    where = arguments.file or _STDIN
    if not tags:
        message = f"{where}: no line {BEGIN} hash=…, stage=…, next=…]"
        raise BatonError("no-tag", message, "baton passport awaiting")
    data: list[object] = [{"hash": tag.hash, "stage": tag.stage, "next": tag.next} for tag in tags]
    context.answer("\n".join(clean.line(str(tag)) for tag in tags), {"tags": data})
    return 0


def _read(path: str) -> bytes:
    """All of it: a tag that was not looked for must not pass for one that is not there."""
    data = _bytes(path)
    if len(data) > _LIMIT:
        where, file = (path, f"{typed(path)} ") if path else (_STDIN, "")
        message = f"{where}: larger than {_LIMIT >> 20} MiB; it was not searched"
        raise BatonError("bad-path", message, f"grep -aF '{BEGIN}' {file}| baton passport tag")
    return data


def _bytes(path: str) -> bytes:
    if not path:
        return sys.stdin.buffer.read(_LIMIT + 1)
    try:
        data = files.read(path, _LIMIT)
    except OSError as error:
        raise BatonError(
            "io", f"{path} cannot be read: {error.strerror}", f"ls -l {typed(path)}"
        ) from error
    if data is None:
        raise BatonError("bad-path", f"{path}: no such file", "baton passport tag FILE")
    return data
