"""`baton GROUP …`: finds the group, runs its command, turns every outcome into text and one exit
code."""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import os
import sys
import time
import traceback
from typing import NoReturn

import baton
from baton.cli.context import Context, complain, folder_name, json_line, warn
from baton.core.errors import BatonError
from baton.hot import clean, digits, reply

BUG = 70
INTERRUPTED = 130
_WIDTH = 80

# group: (one line of help, whether it needs the package environment)
GROUPS = {
    "wal": ("the work chain: where the work stands, what is next, which commands prove it", False),
    "pause": ("close cleanly: commit the chain by name and say where it is safe", False),
    "tiep": ("go on: check the chain against the ground truth, then name the next step", False),
    "close": ("take baton's trailing commits off the branch and empty the chain", False),
    "passport": ("the ledger of a research project: hand-overs that are taken once", True),
    "pipeline": ("the research pipeline: where it stands; gates that cannot be skipped", True),
    "run": ("workflow runs: nothing that an agent finished is paid for twice", False),
    "status": ("chain, last flush, awaiting boundaries and runs on one screen", False),
    "doctor": (
        "check that baton works here; what is wrong comes with the command that mends it",
        False,
    ),
    "statusline": ("one line for Claude Code's status line, from its JSON on stdin", False),
    "setup": ("what a project needs, merged into its files; --uninstall takes it back", False),
    "demo": ("the whole story on a throw-away repository, with real processes", False),
    "environment": (
        "make the packages that passport and pipeline commands need",
        False,
    ),
}


class _Help(argparse.HelpFormatter):
    """Help as wide as the terminal. argparse itself would load shutil to find out, for every argument."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Lay out a text of one line; one of several is laid out already."""
        return text if "\n" in text else super()._fill_text(text, width, indent)


def _columns() -> int:
    columns = digits.whole(os.environ.get("COLUMNS", ""))
    if columns > 0:
        return columns
    try:
        return os.get_terminal_size(1).columns or _WIDTH
    except OSError:
        return _WIDTH


class Parser(argparse.ArgumentParser):
    """An argument parser whose faults are named errors, so that they leave by the same door as all
    others."""

    def _get_formatter(self) -> argparse.HelpFormatter:
        return _Help(self.prog)

    def error(self, message: str) -> NoReturn:
        """Raise usage."""
        raise BatonError("usage", message, f"{self.prog} --help")

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Raise usage for a word that is none of the choices."""
        if action.choices is not None and value not in action.choices:
            from baton.cli import usage  # only where somebody mistyped

            raise usage.no_choice(self, action, value)

    def _print_message(self, message: str, file: object = None) -> None:
        """Help leaves by the door of all answers: in UTF-8, whatever the locale says."""
        reply.write(message)


def main(argv: list[str], environ: dict[str, str] | None = None) -> int:
    """Run one command line (without the program's name) and give its exit code. Never raises."""
    environ = dict(os.environ) if environ is None else environ
    _open_streams()
    inline, as_json = "--inline" in argv, "--json" in argv
    try:
        code = _run([word for word in argv if word != "--inline"], environ)
    except BatonError as error:
        code = _refuse(error, as_json, inline)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        code = 0
    except Exception:
        code = _bug(environ, as_json)
    return 0 if inline else code


def _open_streams() -> None:
    """Put the null device where a standard stream was closed: no file that is opened takes its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))


def leave(code: int) -> NoReturn:
    """End the process with its answers written out; taking apart what was loaded would cost more than
    loading half of it did."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _run(argv: list[str], environ: dict[str, str]) -> int:
    group = next((word for word in argv if not word.startswith("-")), "")
    if argv[:1] == ["--project"]:
        group = argv[2] if len(argv) > 2 else ""
    parser = _parser(group, alone=argv[:1] in ([group], ["--project"]))
    if group == "passport" and _is_mute(argv, environ):
        return 0
    try:
        arguments, unknown = parser.parse_known_args(argv)
    except SystemExit as leave:  # --help and --version have printed and are done
        return int(leave.code or 0)
    if unknown:
        from baton.cli import usage  # only where somebody mistyped

        raise usage.unknown(parser, argv, unknown)
    if not hasattr(arguments, "run"):
        parser.print_help()
        return 0
    if hasattr(arguments, "silent") and arguments.silent(arguments):
        return 0
    if GROUPS[group][1]:
        _bring_packages(environ)
    gc.enable()
    context = Context(environ, arguments.project or "", getattr(arguments, "json", False))
    return int(arguments.run(arguments, context))


def _is_mute(argv: list[str], environ: dict[str, str]) -> bool:
    """Whether this is a command that says nothing at all, not even what is wrong with its arguments."""
    from baton.cli import passport

    return passport.mute(argv, environ)


def _bring_packages(environ: dict[str, str]) -> None:
    """Put the packages where they can be imported; make them first unless `BATON_PACKAGES=there`.

    Behind everything of Python's own: nothing of theirs takes the place of a standard module.
    """
    from baton.edge import packages  # only the groups that need them pay for it

    folder = packages.place(environ)
    if not os.path.isdir(folder):
        if environ.get("BATON_PACKAGES") == "there":
            raise BatonError("no-environment", "packages not made yet", "baton environment")
        folder = packages.ensure(warn)
    if folder not in sys.path:
        sys.path.append(folder)


def _parser(group: str, *, alone: bool = False) -> Parser:
    """Give the parser with the parts of one group alone.

    The others' modules are not even imported. alone: nor are the others listed, where help cannot be
    asked for all of them.
    """
    parser = Parser(
        prog="baton",
        description=baton.__doc__,
        allow_abbrev=False,
        epilog="example: baton status. baton GROUP --help shows a group.",
    )
    parser.add_argument("--version", action="version", version=f"baton {baton.__version__}")
    parser.add_argument(
        "--project",
        metavar="DIR",
        type=folder_name,
        help="the project's folder (default: found from here upwards)",
    )
    groups = parser.add_subparsers(title="groups", metavar="GROUP", parser_class=Parser)
    listed = {group: GROUPS[group]} if alone and group in GROUPS else GROUPS
    for name, (line, _) in listed.items():
        below = groups.add_parser(name, help=line, description=line, allow_abbrev=False)
        if name == group:
            importlib.import_module(f"baton.cli.{name}").configure(below)
    return parser


def _refuse(error: BatonError, as_json: bool, inline: bool) -> int:
    message, hint = clean.line(error.message), clean.command(error.hint)
    if as_json:
        body = {"code": error.code, "message": message, "hint": hint}
        reply.write(json_line({"error": body}))
        return error.exit
    text = f"baton: {message}\n" + (f"try: {hint}\n" if hint else "")
    if inline:
        reply.write(text)
    else:
        complain(text)
    return error.exit


def _bug(environ: dict[str, str], as_json: bool) -> int:
    folder = environ.get("TMPDIR") or "/tmp"
    path = os.path.join(folder, f"baton-bug-{int(time.time())}-{os.getpid()}.txt")
    try:
        with open(path, "x", encoding="utf-8", errors="replace") as file:
            file.write(f"baton {baton.__version__}, Python {sys.version}\n{traceback.format_exc()}")
    except OSError:
        path = "(it could not be written)"
    last = clean.line(traceback.format_exc().strip().splitlines()[-1], 200)
    message, hint = f"a bug in baton: {last}", f"report it with {path}"
    if as_json:
        reply.write(json_line({"error": {"code": "bug", "message": message, "hint": hint}}))
    else:
        complain(f"baton: {message}\ntry: {hint}\n")
    return BUG
