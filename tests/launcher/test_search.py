"""hooks/run finds the right interpreter and remembers it; the table runs under each shell."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from launcher.stage import PYTHON, Stage

# What the machine has: place → kind. The good one must be found, past all others.
MACHINES = {
    "python3": {"bin/python3": "good"},
    "only python3.11": {"bin/python3.11": "good"},
    "only python": {"bin/python": "good"},
    "only in a system folder": {"system/python3.13": "good"},
    "python3 is broken": {"bin/python3": "broken", "bin/python3.12": "good"},
    "python3 talks nonsense": {"bin/python3": "talks nonsense", "bin/python3.14": "good"},
    "python3 is too old": {"bin/python3": "too old", "system/python3.12": "good"},
    "python is Python 2": {"bin/python": "python 2", "system/python3": "good"},
    "a shim": {"bin/python3": "shim", "versions/new": "good"},
    "a shim to an old one": {
        "bin/python3": "shim",
        "versions/new": "too old",
        "bin/python": "good",
    },
    "a shim to nothing": {"bin/python3": "shim", "bin/python3.11": "good"},
}


@pytest.fixture(params=MACHINES.values(), ids=list(MACHINES))
def machine(request: pytest.FixtureRequest, stage: Stage) -> Stage:
    """A stage with the interpreters of one machine."""
    for place, kind in request.param.items():
        stage.put(place, kind)
    (stage.folder / "global-version").write_text("new\n", encoding="utf-8")
    return stage


def test_the_good_one_is_found_and_remembered(machine: Stage) -> None:
    report = machine.report("flush", "a b", "$c", stdin='{"one": "line"}\n')
    assert report == {
        "python": PYTHON,
        "door": "flush.py",
        "root": str(machine.root),
        "arguments": ["a b", "$c"],
        "input": '{"one": "line"}\n',
        "path": str(machine.bin),
        "isolated": 1,
        "deaf": True,
    }
    assert machine.remembered() == f"{PYTHON}\n"


def test_once_remembered_nothing_else_is_asked(machine: Stage) -> None:
    machine.report("flush")
    machine.log.unlink(missing_ok=True)
    for place in (machine.bin, machine.system):
        shutil.rmtree(place)
    assert machine.report("flush")["python"] == PYTHON
    assert not machine.log.exists()


def test_a_start_up_file_that_prints_changes_no_reply(machine: Stage) -> None:
    profile = machine.folder / "profile"
    profile.write_text("echo Welcome, baton-python\n", encoding="utf-8")
    done = machine.run("flush", BASH_ENV=str(profile), ENV=str(profile))
    # Bash reads it even before the launcher, unless it is called sh, as hooks.json does.
    before = "Welcome, baton-python\n" if machine.shell[-1].endswith("bash") else ""
    assert done.stdout.startswith(before)
    assert json.loads(done.stdout.removeprefix(before))["python"] == PYTHON
    assert machine.remembered() == f"{PYTHON}\n"


def test_the_projects_own_version_does_not_decide(stage: Stage) -> None:
    stage.put("bin/python3", "shim")
    stage.put("versions/new", "good")
    stage.put("versions/old", "too old")
    (stage.folder / "global-version").write_text("new\n", encoding="utf-8")
    project = stage.folder / "project"
    project.mkdir()
    (project / ".python-version").write_text("old\n", encoding="utf-8")
    assert stage.report("flush", cwd=project)["python"] == PYTHON


def test_the_command_line_hears_term(stage: Stage) -> None:
    stage.put("bin/python3", "good")
    report = stage.report("cli", "wal", "show")
    assert (report["door"], report["arguments"]) == ("__main__.py", ["wal", "show"])
    assert report["deaf"] is False


NOT_TO_BE_TRUSTED = {
    "gone": "/no/such/python",
    "a folder": "/usr",
    "a relative path": "bin/python3",
    "nothing": "",
    "not executable": "/etc/passwd",
    "two lines": "/no/such/python\n/usr/bin/false",
}


@pytest.mark.parametrize("text", NOT_TO_BE_TRUSTED.values(), ids=list(NOT_TO_BE_TRUSTED))
def test_a_memory_that_is_not_to_be_trusted_is_replaced(text: str, stage: Stage) -> None:
    stage.put("bin/python3", "good")
    stage.memory.parent.mkdir(parents=True)
    stage.memory.write_text(f"{text}\n", encoding="utf-8")
    assert stage.report("flush")["python"] == PYTHON
    assert stage.remembered() == f"{PYTHON}\n"


def test_a_remembered_one_that_no_longer_starts_is_replaced_at_session_start(stage: Stage) -> None:
    stage.put("bin/python3", "good")
    stage.put("versions/new", "broken")
    stage.memory.parent.mkdir(parents=True)
    stage.memory.write_text(f"{stage.folder}/versions/new\n", encoding="utf-8")
    done = stage.run("session_start", stdin="the event\n")
    assert (done.returncode, done.stdout.count('"input": "the event\\n"')) == (0, 1)
    assert stage.remembered() == f"{PYTHON}\n"


def test_a_failing_session_start_is_not_started_twice(stage: Stage) -> None:
    stage.put("bin/python3", "good")
    stage.report("session_start")
    door = stage.root / "hooks/session_start.py"
    door.write_text("print('once'); raise SystemExit(3)\n", encoding="utf-8")
    done = stage.run("session_start")
    assert (done.returncode, done.stdout, done.stderr) == (3, "once\n", "")


def test_no_home(stage: Stage) -> None:
    stage.put("bin/python3", "good")
    assert stage.report("flush", HOME=None)["python"] == PYTHON
    assert stage.remembered() is None


def test_a_home_that_does_not_exist_is_not_made(stage: Stage) -> None:
    stage.put("bin/python3", "good")
    gone = stage.folder / "gone"
    assert stage.report("flush", HOME=str(gone))["python"] == PYTHON
    assert not gone.exists()


def test_a_data_home_that_cannot_be_written(stage: Stage) -> None:
    stage.put("bin/python3", "good")
    (stage.home / ".local").write_text("a file\n", encoding="utf-8")
    assert stage.report("flush")["python"] == PYTHON
    assert os.listdir(stage.home) == [".local"]


@pytest.mark.parametrize("folder", ["data", "a b/$(touch x)/dữ"])
def test_xdg_data_home(folder: str, stage: Stage) -> None:
    stage.put("bin/python3", "good")
    data = stage.folder / folder
    assert stage.report("flush", XDG_DATA_HOME=str(data))["python"] == PYTHON
    version = stage.memory.parent.name
    assert (data / "baton" / version / "python").read_text(encoding="utf-8") == f"{PYTHON}\n"
    assert stage.remembered() is None


def test_a_relative_data_home_does_not_count(stage: Stage) -> None:
    stage.put("bin/python3", "good")
    stage.report("flush", XDG_DATA_HOME="data")
    assert stage.remembered() == f"{PYTHON}\n"


def test_an_empty_environment(stage: Stage) -> None:
    stage.put("system/python3", "good")
    done = subprocess.run(
        [*stage.shell, str(stage.launcher), "flush"], env={}, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    # Which one it is depends on the shell's own PATH; that the door inherits one does not.
    assert '"path": "/' in done.stdout


def test_a_turn_starts_nothing_but_the_interpreter(stage: Stage) -> None:
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed")
    stage.put("bin/python3", "good")
    stage.report("flush")
    trace = stage.folder / "trace"
    watched = [strace, "-f", "-e", "trace=process", "-o", str(trace)]
    shell, stage.shell = stage.shell, [*watched, *stage.shell]
    stage.report("flush")
    calls = [line.split(" ", 1)[1].lstrip() for line in trace.read_text("utf-8").splitlines()]
    made = [call for call in calls if call.startswith(("execve", "clone", "fork", "vfork"))]
    assert [call.split('"')[1] for call in made] == [shell[0], PYTHON]


def test_the_real_launcher_has_the_same_version_everywhere(stage: Stage) -> None:
    text = stage.launcher.read_text(encoding="utf-8")
    assert f"\nversion={stage.memory.parent.name}\n" in text


def test_the_machine_itself(shell: list[str], tmp_path: Path) -> None:
    """The launcher as it is, with its own folders, in an empty environment with an empty home."""
    stage = Stage(tmp_path, shell)
    original = Path(__file__).parents[2] / "hooks/run"
    shutil.copy(original, stage.launcher)
    shutil.rmtree(stage.system)
    done = stage.run("flush", PATH=None)
    assert done.returncode == 0
    assert done.stderr == ""
