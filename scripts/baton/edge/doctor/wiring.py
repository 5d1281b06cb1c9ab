"""Where baton's hooks are registered, what they left behind, and what Claude may run unasked."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from baton.core.doctor.finding import Unseen
from baton.core.doctor.wiring import PLUGIN, Firing, Rules, Source, Wiring
from baton.edge.doctor import claude_files
from baton.edge.doctor.claude_files import Settings
from baton.edge.doctor.program import MANIFEST, ROOT
from baton.hot import files
from baton.hot.project import Project
from baton.hot.state import State
from baton.hot.stop import STOPPED

_LIMIT = 1 << 20
_LAUNCHER = "hooks/run"
_MARKETPLACE = ".claude-plugin/marketplace.json"
_UNASKED = ("bypassPermissions",)
# (event, door), e.g. ("Stop", "flush").
Pair = tuple[str, str]


def wiring(environ: Mapping[str, str], project: Project, state: State) -> Wiring | Unseen:
    """Look at every place that may register hooks. Raises OSError, ValueError."""
    found = claude_files.settings(environ, project)
    unread = [one for one in found if one.fault and not one.ignored]
    if unread:
        path = unread[0].path
        return Unseen(f"{path} cannot be read: {unread[0].fault}", f"ls -l {shlex.quote(path)}")
    wanted = _pairs(_hooks(ROOT))
    plugins, off = _plugins(environ, found, wanted)
    skills = claude_files.skill_folders(environ, project)
    sources = [
        *plugins,
        *(_of_folder(f"the plugin in {root}", root, wanted) for root in skills),
        *_session(environ),
        *(source for one in found for source in _of_settings(one, project, wanted)),
    ]
    return Wiring(
        tuple(sources),
        off,
        tuple((one.path, one.fault) for one in found if one.ignored),
        next((one.path for one in found if one.values.get("disableAllHooks") is True), ""),
        _install(environ),
        os.path.exists(state.path(STOPPED)),
    )


def _plugins(
    environ: Mapping[str, str], found: list[Settings], wanted: set[Pair]
) -> tuple[list[Source], str]:
    enabled: dict[str, object] = {}
    for one in found:
        enabled |= one.section("enabledPlugins")
    sources, off = [], ""
    for copy in claude_files.installed(environ):
        if enabled.get(copy.plugin) is True:
            where = f"the plugin {copy.plugin} ({copy.scope})"
            sources.append(_of_folder(where, copy.root, wanted, copy.plugin))
        else:
            off = copy.plugin
    return sources, off


def _of_folder(where: str, root: str, wanted: set[Pair], plugin: str = "") -> Source:
    try:
        missing = wanted - _pairs(_hooks(root))
    except (OSError, ValueError) as error:
        return Source(where, fault=f"its hooks cannot be read: {error}", plugin=plugin)
    return Source(where, _events(missing), plugin=plugin)


def _session(environ: Mapping[str, str]) -> list[Source]:
    """A plugin loaded for this session alone leaves a trace in no file: its bin/ is on the PATH."""
    folders = environ.get("PATH", "").split(os.pathsep)
    inside = bool(environ.get("CLAUDECODE")) and os.path.isfile(os.path.join(ROOT, MANIFEST))
    there = inside and os.path.join(ROOT, "bin") in folders
    return [Source("the plugin of this session")] if there else []


def _of_settings(one: Settings, project: Project, wanted: set[Pair]) -> Iterator[Source]:
    pairs = _pairs(one.section("hooks"))
    ours = pairs & wanted
    if ours:
        launchers = set(_launchers(one.section("hooks"), project))
        gone = sorted(path for path in launchers if not os.path.isfile(path))
        yield Source(one.where, _events(wanted - pairs), f"{gone[0]} is not there" if gone else "")


def _events(pairs: set[Pair]) -> tuple[str, ...]:
    return tuple(sorted({event for event, _ in pairs}))


def _hooks(root: str) -> Mapping[str, Any]:
    """Give the hooks of a plugin folder. Raises OSError, ValueError."""
    path = os.path.join(root, "hooks/hooks.json")
    value = json.loads((files.read(path, _LIMIT) or b"").decode("utf-8"))
    hooks = value.get("hooks") if isinstance(value, dict) else None
    if not isinstance(hooks, dict):
        raise ValueError(f"{path} registers nothing")
    return hooks


def _pairs(hooks: Mapping[str, Any]) -> set[Pair]:
    return {(event, words[-1]) for event, words in _entries(hooks)}


def _launchers(hooks: Mapping[str, Any], project: Project) -> Iterator[str]:
    for _, words in _entries(hooks):
        for word in words:
            if word.endswith(_LAUNCHER):
                yield word.replace("${CLAUDE_PROJECT_DIR}", project.root)


def _entries(hooks: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Give (event, words of the command) of each entry that starts our launcher; others' are passed over."""
    for event, groups in hooks.items():
        for group in groups if isinstance(groups, list) else []:
            entries = group.get("hooks") if isinstance(group, dict) else None
            for entry in entries if isinstance(entries, list) else []:
                args = entry.get("args") if isinstance(entry, dict) else None
                words = [str(word) for word in args] if isinstance(args, list) else []
                if any(word.endswith(_LAUNCHER) for word in words):
                    yield event, words


def _install(environ: Mapping[str, str]) -> str:
    if "baton" in claude_files.marketplaces(environ):
        return f"claude plugin install {PLUGIN}"
    if not os.path.isfile(os.path.join(ROOT, _MARKETPLACE)):
        return "baton setup --with-hooks"
    return f"claude plugin marketplace add {shlex.quote(ROOT)} && claude plugin install {PLUGIN}"


def firing(state: State, session: str) -> Firing:
    """Read the notes of the newest session. Raises OSError."""
    name, begun = _newest(state)
    stopped = _time(state.path(STOPPED))
    prompted = state.read(f"prompts/{name}") if name else b""
    moment = int(prompted) // 10**9 if prompted.isdigit() and len(prompted) < 20 else 0
    return Firing(begun, moment, stopped, bool(session) and name == session)


def _newest(state: State) -> tuple[str, int]:
    try:
        names = os.listdir(state.path("sessions"))
    except (FileNotFoundError, NotADirectoryError):
        return "", 0
    starts = [(start, name) for name in names if (start := _start(state, name))]
    start, name = max(starts, default=(0, ""))
    return name, start


def _start(state: State, name: str) -> int:
    start = state.record(f"sessions/{name}").get("start")
    return start if isinstance(start, int) else 0


def _time(path: str) -> int:
    try:
        return int(os.stat(path).st_mtime)
    except FileNotFoundError:
        return 0


def rules(environ: Mapping[str, str], project: Project) -> Rules:
    """Read the permission rules of all settings."""
    found = claude_files.settings(environ, project)
    modes = [one.section("permissions").get("defaultMode") for one in found]
    return Rules(
        tuple(rule for one in found for rule in _list(one, "allow")),
        tuple(
            (one.path, rule)
            for one in found
            for rule in _list(one, "deny")
            if rule.startswith("Bash(baton")
        ),
        any(mode in _UNASKED for mode in modes),
        tuple((one.path, one.fault) for one in found if one.fault),
    )


def _list(one: Settings, name: str) -> list[str]:
    rows = one.section("permissions").get(name)
    return [row for row in rows if isinstance(row, str)] if isinstance(rows, list) else []
