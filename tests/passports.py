"""Passports on a disk for tests: the packages that their commands need, files, and what was said."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

import baton
from baton.core.passport.entry import Boundary, Entry, Resume
from baton.hot import project as projects
from baton.hot.state import State
from commands import Here, Said
from passport_samples import passport, sealed

NAME = "passports/paper.yaml"
ON = {"ARS_PASSPORT_RESET": "1"}
NEEDED = ("yaml", "_yaml", "rfc8785", "filelock")


def give_packages(home: str | os.PathLike[str]) -> Path:
    """Put the package environment into a home, as links to what the tests themselves run with."""
    folder = Path(home) / ".local/share/baton" / baton.__version__
    packages = folder / f"packages-{sys.implementation.cache_tag}"
    packages.mkdir(parents=True)
    for name in NEEDED:
        (packages / name).symlink_to(Path(sysconfig.get_paths()["purelib"]) / name)
    return packages


def boundary(
    stage: str, following: str | None, session: str = "sess-a", mode: str | None = None
) -> Boundary:
    """A boundary whose hash is not yet set."""
    return Boundary("0" * 12, stage, following, "2026-04-23T14:00:00Z", session, "v1.0", mode)


RESUME = Resume("0" * 12, "2026-04-24T09:00:00Z", "sess-z")


def ledger(*entries: Entry) -> list[Entry]:
    """Entries whose hashes follow; a resume consumes the newest boundary that waits."""
    return sealed(entries)


class Shelf:
    """A project with one passport. baton: runs a command line in this process."""

    def __init__(self, root: Path, baton: Here) -> None:
        self.root = root
        self.path = root / NAME
        self.baton = baton

    def lay(self, *entries: Entry, top: str = "verification_status: VERIFIED\n") -> list[str]:
        """Write the passport; give the boundaries' hashes."""
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_text(passport(entries, top), encoding="utf-8")
        return [each.hash for each in entries if isinstance(each, Boundary)]

    def __call__(self, *args: str, session: str = "sess-b", **env: str) -> Said:
        """Run `baton passport …` as a terminal's person in `session`."""
        given = (
            ("--session", session)
            if args[0] in ("resume", "inspect", "boundary", "continue")
            else ()
        )
        return self.baton("passport", *args, *given, **env)

    def inside(self, *args: str, session: str = "sess-b", **env: str) -> Said:
        """Run `baton passport …` as Claude Code's session does."""
        return self.baton("passport", *args, CLAUDECODE="1", CLAUDE_CODE_SESSION_ID=session, **env)

    @property
    def project(self) -> projects.Project:
        """As every command finds it."""
        found = projects.locate({}, str(self.root))
        assert found is not None
        return found

    @property
    def state(self) -> State:
        """baton's notes of it."""
        return State(self.project, dict(os.environ))
