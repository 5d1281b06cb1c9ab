"""What is left out and named: one bad path never costs the rest (design page persist)."""

import os

from baton.hot import files, secrets
from baton.hot.flush import signature
from baton.hot.flush.attempt import Attempt, Lost
from baton.hot.flush.comparison import Comparison
from baton.hot.state import State

# What git stores in good time; a larger file would keep all the others waiting.
LIMIT = 32 << 20
# What is searched for secrets in good time, about a second; but one file of any size always is.
SEARCHED = 32 << 20
NOT_SEARCHED = "not searched for secrets yet: too much has changed at once"
# Files that hold a secret, as they were: they need not be read again to be left out again.
NOTE = "secrets"
_TYPE, _FILE = 0o170000, 0o100000


def look(comparison: Comparison) -> None:
    """Take each file that meets an objection out of a comparison; the survey names it."""
    attempt = comparison.attempt
    known = _Known(attempt)
    search = _Search(attempt)
    for path, mode in list(comparison.files.items()):
        reason = known.reason(path) or search.objection(path) if mode & _TYPE == _FILE else ""
        if reason:
            del comparison.files[path]
            attempt.survey.faults[path] = reason
    known.note(search.secret)


def look_again(comparison: Comparison) -> None:
    """Raise Lost when a file holds a secret that it did not hold when it was searched.

    Git has read the files since: what it stored is then in no commit.
    """
    search = _Search(comparison.attempt)
    for path in comparison.attempt.changed_since():
        if path in comparison.files and search.objection(path):
            raise Lost("the state files keep changing")


def included(attempt: Attempt) -> dict[bytes, int]:
    """Give path → st_mode of the further files asked for; the survey names the others."""
    found = {}
    search = _Search(attempt)
    for path in attempt.request.include:
        reason, mode = _fault_of(attempt, path)
        reason = reason or search.objection(path)
        if reason:
            attempt.survey.faults[path] = reason
        else:
            found[path] = mode
    return found


def _fault_of(attempt: Attempt, path: bytes) -> tuple[str, int]:
    from baton.hot.config import fault_of

    whole = os.path.join(attempt.survey.base, path)
    fault = fault_of(signature.shown(attempt.request.project, path))
    try:
        mode = os.lstat(whole).st_mode
    except OSError as error:
        return fault or error.strerror or "cannot be looked at", 0
    if mode & _TYPE != _FILE:
        fault = fault or "not a regular file"
    if os.path.realpath(whole) != whole:
        fault = fault or "behind a symbolic link"
    return fault, mode


class _Search:
    """The look into files. secret: path → reason of each one that holds a secret."""

    __slots__ = ("_left", "_survey", "secret")

    def __init__(self, attempt: Attempt) -> None:
        self._survey = attempt.survey
        self._left = SEARCHED
        self.secret: dict[bytes, str] = {}

    def objection(self, path: bytes) -> str:
        """Say why the content of a file may not be kept, "" when it may."""
        place = self._survey.place(path)
        if not os.access(place, os.R_OK):
            return "cannot be read: Permission denied"
        size = os.stat(place).st_size
        if size > LIMIT:
            return f"larger than {LIMIT >> 20} MiB"
        if size > self._left < SEARCHED:
            return NOT_SEARCHED
        self._left -= size
        return self._secrets_in(path, os.fsdecode(place))

    def _secrets_in(self, path: bytes, place: str) -> str:
        try:
            found = secrets.find_bytes(files.read(place, LIMIT) or b"")
        except OSError as error:
            return f"cannot be read: {error.strerror}"
        if found:
            self.secret[path] = f"secret in {secrets.described(found)}"
        return self.secret.get(path, "")


class _Known:
    """What earlier flushes noted: the survey's line of a file that holds a secret, and the reason."""

    __slots__ = ("_attempt", "_before", "_still")

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt
        self._before = _noted(attempt.request.state)
        lines = attempt.survey.lines if self._before else []
        self._still = {
            signature.parts(line)[1]: (line, self._before[line])
            for line in lines
            if line in self._before
        }

    def reason(self, path: bytes) -> str:
        """Say why a file that has not changed since is still left out, "" when it is not known."""
        return os.fsdecode(self._still[path][1]) if path in self._still else ""

    def note(self, fresh: dict[bytes, str]) -> None:
        """Put down what is known now, unless a file may change without being seen to."""
        now = dict(self._still.values())
        if fresh and not self._attempt.too_young:
            for line in self._attempt.survey.lines:
                reason = fresh.get(signature.parts(line)[1])
                if reason:
                    now[line] = os.fsencode(reason)
        if now != self._before:
            pairs = [part for pair in now.items() for part in pair]
            try:
                self._attempt.request.state.write(NOTE, b"\0".join(pairs))
            except OSError:
                # Then the file is read again the next time.
                pass


def _noted(state: State) -> dict[bytes, bytes]:
    parts = state.read(NOTE).split(b"\0")
    return dict(zip(parts[::2], parts[1::2], strict=False))
