"""A program on a terminal of fixed size: tmux, with a server, a socket and a config of its own."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from facts import alive, until

CONFIG = """\
set -g status off
set -g remain-on-exit on
set -g default-terminal "xterm-256color"
set -g history-limit 5000
set -s escape-time 0
set -s exit-empty off
"""
BOX = re.compile(r"─{20,}\n❯(.*?)\n─{20,}", re.DOTALL)
"""Claude Code's prompt box: two rules with the sign between them."""
ENDED = "#{pane_dead_status}:#{pane_dead_signal}"
PATIENCE = 120.0
"""Seconds in which a busy machine, too, shows what is to come; then it does not come."""


class Screen:
    """`command` on a terminal. Only this server and this command's processes are ever ended."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: Path,
        environment: Mapping[str, str],
        size: tuple[int, int] = (80, 24),
    ) -> None:
        # A socket's path may have 107 bytes: a test's own temporary folder is too deep for it.
        self._folder = Path(tempfile.mkdtemp(prefix="baton-tmux-"))
        self._socket = f"baton-{os.getpid()}-{self._folder.name[-8:]}"
        self._closed = False
        self.pid = 0
        try:
            self._start(command, cwd, environment, size)
        except BaseException:
            self.close()
            raise

    def _start(
        self,
        command: Sequence[str],
        cwd: Path,
        environment: Mapping[str, str],
        size: tuple[int, int],
    ) -> None:
        (self._folder / "conf").write_text(CONFIG, encoding="utf-8")
        launch = self._folder / "launch"
        pairs = [f"{name}={value}" for name, value in environment.items()]
        # exec, twice: the pane's process id is the program's.
        launch.write_text(f"exec env -i {shlex.join([*pairs, *command])}\n", encoding="utf-8")
        width, height = (str(number) for number in size)
        self._tmux(
            *("new-session", "-d", "-x", width, "-y", height, "-c", str(cwd)),
            f"exec sh {shlex.quote(str(launch))}",
        )
        self.pid = int(self._format("#{pane_pid}"))

    def send(self, text: str) -> None:
        """Type `text`, as keys; no Enter."""
        self._tmux("send-keys", "-l", "--", text)

    def keys(self, *names: str) -> None:
        """Press keys by tmux's names: Enter, Escape, C-c, Up."""
        self._tmux("send-keys", *names)

    def paste(self, text: str) -> None:
        """Paste `text` (bracketed, as a terminal does), which may have several lines; no Enter."""
        self._tmux("set-buffer", "-b", "harness", "--", text)
        self._tmux("paste-buffer", "-p", "-r", "-d", "-b", "harness")

    def submit(self, text: str, timeout: float = PATIENCE) -> None:
        """Type `text` into the prompt box, press Enter, return when the box has let go of it."""
        self.wait_ready(timeout)
        self.send(text)
        self._wait_box(
            lambda box: _squeezed(text) in box, f"{text!r} did not come into the box", timeout
        )
        # Keys that come within one read are a paste to Claude Code: Enter would break the line.
        time.sleep(0.15)
        self.keys("Enter")
        self._wait_box(
            lambda box: _squeezed(text) not in box, f"{text!r} stays in the box", timeout
        )

    def box(self) -> str | None:
        """What stands in the prompt box, None when there is none: still starting, or a dialog."""
        found = BOX.findall(self.text())
        return found[-1].strip() if found else None

    def text(self, *, history: bool = False) -> str:
        """What stands on the screen. `history`: with what scrolled out above it."""
        shown = self._tmux("capture-pane", "-p", *(("-S", "-") if history else ()))
        # Claude Code sets no-break spaces after its marks, which nobody can tell by looking.
        return shown.replace("\N{NO-BREAK SPACE}", " ")

    def styled(self) -> str:
        """What stands on the screen, line by line, with the escape sequences of its colours."""
        return self._tmux("capture-pane", "-p", "-e")

    def wait_for(
        self, pattern: str, timeout: float = PATIENCE, *, history: bool = False
    ) -> re.Match[str]:
        """Wait until `pattern` is found. The AssertionError after `timeout` s shows the screen."""

        def found() -> re.Match[str] | None:
            return re.search(pattern, self.text(history=history))

        match = until(found, timeout)
        assert match, self._complaint(f"{pattern!r} did not come in {timeout} s", history)
        return match

    def wait_gone(self, pattern: str, timeout: float = PATIENCE) -> None:
        """Wait until `pattern` is no longer found on the screen."""
        gone = until(lambda: re.search(pattern, self.text()) is None, timeout)
        assert gone, self._complaint(f"{pattern!r} was still there after {timeout} s", False)

    def wait_ready(self, timeout: float = PATIENCE) -> None:
        """Wait for the prompt box. It is also there while Claude Code works."""
        self._wait_box(lambda box: True, "no prompt box came", timeout)

    def wait_exit(self, timeout: float = PATIENCE) -> int:
        """Wait for the program's end: its exit status, or minus the signal that killed it."""
        until(self._ended, timeout)
        status, _, killer = self._format(ENDED).partition(":")
        assert status or killer, self._complaint(f"still running after {timeout} s", False)
        return -int(killer) if killer else int(status)

    def _ended(self) -> bool:
        if self._format(ENDED) == ":" and self._format("#{pane_dead}") == "1":
            # tmux sometimes misses that its child ended; the end of another one makes it look.
            self._tmux("run-shell", "-b", "true")
        return self._format(ENDED) != ":"

    def kill(self) -> None:
        """kill -9 for the program, and wait until it is gone."""
        os.kill(self.pid, signal.SIGKILL)
        self.wait_exit()

    def close(self, grace: float = 5.0) -> None:
        """Close the terminal: SIGHUP to the program, SIGKILL after `grace` seconds. Idempotent."""
        if self._closed:
            return
        self._closed = True
        subprocess.run(
            self._command("kill-server"),
            env=self._env(),
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
        if self.pid and not until(lambda: not alive(self.pid), grace):
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            until(lambda: not alive(self.pid), PATIENCE)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _wait_box(self, wanted: Callable[[str], bool], complaint: str, timeout: float) -> None:
        def good() -> bool:
            box = self.box()
            return box is not None and wanted(_squeezed(box))

        assert until(good, timeout), self._complaint(f"{complaint} ({timeout} s)", False)

    def _complaint(self, what: str, history: bool) -> str:
        return f"{what}; the screen:\n{self.text(history=history)}"

    def _format(self, wanted: str) -> str:
        return self._tmux("display-message", "-p", wanted).strip()

    def _tmux(self, *words: str) -> str:
        done = subprocess.run(
            self._command(*words),
            env=self._env(),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, f"tmux {words[0]}: {done.stderr}"
        return done.stdout

    def _command(self, *words: str) -> list[str]:
        return ["tmux", "-L", self._socket, "-f", str(self._folder / "conf"), *words]

    def _env(self) -> dict[str, str]:
        path = os.environ.get("PATH", "/usr/bin:/bin")
        return {
            "PATH": path,
            "HOME": str(self._folder),
            "LANG": "C.UTF-8",
            "TMUX_TMPDIR": str(self._folder),
        }


def _squeezed(text: str) -> str:
    """Without white space: the box wraps what is long."""
    return "".join(text.split())
