"""The guard: no test reads or writes what belongs to the person who runs it.

It watches this process by Python's audit events, and each process started from it by the
environment that it is given. A breach fails the test that did it, by name, even where the code
under test swallowed the error.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

_FILE_EVENTS = frozenset(
    "open os.listdir os.scandir os.mkdir os.remove os.rename os.rmdir os.chmod os.link os.symlink"
    " os.truncate os.utime shutil.rmtree".split()
)
_START_EVENTS = {"subprocess.Popen": 3, "os.posix_spawn": 2, "os.exec": 2}
_XDG = {
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_STATE_HOME": ".local/state",
}


class TouchedTheRealHome(AssertionError):
    """A test reached for the home, git configuration or Claude of whoever runs it."""


class Guard:
    """Knows the real places of `environ`; judges while `active`."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.home = os.path.realpath(os.path.expanduser("~"))
        self.folders = {k: environ.get(k) or f"{self.home}/{v}" for k, v in _XDG.items()}
        self.private = _private(self.home, self.folders, environ)
        self.active = False
        self._breaches: list[str] = []

    def install(self) -> None:
        """Begin to watch; an audit hook stays for the life of the process."""
        sys.addaudithook(self._see)

    def take(self) -> list[str]:
        """Give what was done since the last call, one phrase each."""
        found, self._breaches = self._breaches, []
        return found

    def _see(self, event: str, args: tuple[object, ...]) -> None:
        if not self.active:
            return
        if event in _FILE_EVENTS:
            self._check_path(event, args[0])
        elif event in _START_EVENTS:
            given = args[_START_EVENTS[event]]
            self._check_environment(os.environ if given is None else given)

    def _check_path(self, event: str, path: object) -> None:
        if isinstance(path, (str, bytes, os.PathLike)) and self._is_private(os.fsdecode(path)):
            self._breach(f"{event} of {os.fsdecode(path)}")

    def _is_private(self, path: str) -> bool:
        whole = os.path.abspath(path)
        return any(whole == place or whole.startswith(place + "/") for place in self.private)

    def _check_environment(self, given: object) -> None:
        if not isinstance(given, Mapping):
            return
        env = {os.fsdecode(key): os.fsdecode(value) for key, value in given.items()}
        real = {"HOME": self.home, **self.folders}
        for key, place in real.items():
            if env.get(key) and os.path.realpath(env[key]) == os.path.realpath(place):
                self._breach(f"a process was started with {key}={env[key]}")
        for key in ("GIT_CONFIG_GLOBAL", "CLAUDE_CONFIG_DIR"):
            if env.get(key) and self._is_private(env[key]):
                self._breach(f"a process was started with {key}={env[key]}")

    def _breach(self, what: str) -> None:
        self._breaches.append(what)
        raise TouchedTheRealHome(what)


def _private(home: str, folders: Mapping[str, str], environ: Mapping[str, str]) -> list[str]:
    places = [f"{home}/{name}" for name in (".gitconfig", ".claude", ".claude.json", ".bashrc")]
    places += [f"{folder}/baton" for folder in folders.values()]
    places.append(f"{folders['XDG_CONFIG_HOME']}/git")
    places += [environ.get("GIT_CONFIG_GLOBAL", ""), environ.get("CLAUDE_CONFIG_DIR", "")]
    return [place.rstrip("/") for place in places if place not in ("", os.devnull)]
