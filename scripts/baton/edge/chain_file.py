"""The chain's file: read with its revision, changed under the state directory's lock, always
overwritten whole."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable

from baton.core.chain.render import render
from baton.core.errors import BatonError
from baton.hot import files
from baton.hot.chain import ABSENT, MAX_BYTES, UNREADABLE, Chain, parse, revision
from baton.hot.lock import Locked
from baton.hot.project import CHAIN, Project
from baton.hot.state import WRITTEN, State

NO_REVISION = "none"


class Version:
    """A chain as it stands in its file.

    data: None when there is no file. revision: 12 hex digits of its SHA-256, or "none".
    """

    def __init__(self, data: bytes | None) -> None:
        self.data = data
        self.chain: Chain = parse(data or b"")
        self.revision = NO_REVISION if data is None else revision(data)

    @property
    def state(self) -> str:
        """absent, or the chain's state."""
        return ABSENT if self.data is None else self.chain.state


class ChainFile:
    """`.claude/WAL.md` of a project."""

    def __init__(self, project: Project, state: State, lock_wait: float) -> None:
        self._project = project
        self._state = state
        self._lock_wait = lock_wait
        self.path = project.path(CHAIN)

    def read(self) -> Version:
        """Give the chain as it is now. Raises io when it cannot be read."""
        try:
            return Version(files.read(self.path, MAX_BYTES))
        except OSError as error:
            raise BatonError(
                "io", f"{CHAIN} cannot be read: {error.strerror}", f"ls -l {CHAIN}"
            ) from error

    def change(self, step: Callable[[Version], Chain], *, force: bool = False) -> Version:
        """Lock, read, let `step` give the next chain, overwrite.

        What `step` raises leaves the file as it was. Raises invalid-chain for an unreadable chain
        unless `force`, locked, bad-path when the file would lie outside the project, io when it
        cannot be written.
        """
        try:
            with self._state.lock(self._lock_wait):
                before = self.read()
                if before.state == UNREADABLE and not force:
                    raise unreadable(before.chain)
                return self._put(step(before))
        except Locked:
            message = f"the chain is being changed by somebody else for {self._lock_wait} s; nothing was written"
            raise BatonError("locked", message, "the same command again") from None
        except files.Unconfirmed as error:
            message = f"{error.filename}: {error.strerror}; the change is in the file, the disk did not confirm it"
            raise BatonError("io", message, "baton wal show") from error
        except OSError as error:
            message = f"{error.filename or CHAIN}: {error.strerror}; the chain is as it was"
            raise BatonError("io", message, "baton wal show") from error

    def _put(self, chain: Chain) -> Version:
        self._must_lie_inside()
        files.make_folder(os.path.dirname(self.path))
        data = render(chain)
        files.replace(self.path, data)
        version = Version(data)
        self._note(version)
        return version

    def _note(self, version: Version) -> None:
        """The chain is written by now: a note that cannot be is no failure of it."""
        with contextlib.suppress(OSError):
            self._state.write(WRITTEN, version.revision.encode())

    def _must_lie_inside(self) -> None:
        folder = os.path.realpath(os.path.dirname(self.path))
        if not (folder + os.sep).startswith(
            self._project.root.rstrip(os.sep) + os.sep
        ) or os.path.islink(self.path):
            message = f"{CHAIN} is a symlink or lies behind one that leads out of the project; nothing was written"
            raise BatonError("bad-path", message, f"ls -ld .claude {CHAIN}")

    def keep_refused(self, document: bytes) -> str:
        """Put a refused document beside the chain, so that nobody's text is lost.

        Gives its path relative to the project; it is named by its content.
        """
        name = f"{CHAIN}.refused-{Version(document).revision}"
        files.make_folder(os.path.dirname(self.path))
        files.replace(self._project.path(name), document)
        return name


def unreadable(chain: Chain) -> BatonError:
    """Give the refusal to overwrite what could not be read, naming every problem."""
    problems = "; ".join(f"{problem.code}: {problem}" for problem in chain.problems)
    hint = "/tiep shows it and the way back to a good version; --force replaces it"
    return BatonError(
        "invalid-chain",
        f"{CHAIN} cannot be read as a chain ({problems}); nothing was written",
        hint,
    )
