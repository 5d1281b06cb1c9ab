"""A word on a terminal while something takes longer than a person likes to look at nothing (design page
cli)."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

_CLEAR = "\r\033[K"


@contextlib.contextmanager
def busy(text: str) -> Iterator[None]:
    """Say on stderr what is being done and take it away again; nothing where that is no terminal."""
    if not sys.stderr.isatty():
        yield
        return
    sys.stderr.write(f"{_CLEAR}{text} …")
    sys.stderr.flush()
    try:
        yield
    finally:
        sys.stderr.write(_CLEAR)
        sys.stderr.flush()
