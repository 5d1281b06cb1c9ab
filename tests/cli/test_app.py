"""baton.cli.app: every outcome is text and one exit code; never a traceback."""

from __future__ import annotations

import gc
import importlib
import json
import os
import re
import runpy
import subprocess
import sys
import types
from pathlib import Path

import pytest

import baton as package
from baton.cli import app, wal
from baton.core.errors import BatonError
from commands import BATON, Here, Said, refused, run_baton
from measured import base_interpreter
from support import SCRIPTS

NO_CHAIN = "no chain here. Start one: baton wal start GOAL --item TEXT --next TEXT --verify CMD\n"
CHOICES = ", ".join(app.GROUPS)


def test_version(baton: Here, repo: Path) -> None:
    expected = Said(0, f"baton {package.__version__}\n", "")
    assert baton("--version") == expected
    assert run_baton("--version", cwd=repo) == expected


@pytest.mark.parametrize("words", [[], ["--help"]], ids=["nothing", "--help"])
def test_help(words: list[str], baton: Here) -> None:
    said = baton(*words)
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("usage: baton ")
    for group in app.GROUPS:
        assert re.search(rf"^ +{group}\b", said.out, re.MULTILINE)


def _commands(group: str, baton: Here) -> list[str]:
    listed = re.findall(r"^    (\w+) ", baton(group, "--help").out, re.MULTILINE)
    return [f"{group} {name}" for name in listed]


def test_every_command_has_help(baton: Here) -> None:
    commands = [*app.GROUPS, *_commands("wal", baton)]
    assert len(commands) >= 18
    for command in commands:
        said = baton(*command.split(), "--help")
        assert (said.code, said.err) == (0, "")
        assert said.out.startswith(f"usage: baton {command}")


def test_help_in_a_locale_that_lacks_the_signs(repo: Path) -> None:
    """Python is started as a person with such a terminal starts it."""
    done = subprocess.run(
        [sys.executable, "-m", "baton", "wal", "start", "--help"],
        cwd=repo,
        env={**os.environ, "PYTHONPATH": str(SCRIPTS), "PYTHONIOENCODING": "ascii"},
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert "'[!] text — evidence' is fine" in done.stdout.decode()


USAGE = {
    "no such group": (
        ["passprot"],
        (
            f"argument GROUP: 'passprot' is none of {CHOICES}; did you mean passport?",
            "baton passport --help",
        ),
    ),
    "nothing like a group": (
        ["zzz"],
        (f"argument GROUP: 'zzz' is none of {CHOICES}", "baton --help"),
    ),
    "no command": (
        ["wal"],
        ("the following arguments are required: COMMAND", "baton wal --help"),
    ),
    "an option too many": (
        ["wal", "show", "--all"],
        ("unrecognized arguments: --all", "baton wal show --help"),
    ),
    "no project": (
        ["--project", " ", "status"],
        ("argument --project: must name a folder; it is empty", "baton --help"),
    ),
    "no project to set up": (
        ["setup", "--project", ""],
        ("argument --project: must name a folder; it is empty", "baton setup --help"),
    ),
    "an abbreviated option": (
        ["pause", "--inc", "x"],
        ("unrecognized arguments: --inc x; did you mean --include?", "baton pause --help"),
    ),
    "an option like no other": (
        ["status", "--al=1", "x"],
        ("unrecognized arguments: --al=1 x; did you mean --all?", "baton status --help"),
    ),
    "a word too many": (
        ["status", "all"],
        ("unrecognized arguments: all", "baton status --help"),
    ),
    "the project in the wrong place": (
        ["wal", "show", "--project", "a b"],
        (
            "unrecognized arguments: --project a b; --project stands before the group",
            "baton --project 'a b' wal show",
        ),
    ),
    "the same in one word": (
        ["doctor", "--project=x"],
        (
            "unrecognized arguments: --project=x; --project stands before the group",
            "baton --project x doctor",
        ),
    ),
    "the same without a folder": (
        ["doctor", "--project"],
        (
            "unrecognized arguments: --project; --project stands before the group",
            "baton --project DIR doctor",
        ),
    ),
    "a word that is no number": (
        ["wal", "mark", "two", "done"],
        ("argument N: invalid int value: 'two'", "baton wal mark --help"),
    ),
    "a mark that is none": (
        ["wal", "mark", "2", "ready"],
        (
            "argument mark: 'ready' is none of todo, doing, done",
            "baton wal mark --help",
        ),
    ),
    "a setting that is none": (
        ["setup", "--persist", "rf"],
        (
            "argument --persist: 'rf' is none of branch, ref, off; did you mean ref?",
            "baton setup --help",
        ),
    ),
    "no time": (
        ["tiep", "--timeout", "0"],
        ("argument --timeout: must be a number of seconds above 0; it is '0'", "baton tiep --help"),
    ),
    "a time that is no number": (
        ["tiep", "--timeout", "nan"],
        ("argument --timeout: must be a number of seconds above 0; it is 'nan'", "baton tiep --help"),
    ),
    "a time in words": (
        ["tiep", "--timeout", "long"],
        ("argument --timeout: must be a number of seconds above 0; it is 'long'", "baton tiep --help"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("words", "told"), USAGE.values(), ids=USAGE)
def test_usage(words: list[str], told: tuple[str, str], baton: Here, repo: Path) -> None:
    message, hint = told
    said = baton(*words)
    assert said == refused(2, message, hint)
    said = baton(*words, "--inline")
    assert said == Said(0, f"baton: {message}\ntry: {hint}\n", "")
    said = baton(*words, "--json")
    error = json.loads(said.out)["error"]
    assert (said.code, said.err, error["code"]) == (2, "", "usage")
    assert [error["message"], error["hint"]] == [message, hint]


def test_an_option_and_no_group(baton: Here, repo: Path) -> None:
    assert baton("--all") == refused(2, "unrecognized arguments: --all", "baton --help")


def test_a_command_that_cannot_be_shown_as_it_is_is_not_shown(baton: Here, repo: Path) -> None:
    told = "unrecognized arguments: --project a b; --project stands before the group"
    assert baton("doctor", "--project", "a\nb") == Said(2, "", f"baton: {told}\n")


def test_usage_in_a_process(repo: Path) -> None:
    for words, (message, hint) in USAGE.values():
        said = run_baton(*words, cwd=repo)
        assert said == refused(2, message, hint)


PROJECTS = {
    "cwd": (["wal", "show"], NO_CHAIN),
    "named": (["--project", "{other}", "wal", "show"], "named\n"),
    "named with =": (["--project={other}", "wal", "show"], "named\n"),
    "named from here": (["--project", "../other", "wal", "show"], "named\n"),
    "inline first": (["--inline", "--project", "{other}", "wal", "show"], "named\n"),
}


@pytest.mark.parametrize(("words", "out"), PROJECTS.values(), ids=PROJECTS)
def test_project(words: list[str], out: str, baton: Here, repo: Path) -> None:
    other = repo.parent / "other"
    (other / ".claude").mkdir(parents=True)
    (other / ".claude/WAL.md").write_text("chain:\n[ ] named\n")
    said = baton(*(word.replace("{other}", str(other)) for word in words))
    assert said.code == 0
    assert said.out == NO_CHAIN if out == NO_CHAIN else "[ ] named\n" in said.out


def test_project_alone(baton: Here, repo: Path) -> None:
    assert baton("--project") == refused(
        2, "argument --project: expected one argument", "baton --help"
    )
    assert baton("--project", str(repo)).out.startswith("usage: baton ")


def test_a_project_that_is_not_there(baton: Here, repo: Path) -> None:
    expected = refused(2, "--project gone: no such folder", "baton --project DIR …")
    assert baton("--project", "gone", "wal", "show") == expected
    assert run_baton("--project", "gone", "wal", "show", cwd=repo) == expected


def test_a_working_folder_that_is_gone(
    baton: Here, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case H6: no getcwd error, and the environment's project serves instead."""
    gone = repo / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert baton("wal", "show") == refused(
        2, "the working folder: no such folder", "baton --project DIR …"
    )
    assert baton("wal", "show", CLAUDE_PROJECT_DIR=str(repo)).out == NO_CHAIN


def test_a_gone_folder_in_a_process(repo: Path, home: Path) -> None:
    # Coverage itself cannot start in such a folder: this process is not measured.
    remembered = home / f".local/share/baton/{package.__version__}/python"
    remembered.write_text(f"{base_interpreter()}\n")
    script = f'mkdir gone && cd gone && rmdir ../gone && "{BATON}" wal show'
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=repo,
        env={**os.environ, "CLAUDE_PROJECT_DIR": str(repo)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, NO_CHAIN)


def test_only_the_group_that_runs_is_imported(repo: Path) -> None:
    script = (
        "import sys; from baton.cli.app import main; main(['pause', '--help']); "
        "print(sorted(n for n in sys.modules if n.startswith('baton.cli.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=repo,
        env={**os.environ, "PYTHONPATH": str(SCRIPTS)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == (
        "['baton.cli.app', 'baton.cli.context', 'baton.cli.flushing', 'baton.cli.pause']"
    )


def test_every_group_has_a_module() -> None:
    for group in app.GROUPS:
        assert callable(importlib.import_module(f"baton.cli.{group}").configure)


def _fail(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> int:
        raise error

    monkeypatch.setattr(wal, "show_chain", fail)


def test_a_bug(baton: Here, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _fail(ZeroDivisionError("\x1b[1mbad"), monkeypatch)
    said = baton("wal", "show", TMPDIR=str(tmp_path))
    (report,) = tmp_path.glob("baton-bug-*.txt")
    assert said == Said(
        70,
        "",
        f"baton: a bug in baton: ZeroDivisionError: \ufffd[1mbad\ntry: report it with {report}\n",
    )
    assert report.read_text().startswith(f"baton {package.__version__}, Python ")
    assert "Traceback (most recent call last)" in report.read_text()
    assert baton("wal", "show", "--inline", TMPDIR=str(tmp_path / "gone")) == Said(
        0,
        "",
        "baton: a bug in baton: ZeroDivisionError: \ufffd[1mbad\n"
        "try: report it with (it could not be written)\n",
    )
    told = json.loads(baton("wal", "show", "--json", TMPDIR=str(tmp_path / "gone")).out)["error"]
    assert (told["code"], told["message"]) == (
        "bug",
        "a bug in baton: ZeroDivisionError: \ufffd[1mbad",
    )


ENDS = {
    "interrupted": (KeyboardInterrupt(), Said(130, "", "")),
    "nobody listens": (BrokenPipeError(), Said(0, "", "")),
    "a refusal without a hint": (BatonError("secret", "no\x1b[1m"), refused(3, "no\ufffd[1m")),
}


@pytest.mark.parametrize(("error", "said"), ENDS.values(), ids=ENDS)
def test_ends(
    error: BaseException, said: Said, baton: Here, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fail(error, monkeypatch)
    assert baton("wal", "show") == said


def test_the_environment_of_the_process_is_the_default(
    repo: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert app.main(["wal", "show"]) == 0
    assert capfd.readouterr() == (NO_CHAIN, "")


def test_a_reader_who_left(repo: Path) -> None:
    script = f'"{BATON}" wal start --help | true; "{BATON}" wal show | true'
    done = subprocess.run(["sh", "-c", script], cwd=repo, env=dict(os.environ), capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


CLOSED = {
    "stdin": ("wal write --base none <&-", 2, b"baton: no document came on stdin; "),
    "stdout": ("wal show >&-", 0, b""),
    "stderr": ("wal frob 2>&-", 2, b""),
    "all": ("tiep --words <&- >&- 2>&-", 0, b""),
}


@pytest.mark.parametrize(("words", "code", "told"), CLOSED.values(), ids=CLOSED)
def test_a_stream_that_was_closed(words: str, code: int, told: bytes, repo: Path) -> None:
    done = subprocess.run(["sh", "-c", f'"{BATON}" {words}'], cwd=repo, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr[: len(told)]) == (code, b"", told)
    assert bool(done.stderr) == bool(told)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has a device that is full")
def test_half_an_answer_is_no_success(repo: Path) -> None:
    command = f'"{BATON}" wal show >/dev/full'
    done = subprocess.run(["sh", "-c", command], cwd=repo, capture_output=True)
    message = b"the answer could not be written: No space left on device; what it tells of is done"
    assert (done.returncode, done.stderr) == (5, b"baton: " + message + b"\n")


def test_an_interrupt_while_the_command_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is printed: the person knows what they pressed."""

    def press(*_: object) -> None:
        raise KeyboardInterrupt

    loading = types.ModuleType("baton.cli.app")
    loading.__getattr__ = press  # type: ignore[method-assign]
    monkeypatch.setitem(sys.modules, "baton.cli.app", loading)
    monkeypatch.setattr(sys, "argv", ["baton", "status"])
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(os, "_exit", sys.exit)
    try:
        with pytest.raises(SystemExit) as left:
            runpy.run_path(str(SCRIPTS / "baton/__main__.py"))
    finally:
        gc.enable()
    assert left.value.code == 130


@pytest.mark.parametrize(("columns", "width"), [("50", 48), ("0", 78), ("wide", 78), ("", 78)])
def test_help_is_as_wide_as_the_terminal(
    baton: Here, monkeypatch: pytest.MonkeyPatch, columns: str, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    lines = baton("wal", "start", "--help").out.splitlines()
    assert width - 12 < max(map(len, lines)) <= width
