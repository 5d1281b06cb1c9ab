"""The package environment: rfc8785, filelock and PyYAML, fetched once, for the commands that need
them (design page layout). Everything else in baton works without it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import baton
from baton.core.errors import BatonError
from baton.hot import homes
from baton.hot.lock import Lock, Locked

if TYPE_CHECKING:
    from baton.edge import process

PINS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "packages.txt")
_WAIT_SECONDS = 120.0
_INSTALL_SECONDS = 110.0
_FLAGS = ["--require-hashes", "--only-binary", ":all:", "--no-deps", "--quiet"]
_PIP_FLAGS = ["--disable-pip-version-check", "--no-input", *_FLAGS]

Progress = Callable[[str], None]


def ensure(progress: Progress) -> str:
    """Give the folder to put on sys.path; make it first if this interpreter has none yet.

    progress: told in one line, without newline, when the user has to wait. Uses the network only
    to make the folder. Raises BatonError: `no-environment` when it cannot be made, `locked` when
    another process has been making it for two minutes.
    """
    folder = place(os.environ)
    base = os.path.dirname(folder)
    if os.path.isdir(folder):
        return folder
    try:
        os.makedirs(base, exist_ok=True)
        with _turn(f"{folder}.lock", progress):
            if not os.path.isdir(folder):
                _make(folder, progress)
    except OSError as error:
        raise BatonError(
            "no-environment",
            f"its packages cannot be put into {base}: {error.strerror}",
            "XDG_DATA_HOME=/tmp/baton-data baton doctor",
        ) from error
    return folder


def place(environ: Mapping[str, str]) -> str:
    """Give the folder of the packages for this interpreter, whether it is made or not."""
    return os.path.join(data_folder(environ), f"packages-{sys.implementation.cache_tag}")


def data_folder(environ: Mapping[str, str]) -> str:
    """Give baton's data folder for this version: the rule of hooks/run."""
    data = homes.xdg(environ, "XDG_DATA_HOME", ".local/share")
    return os.path.join(data, "baton", baton.__version__)


@contextmanager
def _turn(path: str, progress: Progress) -> Iterator[None]:
    """Let one process at a time build; say so when this one has to wait."""
    try:
        lock = Lock(path, 0).__enter__()
    except Locked:
        progress("another baton is preparing the packages; waiting for it…")
        lock = _wait(path)
    try:
        yield
    finally:
        lock.__exit__(None, None, None)


def _wait(path: str) -> Lock:
    try:
        return Lock(path, _WAIT_SECONDS).__enter__()
    except Locked:
        raise BatonError(
            "locked",
            f"another baton has been preparing the packages for {_WAIT_SECONDS:.0f} s ({path})",
            "the same command again",
        ) from None


def _make(folder: str, progress: Progress) -> None:
    """Build beside `folder`, then rename: what bears its name is whole."""
    import shutil  # dear to import, as all that only the making needs
    import tempfile

    progress("preparing its packages, once (about 10 s)…")
    parent, name = os.path.split(folder)
    for left_by_a_killed_one in os.listdir(parent):
        if left_by_a_killed_one.startswith(f".{name}."):
            shutil.rmtree(os.path.join(parent, left_by_a_killed_one), ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f".{name}.", dir=parent) as workshop:
        built = os.path.join(workshop, "built")
        os.mkdir(built)
        _install(built, workshop)
        os.rename(built, folder)


def _install(target: str, workshop: str) -> None:
    command = _installer(workshop)
    if command is None:
        raise BatonError(
            "no-environment",
            f"its packages cannot be installed: {sys.executable} has no pip, and there is no uv",
            "sudo apt-get install python3-pip",
        )
    from shlex import quote
    from tempfile import gettempdir

    python = quote(sys.executable)
    done = _run([*command, "--target", target, "--requirement", PINS])
    if done.exit != 0:
        raise BatonError(
            "no-environment",
            f"its packages cannot be installed: {_last_words(done)}",
            f"{python} -m pip download --no-deps --dest {quote(gettempdir())} -r {quote(PINS)}",
        )


def _installer(workshop: str) -> list[str] | None:
    """Give the head of an install command: pip, else uv, else the pip of a throw-away venv."""
    python = sys.executable
    if _works([python, "-I", "-m", "pip", "--version"]):
        return [python, "-I", "-m", "pip", "install", *_PIP_FLAGS]
    from shutil import which

    if uv := which("uv"):
        return [uv, "pip", "install", "--python", python, *_FLAGS]
    venv = os.path.join(workshop, "venv")
    if _works([python, "-I", "-m", "venv", venv]):
        inner = os.path.join(venv, "Scripts" if os.name == "nt" else "bin", "python")
        return [inner, "-I", "-m", "pip", "install", *_PIP_FLAGS]
    return None


def _works(command: list[str]) -> bool:
    return _run(command).exit == 0


def _run(command: list[str]) -> process.Completed:
    from baton.edge import process

    # The user's index, proxy and certificates count; where things are to be put is not theirs.
    ours = {"PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0"}
    theirs = {k: v for k, v in os.environ.items() if k not in ("PIP_TARGET", "PIP_PREFIX")}
    return process.run(command, env=theirs | ours, timeout=_INSTALL_SECONDS)


def _last_words(done: process.Completed) -> str:
    if done.timed_out:
        return f"no answer within {_INSTALL_SECONDS:.0f} s"
    lines = done.errors.decode("utf-8", "replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), f"exit {done.exit}")
