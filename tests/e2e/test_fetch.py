"""The cache of the real binary, with a stand-in for npm and a binary of a few bytes."""

from __future__ import annotations

import base64
import hashlib
import io
import tarfile
import threading
from pathlib import Path

import pytest

from . import fetch

BINARY = b"#!/bin/sh\necho I am Claude\n"
NPM = """#!/bin/sh
echo "$*" >> "{log}"
{wait}
cp "{tarball}" "$PWD/package.tgz"
"""


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an `npm` that packs a small binary, and whose calls stand in `calls`."""
    tarball = tmp_path / "source.tgz"
    with tarfile.open(tarball, "w:gz") as archive:
        member = tarfile.TarInfo("package/claude")
        member.size = len(BINARY)
        archive.addfile(member, io.BytesIO(BINARY))
    digest = base64.b64encode(hashlib.sha512(tarball.read_bytes()).digest()).decode()
    monkeypatch.setattr(fetch, "INTEGRITY", f"sha512-{digest}")
    monkeypatch.setattr(fetch, "SIZE", len(BINARY))
    folder = tmp_path / "npm"
    folder.mkdir()
    (folder / "npm").write_text(NPM.format(log=folder / "calls", tarball=tarball, wait=":"))
    (folder / "npm").chmod(0o755)
    return folder


def environment(npm: Path) -> dict[str, str]:
    return {"PATH": f"{npm}:/usr/bin:/bin"}


def test_fetched_once_then_taken_from_the_cache(tmp_path: Path, npm: Path) -> None:
    cache = tmp_path / "cache"
    first = fetch.fetched(cache, environment(npm))
    second = fetch.fetched(cache, {"PATH": "/nowhere"})
    assert first == second == cache / f"claude-code-linux-x64-{fetch.VERSION}" / "claude"
    assert first.read_bytes() == BINARY
    assert first.stat().st_mode & 0o777 == 0o755
    assert (npm / "calls").read_text() == f"pack {fetch.PACKAGE}@{fetch.VERSION} --silent\n"


def test_two_runs_at_once_leave_one_whole_binary(tmp_path: Path, npm: Path) -> None:
    cache = tmp_path / "cache"
    # None has anything before both have asked for it.
    both = f"until [ $(wc -l <'{npm}/calls') = 2 ]; do sleep 0.05; done"
    program = (npm / "npm").read_text().replace("\n:\n", f"\n{both}\n")
    assert both in program
    (npm / "npm").write_text(program)
    found: list[Path] = []
    runs = [
        threading.Thread(target=lambda: found.append(fetch.fetched(cache, environment(npm))))
        for _ in range(2)
    ]
    for run in runs:
        run.start()
    for run in runs:
        run.join(120)
    assert len(found) == 2
    assert found[0] == found[1]
    assert [path.name for path in cache.iterdir()] == [f"claude-code-linux-x64-{fetch.VERSION}"]
    assert len((npm / "calls").read_text().splitlines()) == 2


def test_without_npm_it_says_what_is_needed(tmp_path: Path) -> None:
    with pytest.raises(fetch.CannotFetch) as caught:
        fetch.fetched(tmp_path / "cache", {"PATH": "/nowhere"})
    assert str(caught.value) == (
        f"npm is needed once, to fetch {fetch.PACKAGE}@{fetch.VERSION}, and is not on PATH"
    )


def test_failing_npm_is_quoted(tmp_path: Path, npm: Path) -> None:
    (npm / "npm").write_text("#!/bin/sh\necho 'E404 no such package' >&2\nexit 3\n")
    with pytest.raises(fetch.CannotFetch) as caught:
        fetch.fetched(tmp_path / "cache", environment(npm))
    assert str(caught.value) == (
        f"npm pack {fetch.PACKAGE}@{fetch.VERSION} failed (3):\nE404 no such package"
    )
    assert list((tmp_path / "cache").iterdir()) == []


def test_other_contents_are_refused(
    tmp_path: Path, npm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "INTEGRITY", "sha512-something-else")
    with pytest.raises(fetch.CannotFetch, match=r"^package\.tgz: expected sha512-something-else, "):
        fetch.fetched(tmp_path / "cache", environment(npm))
    assert list((tmp_path / "cache").iterdir()) == []


def test_damaged_cache_is_named(tmp_path: Path, npm: Path) -> None:
    path = fetch.fetched(tmp_path / "cache", environment(npm))
    path.write_bytes(b"cut")
    with pytest.raises(fetch.CannotFetch) as caught:
        fetch.fetched(tmp_path / "cache", environment(npm))
    assert str(caught.value) == (
        f"{path} has 3 bytes, expected {len(BINARY)}: remove {path.parent} and start again"
    )
