"""What `baton setup` will write, decided file by file while nothing is written yet."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import baton
from baton.cli.context import Context
from baton.core.chain import edit
from baton.core.chain.render import render
from baton.core.errors import BatonError
from baton.core.setup import blocks, plan, settings, texts, toml_lines
from baton.core.setup.blocks import Block
from baton.core.setup.json_text import Malformed
from baton.core.setup.plan import MANIFEST, Change, Manifest
from baton.core.setup.settings import RUNTIME
from baton.edge import setup_files, setup_git, setup_runtime
from baton.hot import clean
from baton.hot.chain import EMPTY, parse
from baton.hot.project import CHAIN, CONFIG

SETTINGS = ".claude/settings.json"
ATTRIBUTES = ".gitattributes"
EXCLUDE = "info/exclude"
POINTERS = ("CLAUDE.md", ".claude/CLAUDE.md")
COMMANDS = ".claude/commands"
RECORD = "setup"
KEYS = ("persist", "lang")
_BROAD = ("Bash(baton:*)", "Bash(baton *)", "Bash(baton)")
_BOM = "\ufeff"

Edit = Callable[[str], str]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line asks for; "" for a setting that is to stay."""

    with_hooks: bool = False
    statusline: bool = False
    persist: str = ""
    lang: str = ""


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
    """Looks at one project's files and decides on each."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.project = context.project
        self.plan = Plan()
        record = context.state.record(RECORD)
        before, config = record.get("before"), record.get("config")
        self.before = before if isinstance(before, dict) else {}
        self.config = config if isinstance(config, dict) else {}

    # ---- setting up ----

    def install(self, wish: Wish) -> Plan:
        """Decide on everything that a set-up writes. Raises BatonError."""
        now = self._look(SETTINGS)
        text = _text(now)
        with_hooks = wish.with_hooks or self._checked(now, lambda: settings.has_hooks(text))
        lang = wish.lang or self.context.config.lang
        listed = self._look(MANIFEST)
        if newer := plan.newer(listed.old, baton.__version__):
            with_hooks = False
            told = (
                f"the project's copy is baton {clean.line(newer, 20)}, this is {baton.__version__}"
            )
            self.plan.notes.append(f"{told}: the copy and its hooks were left")
        self._attributes()
        if not newer and (with_hooks or wish.statusline or listed.old is not None):
            self._runtime(with_commands=with_hooks)
        self._chain(lang)
        self._toml(wish)
        self._exclude(wish)
        self._block(self._pointer(), texts.pointer(lang))
        self._settings(now, with_hooks, wish.statusline)
        return self.plan

    def _attributes(self) -> None:
        if self.project.checkout is None:
            self.plan.notes.append("no git repository here: files are kept on disk alone")
        else:
            self._block(ATTRIBUTES, texts.attributes())

    def _chain(self, lang: str) -> None:
        now = self._look(CHAIN)
        self.plan.before[CHAIN] = None if now.old is None else ""
        if now.old is None:
            self._put(now, render(edit.empty(lang)))

    def _toml(self, wish: Wish) -> None:
        chosen = {key: value for key in KEYS if (value := getattr(wish, key))}

        def put(text: str) -> str:
            for key, value in chosen.items():
                text = toml_lines.put(text, key, value)
            return text

        def take(text: str) -> str:
            for key in chosen:
                text = toml_lines.take(text, key)
            return text

        if chosen:
            self._edit(CONFIG, put, take)

    def _exclude(self, wish: Wish) -> None:
        checkout = self.project.checkout
        if not wish.persist or checkout is None:
            return
        names = [self.project.in_git(path) for path in self.context.config.paths]
        block = texts.exclude(self.project.prefix, names)
        now = setup_files.look(checkout.common_dir, EXCLUDE)
        if wish.persist != "ref":
            self._put_text(now, self._checked(now, lambda: blocks.take(_text(now), block)))
            return
        self._put_block(now, block)
        self.plan.untrack = setup_git.tracked(self.project, self.context.config.paths)

    def _pointer(self) -> str:
        """The project's CLAUDE.md, wherever it has it."""
        there = [name for name in POINTERS if self._look(name).old is not None]
        return there[0] if there else POINTERS[0]

    def _settings(self, now: Change, with_hooks: bool, statusline: bool) -> None:
        text = _text(now)
        wanted = settings.Wanted(
            hooks=settings.of_project(setup_runtime.hooks()) if with_hooks else {},
            status_line=settings.status_line() if statusline else {},
        )
        new = self._checked(now, lambda: settings.merge(text, wanted))
        if statusline and settings.foreign_status_line(text):
            self.plan.notes.append(f"{SETTINGS} has a status line already; it was left as it is")
        if any(f'"{rule}"' in text for rule in _BROAD):
            self.plan.notes.append(
                f"{SETTINGS} allows all of baton, setup and close too; the rules by group suffice"
            )
        self._remember(now, not settings.has_any(text))
        self._put_text(now, new)

    def _runtime(self, *, with_commands: bool) -> None:
        """Copy baton itself; what an older copy had and this one has not goes."""
        if os.path.realpath(setup_runtime.ROOT) == os.path.realpath(self.project.path(RUNTIME)):
            return
        listed = self._look(MANIFEST)
        old = plan.read_manifest(listed.old)
        changes, manifest = self._pieces(old, with_commands)
        for name in sorted(set(old) - set(manifest)):
            changes += self._removal(name, old)
        final = plan.render_manifest(baton.__version__, manifest)
        if any(change.needed for change in changes):
            between = plan.render_manifest(baton.__version__, plan.both(old, manifest))
            self._put(listed, between)
            listed = Change(listed.name, listed.path, between, between)
        self.plan.changes += changes
        self._put(listed, final)

    def _pieces(self, old: Manifest, with_commands: bool) -> tuple[list[Change], Manifest]:
        changes: list[Change] = []
        for piece in setup_runtime.pieces():
            now = self._look(f"{RUNTIME}/{piece.name}")
            changes.append(_changed(now, piece.data, piece.executable))
            if with_commands and piece.name.startswith("commands/"):
                changes.append(self._command(piece, old))
        return changes, {c.name: [plan.digest(c.new)] for c in changes if c.new is not None}

    def _command(self, piece: setup_runtime.Piece, old: Manifest) -> Change:
        """A command of baton's, beside one of the same name that is somebody else's."""
        file = piece.name.removeprefix("commands/")
        now = self._look(f"{COMMANDS}/{file}")
        if now.old in (None, piece.data) or plan.digest(now.old or b"") in old.get(now.name, []):
            return _changed(now, piece.data)
        word = file.removesuffix(".md")
        note = f"{now.name} is the project's own and was left; baton's is there as baton:{word}"
        self.plan.notes.append(note)
        return _changed(self._look(f"{COMMANDS}/baton/{file}"), piece.data)

    # ---- taking it back ----

    def uninstall(self) -> Plan:
        """Decide on everything that goes. Raises BatonError."""
        now = self._look(SETTINGS)
        self._put_text(
            now, self._checked(now, lambda: settings.strip(_text(now), self._before(now)))
        )
        for name in POINTERS:
            self._without(self._look(name), texts.pointer("en"))
        config = self._look(CONFIG)
        self._put_text(config, self._checked(config, lambda: self._without_keys(config)))
        if self.project.checkout is not None:
            block = texts.exclude(self.project.prefix, [])
            self._without(setup_files.look(self.project.checkout.common_dir, EXCLUDE), block)
        self._without(self._look(ATTRIBUTES), texts.attributes())
        listed = self._look(MANIFEST)
        old = plan.read_manifest(listed.old)
        for name in sorted(old):
            self.plan.changes += self._removal(name, old)
        self._without_chain()
        self._put(listed, None)
        return self.plan

    def _without_keys(self, config: Change) -> str:
        text, before = _text(config), self._before(config) or ""
        for key in KEYS:
            text = toml_lines.take(text, key)
            if key in self.config and toml_lines.read(text).get(key) == self.config[key]:
                text = toml_lines.restore(text, key, before)
        return text

    def _without_chain(self) -> None:
        now = self._look(CHAIN)
        chain = parse(now.old or b"")
        if now.old is None or isinstance(self.before.get(CHAIN), str):
            return
        if CHAIN not in self.before and not self.plan.needed:
            return
        if chain.state == EMPTY:
            self._put(now, None)
        else:
            note = f"{CHAIN} is {chain.state} and was left; it holds work, not set-up"
            self.plan.notes.append(note)

    def _removal(self, name: str, old: Manifest) -> list[Change]:
        now = self._look(name)
        if now.old is None:
            return []
        if plan.digest(now.old) in old[name]:
            return [Change(now.name, now.path, now.old, None)]
        self.plan.notes.append(f"{name} was changed by somebody else and was left")
        return []

    def _without(self, now: Change, block: Block) -> None:
        self._put_text(now, self._checked(now, lambda: blocks.take(_text(now), block)))

    # ---- one file ----

    def _look(self, name: str) -> Change:
        return setup_files.look(self.project.root, name)

    def _before(self, now: Change) -> str | None:
        text = self.before.get(now.name)
        return text if isinstance(text, str) else None

    def _block(self, name: str, block: Block) -> None:
        self._put_block(self._look(name), block)

    def _put_block(self, now: Change, block: Block) -> None:
        text = _text(now)
        self._remember(now, self._checked(now, lambda: blocks.take(text, block)) == text)
        self._put_text(now, self._checked(now, lambda: blocks.put(text, block)))

    def _edit(self, name: str, put: Edit, take: Edit) -> None:
        now = self._look(name)
        text = _text(now)
        self._remember(now, self._checked(now, lambda: take(text)) == text)
        self._put_text(now, self._checked(now, lambda: put(text)))

    def _checked(self, now: Change, step: Callable[[], T]) -> T:
        try:
            return step()
        except (Malformed, blocks.Damaged, toml_lines.Malformed) as error:
            hint = _HINTS[type(error)].format(shlex.quote(now.path))
            raise BatonError(
                "bad-config", f"{now.name}: {error}; nothing was written", hint
            ) from error

    def _remember(self, now: Change, untouched: bool) -> None:
        """Keep what a file was before baton came, to go back to exactly that."""
        if untouched:
            self.plan.before[now.name] = None if now.old is None else _text(now)

    def _put_text(self, now: Change, text: str) -> None:
        """Plan new text; a file that was not there before and has become empty goes."""
        if text == _text(now):
            self._put(now, now.old)
            return
        bom = _BOM if (now.old or b"").startswith(_BOM.encode()) else ""
        data = (bom + text).encode("utf-8", "surrogateescape")
        self._put(now, data if text or self._before(now) is not None else None)

    def _put(self, now: Change, data: bytes | None) -> None:
        change = _changed(now, data)
        if change.needed:
            setup_files.must_be_writable(change)
        self.plan.changes.append(change)


_HINTS: dict[type[Exception], str] = {
    Malformed: "python3 -m json.tool {}",
    blocks.Damaged: "grep -n 'baton setup' {}",
    toml_lines.Malformed: "baton doctor",
}


def _changed(now: Change, data: bytes | None, executable: bool = False) -> Change:
    return Change(now.name, now.path, now.old, data, executable, now.was_executable)


def _text(now: Change) -> str:
    """A file's text without its byte order mark. Raises bad-config for what is no text."""
    data = now.old or b""
    if b"\0" in data:
        message = f"{now.name} is no UTF-8 text; nothing was written"
        raise BatonError("bad-config", message, f"head -c 64 {shlex.quote(now.path)}")
    return data.decode("utf-8", "surrogateescape").removeprefix(_BOM)
