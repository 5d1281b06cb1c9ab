"""Where a run's journals are looked for, and the files that its commands are given."""

from __future__ import annotations

import argparse
import json
import os

from baton.cli.context import Context
from baton.core.errors import BatonError, typed
from baton.edge.runs import folder, harvest, journals
from baton.edge.runs.harvest import Where
from baton.hot import files
from baton.hot.runs import layout
from baton.hot.runs.layout import Place


def where(arguments: argparse.Namespace | None, context: Context) -> Where:
    """Give where to look: this account's folders and those that were named."""
    named = arguments.config_dir if arguments else []
    places = arguments.cwd if arguments else []
    for config in named:
        if not os.path.isdir(config):
            raise BatonError(
                "bad-path", f"--config-dir {config}: no such folder", "ls -d ~/.claude*"
            )
    configs = journals.config_folders(context.environ, named)
    return Where(configs, [os.path.abspath(place) for place in places])


def run_of(arguments: argparse.Namespace, context: Context) -> Place:
    """Give the run that was named; one that no hook recorded is looked for in the host's folders.

    Raises no-run.
    """
    try:
        return folder.find(context.project, context.state, arguments.name)
    except BatonError:
        found = _unrecorded(arguments, context)
        if found is None:
            raise
        return found


def _unrecorded(arguments: argparse.Namespace, context: Context) -> Place | None:
    run_id = arguments.name
    if not (run_id.startswith(folder.HOSTS) and layout.valid(run_id)):
        return None
    return harvest.unrecorded(
        context.project,
        context.state,
        run_id,
        where(arguments, context),
        wait=float(context.config.lock_wait),
    )


def given_file(option: str, path: str) -> bytes:
    """Give the bytes of a file that was named on the command line. Raises bad-path."""
    try:
        data = files.read(path, layout.LIMIT)
    except OSError as error:
        raise _bad(option, path, error.strerror or "it cannot be read") from error
    if data is None:
        raise _bad(option, path, "no such file")
    if len(data) > layout.LIMIT:
        raise _bad(option, path, f"it has more than {layout.LIMIT >> 20} MB")
    return data


def given_json(option: str, path: str) -> object:
    """Give the JSON value in a file that was named on the command line. Raises bad-path."""
    try:
        value: object = json.loads(given_file(option, path).decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise _bad(option, path, f"not JSON: {error}") from error
    try:
        # Python reads `NaN` and `1e999`; no other reader of the snapshot does.
        json.dumps(value, allow_nan=False)
    except ValueError as error:
        raise _bad(option, path, "not JSON: a number like NaN, or one too large") from error
    return value


def given_text(option: str, path: str) -> str:
    """Give the text of a UTF-8 file that was named on the command line. Raises bad-path."""
    try:
        return given_file(option, path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _bad(option, path, "not UTF-8 text") from error


def _bad(option: str, path: str, why: str) -> BatonError:
    return BatonError(
        "bad-path", f"{option} {path}: {why}; nothing was written", f"ls -l {typed(path)}"
    )
