"""The chain's file: read with its revision, changed under the state directory's lock, always
overwritten whole."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Callable

from baton.core import secrecy
from baton.core.chain.render import render
from baton.core.errors import BatonError, way_out
from baton.hot import files, overlay, secrets
from baton.hot.chain import ABSENT, UNREADABLE, Chain, parse, revision
from baton.hot.lock import Locked
from baton.hot.project import CHAIN, Project
from baton.hot.state import OVERLAY, WRITTEN, State

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

    def read(self) -> Version:
        """Give the chain as it is now, from the overlay while that stands.

        Raises io when it cannot be read.
        """
        try:
            return Version(overlay.content(self._project, self._state))
        except OSError as error:
            message = f"{CHAIN} cannot be read: {error.strerror}"
            look = f"ls -l {shlex.quote(self._project.path(CHAIN))}"
            raise BatonError("io", message, look) from error

    def change(self, step: Callable[[Version], Chain], *, force: bool = False) -> Version:
        """Lock, read, let `step` give the next chain, overwrite.

        What `step` raises leaves the file as it was. Raises invalid-chain for an unreadable chain
        unless `force`, secret, locked, bad-path when the file would lie outside the project, io
        when it cannot be written.
        """
        try:
            with self._state.lock(self._lock_wait):
                before = self.read()
                if before.state == UNREADABLE and not force:
                    raise unreadable(before.chain)
                return self._put(_without_secrets(step(before), before))
        except Locked:
            message = f"the chain is being changed by somebody else for {self._lock_wait} s; nothing was written"
            raise BatonError("locked", message, "the same command again") from None
        except files.Unconfirmed as error:
            message = f"{error.filename}: {error.strerror}; the change is in the file, the disk did not confirm it"
            raise BatonError("io", message, "baton wal show") from error
        except OSError as error:
            message = f"{error.filename or CHAIN}: {error.strerror}; the chain is as it was"
            raise BatonError("io", message, way_out(error, "baton wal show")) from error

    def _put(self, chain: Chain) -> Version:
        self._must_lie_inside()
        files.sweep(self._project.path(CHAIN))
        version = Version(render(chain))
        self._place(version.data or b"")
        self._note(version)
        return version

    def _place(self, data: bytes) -> None:
        """Overwrite the overlay while git must not see the file changed, else the file.

        An overlay that is no longer wanted holds the newest content until the file does.
        """
        project, state = self._project, self._state
        standing = overlay.stands(state)
        if standing or overlay.wanted(project):
            files.replace(state.path(OVERLAY), data)
            if not standing or not overlay.over(project):
                return
            overlay.settle(project, state)
        else:
            path = project.path(CHAIN)
            files.make_folder(os.path.dirname(path))
            files.replace(path, data)

    def _note(self, version: Version) -> None:
        """The chain is written by now: a note that cannot be is no failure of it."""
        with contextlib.suppress(OSError):
            self._state.write(WRITTEN, version.data or b"")

    def _must_lie_inside(self) -> None:
        if not overlay.lies_inside(self._project):
            message = f"{CHAIN} is a symlink or lies behind one that leads out of the project; nothing was written"
            path = self._project.path(CHAIN)
            raise BatonError(
                "bad-path", message, f"ls -ld {shlex.join((os.path.dirname(path), path))}"
            )

    def keep_refused(self, document: bytes) -> str:
        """Put a refused document beside the chain, so that nobody's text is lost.

        Gives its path relative to the project; it is named by its content.
        """
        return overlay.keep_aside(self._project, document)


def unreadable(chain: Chain) -> BatonError:
    """Give the refusal to overwrite what could not be read, naming every problem."""
    problems = "; ".join(f"{problem.code}: {problem}" for problem in chain.problems)
    hint = "baton tiep shows it and the way back to a good version; baton wal start --force … replaces it"
    return BatonError(
        "invalid-chain",
        f"{CHAIN} cannot be read as a chain ({problems}); nothing was written",
        hint,
    )


def _without_secrets(chain: Chain, before: Version) -> Chain:
    there = secrets.find_bytes(before.data or b"")
    hint = f"take it out of {CHAIN} with an editor, then the same command again"
    secrecy.check(
        render(chain),
        "the chain as it would be",
        "nothing was written",
        hint if there else secrecy.HINT,
    )
    return chain
