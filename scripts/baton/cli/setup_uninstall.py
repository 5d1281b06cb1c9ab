"""What `baton setup --uninstall` takes back from a project (design page cli)."""

from __future__ import annotations

from baton.cli.setup_plan import (
    ATTRIBUTES,
    EXCLUDE,
    KEYS,
    POINTERS,
    SETTINGS,
    Plan,
    Planner,
    text_of,
)
from baton.core.setup import blocks, plan, settings, texts, toml_lines
from baton.core.setup.blocks import Block
from baton.core.setup.plan import MANIFEST, Change
from baton.edge import setup_files
from baton.hot.chain import EMPTY, parse
from baton.hot.project import CHAIN, CONFIG


class TakingBack(Planner):
    """The way back from every set-up of one project."""

    def decide(self) -> Plan:
        """Decide on everything that goes. Raises BatonError."""
        now = self._look(SETTINGS)
        self._put_text(
            now, self._checked(now, lambda: settings.strip(text_of(now), self._before(now)))
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
        text, before = text_of(config), self._before(config) or ""
        noted = self.record.get("config")
        chosen = noted if isinstance(noted, dict) else {}
        for key in KEYS:
            text = toml_lines.take(text, key)
            if key in chosen and toml_lines.read(text).get(key) == chosen[key]:
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

    def _without(self, now: Change, block: Block) -> None:
        self._put_text(now, self._checked(now, lambda: blocks.take(text_of(now), block)))
