"""A passport read without its lock, and never in the middle of an append."""

from __future__ import annotations

import os

from baton.core.errors import BatonError, typed, way_out
from baton.core.passport.document import LIMIT
from baton.edge.passport import rewrite, undo
from baton.edge.passport.held import Say, hold
from baton.edge.passport.place import Place
from baton.hot import files


def read(place: Place, wait: float, say: Say) -> bytes:
    """Give the bytes of a passport, at most one more than may be read.

    Where an undo record lies beside it, an append is under way or has died: then it is read under
    the lock, and what died is taken back first. Raises BatonError `no-passport`, `bad-path`, `io`,
    `locked`, `no-exclusion`, `recovery-conflict`.
    """
    record = undo.path_for(place.path)
    if not os.path.lexists(record):
        data = _plain(place)
        if not os.path.lexists(record):
            return data
    return _under_lock(place, wait, say)


def _plain(place: Place) -> bytes:
    try:
        if os.path.islink(place.path):
            raise BatonError(
                "bad-path",
                f"{place.name} is a link; nothing was read",
                f"ls -ld {typed(place.path)}",
            )
        data = files.read(place.path, LIMIT)
    except OSError as error:
        message = f"{place.name} cannot be read: {error.strerror}"
        raise BatonError("io", message, f"ls -ld {typed(place.path)}") from error
    if data is None:
        raise BatonError(
            "no-passport", f"{place.name}: there is no such passport", "baton passport awaiting"
        )
    return data


def _under_lock(place: Place, wait: float, say: Say) -> bytes:
    try:
        with hold(place.path, place.name, wait, say) as fd:
            told = rewrite.recover(fd, place.path, place.name)
            if told:
                say(told)
            return rewrite.read(fd)
    except OSError as error:
        record = undo.path_for(place.path)
        message = (
            f"{place.name}: an append that died cannot be taken back by {record}: {error.strerror}"
        )
        raise BatonError("io", message, way_out(error, f"ls -ld {typed(record)}")) from error
