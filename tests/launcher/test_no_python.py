"""No usable Python: the person is told once a session, hooks stay silent, the command line says so."""

from __future__ import annotations

import json
import os
import subprocess
import time

import pytest

from launcher.stage import Stage

# What the machine has → what is said to have been found, and whether that is only too old.
FOUND = {
    "nothing": ({}, "none", False),
    "a broken one": ({"bin/python3": "broken"}, "python3 does not work", False),
    "an old one": ({"bin/python3": "too old"}, "python3 3.9.18", True),
    "several": (
        {"bin/python3": "too old", "bin/python3.11": "talks nonsense", "bin/python": "python 2"},
        "python3 3.9.18, python3.11 does not work, python 2",
        True,
    ),
    "an old one of the system": ({"system/python3": "too old"}, "{system}/python3 3.9.18", True),
}
INSTALL = {
    "brew": "brew install python",
    "apt-get": "sudo apt-get install python3",
    "dnf": "sudo dnf install python3.12",
    "winget": "winget install Python.Python.3.13",
    "": "https://www.python.org/downloads/",
}
TOLD = ("startup", "clear")
SOURCES = (*TOLD, "resume", "compact", "fork", "someday")


@pytest.mark.parametrize(("machine", "found", "old"), FOUND.values(), ids=list(FOUND))
def test_what_was_found(machine: dict[str, str], found: str, old: bool, stage: Stage) -> None:
    for place, kind in machine.items():
        stage.put(place, kind)
    found = found.format(system=stage.system)
    install = "sudo apt-get install python3" + (".11" if old else "")
    stage.put("bin/apt-get", "broken")
    done = stage.run("cli", "wal", "show")
    assert (done.returncode, done.stdout) == (5, "")
    assert done.stderr == (f"baton: needs Python 3.11 or newer (found: {found})\ntry: {install}\n")
    assert stage.remembered() is None


@pytest.mark.parametrize("manager", INSTALL)
def test_how_to_install(manager: str, stage: Stage) -> None:
    if manager:
        stage.put(f"bin/{manager}", "broken")
    done = stage.run("cli")
    assert done.stderr.splitlines()[1] == f"try: {INSTALL[manager]}"


def test_inline_goes_to_standard_output_and_succeeds(stage: Stage) -> None:
    done = stage.run("cli", "tiep", "--json", "--inline")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "baton: needs Python 3.11 or newer (found: none)\ntry: https://www.python.org/downloads/\n"
    )


def test_json_is_an_object(stage: Stage) -> None:
    done = stage.run("cli", "status", "--json")
    assert (done.returncode, done.stderr) == (5, "")
    assert json.loads(done.stdout) == {
        "error": {
            "code": "no-environment",
            "message": "needs Python 3.11 or newer (found: none)",
            "hint": "https://www.python.org/downloads/",
        }
    }


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")], ids=["compact", "spaced"])
@pytest.mark.parametrize("source", SOURCES)
def test_the_start_of_a_session(source: str, separators: tuple[str, str], stage: Stage) -> None:
    event = {"hook_event_name": "SessionStart", "source": source}
    line = json.dumps(event, separators=separators)
    done = stage.run("session_start", stdin=f"{line}\n")
    assert (done.returncode, done.stderr) == (0, "")
    expected = (
        "baton is off: it needs Python 3.11 or newer\n"
        "found: none\n"
        "nothing is saved until then; to install it: https://www.python.org/downloads/"
    )
    told = json.loads(done.stdout or "{}")
    assert told == ({"systemMessage": expected} if source in TOLD else {})


NO_EVENTS = {
    "nothing": "",
    "no newline at the end": '{"source": "resume"}',
    "quoted in a field": json.dumps({"source": "resume", "prompt": '"source":"startup"'}),
    "not JSON": "startup\n",
}


@pytest.mark.parametrize("stdin", NO_EVENTS.values(), ids=list(NO_EVENTS))
def test_no_start_of_a_session(stdin: str, stage: Stage) -> None:
    done = stage.run("session_start", stdin=stdin)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_an_event_without_newline_is_heard(stage: Stage) -> None:
    assert "baton is off" in stage.run("session_start", stdin='{"source":"startup"}').stdout


def test_switched_off_it_says_nothing(stage: Stage) -> None:
    done = stage.run("session_start", stdin='{"source":"startup"}\n', BATON_DISABLED="1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("text", [b"", b"{", b"x" * 5_000_000], ids=["nothing", "a bit", "5 MB"])
def test_input_that_never_ends(text: bytes, stage: Stage) -> None:
    begun = time.monotonic()
    reader, writer = os.pipe()
    child = subprocess.Popen(
        [*stage.shell, str(stage.launcher), "session_start"],
        env={"PATH": str(stage.bin)},
        stdin=reader,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    os.close(reader)
    _write_until_it_hangs_up(writer, text)
    assert child.communicate(timeout=120) == (b"", b"")
    assert child.returncode == 0
    assert time.monotonic() - begun < 100
    os.close(writer)


def _write_until_it_hangs_up(writer: int, text: bytes) -> None:
    try:
        while text:
            text = text[os.write(writer, text) :]
    except BrokenPipeError:
        pass


@pytest.mark.parametrize("door", ["flush"])
def test_every_other_hook_is_silent(door: str, stage: Stage) -> None:
    done = stage.run(door, stdin='{"source":"startup"}\n')
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
