"""`baton passport init|boundary`: a new passport, and a stage's end put down in one."""

from __future__ import annotations

import argparse
import json
import os

from baton.cli.context import Context
from baton.cli.passport import FLAG
from baton.cli.passport_desk import Desk, mapping, text, texts
from baton.cli.pipeline_bound import working
from baton.core.errors import BatonError, typed
from baton.core.passport import entry as entries
from baton.core.passport.chain_hash import PLACEHOLDER, sealed
from baton.core.passport.document import Document
from baton.core.passport.entry import Boundary, Decision, EntryError
from baton.core.passport.ledger import Ledger
from baton.core.passport.tag import Tag, announcement, checked_stage
from baton.core.passport.version_label import for_stage
from baton.edge import clock
from baton.edge.passport import place
from baton.hot import files, passports

_EMPTY = """\
# A material passport. `baton passport` keeps the list below: entries are appended, never edited.
reset_boundary: []
"""
_EMPTY_JSON = '{\n  "reset_boundary": []\n}\n'
_DECISION_LIMIT = 64 << 10
MANDATORY = (
    "- This checkpoint is MANDATORY: it still needs the person's confirmation, "
    "for which a fresh session does not stand."
)


def init(arguments: argparse.Namespace, context: Context) -> int:
    """Make a passport where there is none; one that is there already is only read."""
    desk = Desk(context)
    file = desk.named(arguments.file)
    made = _make(file.place)
    if made:
        # What was there already is the user's: the flush takes it along once baton has written to it.
        passports.note(context.state, file.place.name)
    count = len(file.read().document.entries)
    told = (
        f"made {file.place.name}"
        if made
        else f"{file.place.name} is there already, {count} entries"
    )
    context.answer(told, {"path": file.place.name, "made": made, "entries": count})
    return 0


def _make(where: place.Place) -> bool:
    data = (_EMPTY_JSON if where.json else _EMPTY).encode()
    folder = typed(os.path.dirname(where.path))
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        files.make_folder(os.path.dirname(where.path))
        fd = os.open(where.path, flags, 0o666)
    except FileExistsError:
        return False
    except OSError as error:
        message = f"{where.name} cannot be made: {error.strerror}; nothing was written"
        missing = isinstance(error, FileNotFoundError)
        raise BatonError(
            "io", message, f"{'mkdir -p' if missing else 'ls -ld'} {folder}"
        ) from error
    try:
        files.write_all(fd, data)
        os.fsync(fd)
        files.sync_folder(os.path.dirname(where.path))
    except OSError as error:
        os.unlink(where.path)
        message = f"{where.name} cannot be written: {error.strerror}; nothing was left behind"
        raise BatonError("io", message, f"df {folder}") from error
    finally:
        os.close(fd)
    return True


def boundary(arguments: argparse.Namespace, context: Context) -> int:
    """Append a boundary and print the hand-over, exactly once. The flag is known to be on here."""
    _must_be_on(context)
    desk = Desk(context, arguments.session or "")
    draft = _draft(arguments, desk.session)
    file = desk.only(arguments.passport or "")
    _require_unbound(context, file.place.name)

    def step(document: Document, ledger: Ledger) -> Boundary:
        label = for_stage(
            ledger.entries, arguments.stage, arguments.version_label, document.version_label
        )
        _check_label(label, file.place.name)
        return sealed(ledger.entries, _parsed({**draft, "version_label": label}))

    made = file.append(step)
    assert isinstance(made, Boundary)
    tag = Tag(made.hash, made.stage, made.next)
    said = announcement(tag, file.place.name) + (f"\n{MANDATORY}" if arguments.mandatory else "")
    data: dict[str, object] = {
        "hash": made.hash,
        "tag": str(tag),
        "path": file.place.name,
        "entry": mapping(made),
    }
    context.answer(said, data)
    return 0


def _require_unbound(context: Context, passport: str) -> None:
    """A pipeline's stages end by its own commands: a boundary beside them would pass its gates by."""
    pipeline = working(context, passport)
    if pipeline is not None:
        message = (
            f"{passport} belongs to pipeline {pipeline.name}, whose stages end with baton pipeline "
            "complete, integrity or decide; nothing was written"
        )
        hint = f"baton pipeline status --name {pipeline.name}"
        raise BatonError("illegal-transition", message, hint)


def _check_label(label: str, passport: str) -> None:
    """A passport's own label may be one that no entry can hold: JSON can write half a character."""
    try:
        text(label, "version_label")
    except BatonError as error:
        message = f"{passport}: {error.message}"
        hint = "the same command with --version-label v1.0"
        raise BatonError("invalid-ledger", message, hint) from error


def _must_be_on(context: Context) -> None:
    value = context.environ.get(FLAG, "")
    if value != "1":
        message = f"{FLAG} must be 0 or 1; it is {value!r}; nothing was written"
        raise BatonError("bad-config", message, f"{FLAG}=1 baton passport boundary --help")


def _draft(arguments: argparse.Namespace, session: str) -> dict[str, entries.Value]:
    """The entry as far as the command line makes it: its label and hash depend on the ledger."""
    texts(arguments, "stage", "next", "mode", "version_label", "observer")
    stage = checked_stage(arguments.stage, "--stage")
    following = None if arguments.no_next else checked_stage(arguments.next, "--next")
    draft: dict[str, entries.Value] = {
        "kind": "boundary",
        "hash": PLACEHOLDER,
        "stage": stage,
        "next": following,
        # A session that ends the same stage of two papers within a second must not give them one hash.
        "generated_at": clock.exact_stamp(),
        "session_marker": session,
    }
    optional = {
        "mode": arguments.mode,
        "verification_status": arguments.status,
        "observer_snapshot_ref": arguments.observer,
    }
    draft.update({key: value for key, value in optional.items() if value is not None})
    if arguments.decision is not None:
        draft["pending_decision"] = _decision(arguments.decision)
    return draft


def _parsed(draft: dict[str, entries.Value]) -> Boundary:
    """What this command makes is held to the rules that hold for what it reads."""
    made = entries.parse(draft)
    assert isinstance(made, Boundary)
    return made


def _decision(path: str) -> entries.Value:
    """A decision's file, as plain values."""
    try:
        data = files.read(path, _DECISION_LIMIT)
    except OSError as error:
        raise _bad_decision(path, f"cannot be read: {error.strerror}") from error
    if data is None:
        raise _bad_decision(path, "there is no such file")
    if len(data) > _DECISION_LIMIT:
        raise _bad_decision(path, f"larger than {_DECISION_LIMIT} bytes")
    try:
        value: entries.Value = json.loads(
            data.decode("utf-8-sig"), object_pairs_hook=_without_duplicates
        )
        _check(path, entries.parse_decision(value))
    except EntryError as error:
        raise _bad_decision(path, error.what) from error
    except (ValueError, RecursionError) as error:
        raise _bad_decision(path, f"not JSON: {error}") from error
    return value


def _check(path: str, decision: Decision) -> None:
    """A ledger must be able to hold its texts, a tag the stages that it leads to: they end some day."""
    text(decision.question, f"--decision {path}: pending_decision.question")
    for number, option in enumerate(decision.options):
        where = f"--decision {path}: pending_decision.options[{number}]"
        text(option.value, f"{where}.value")
        text(option.next_mode or "", f"{where}.next_mode")
        if option.next_stage is not None:
            checked_stage(option.next_stage, f"{where}.next_stage")


def _without_duplicates(pairs: list[tuple[str, entries.Value]]) -> dict[str, entries.Value]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands there twice")
    return found


def _bad_decision(path: str, what: str) -> BatonError:
    shape = '{"question": …, "options": [{"value": …, "next_stage": …}, …]}'
    message = f"--decision {path}: {what}; it is {shape}; nothing was written"
    return BatonError("usage", message, "baton passport boundary --help")
