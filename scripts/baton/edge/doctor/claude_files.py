"""Claude Code's own files about settings and plugins, as host.md has them: read, never written."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from baton.hot import files, homes
from baton.hot.project import Project

NAME = "baton"
MANAGED = "/etc/claude-code/managed-settings.json"
_LIMIT = 4 << 20


@dataclass(frozen=True, slots=True)
class Settings:
    """One settings file that exists. where: as people call it. fault: why it could not be read, or
    why Claude Code ignores it (then `ignored`)."""

    where: str
    path: str
    values: Mapping[str, Any]
    fault: str = ""
    ignored: bool = False

    def section(self, name: str) -> Mapping[str, Any]:
        """Give an object of the settings, {} when it is absent or something else."""
        value = self.values.get(name)
        return value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class Copy:
    """One installed copy of the plugin. root: where Claude Code runs it."""

    plugin: str
    version: str
    scope: str
    root: str


def settings(environ: Mapping[str, str], project: Project) -> list[Settings]:
    """Give the settings files that exist, the weakest first."""
    places = {
        "the user's settings": os.path.join(homes.claude(environ), "settings.json"),
        ".claude/settings.json": project.path(".claude/settings.json"),
        ".claude/settings.local.json": project.path(".claude/settings.local.json"),
        "the managed settings": MANAGED,
    }
    found = (_settings(where, path) for where, path in places.items())
    return [one for one in found if one is not None]


def _settings(where: str, path: str) -> Settings | None:
    try:
        data = files.read(path, _LIMIT)
        if data is None:
            return None
        values = json.loads(data.decode("utf-8-sig"))
    except OSError as error:
        return Settings(where, path, {}, str(error.strerror))
    except (ValueError, RecursionError) as error:
        return Settings(where, path, {}, f"it is not JSON: {error}", True)
    if not isinstance(values, dict):
        return Settings(where, path, {}, "it holds no JSON object", True)
    return Settings(where, path, values)


def installed(environ: Mapping[str, str]) -> Iterator[Copy]:
    """Give the installed plugins called baton. Raises OSError, ValueError when the list is damaged."""
    for plugin, copies in _record(environ, "installed_plugins.json").get("plugins", {}).items():
        if plugin.partition("@")[0] == NAME:
            for copy in copies:
                root = _runs_in(environ, plugin) or copy["installPath"]
                yield Copy(plugin, str(copy["version"]), str(copy["scope"]), root)


def _runs_in(environ: Mapping[str, str], plugin: str) -> str:
    """A plugin of a marketplace that is a folder runs in that folder, "" for others."""
    market = marketplaces(environ).get(plugin.partition("@")[2], {})
    source = market.get("source", {})
    return str(source.get("path", "")) if source.get("source") == "directory" else ""


def marketplaces(environ: Mapping[str, str]) -> dict[str, Any]:
    """Give the marketplaces that Claude Code knows, by name. Raises OSError, ValueError."""
    return _record(environ, "known_marketplaces.json")


def _record(environ: Mapping[str, str], name: str) -> dict[str, Any]:
    path = os.path.join(homes.claude(environ), "plugins", name)
    try:
        value = json.loads(files.read(path, _LIMIT) or b"{}")
        if isinstance(value, dict):
            return value
    except (ValueError, RecursionError):
        pass
    raise ValueError(f"{path} is not what this Claude Code is known to write")


def skill_folders(environ: Mapping[str, str], project: Project) -> list[str]:
    """Give the plugins called baton that lie in a skills folder, where they load by themselves."""
    bases = (os.path.join(homes.claude(environ), "skills"), project.path(".claude/skills"))
    found = [os.path.join(base, NAME) for base in bases]
    return [root for root in found if os.path.isfile(f"{root}/.claude-plugin/plugin.json")]
