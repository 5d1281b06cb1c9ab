"""baton.core.doctor.program: what baton runs on, each check with each of its answers."""

from __future__ import annotations

import pytest

from baton.core.doctor import program
from baton.core.doctor.finding import Finding, ok, unknown, wrong
from baton.core.doctor.program import Command, Packages, Plugin, Python

MEMORY = "/h/.local/share/baton/0.1.0/python"
FORGET = f"rm -f {MEMORY} && baton --version"
PACKAGES = "/h/data/packages-cpython-311"

INSTALL = "claude plugin install baton@baton"
CASES: dict[str, tuple[Finding, Finding]] = {
    "python: good": (
        program.python(Python(MEMORY, "/usr/bin/python3.12", (3, 12, 1))),
        ok("python", "hooks start /usr/bin/python3.12 (3.12.1)"),
    ),
    "python: nowhere to remember": (
        program.python(Python("", "", ())),
        unknown(
            "python", "neither HOME nor XDG_DATA_HOME says where the interpreter is remembered"
        ),
    ),
    "python: not remembered": (
        program.python(Python("/a b/python", "", ())),
        wrong(
            "python",
            "no interpreter is remembered in /a b/python: each turn pays for a search",
            "mkdir -p '/a b' && chmod u+rwx '/a b' && baton --version",
        ),
    ),
    "python: gone": (
        program.python(Python(MEMORY, "/gone", ())),
        wrong("python", "the hooks' interpreter /gone does not answer", FORGET),
    ),
    "python: too old": (
        program.python(Python(MEMORY, "/old", (3, 10, 9))),
        wrong("python", "the hooks' interpreter /old is 3.10.9; 3.11 is needed", FORGET),
    ),
    "packages: there": (
        program.packages(Packages(PACKAGES, True, (), True)),
        ok("packages", f"in {PACKAGES}"),
    ),
    "packages: not needed": (
        program.packages(Packages(PACKAGES, False, ("yaml",), False)),
        ok(
            "packages",
            "not made yet; the first passport or pipeline command makes them (needs the network once)",
        ),
    ),
    "packages: needed": (
        program.packages(Packages(PACKAGES, False, ("yaml",), True)),
        wrong(
            "packages",
            "passports and pipelines could not be checked: the packages that they need are not made yet",
            "baton environment",
        ),
    ),
    "packages: half": (
        program.packages(Packages(PACKAGES, True, ("rfc8785", "yaml"), False)),
        wrong(
            "packages",
            f"{PACKAGES} lacks rfc8785, yaml",
            f"rm -rf {PACKAGES} && baton environment",
        ),
    ),
    "git: good": (program.git((2, 39, 5)), ok("git", "git 2.39.5")),
    "git: none": (
        program.git(()),
        wrong("git", "git is not on PATH: nothing is kept", "sudo apt-get install git"),
    ),
    "git: old": (
        program.git((2, 34, 1)),
        wrong(
            "git",
            "git 2.34.1: a commit reaches the disk for certain from 2.36 on",
            "sudo apt-get install git",
        ),
    ),
    "claude-code: good": (
        program.claude((2, 1, 332), (2, 1, 320)),
        ok("claude-code", "Claude Code 2.1.332, the plugin needs 2.1.320"),
    ),
    "claude-code: none": (
        program.claude((), (2, 1, 320)),
        unknown("claude-code", "no `claude` on this PATH, so its version could not be asked"),
    ),
    "claude-code: old": (
        program.claude((2, 1, 99), (2, 1, 320)),
        wrong(
            "claude-code",
            "Claude Code 2.1.99: the plugin needs 2.1.320 or newer",
            "claude update",
        ),
    ),
    "version: alone": (
        program.copies(Plugin("/p", "0.1.0", ())),
        ok("version", "baton 0.1.0, no other copy is installed as a plugin"),
    ),
    "version: the same": (
        program.copies(Plugin("/p", "0.1.0", (("baton@baton", "0.1.0"),))),
        ok("version", "baton 0.1.0, as installed"),
    ),
    "version: another": (
        program.copies(Plugin("/p", "0.2.0", (("baton@b", "0.2.0"), ("baton@baton", "0.1.0")))),
        wrong(
            "version",
            "this is baton 0.2.0, the installed plugin baton@baton is 0.1.0",
            "claude plugin update baton@baton",
        ),
    ),
    "command: in a session": (
        program.command(Command("/p", False, True, "/p/bin/baton", False, INSTALL)),
        ok("command", "`baton` is /p/bin/baton"),
    ),
    "command: at a terminal": (
        program.command(Command("/a p", True, False, "", True, INSTALL)),
        ok("command", "sessions find `baton`; at this terminal it is '/a p/bin/baton'"),
    ),
    "command: at a terminal that has it": (
        program.command(Command("/p", False, False, "/usr/bin/baton", True, INSTALL)),
        ok("command", "sessions find `baton`; at this terminal it is /usr/bin/baton"),
    ),
    "command: registered nowhere": (
        program.command(Command("/p", True, False, "/usr/bin/baton", False, INSTALL)),
        unknown(
            "command",
            "nothing registers baton, so only a session can tell whether it finds `baton`",
            INSTALL,
        ),
    ),
    "command: missed": (
        program.command(Command("/p", True, True, "", True, INSTALL)),
        wrong(
            "command",
            "this session has no `baton` on its PATH: its plugin was not loaded at the start",
            "claude",
        ),
    ),
    "command: a folder that Claude Code passes over": (
        program.command(Command("/it's $5", True, False, "", True, INSTALL)),
        wrong(
            "command",
            "/it's $5 holds $ ': Claude Code leaves its bin/ off the PATH",
            "mv '/it'\"'\"'s $5' ~/baton",
        ),
    ),
}


@pytest.mark.parametrize(("found", "expected"), CASES.values(), ids=CASES)
def test_what_is_found(found: Finding, expected: Finding) -> None:
    assert found == expected
