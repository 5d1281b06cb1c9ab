"""One project's files as `baton setup` finds and leaves them, decided one by one while nothing is written
yet."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from baton.cli.context import Context
from baton.core.doctor.finding import editing
from baton.core.errors import BatonError
from baton.core.setup import blocks, plan, toml_lines
from baton.core.setup.json_text import Malformed
from baton.core.setup.plan import Change, Manifest
from baton.edge import setup_files

SETTINGS = ".claude/settings.json"
ATTRIBUTES = ".gitattributes"
EXCLUDE = "info/exclude"
POINTERS = ("CLAUDE.md", ".claude/CLAUDE.md")
COMMANDS = ".claude/commands"
RECORD = "setup"
KEYS = ("persist", "lang")
_BOM = "\ufeff"

T = TypeVar("T")


@dataclass(slots=True)
class Plan:
    """changes: in the order of writing, also those that change nothing. notes: for the person.

    before: name → text before the first setup; of the chain only whether it was there. untrack: state files that
    git tracks and that are to be left to the ref.
    """

    changes: list[Change] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    before: dict[str, object] = field(default_factory=dict)
    untrack: list[str] = field(default_factory=list)

    @property
    def needed(self) -> list[Change]:
        """The changes that change something."""
        return [change for change in self.changes if change.needed]


class Planner:
    """Looks at one project's files; a set-up and its taking back decide on each."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.project = context.project
        self.plan = Plan()
        self.record = context.state.record(RECORD)
        before = self.record.get("before")
        self.before = before if isinstance(before, dict) else {}

    def _look(self, name: str) -> Change:
        return setup_files.look(self.project.root, name)

    def _before(self, now: Change) -> str | None:
        text = self.before.get(now.name)
        return text if isinstance(text, str) else None

    def _checked(self, now: Change, step: Callable[[], T]) -> T:
        try:
            return step()
        except (Malformed, blocks.Damaged, toml_lines.Malformed) as error:
            look = f"grep -n 'baton setup' {shlex.quote(now.path)}"
            hint = look if isinstance(error, blocks.Damaged) else editing(now.path)
            raise BatonError(
                "bad-config", f"{now.name}: {error}; nothing was written", hint
            ) from error

    def _put_text(self, now: Change, text: str) -> None:
        """Plan new text; a file that was not there before and has become empty goes."""
        if text == text_of(now):
            self._put(now, now.old)
            return
        bom = _BOM if (now.old or b"").startswith(_BOM.encode()) else ""
        data = (bom + text).encode("utf-8", "surrogateescape")
        self._put(now, data if text or self._before(now) is not None else None)

    def _put(self, now: Change, data: bytes | None) -> None:
        change = changed(now, data)
        if change.needed:
            setup_files.must_be_writable(change)
        self.plan.changes.append(change)

    def _removal(self, name: str, old: Manifest) -> list[Change]:
        now = self._look(name)
        if now.old is None:
            return []
        if plan.digest(now.old) in old[name]:
            return [Change(now.name, now.path, now.old, None)]
        self.plan.notes.append(f"{name} was changed by somebody else and was left")
        return []


def changed(now: Change, data: bytes | None, executable: bool = False) -> Change:
    """Give the change of a file to other bytes, None to take it away."""
    return Change(now.name, now.path, now.old, data, executable, now.was_executable)


def text_of(now: Change) -> str:
    """A file's text without its byte order mark. Raises bad-config for what is no text."""
    data = now.old or b""
    if b"\0" in data:
        message = f"{now.name} is no UTF-8 text; nothing was written"
        raise BatonError("bad-config", message, f"head -c 64 {shlex.quote(now.path)}")
    return data.decode("utf-8", "surrogateescape").removeprefix(_BOM)
