"""What `baton setup` will write into a project (design page cli)."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import baton
from baton.cli.setup_plan import (
    ATTRIBUTES,
    COMMANDS,
    EXCLUDE,
    KEYS,
    POINTERS,
    SETTINGS,
    Plan,
    Planner,
    changed,
    text_of,
)
from baton.core.chain import edit
from baton.core.chain.render import render
from baton.core.setup import blocks, plan, settings, texts, toml_lines
from baton.core.setup.blocks import Block
from baton.core.setup.plan import MANIFEST, Change, Manifest
from baton.core.setup.settings import RUNTIME
from baton.edge import git, setup_files, setup_git, setup_runtime
from baton.hot import clean
from baton.hot.project import CHAIN, CONFIG

_BROAD = ("Bash(baton:*)", "Bash(baton *)", "Bash(baton)")

Edit = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line asks for; "" for a setting that is to stay."""

    with_hooks: bool = False
    statusline: bool = False
    persist: str = ""
    lang: str = ""


class Installation(Planner):
    """A set-up of one project."""

    def decide(self, wish: Wish) -> Plan:
        """Decide on everything that a set-up writes. Raises BatonError."""
        now = self._look(SETTINGS)
        text = text_of(now)
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
        self._out_of_reach(wish.persist or self.context.config.persist)
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
            self._edit(self._look(CONFIG), put, take)

    def _exclude(self, wish: Wish) -> None:
        checkout = self.project.checkout
        if not wish.persist or checkout is None:
            return
        names = [self.project.in_git(path) for path in self.context.config.paths]
        block = texts.exclude(self.project.prefix, names)
        now = setup_files.look(checkout.common_dir, EXCLUDE)
        if wish.persist != "ref":
            self._put_text(now, self._checked(now, lambda: blocks.take(text_of(now), block)))
            return
        self._put_block(now, block)
        self.plan.untrack = setup_git.tracked(self.project, self.context.config.paths)

    def _out_of_reach(self, persist: str) -> None:
        """Say which of the files git will not hand on, though they look as if it did."""
        if self.project.checkout is None:
            return
        kept = {CHAIN, *(change.name for change in self.plan.changes if change.new is not None)}
        kept -= {EXCLUDE} if persist == "branch" else {EXCLUDE, CHAIN}
        # The copy brings rules of its own: what reaches them reaches all of it.
        own = f"{RUNTIME}/{setup_runtime.RULES}"
        names = sorted(name for name in kept if name == own or not name.startswith(f"{RUNTIME}/"))
        linked = [name for name in names if setup_files.behind_a_link(self.project.root, name)]
        ignored = git.ignored(self.project.root, [name for name in names if name not in linked])
        if linked:
            told = (
                f"git keeps nothing of {_several(linked)}: behind a symbolic link it does not look"
            )
            self.plan.notes.append(told)
        if ignored:
            told = _several([name for name, _ in ignored])
            rule = clean.line(ignored[0][1])
            self.plan.notes.append(f"git ignores {told} ({rule}): nobody gets that by git")

    def _pointer(self) -> str:
        """The project's CLAUDE.md, wherever it has it."""
        there = [name for name in POINTERS if self._look(name).old is not None]
        return there[0] if there else POINTERS[0]

    def _settings(self, now: Change, with_hooks: bool, statusline: bool) -> None:
        text = text_of(now)
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
            changes.append(changed(now, piece.data, piece.executable))
            if with_commands and piece.name.startswith("commands/"):
                changes.append(self._command(piece, old))
        return changes, {c.name: [plan.digest(c.new)] for c in changes if c.new is not None}

    def _command(self, piece: setup_runtime.Piece, old: Manifest) -> Change:
        """A command of baton's, beside one of the same name that is somebody else's."""
        file = piece.name.removeprefix("commands/")
        now = self._look(f"{COMMANDS}/{file}")
        if now.old in (None, piece.data) or plan.digest(now.old or b"") in old.get(now.name, []):
            return changed(now, piece.data)
        word = file.removesuffix(".md")
        note = f"{now.name} is the project's own and was left; baton's is there as baton:{word}"
        self.plan.notes.append(note)
        return changed(self._look(f"{COMMANDS}/baton/{file}"), piece.data)

    def _block(self, name: str, block: Block) -> None:
        self._put_block(self._look(name), block)

    def _put_block(self, now: Change, block: Block) -> None:
        self._edit(now, lambda text: blocks.put(text, block), lambda text: blocks.take(text, block))

    def _edit(self, now: Change, put: Edit, take: Edit) -> None:
        """put, take: each other's inverse; what `take` leaves as it is was never put."""
        text = text_of(now)
        self._remember(now, self._checked(now, lambda: take(text)) == text)
        self._put_text(now, self._checked(now, lambda: put(text)))

    def _remember(self, now: Change, untouched: bool) -> None:
        """Keep what a file was before baton came, to go back to exactly that."""
        if untouched:
            self.plan.before[now.name] = None if now.old is None else text_of(now)


def _several(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
