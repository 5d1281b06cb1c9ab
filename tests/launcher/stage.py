"""A stage for hooks/run: a plugin with doors that tell what they see, and a machine made to order."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import baton
import measured
from support import HOOKS, LAUNCHER, ROOT

PYTHON = measured.base_interpreter()
SYSTEM_FOLDERS = "/usr/local/bin /usr/bin /opt/homebrew/bin"
GUARDED = '[ ! -r "$0" ] || . "$0"'

SHELLS = {
    "dash": ["dash"],
    "bash": ["bash"],
    "bash --posix": ["bash", "--posix"],
    "busybox": ["busybox", "sh"],
}

# Tells what a door sees: the interpreter, the arguments, the input, and how TERM is handled.
DOOR = """\
import json, os, signal, sys
folder, door = os.path.split(os.path.abspath(__file__))
report = {
    "python": os.path.realpath(sys.executable), "door": door,
    "root": os.path.dirname(folder.removesuffix("/baton")),
    "arguments": sys.argv[1:], "input": sys.stdin.read(), "path": os.environ.get("PATH", ""),
    "isolated": sys.flags.isolated and sys.flags.no_site,
    "deaf": signal.getsignal(signal.SIGTERM) == signal.SIG_IGN,
}
print(json.dumps(report))
"""

# Interpreters that a machine can have. {python} is the real one, {log} counts the calls.
TOO_OLD = """\
#!/bin/sh
[ "$1" = -V ] && echo Python 3.9.18 && exit
exec '{python}' -I -S -c 'import sys; sys.version_info = (3, 9, 18); exec(sys.argv[1])' "$4"
"""
SHIM = """\
#!/usr/bin/env bash
echo call >>'{log}'
folder=$PWD
while [ -n "$folder" ] && [ ! -e "$folder/.python-version" ]; do folder=${{folder%/*}}; done
if [ -n "$folder" ]; then read -r version <"$folder/.python-version"
else read -r version <"${{0%/*}}/../global-version"
fi
exec "${{0%/*}}/../versions/$version" "$@"
"""
KINDS = {
    "too old": TOO_OLD,
    "shim": SHIM,
    "broken": "#!/bin/sh\necho 'cannot open shared object file' >&2; exit 127\n",
    "talks nonsense": "#!/bin/sh\necho 3.12.0\n",
    "python 2": "#!/bin/sh\n[ \"$1\" = -V ] && echo Python 2.7.18 >&2 && exit\nexit 2\n",
}  # fmt: skip


class Stage:
    """One plugin in `root`, one machine in `folder`: bin/ is PATH, system/ the system's folders."""

    def __init__(self, folder: Path, shell: Sequence[str], plugin: str = "plugin") -> None:
        self.folder = folder
        self.shell = _shell(shell)
        self.root = folder / plugin
        self.bin = folder / "bin"
        self.system = folder / "system"
        self.home = folder / "home"
        self.log = folder / "log"
        self.memory = self.home / f".local/share/baton/{baton.__version__}/python"
        for made in (self.bin, self.system, self.home, folder / "versions"):
            made.mkdir(parents=True)
        for program in ("mkdir", "mv", "rm", "sleep", "readlink", "env", "bash"):
            self._link(self.bin / program, shutil.which(program))
        self._plugin()

    def _plugin(self) -> None:
        (self.root / "hooks").mkdir(parents=True)
        (self.root / "bin").mkdir()
        (self.root / "scripts/baton").mkdir(parents=True)
        text = LAUNCHER.read_text(encoding="utf-8")
        assert text.count(SYSTEM_FOLDERS) == 1
        # The one thing that a test cannot move away: the folders of the machine itself.
        text = text.replace(f"in {SYSTEM_FOLDERS}", f'in "{self.system}"')
        self.launcher = self.root / "hooks/run"
        self.launcher.write_text(text, encoding="utf-8")
        shutil.copy(ROOT / "bin/baton", self.root / "bin/baton")
        for door in ("hooks/flush.py", "hooks/session_start.py", "scripts/baton/__main__.py"):
            (self.root / door).write_text(DOOR, encoding="utf-8")

    def _link(self, link: Path, target: str | Path | None) -> None:
        assert target is not None, f"{link.name} is not on this machine"
        link.symlink_to(target)

    def put(self, place: str, kind: str) -> None:
        """Put an interpreter there: `good`, or one of KINDS. place: relative, as bin/python3."""
        file = self.folder / place
        if kind == "good":
            self._link(file, PYTHON)
            return
        file.write_text(KINDS[kind].format(python=PYTHON, log=self.log), encoding="utf-8")
        file.chmod(0o755)

    def run(
        self,
        door: str,
        *arguments: str,
        stdin: str = "",
        cwd: Path | None = None,
        command: Sequence[str] = (),
        **environment: str | None,
    ) -> subprocess.CompletedProcess[str]:
        """Knock at a door; environment: beside HOME and PATH, None takes one away."""
        given = {"HOME": str(self.home), "PATH": str(self.bin), **environment}
        return subprocess.run(
            [*self.shell, *(command or [str(self.launcher)]), door, *arguments],
            env={key: value for key, value in given.items() if value is not None},
            cwd=cwd or self.folder,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def report(self, door: str, *arguments: str, **more: Any) -> Mapping[str, Any]:
        """Knock, and give what the door saw; nothing else may have been said."""
        done = self.run(door, *arguments, **more)
        assert (done.returncode, done.stderr) == (0, ""), done
        assert done.stdout.count("\n") == 1, done.stdout
        report: Mapping[str, Any] = json.loads(done.stdout)
        return report

    def remembered(self) -> str | None:
        """What stands in the memory; nothing may lie beside it."""
        if not self.memory.exists():
            return None
        assert os.listdir(self.memory.parent) == ["python"]
        return self.memory.read_text(encoding="utf-8")


def _shell(command: Sequence[str]) -> list[str]:
    program = shutil.which(command[0])
    if program is None:
        pytest.skip(f"{command[0]} is not installed")
    return [program, *command[1:]]


def registered(door: str) -> list[str]:
    """The arguments of sh for a door, as hooks.json has them."""
    events = json.loads((HOOKS / "hooks.json").read_text(encoding="utf-8"))["hooks"]
    entries = [hook for groups in events.values() for group in groups for hook in group["hooks"]]
    return next(hook["args"] for hook in entries if hook["args"][-1] == door)
