"""`baton passport …`: the ledger of a research project's passport (design page passport)."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Mapping

from baton.cli import late
from baton.cli.late import Add

FLAG = "ARS_PASSPORT_RESET"


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the group's commands."""
    parser.epilog = "example: baton passport awaiting"
    command = late.commands(parser, "passport")
    _configure_writing(command)
    _configure_consuming(command)
    _configure_looking(command)


def _configure_writing(command: Add) -> None:
    below = command(
        "init",
        "write.init",
        "make a passport with an empty ledger",
        "baton passport init passports/paper.yaml",
    )
    below.add_argument(
        "file",
        nargs="?",
        type=filled,
        default="material_passport.yaml",
        metavar="FILE",
        help="the passport to make (default: material_passport.yaml)",
    )
    below = command(
        "boundary",
        "write.boundary",
        f"end a stage: append its boundary and print the hand-over (only with {FLAG}=1)",
        "baton passport boundary --stage 2 --next 2.5",
    )
    below.set_defaults(silent=silent)
    _add_passport(below)
    below.add_argument("--stage", required=True, metavar="S", help="the stage that was completed")
    following = below.add_mutually_exclusive_group(required=True)
    following.add_argument("--next", metavar="S", help="the stage that comes next")
    following.add_argument("--no-next", action="store_true", help="nothing comes next")
    below.add_argument("--mode", type=filled, metavar="M", help="the mode that the stage ran in")
    below.add_argument(
        "--version-label", type=filled, metavar="L", help="default: the next one of this stage"
    )
    below.add_argument(
        "--status", choices=("VERIFIED", "UNVERIFIED", "STALE"), help="verification status"
    )
    below.add_argument(
        "--decision",
        type=filled,
        metavar="FILE.json",
        help="what a person must decide: a question with options",
    )
    below.add_argument(
        "--observer", type=filled, metavar="REF", help="reference of an observer's snapshot"
    )
    below.add_argument(
        "--level",
        choices=("full", "slim"),
        default="full",
        help="slim never resets (default: full)",
    )
    below.add_argument(
        "--mandatory", action="store_true", help="the checkpoint needs a confirmation as well"
    )
    _add_session(below)


def _configure_consuming(command: Add) -> None:
    below = command(
        "inspect",
        "look.inspect",
        "show what a resume would ask and where it would lead; nothing is written",
        "baton passport inspect 075173601107",
    )
    _add_hash(below)
    _add_routing(below)
    _add_session(below)
    below = command(
        "resume",
        "consume.resume",
        "take a hand-over: consume its boundary, once",
        "baton passport resume 075173601107",
    )
    _add_hash(below, optional=True)
    below.add_argument(
        "--words", action="store_true", help="take hash, stage= and mode= from stdin, as typed"
    )
    _add_routing(below)
    _add_answers(below)
    _add_session(below)
    below = command(
        "continue",
        "consume.go_on",
        "go on in the same session, for the next stage only (a person's act)",
        "baton passport continue",
    )
    _add_hash(below, optional=True)
    _add_routing(below)
    _add_answers(below)
    _add_session(below)
    below = command(
        "accept",
        "accept.accept",
        "take a ledger that went back as it is (a person's act)",
        "baton passport accept passports/paper.yaml",
    )
    below.add_argument("file", type=filled, metavar="FILE", help="the passport")


def _configure_looking(command: Add) -> None:
    command(
        "awaiting",
        "look.awaiting",
        "list the boundaries that nobody has resumed, newest first",
        "baton passport awaiting --json",
    )
    below = command(
        "verify",
        "verify.verify",
        "check a passport from its bytes; exit 1 when something is wrong",
        "baton passport verify passports/paper.yaml",
    )
    below.add_argument("file", type=filled, metavar="FILE", help="the passport")
    below = command(
        "show", "look.show", "list a ledger's entries", "baton passport show passports/paper.yaml"
    )
    below.add_argument("file", nargs="?", type=filled, metavar="FILE", help="default: the only one")
    below = command(
        "tag",
        "tag.tags",
        "find the machine lines of hand-overs in any text",
        "baton passport tag notes.txt",
    )
    below.add_argument("file", nargs="?", type=filled, metavar="FILE", help="default: stdin")


def filled(text: str) -> str:
    """Give what an argument says; a variable that was empty must not stand for one that was not given."""
    if not text.strip():
        raise argparse.ArgumentTypeError("must not be empty")
    return text


def mute(argv: list[str], environ: Mapping[str, str]) -> bool:
    """Whether a command line is of a boundary with the flag off: then not a byte differs from how it was
    without baton, whatever its arguments. Help is given all the same.

    Anything but `1` and the off values is left to the command itself, which names it.
    """
    is_boundary = ("passport", "boundary") in itertools.pairwise(argv)
    off = environ.get(FLAG, "") in ("", "0")
    return is_boundary and off and not {"-h", "--help"}.intersection(argv)


def silent(arguments: argparse.Namespace) -> bool:
    """Whether a boundary is not to be emitted though the flag is on."""
    return bool(arguments.level == "slim")


def _add_hash(below: argparse.ArgumentParser, *, optional: bool = False) -> None:
    below.add_argument(
        "hash",
        nargs="?" if optional else None,
        type=filled,
        metavar="HASH",
        help="12 hexadecimal digits, lower case",
    )
    _add_passport(below)


def _add_passport(below: argparse.ArgumentParser) -> None:
    below.add_argument(
        "--passport", type=filled, metavar="FILE", help="default: found in the project"
    )


def _add_routing(below: argparse.ArgumentParser) -> None:
    below.add_argument(
        "--stage", type=filled, metavar="S", help="another stage than the recorded one"
    )
    below.add_argument("--mode", type=filled, metavar="M", help="another mode for the next stage")


def _add_answers(below: argparse.ArgumentParser) -> None:
    below.add_argument("--branch", metavar="V", help="what the person decided (a person's act)")
    trust = below.add_mutually_exclusive_group()
    trust.add_argument(
        "--reverified", action="store_true", help="it was verified again (a person's act)"
    )
    trust.add_argument(
        "--proceed-unverified", action="store_true", help="go on unverified (a person's act)"
    )
    below.add_argument(
        "--yes", action="store_true", help="agree to what was asked (a person's act)"
    )


def _add_session(below: argparse.ArgumentParser) -> None:
    below.add_argument("--session", type=filled, metavar="ID", help="who asks, outside Claude Code")
