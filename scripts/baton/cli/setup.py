"""`baton setup`: what a project needs, merged into its files, shown first, taken back without a trace
(design page cli)."""

from __future__ import annotations

import argparse
import contextlib
import os

from baton.cli import consent
from baton.cli.context import Context, folder_name
from baton.cli.setup_install import Installation, Wish
from baton.cli.setup_plan import COMMANDS, KEYS, RECORD, Plan
from baton.cli.setup_uninstall import TakingBack
from baton.core.errors import BatonError, way_out
from baton.core.setup import plan
from baton.core.setup.settings import RUNTIME
from baton.edge import setup_files, setup_git
from baton.hot import clean, files
from baton.hot.lock import Locked
from baton.hot.project import CHAIN, CONFIG

UNTRACK = "untrack"
_NEXT = "next: `baton doctor`, which says whether Claude Code runs the hooks"
_COMMIT = "next: commit these files; whoever clones the project then has them, too"
_UNTRACK_HINT = "baton setup --persist ref --untrack"


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.epilog = "example: baton setup --dry-run"
    add = parser.add_argument
    help_ = "the project's folder"
    add("--project", metavar="DIR", type=folder_name, default=argparse.SUPPRESS, help=help_)
    add(
        "--with-hooks",
        action="store_true",
        help="for a team: hooks, commands and baton itself into .claude/",
    )
    add("--persist", choices=("branch", "ref", "off"), default="", help="where every turn is kept")
    add("--lang", choices=("en", "vi"), default="", help="the language of the chain file")
    add(
        "--statusline",
        action="store_true",
        help="one line below the prompt; copies baton into .claude/",
    )
    add(
        "--untrack",
        action="store_true",
        help="with --persist ref: git no longer tracks the state files",
    )
    add("--dry-run", action="store_true", help="show what would change, write nothing")
    add("--uninstall", action="store_true", help="take the set-up back; work that was kept stays")
    add("--json", action="store_true", help="one JSON object on stdout")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Set up, or take it back; twice is once."""
    wish = Wish(arguments.with_hooks, arguments.statusline, arguments.persist, arguments.lang)
    _check(arguments, wish, context)
    if arguments.dry_run:
        return _show(_decide(arguments, wish, context), context)
    removed = arguments.uninstall
    if removed and not os.path.lexists(context.state.folder):
        planned = _decide(arguments, wish, context)
        if not planned.needed:  # Where baton never was, not even a lock is left.
            return _report(planned, context, removed)
    try:
        with context.state.lock(context.config.lock_wait):
            planned = _decide(arguments, wish, context)
            _ask(planned, arguments, context)
            _take_back(planned, context) if removed else _put(planned, wish, context)
    except Locked:
        message = f"another baton has been at work here for {context.config.lock_wait} s; nothing was written"
        raise BatonError("locked", message, "the same command again") from None
    except OSError as error:
        message = f"{error.filename or context.state.folder}: {error.strerror}; nothing was written"
        raise BatonError("io", message, way_out(error, "baton setup --dry-run")) from error
    return _report(planned, context, removed)


def _check(arguments: argparse.Namespace, wish: Wish, context: Context) -> None:
    if arguments.uninstall and (wish != Wish() or arguments.untrack):
        raise BatonError(
            "usage",
            "--uninstall takes everything back; no other wish goes with it",
            "baton setup --uninstall",
        )
    if arguments.untrack and wish.persist != "ref":
        raise BatonError("usage", "--untrack goes with --persist ref", _UNTRACK_HINT)
    home = os.path.realpath(context.environ.get("HOME") or os.sep)
    if context.project.root == home:
        message = f"{home} is your home: its .claude is Claude Code's own; nothing was written"
        raise BatonError("bad-path", message, "baton setup --project DIR")


def _decide(arguments: argparse.Namespace, wish: Wish, context: Context) -> Plan:
    if arguments.uninstall:
        return TakingBack(context).decide()
    return Installation(context).decide(wish)


def _show(planned: Plan, context: Context) -> int:
    text = plan.diff(planned.needed)
    notes = [*planned.notes, *([_untracking(planned)] if planned.untrack else [])]
    lines = [text.rstrip("\n") or "nothing would change", *(f"note: {note}" for note in notes)]
    context.answer("\n".join(lines), {**_data(planned, context), "dry_run": True, "diff": text})
    return 0


def _ask(planned: Plan, arguments: argparse.Namespace, context: Context) -> None:
    """Untracking changes what a colleague's next pull does to the file: a person decides."""
    if not planned.untrack:
        return
    asks = f"{_untracking(planned)}?"
    if not arguments.untrack:
        consent.put(context, UNTRACK)
        raise BatonError("needs-person", f"{asks} Nothing was written.", _UNTRACK_HINT)
    consent.spend(context, UNTRACK, asks, _UNTRACK_HINT)


def _untracking(planned: Plan) -> str:
    count, first = len(planned.untrack), clean.quoted(planned.untrack[0], 60)
    named = first if count == 1 else f"{first} and {count - 1} more"
    return f"git tracks {named}; stop tracking, so that the ref alone keeps them (the files stay)"


def _put(planned: Plan, wish: Wish, context: Context) -> None:
    changes = planned.needed
    folders = setup_files.missing_folders(context.project.root, changes)
    if changes:
        _remember(planned, wish, folders, context)
    setup_files.write(changes, folders)
    if planned.untrack:
        setup_git.untrack(context.project, context.config.paths)


def _remember(planned: Plan, wish: Wish, folders: list[str], context: Context) -> None:
    """Bring to the disk what was there before, ahead of the first byte: --uninstall goes back to that."""
    record = context.state.record(RECORD)
    before, made, config = (record.get(key) for key in ("before", "folders", "config"))
    changed = {CHAIN, *(change.name for change in planned.needed)}
    first = {name: text for name, text in planned.before.items() if name in changed}
    chosen: dict[str, object] = {
        key: getattr(wish, key) for key in KEYS if getattr(wish, key) and CONFIG in changed
    }
    new: dict[str, object] = {
        "before": {**first, **(before if isinstance(before, dict) else {})},
        "folders": sorted({*folders, *(made if isinstance(made, list) else [])}),
        "config": {**(config if isinstance(config, dict) else {}), **chosen},
    }
    context.state.set_record(RECORD, new, durable=True)


def _take_back(planned: Plan, context: Context) -> None:
    setup_files.write(planned.needed, [])
    project = context.project
    made = context.state.record(RECORD).get("folders")
    known = [folder for folder in made if isinstance(folder, str)] if isinstance(made, list) else []
    guessed = [
        project.path(name) for name in (COMMANDS, ".claude") if made is None and planned.needed
    ]
    own = setup_files.remove_leavings(project.path(RUNTIME))
    setup_files.remove_folders([*known, *guessed, *own, project.path(f"{COMMANDS}/baton")])
    with contextlib.suppress(FileNotFoundError):
        os.unlink(context.state.path(RECORD))
        files.sync_folder(context.state.folder)


def _report(planned: Plan, context: Context, removed: bool) -> int:
    lines = plan.summary(planned.needed)
    where = clean.line(context.project.root)
    if not lines:
        head = (
            f"{where}: nothing of baton's set-up is here"
            if removed
            else f"{where}: was set up already"
        )
    else:
        head = f"{where}: {'set-up taken back' if removed else 'set up'}"
    told = [head, *(f"  {line}" for line in lines), *(f"note: {note}" for note in planned.notes)]
    if lines and not removed:
        copied = any(change.name.startswith(f"{RUNTIME}/") for change in planned.needed)
        told.append(_COMMIT if copied else _NEXT)
    context.answer("\n".join(told), {**_data(planned, context), "dry_run": False})
    return 0


def _data(planned: Plan, context: Context) -> dict[str, object]:
    signs = {"+": "made", "~": "changed", "-": "removed"}
    found: dict[str, object] = {
        word: list(dict.fromkeys(c.name for c in planned.needed if c.sign == sign))
        for sign, word in signs.items()
    }
    notes: list[object] = [*planned.notes]
    return {"project": context.project.root, **found, "notes": notes, "untrack": planned.untrack}
