"""The programs that baton runs on, asked for their versions."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping

import baton
from baton.core.doctor.finding import Unseen
from baton.core.doctor.program import Command, Packages, Plugin, Python, Version
from baton.core.doctor.wiring import Wiring
from baton.edge import packages, process
from baton.edge.doctor import claude_files
from baton.hot import digits, files

ROOT = os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
)
_SECONDS = 5.0
_ASK = "import sys; print(*sys.version_info[:3], sep='.')"
_PACKAGES = ("filelock", "rfc8785", "yaml")
_LIMIT = 1 << 20
MANIFEST = ".claude-plugin/plugin.json"


def python(environ: Mapping[str, str]) -> Python:
    """Ask the interpreter that hooks/run remembers. Raises OSError when its note cannot be read."""
    if not (os.path.isabs(environ.get("XDG_DATA_HOME", "")) or environ.get("HOME")):
        return Python("", "", ())
    memory = os.path.join(packages.data_folder(environ), "python")
    remembered = os.fsdecode(files.read(memory, 4096) or b"").split("\n")[0]
    return Python(memory, remembered, _answer(remembered))


def _answer(python: str) -> Version:
    if not (os.path.isfile(python) and os.access(python, os.X_OK)):
        return ()
    if os.path.samefile(python, sys.executable):
        return sys.version_info[:3]
    return _version(process.run([python, "-I", "-S", "-c", _ASK], timeout=_SECONDS))


def package_folder(environ: Mapping[str, str], needed: bool) -> Packages:
    """Look at the package folder. needed: whether the project holds a passport or a pipeline."""
    folder = packages.place(environ)
    names = os.listdir(folder) if os.path.isdir(folder) else []
    missing = tuple(name for name in _PACKAGES if name not in names)
    return Packages(folder, os.path.isdir(folder), missing, needed)


def git() -> Version | Unseen:
    """Ask git; () when none is on PATH."""
    return _asked(["git", "--version"], prefix="git version ")


def claude() -> Version | Unseen:
    """Ask the `claude` on PATH; () when there is none."""
    return _asked(["claude", "--version"])


def _asked(command: list[str], prefix: str = "") -> Version | Unseen:
    if shutil.which(command[0]) is None:
        return ()
    done = process.run(command, timeout=_SECONDS)
    version = _version(done, prefix)
    if version:
        return version
    words = "gave no answer in time" if done.timed_out else "did not say its version"
    return Unseen(f"`{' '.join(command)}` {words}")


def _version(done: process.Completed, prefix: str = "") -> Version:
    """Give the numbers that an answer begins with, () when it begins otherwise."""
    words = done.output.decode("utf-8", "replace").removeprefix(prefix).split()
    numbers = [*map(digits.whole, words[0].split(".")[:3])] if words and done.exit == 0 else []
    return () if -1 in numbers else tuple(numbers)


def engines() -> Version | Unseen:
    """Give the oldest Claude Code that the plugin's manifest allows."""
    try:
        data = files.read(os.path.join(ROOT, MANIFEST), _LIMIT)
        wanted = json.loads(data or b"")["engines"]["claude-code"]
        return tuple(int(number) for number in wanted.removeprefix(">=").split("."))
    except (ValueError, KeyError, TypeError, AttributeError):
        return Unseen(f"{ROOT} has no plugin manifest that says which Claude Code it needs")


def copies(environ: Mapping[str, str]) -> Plugin:
    """Give the versions of the installed plugins called baton. Raises OSError, ValueError."""
    installed = tuple((copy.plugin, copy.version) for copy in claude_files.installed(environ))
    return Plugin(ROOT, baton.__version__, installed)


def command(environ: Mapping[str, str], wiring: Wiring) -> Command:
    """Look whether sessions, and who asks, have `baton` on their PATH. wiring: what registers it."""
    inside = bool(environ.get("CLAUDECODE"))
    found = shutil.which("baton", path=environ.get("PATH", "")) or ""
    plugin = os.path.isfile(os.path.join(ROOT, MANIFEST))
    registered = any(not source.fault for source in wiring.sources)
    return Command(ROOT, plugin, inside, found, registered, wiring.install)
