"""The real Claude Code in an isolated home, as `claude -p` and on a terminal.

Nothing of the caller's environment reaches it: the environment is built from scratch, the key is
a dummy, the only service is the scripted server whose address is handed in.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from facts import wait_until

from .fetch import CannotFetch, binary
from .model_server import ModelServer
from .screen import Screen

__all__ = [
    "ALLOW_ALL",
    "CannotFetch", "Finished", "Home", "Running", "Screen",
    "binary", "open_screen", "run_print", "start_print",
]  # fmt: skip

ALLOW_ALL = ("--dangerously-skip-permissions",)
"""Extra arguments for tests in which the model calls tools and permissions are not the matter."""
GIT_IDENTITY = """\
[user]
\tname = Test Person
\temail = person@example.invalid
[init]
\tdefaultBranch = main
[commit]
\tgpgSign = false
"""


@dataclass
class Home:
    """One account on one machine: a HOME folder and an API key. Make it with `Home.create`.

    `path` are folders put before the system's on PATH. The home's own `bin/` comes first of all and
    holds `python3`, the interpreter that runs the tests, without the packages of its virtual
    environment. `extra` adds to the environment; None takes a variable out.
    """

    root: Path
    key: str
    path: list[Path] = field(default_factory=list)
    extra: dict[str, str | None] = field(default_factory=dict)

    @classmethod
    def create(
        cls,
        root: Path,
        *,
        key: str = "sk-ant-dummy-key-of-account-one",
        trusted: Iterable[Path] = (),
    ) -> Home:
        """A new home in the folder `root`, which must not exist.

        Answered beforehand: onboarding, use of `key`, the warning of
        --dangerously-skip-permissions, and trust in the folders `trusted`.
        """
        home = cls(root, key)
        for folder in (root, home.bin, home.temporary):
            folder.mkdir(parents=True)
        (home.bin / "python3").symlink_to(os.path.realpath(sys.executable))
        (root / ".gitconfig").write_text(GIT_IDENTITY, encoding="utf-8")
        home.configure(
            {
                "hasCompletedOnboarding": True,
                "bypassPermissionsModeAccepted": True,
                "customApiKeyResponses": {"approved": [key[-20:]], "rejected": []},
            }
        )
        for project in trusted:
            home.trust(project)
        return home

    @property
    def bin(self) -> Path:
        """First on PATH; a test may put programs there."""
        return self.root / "bin"

    @property
    def temporary(self) -> Path:
        """TMPDIR."""
        return self.root / "tmp"

    @property
    def claude_folder(self) -> Path:
        """Claude Code's own folder, `~/.claude`."""
        return self.root / ".claude"

    def configure(self, values: Mapping[str, Any]) -> None:
        """Merge top-level keys into `.claude.json`."""
        path = self.root / ".claude.json"
        old = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        path.write_text(json.dumps({**old, **values}, indent=2), encoding="utf-8")

    def trust(self, project: Path) -> None:
        """Answer the trust dialog for `project` beforehand."""
        path = self.root / ".claude.json"
        projects = json.loads(path.read_text(encoding="utf-8")).get("projects", {})
        for name in {str(project), os.path.realpath(project)}:
            projects[name] = {**projects.get(name, {}), "hasTrustDialogAccepted": True}
        self.configure({"projects": projects})

    def settings(self, values: Mapping[str, Any]) -> None:
        """Write the user settings, `~/.claude/settings.json`."""
        self.claude_folder.mkdir(exist_ok=True)
        (self.claude_folder / "settings.json").write_text(json.dumps(values), encoding="utf-8")

    def environment(self, server: ModelServer) -> dict[str, str]:
        """The whole environment of a Claude Code in this home."""
        values = {**self._places(), **_HARMLESS, **self._account(server), **self.extra}
        return {name: value for name, value in values.items() if value is not None}

    def _places(self) -> dict[str, str]:
        path = [str(folder) for folder in (self.bin, *self.path)] + _SYSTEM_PATH
        return {
            "HOME": str(self.root),
            "PATH": os.pathsep.join(path),
            "TMPDIR": str(self.temporary),
            **{f"XDG_{name}_HOME": str(self.root / place) for name, place in _XDG.items()},
        }

    def _account(self, server: ModelServer) -> dict[str, str]:
        return {"ANTHROPIC_API_KEY": self.key, "ANTHROPIC_BASE_URL": server.url}

    def processes(self) -> list[int]:
        """Ids of the living processes whose HOME is this one, found through /proc."""
        mark = f"HOME={self.root}".encode()
        return [
            int(entry.name) for entry in Path("/proc").glob("[0-9]*") if mark in _environ(entry)
        ]

    def kill_processes(self) -> None:
        """kill -9 for whatever still runs in this home, and wait until nothing does.

        No other process can have it as HOME. One look is not enough: a process may start another
        while it is taken, and one that was killed lives until its turn comes to die.
        """
        wait_until(self._is_quiet, "all processes of this home are dead")

    def _is_quiet(self) -> bool:
        running = self.processes()
        for pid in running:
            _kill(pid)
        return not running


_XDG = {"CONFIG": ".config", "DATA": ".local/share", "STATE": ".local/state", "CACHE": ".cache"}
_SYSTEM_PATH = ["/usr/local/bin", "/usr/bin", "/bin"]
_HARMLESS = {
    "LANG": "C.UTF-8",
    "TERM": "xterm-256color",
    "GIT_CONFIG_NOSYSTEM": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    # Root may use --dangerously-skip-permissions only in what calls itself a sandbox.
    "IS_SANDBOX": "1",
}


def _environ(process: Path) -> list[bytes]:
    try:
        return (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return []


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


@dataclass(frozen=True)
class Finished:
    """A `claude -p` that ended. `events`: the lines of stream-json output, [] for plain text."""

    returncode: int
    stdout: str
    stderr: str
    events: list[dict[str, Any]]

    def of_type(self, kind: str, subtype: str | None = None) -> list[dict[str, Any]]:
        """The events with this `type` (and `subtype`)."""
        fits = [event for event in self.events if event.get("type") == kind]
        return [event for event in fits if subtype is None or event.get("subtype") == subtype]

    @property
    def result(self) -> str:
        """What `-p` would have printed: the text of the result event, else stdout."""
        found = self.of_type("result")
        return str(found[-1].get("result", "")) if found else self.stdout


@dataclass
class Running:
    """A `claude -p` at work."""

    process: subprocess.Popen[str]

    @property
    def pid(self) -> int:
        """The id of the claude process."""
        return self.process.pid

    def kill(self) -> Finished:
        """kill -9 for claude alone; what it started lives on."""
        self.process.kill()
        return self.finish(120)

    def finish(self, timeout: float = 300.0) -> Finished:
        """Wait for the end. AssertionError, and the group killed, after `timeout` seconds."""
        try:
            out, error = self.process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            self.kill_group()
            out, error = self.process.communicate(timeout=120)
            raise AssertionError(f"claude -p took over {timeout} s\n{out}\n{error}") from None
        return Finished(self.process.returncode, out, error, _events(out))

    def kill_group(self) -> None:
        """kill -9 for claude and its children."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)


def open_screen(
    project: Path,
    *,
    home: Home,
    server: ModelServer,
    plugin_dirs: Sequence[Path] = (),
    extra_args: Sequence[str] = (),
    size: tuple[int, int] = (80, 24),
) -> Screen:
    """Start the interactive `claude` in `project` on a terminal of `size` (columns, lines).

    Its permission mode is "auto", which opens a dialog at the first tool call that no rule allows:
    the scripted server has no safety check to offer. Where the script calls tools, hand in
    `ALLOW_ALL`, or allow them in `Home.settings`.
    """
    command = _arguments(plugin_dirs, extra_args)
    return Screen(command, cwd=project, environment=home.environment(server), size=size)


def _arguments(plugin_dirs: Sequence[Path], extra_args: Sequence[str]) -> list[str]:
    plugins = [word for folder in plugin_dirs for word in ("--plugin-dir", str(folder))]
    return [str(binary()), *plugins, *extra_args]


def start_print(
    project: Path,
    prompt: str,
    *,
    home: Home,
    server: ModelServer,
    plugin_dirs: Sequence[Path] = (),
    extra_args: Sequence[str] = (),
    stream: bool = True,
) -> Running:
    """Start `claude -p prompt` in `project`. `stream`: stream-json output, hook events in it."""
    shape = (
        ("--output-format", "stream-json", "--verbose", "--include-hook-events") if stream else ()
    )
    command = [*_arguments(plugin_dirs, extra_args), *shape, "-p", prompt]
    return Running(
        subprocess.Popen(
            command,
            cwd=project,
            env=home.environment(server),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
    )


def run_print(
    project: Path,
    prompt: str,
    *,
    home: Home,
    server: ModelServer,
    plugin_dirs: Sequence[Path] = (),
    extra_args: Sequence[str] = (),
    timeout: float = 300.0,
    stream: bool = True,
) -> Finished:
    """`claude -p prompt` from start to end; see `start_print`."""
    running = start_print(
        project,
        prompt,
        home=home,
        server=server,
        plugin_dirs=plugin_dirs,
        extra_args=extra_args,
        stream=stream,
    )
    return running.finish(timeout)


def _events(out: str) -> list[dict[str, Any]]:
    lines = [line for line in out.splitlines() if line.startswith("{")]
    try:
        return [json.loads(line) for line in lines]
    except ValueError:
        return []
