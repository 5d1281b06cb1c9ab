"""What the passport commands share: who asks, which file is meant, what is known beside it."""

from __future__ import annotations

import argparse
import json
import os
from typing import TYPE_CHECKING

from baton.cli.context import Context, warn
from baton.cli.pipeline_bound import bound
from baton.core.errors import BatonError, typed
from baton.core.passport import ledger as ledgers
from baton.core.passport.document import Document
from baton.core.passport.entry import Boundary, Entry
from baton.core.passport.ledger import Awaiting
from baton.core.passport.modes import SYSTEMATIC_REVIEW
from baton.core.passport.resume import Evidence
from baton.edge.passport import kin, place
from baton.edge.passport.place import Place
from baton.edge.passport_file import PassportFile
from baton.hot import clean

if TYPE_CHECKING:
    from baton.core.pipeline.state import Pipeline

_LOOK = "baton passport awaiting"
_NAMED = "the same command with --passport"
_CELL = 60


class Desk:
    """One passport command at work. given: what `--session` says, None for a command that only reads and
    needs no session."""

    def __init__(self, context: Context, given: str | None = None) -> None:
        self.context = context
        self.session = "" if given is None else _session(context, given)

    def file(self, where: Place) -> PassportFile:
        """Give the passport at a place."""
        context = self.context
        wait = float(context.config.lock_wait)
        return PassportFile(where, context.project, context.state, self.session, wait, warn)

    def named(self, typed: str) -> PassportFile:
        """Give the passport that a path means. Raises `bad-path`."""
        return self.file(place.named(self.context.project, text(typed, "FILE")))

    def only(self, typed: str, again: str = _NAMED) -> PassportFile:
        """Give the passport that a path means, or the project's only one.

        again: what is typed before a passport's name where there are several. Raises `no-passport`,
        `several-passports`.
        """
        if typed:
            return self.named(typed)
        found = self.candidates()
        if not found:
            raise _none(self.context, "baton passport init")
        if len(found) > 1:
            raise several("", [each.place.name for each in found], again)
        return found[0]

    def candidates(self) -> list[PassportFile]:
        """Give what may be the project's passports, by name."""
        context = self.context
        return [self.file(each) for each in place.candidates(context.project, context.state)]

    def holding(self, hash_: str, typed: str) -> PassportFile:
        """Give the passport that holds the boundary of exactly that hash; nothing is verified yet.

        Raises `bad-hash-form`, `no-such-boundary`, `no-passport`, `several-passports`.
        """
        ledgers.checked_form(hash_)
        if typed:
            return self.named(typed)
        found = self.candidates()
        if not found:
            raise _none(self.context, "baton --project DIR passport awaiting")
        if len(found) == 1:
            return found[0]
        holders, unread = _holders(found, hash_)
        if len(holders) > 1:
            raise several(hash_, [each.place.name for each in holders])
        for problem in unread:
            warn(problem.message)
        if not holders:
            raise _nowhere(hash_, found, unread)
        return holders[0]

    def evidence(self, found: Awaiting, document: Document, passport: str) -> Evidence:
        """Give what is known beside a boundary; says what could not be told. passport: its name."""
        boundary = found.boundary
        pipelines = self.pipelines(passport)
        mode = next((each.whole_mode for each in pipelines if each.whole_mode), None)
        passed = max((each.passed_at for each in pipelines), default="") or None
        related: tuple[str, ...] = ()
        strict = SYSTEMATIC_REVIEW in (boundary.mode, mode)
        if strict and boundary.session_marker != self.session:
            related = self._kin(boundary)
        return Evidence(self.session, related, document.verification_status, passed, mode)

    def pipelines(self, passport: str) -> list[Pipeline]:
        """Give the pipelines that are bound to a passport, by its name; says when that could not be told."""
        try:
            return [each.pipeline for each in bound(self.context, passport)]
        except BatonError as error:
            warn(f"what the pipelines say of {passport} could not be looked at: {error.message}")
            return []

    def _kin(self, boundary: Boundary) -> tuple[str, ...]:
        context, other = self.context, boundary.session_marker
        fork = kin.is_fork(context.environ, context.state, self.session, other)
        if fork is None and context.inside_claude:
            warn(
                f"whether this session is a fork of {clean.quoted(other, _CELL)}, which ended the stage, "
                "could not be checked: its transcript is not here"
            )
        return (other,) if fork else ()


def _session(context: Context, given: str) -> str:
    """Who asks: Claude Code's session; at a terminal what `--session` says, else the terminal's own."""
    own = context.session
    if (own or context.inside_claude) and given not in ("", own):
        message = "--session serves outside Claude Code alone; this session is "
        message += f"{own or 'not named'}; nothing was done"
        raise BatonError("usage", message, "the same command without --session")
    if context.inside_claude and not own:
        message = "Claude Code does not name its session (CLAUDE_CODE_SESSION_ID); nothing was done"
        raise BatonError("usage", message, _LOOK)
    if own or given:
        return text(own or given, "--session")
    return f"terminal-{os.getsid(0)}" if hasattr(os, "getsid") else "terminal"


def _holders(found: list[PassportFile], hash_: str) -> tuple[list[PassportFile], list[BatonError]]:
    holders, unread = [], []
    for each in found:
        try:
            if ledgers.holds(each.document(), hash_):
                holders.append(each)
        except BatonError as error:
            unread.append(error)
    return holders, unread


def _nowhere(hash_: str, found: list[PassportFile], unread: list[BatonError]) -> BatonError:
    names = ", ".join(each.place.name for each in found)
    but = f"; {len(unread)} of them could not be read" if unread else ""
    message = f"no boundary {hash_} in {names}{but}; nothing was done"
    return BatonError("no-such-boundary", message, _LOOK)


def _none(context: Context, hint: str) -> BatonError:
    message = (
        f"no passport in {context.project.root}: looked for passports/*.yaml and material_passport*.yaml; "
        "nothing was done"
    )
    return BatonError("no-passport", message, hint)


def several(hash_: str, names: list[str], again: str = _NAMED) -> BatonError:
    """Give the question which of several passports is meant. again: what is typed before one's name."""
    what = (
        f"boundary {hash_} stands in more than one passport"
        if hash_
        else "there are several passports"
    )
    message = f"{what}: {', '.join(names)}; say which one is meant; nothing was done"
    return BatonError("several-passports", message, f"{again} {typed(names[0])}")


def text(value: str, option: str) -> str:
    """Give an argument that a ledger can hold. Raises `usage` for one that is no text."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BatonError("usage", f"{option} is not UTF-8 text; nothing was done", "") from None
    if "\0" in value:
        raise BatonError("usage", f"{option} holds a NUL character; nothing was done", "")
    return value


def texts(arguments: argparse.Namespace, *options: str) -> None:
    """Check every one of these options that was given."""
    for option in options:
        value = getattr(arguments, option)
        if value is not None:
            text(value, f"--{option.replace('_', '-')}")


def mapping(entry: Entry) -> dict[str, object]:
    """Give an entry as data for scripts."""
    plain: dict[str, object] = json.loads(json.dumps(entry.to_mapping()))
    return plain
