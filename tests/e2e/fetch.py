"""The native Claude Code binary: from npm, once, into a cache outside the repository.

`python tests/e2e/fetch.py` prints its path and fetches it when it is not there.
"""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import pwd
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path

VERSION = "2.1.332"
PACKAGE = "@anthropic-ai/claude-code-linux-x64"
INTEGRITY = "sha512-f4JWhzwYutJIHScC7/dYOPX6s28tt7ZADhsOi8zwOHq5fFPEuUeChh2NMfinSg0GrUckYxaeebC4h0DqiKzLcw=="
"""npm's `dist.integrity` of the tarball."""
SIZE = 402_325_736
"""Bytes of the unpacked binary."""
TIMEOUT = 900.0
"""Seconds for npm."""


class CannotFetch(Exception):
    """The binary is not in the cache and could not be brought there."""


def binary() -> Path:
    """The path of the cached binary, fetched first when it is not there.

    The cache is BATON_TEST_CACHE, else `baton-tests` in XDG_CACHE_HOME or ~/.cache: as they were
    when this process started, whatever has isolated the environment since. Raises CannotFetch.
    """
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise CannotFetch(f"{PACKAGE} runs on Linux x86_64 alone, this is {platform.platform()}")
    environment = at_start()
    return fetched(cache_of(environment), environment)


def fetched(cache: Path, environment: Mapping[str, str]) -> Path:
    """As `binary`, with the cache and the environment for npm given.

    Two test runs may fetch at the same time: each unpacks into a folder of its own, the first
    rename wins, and nothing half-written ever has the final name.
    """
    home = cache / f"claude-code-linux-x64-{VERSION}"
    if not home.exists():
        _fetch(home, environment)
    return _checked(home / "claude")


def at_start() -> dict[str, str]:
    """The environment that this process was started with."""
    pairs = Path("/proc/self/environ").read_bytes().decode(errors="surrogateescape").split("\0")
    return dict(pair.split("=", 1) for pair in pairs if "=" in pair)


def cache_of(environment: Mapping[str, str]) -> Path:
    """The folder outside the repository that is kept between runs."""
    given = environment.get("BATON_TEST_CACHE")
    if given:
        return Path(given)
    account = Path(pwd.getpwuid(os.getuid()).pw_dir)
    return Path(environment.get("XDG_CACHE_HOME") or account / ".cache") / "baton-tests"


def _checked(path: Path) -> Path:
    size = path.stat().st_size if path.exists() else 0
    if size != SIZE:
        raise CannotFetch(
            f"{path} has {size} bytes, expected {SIZE}: remove {path.parent} and start again"
        )
    return path


def _fetch(home: Path, environment: Mapping[str, str]) -> None:
    home.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=home.parent) as work:
        tarball = pack(f"{PACKAGE}@{VERSION}", INTEGRITY, Path(work), environment)
        move(_unpack(tarball, Path(work) / "unpacked"), home)


def pack(package: str, integrity: str, folder: Path, environment: Mapping[str, str]) -> Path:
    """The tarball of `NAME@VERSION` that npm put into `folder`, its contents verified."""
    npm = shutil.which("npm", path=environment.get("PATH", ""))
    if npm is None:
        raise CannotFetch(f"npm is needed once, to fetch {package}, and is not on PATH")
    done = _run_npm([npm, "pack", package, "--silent"], folder, environment)
    found = list(folder.glob("*.tgz"))
    if done.returncode or len(found) != 1:
        raise CannotFetch(f"npm pack {package} failed ({done.returncode}):\n{done.stderr.strip()}")
    _verify(found[0], integrity)
    return found[0]


def _run_npm(
    command: list[str], folder: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=TIMEOUT
        )
    except subprocess.TimeoutExpired as error:
        raise CannotFetch(f"npm took longer than {TIMEOUT:.0f} s") from error


def _verify(tarball: Path, integrity: str) -> None:
    with tarball.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha512").digest()
    got = f"sha512-{base64.b64encode(digest).decode()}"
    if got != integrity:
        raise CannotFetch(f"{tarball.name}: expected {integrity}, got {got}")


def _unpack(tarball: Path, target: Path) -> Path:
    """A folder with the binary alone. The archive's other names are never turned into paths."""
    target.mkdir()
    with tarfile.open(tarball) as archive, (target / "claude").open("wb") as out:
        member = archive.extractfile("package/claude")
        if member is None:
            raise CannotFetch(f"{tarball.name} holds no package/claude")
        shutil.copyfileobj(member, out, 1024 * 1024)
    _checked(target / "claude").chmod(0o755)
    return target


def move(unpacked: Path, home: Path) -> None:
    """Give a whole folder its final name; the first of several runs wins."""
    try:
        unpacked.rename(home)
    except OSError:
        # Another run was first: a folder that is not empty cannot be replaced by a rename.
        if not home.exists():
            raise


if __name__ == "__main__":
    try:
        print(binary())
    except CannotFetch as failure:
        raise SystemExit(f"fetch.py: {failure}") from None
