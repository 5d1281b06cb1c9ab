"""The folder is the rule: who may import whom, what the every-turn path costs, one door each."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import measured
from desk import SETTLE_SECONDS
from house.sources import DOORS, MODULES, dotted, imports, tier
from support import HOOKS, ROOT, SCRIPTS

ALLOWED = {
    "hot": {"hot"},
    "core": {"core", "hot"},
    "edge": {"edge", "core", "hot", ""},
    "cli": {"cli", "edge", "core", "hot", ""},
    "": {"cli", "edge", "core", "hot", ""},
}
NEVER_HOT = frozenset(
    "__future__ yaml rfc8785 filelock subprocess dataclasses typing pathlib argparse".split()
)
SLOW = NEVER_HOT | {"json", "re", "enum", "functools", "collections", "inspect"}
ONE_DOOR = {
    "subprocess": "baton.edge.process",
    "yaml": "baton.edge.yaml_events",
    "rfc8785": "baton.core.passport.canonical",
    "filelock": "baton.edge.descriptor_lock",
}
# Where a system has no posix_spawn (Windows), git is started the slow way, from a module that is
# loaded nowhere else.
EXCEPTIONS = {("subprocess", "baton.hot.git.slow_talk")}
SPAWNING = "fork forkpty posix_spawn posix_spawnp system popen startfile".split()
EXECUTING = "execl execle execlp execlpe execv execve execvp execvpe".split()
PYTHON = measured.base_interpreter()


@pytest.mark.parametrize("file", MODULES, ids=dotted)
def test_import_directions(file: Path) -> None:
    module = dotted(file)
    own = [name for name in imports(file) if name == "baton" or name.startswith("baton.")]
    wrong = [name for name in own if tier(name) not in ALLOWED[tier(module)]]
    assert wrong == []


@pytest.mark.parametrize("file", DOORS, ids=lambda file: file.name)
def test_a_door_opens_only_into_the_hot_tier(file: Path) -> None:
    names = imports(file)
    assert {tier(name) for name in names if name.startswith("baton")} == {"hot"}
    assert len(file.read_text(encoding="utf-8").splitlines()) <= 20


@pytest.mark.parametrize("file", [f for f in MODULES if tier(dotted(f)) == "hot"], ids=dotted)
def test_nothing_slow_or_foreign_is_written_into_the_hot_tier(file: Path) -> None:
    foreign = NEVER_HOT & {name.partition(".")[0] for name in imports(file)}
    assert foreign == {"subprocess"} & {name for name, at in EXCEPTIONS if at == dotted(file)}


@pytest.mark.parametrize("dependency", ONE_DOOR)
def test_one_door_for_each_dependency(dependency: str) -> None:
    users = [
        dotted(file)
        for file in MODULES
        if dependency in {name.partition(".")[0] for name in imports(file)}
        and (dependency, dotted(file)) not in EXCEPTIONS
    ]
    assert users in ([], [ONE_DOOR[dependency]])


def test_the_hot_tier_starts_processes_in_one_module() -> None:
    users = {
        dotted(file)
        for file in MODULES
        if tier(dotted(file)) in ("hot", "core")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and ast.unparse(node.value) == "os"
        and node.attr in SPAWNING + EXECUTING
    }
    assert users == {"baton.hot.git.speaker"}


def test_ruff_points_at_the_same_doors() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for dependency, door in ONE_DOOR.items():
        path = f"{door.replace('.', '/')}.py"
        assert f'"{dependency}".msg' in text
        assert f' {door}"' in text
        assert f'"scripts/{path}" = ["TID251"]' in text


# ---- the same, seen from inside a process that is started as Claude Code starts it ----

# Runs a script as __main__ and tells at its end, which for a door is os._exit, what was loaded.
TELLING = """\
import os, sys
for name in {absent!r}:
    sys.modules[name] = None
def leave(code, leave=os._exit):
    names = [name for name, module in sys.modules.items() if module is not None]
    print("LOADED", *names, file=sys.stderr, flush=True)
    leave(code)
os._exit = leave
with open(sys.argv[1]) as file:
    exec(compile(file.read(), sys.argv[1], "exec"), {{"__name__": "__main__", "__file__": sys.argv[1]}})
raise SystemExit("the door returned")
"""
EVENTS: dict[str, dict[str, object]] = {
    "flush": {"hook_event_name": "Stop", "stop_hook_active": False},
    "session_start": {"hook_event_name": "SessionStart", "source": "startup"},
    "prompt": {"hook_event_name": "UserPromptSubmit", "prompt": "good morning"},
    "lead_only": {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}},
    "run_events": {"hook_event_name": "PostToolUse", "tool_name": "Read"},
}
WINDOWS_LACKS = ("fcntl", "_posixsubprocess", "pwd", "grp", "resource", "termios")


def _knock(door: str, project: Path, absent: tuple[str, ...] = ()) -> set[str]:
    """Knock at a door under a bare interpreter; give the modules that it had at the end."""
    event = {"cwd": str(project), "session_id": "s", **EVENTS[door]}
    done = subprocess.run(
        [PYTHON, "-I", "-S", "-c", TELLING.format(absent=absent), str(HOOKS / f"{door}.py")],
        env={**os.environ, "CLAUDE_PROJECT_DIR": str(project)},
        cwd=project,
        input=json.dumps(event) + "\n",
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "internal error" not in done.stdout
    [line] = done.stderr.splitlines()
    return {name.partition(".")[0] for name in line.split()[1:]}


@pytest.fixture(params=[file.stem for file in DOORS])
def door(request: pytest.FixtureRequest) -> str:
    """The name of each door in turn."""
    name: str = request.param
    return name


@pytest.fixture
def quiet(repo: Path) -> Path:
    """A project in which nothing has changed since the last flush."""
    (repo / ".claude").mkdir()
    (repo / ".claude/WAL.md").write_text("", encoding="utf-8")
    # A file so young would be compared again.
    time.sleep(SETTLE_SECONDS)
    _knock("flush", repo)
    return repo


def test_what_a_quiet_turn_loads(door: str, quiet: Path) -> None:
    assert _knock(door, quiet) & SLOW == set()


def test_a_system_that_lacks_what_windows_lacks(door: str, repo: Path) -> None:
    assert set(WINDOWS_LACKS).isdisjoint(_knock(door, repo, WINDOWS_LACKS))


def test_a_passport_of_no_pipeline_loads_none() -> None:
    """What a pipeline needs is a fifth of a resume's time."""
    program = (
        "import sys\nsys.path[:0] = sys.argv[1:]\n"
        "import baton.cli.passport_consume, baton.cli.passport_look, baton.cli.passport_write\n"
        "print(*sorted(name for name in sys.modules if '.pipeline.' in name))\n"
    )
    command = [sys.executable, "-c", program, str(SCRIPTS)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["baton.edge.pipeline.place"]


def test_the_package_needs_nothing_foreign_to_be_imported() -> None:
    """Everything but the doors of the packages can be imported without them."""
    doors = set(ONE_DOOR.values()) - {"baton.edge.process"}
    names = [dotted(f) for f in MODULES if dotted(f) not in doors and f.stem != "__main__"]
    program = (
        "import importlib, sys\nsys.path.insert(0, sys.argv[1])\n"
        "for name in sys.argv[2:]:\n"
        "    try: importlib.import_module(name)\n"
        "    except ModuleNotFoundError as e:\n"
        "        if e.name not in ('yaml', 'rfc8785', 'filelock'): raise\n"
        "        print(name)\n"
    )
    command = [PYTHON, "-I", "-S", "-c", program, str(SCRIPTS), *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    names = [name.split(".")[2] for name in done.stdout.split() if name.count(".") >= 2]
    assert {name.partition("_")[0] for name in names} <= {"passport", "pipeline"}
