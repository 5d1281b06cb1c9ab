"""The boundaries that were consumed in this repository, whatever branch or work tree one is in (design
page passport, "Appending", step 3).

A file of JSON lines in git's common directory, shared by all work trees; outside git in the state
directory. A line `begun` goes to the disk before the append and names the file; `consumed` follows it.
Where only the first is there, the file itself says whether the resume ever came to be.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from baton.core.errors import BatonError
from baton.hot import files
from baton.hot.lock import Lock, Locked
from baton.hot.project import Project
from baton.hot.state import State

_LIMIT = 64 << 20


class Consumption(NamedTuple):
    """By whom a boundary was consumed. path: of the passport, absolute. finished: it is known to have
    come to be."""

    hash: str
    session: str
    time: str
    path: str
    finished: bool


class Consumed:
    """The set. holds: says whether the passport at a path has a resume of that boundary; it decides for
    those that were only begun."""

    def __init__(
        self, project: Project, state: State, holds: Callable[[str, str], bool | None]
    ) -> None:
        common = project.checkout.common_dir if project.checkout else ""
        self._folder = os.path.join(common, "baton") if common else state.folder
        self._path = os.path.join(self._folder, "consumed")
        self._holds = holds

    @contextmanager
    def lock(self, wait: float) -> Iterator[None]:
        """Keep the other work trees' appends out. Raises `locked` after `wait` seconds, OSError."""
        files.make_folders(self._folder)
        try:
            with Lock(f"{self._path}.lock", wait):
                yield
        except Locked:
            message = (
                f"another work tree's resume held its lock for {wait:g} s; nothing was written"
            )
            raise BatonError("locked", message, "the same command again") from None

    def by(self, hash_: str) -> Consumption | None:
        """Give by whom a boundary was consumed, None when it was not. Raises OSError."""
        found = self._read().get(hash_)
        if found is None or found.finished:
            return found
        return found if self._holds(found.path, hash_) else None

    def begin(self, consumption: Consumption) -> None:
        """Bring to the disk that a boundary is about to be consumed. Raises OSError."""
        self._add(consumption, durable=True)

    def finish(self, consumption: Consumption) -> None:
        """Note that it was. Raises OSError; then the file itself goes on deciding."""
        self._add(consumption, durable=False)

    def _read(self) -> dict[str, Consumption]:
        found: dict[str, Consumption] = {}
        for line in (files.read(self._path, _LIMIT) or b"").splitlines():
            try:
                each = Consumption(**json.loads(line))
            except (ValueError, TypeError):
                # A line that somebody died over; the whole one, if any, follows it.
                continue
            if not (each.hash in found and found[each.hash].finished):
                found[each.hash] = each
        return found

    def _add(self, consumption: Consumption, *, durable: bool) -> None:
        fd = os.open(
            self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666
        )
        try:
            # Begins a line of its own behind one that was cut off.
            files.write_all(fd, b"\n" + json.dumps(consumption._asdict()).encode() + b"\n")
            if durable:
                os.fsync(fd)
        finally:
            os.close(fd)
        if durable:
            files.sync_folder(self._folder)
