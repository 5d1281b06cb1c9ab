"""Claude Code's settings file: baton's rules, hooks and status line put in and taken out again.

What is baton's is known by its own shape: the permission rules by name, a hook or a status line by
the launcher in `.claude/baton/` that it starts. Everything else belongs to others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from baton.core.setup import json_text
from baton.core.setup.json_text import Malformed, Node

RUNTIME = ".claude/baton"
LAUNCHER = f"/{RUNTIME}/hooks/run"
# The harmless groups. Not setup, which changes settings, and not close, which rewrites commits.
RULES = tuple(
    f"Bash(baton {group}:*)" for group in "wal tiep pause status run passport pipeline".split()
)
_STATUS = "statusLine"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to stand in the file.

    hooks: event → groups as in hooks.json, their launcher in the project; empty: whatever stands
    there stays. status_line: {}: likewise.
    """

    rules: Sequence[str] = RULES
    hooks: Mapping[str, Sequence[object]] = field(default_factory=dict)
    status_line: Mapping[str, object] = field(default_factory=dict)


def of_project(hooks: Mapping[str, Sequence[object]]) -> dict[str, list[object]]:
    """Give the plugin's hook entries as a project's own: the same, but for where the launcher is."""
    return {event: [_placed(group) for group in groups] for event, groups in hooks.items()}


def _placed(value: object) -> object:
    if isinstance(value, str):
        return value.replace("${CLAUDE_PLUGIN_ROOT}", "${CLAUDE_PROJECT_DIR}/" + RUNTIME)
    if isinstance(value, dict):
        return {key: _placed(inner) for key, inner in value.items()}
    return [_placed(inner) for inner in value] if isinstance(value, list) else value


def status_line() -> dict[str, object]:
    """Give the status line that runs the project's own copy, and nothing where that is gone."""
    command = f'f=$CLAUDE_PROJECT_DIR{LAUNCHER}; [ ! -r "$f" ] || sh "$f" cli statusline'
    return {"type": "command", "command": command}


def merge(text: str, wanted: Wanted) -> str:
    """Give the settings with what is wanted in them; the same text when it is all there.

    text: blank for a file that is absent or empty. Raises Malformed.
    """
    text = text if text.strip() else "{}" + json_text.newline(text)
    root = _root(text)
    _check(root)
    if _has_all(root, wanted):
        return text
    for event, groups in wanted.hooks.items():
        for group in groups:
            text = _add_once(text, ("hooks", event), group)
    text = _without_stale_hooks(text, wanted) if wanted.hooks else text
    for rule in wanted.rules:
        text = _add_once(text, ("permissions", "allow"), rule)
    if wanted.status_line and not has_status_line(_root(text)):
        text = json_text.add_member(text, _root(text), _STATUS, wanted.status_line)
    return text


def strip(text: str, before: str | None) -> str:
    """Give the settings without what is baton's; "" when nothing else is left of them.

    before: the file as it was before the first setup, None when there was none or nobody knows: what
    stood there then stays, emptied lists and objects too. Raises Malformed.
    """
    if not text.strip():
        return text
    old = _root(before) if before and before.strip() else None
    _check(_root(text))
    whole = text
    text = _without_hooks(text, old)
    text = _without_rules(text, old)
    text = _without_status_line(text, old)
    if text == whole:
        return whole
    if before and old:
        return _blanks_restored(text, before, old)
    return text if _root(text).keys else before or ""


def has_hooks(text: str) -> bool:
    """Whether any hook of baton's stands in the settings. Raises Malformed."""
    return bool(text.strip()) and any(_entries(_root(text)))


def has_any(text: str) -> bool:
    """Whether a set-up has been here: hooks, status line, or all the rules. Raises Malformed."""
    if not text.strip():
        return False
    root = _root(text)
    line = root.member(_STATUS)
    return (
        has_hooks(text) or (line is not None and _is_ours(line.value)) or _has_all(root, Wanted())
    )


def has_status_line(root: Node) -> bool:
    """Whether any status line is set, whoever's."""
    return root.member(_STATUS) is not None


def foreign_status_line(text: str) -> bool:
    """Whether somebody else's status line is set. Raises Malformed."""
    if not text.strip():
        return False
    found = _root(text).member(_STATUS)
    return found is not None and not _is_ours(found.value)


def _root(text: str) -> Node:
    root = json_text.parse(text)
    if not isinstance(root.value, dict):
        raise Malformed("an object is expected")
    return root


def _check(root: Node) -> None:
    """Raise Malformed where something that baton adds to is not of the kind that it must be."""
    for path, kind in (
        (("permissions",), dict),
        (("permissions", "allow"), list),
        (("hooks",), dict),
    ):
        found = json_text.find(root, *path)
        if found is not None and not isinstance(found.value, kind):
            name = {dict: "an object", list: "a list"}[kind]
            raise Malformed(f"{'.'.join(path)} must be {name}")
    hooks = root.member("hooks")
    for event in hooks.keys if hooks else []:
        groups = hooks.member(event) if hooks else None
        if groups is not None and not isinstance(groups.value, list):
            raise Malformed(f"hooks.{event} must be a list")


def _has_all(root: Node, wanted: Wanted) -> bool:
    allow = json_text.find(root, "permissions", "allow")
    allowed = _values(allow) if allow else []
    if any(rule not in allowed for rule in wanted.rules):
        return False
    if wanted.status_line and not has_status_line(root):
        return False
    return not wanted.hooks or _own_groups(root) == {e: list(g) for e, g in wanted.hooks.items()}


def _values(node: Node) -> list[object]:
    return [child.value for child in node.children]


def _own_groups(root: Node) -> dict[str, list[object]]:
    """Give, by event, the groups in which an entry is baton's."""
    found: dict[str, list[object]] = {}
    for event, group, _ in _entries(root):
        groups = found.setdefault(event, [])
        if not any(group.value is seen for seen in groups):
            groups.append(group.value)
    return found


def _entries(root: Node) -> Iterator[tuple[str, Node, int]]:
    """Give each entry of baton's: its event, its group, its place in the group's list."""
    hooks = root.member("hooks")
    for event in hooks.keys if hooks else []:
        groups = hooks.member(event) if hooks else None
        for group in groups.children if groups else []:
            entries = group.member("hooks")
            for index, entry in enumerate(entries.children if entries else []):
                if _is_ours(entry.value):
                    yield event, group, index


def _is_ours(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    args = value.get("args")
    words = [value.get("command"), *(args if isinstance(args, list) else [])]
    return any(isinstance(word, str) and LAUNCHER in word for word in words)


def _add_once(text: str, path: tuple[str, ...], value: object) -> str:
    """Append a value to the list at a path, which is made where it is missing."""
    root = _root(text)
    found = json_text.find(root, *path)
    if found is not None:
        return text if value in _values(found) else json_text.add_item(text, found, value)
    holder = json_text.find(root, *path[:-1])
    if holder is not None:
        return json_text.add_member(text, holder, path[-1], [value])
    return json_text.add_member(text, root, path[0], {path[-1]: [value]})


def _without_stale_hooks(text: str, wanted: Wanted) -> str:
    """Take out what an older baton registered and this one does not."""
    while stale := next(
        (
            entry
            for entry in _entries(_root(text))
            if entry[1].value not in list(wanted.hooks.get(entry[0], []))
        ),
        None,
    ):
        text = _without_entry(text, stale, None)
    return text


def _without_hooks(text: str, old: Node | None) -> str:
    while entry := next(_entries(_root(text)), None):
        text = _without_entry(text, entry, old)
    return text


def _without_entry(text: str, entry: tuple[str, Node, int], old: Node | None) -> str:
    event, group, index = entry
    entries = group.member("hooks")
    assert entries is not None
    if len(entries.children) > 1:
        return json_text.remove(text, entries, index)
    groups = json_text.find(_root(text), "hooks", event)
    assert groups is not None
    place = [child.start for child in groups.children].index(group.start)
    return _unless_empty(json_text.remove(text, groups, place), ("hooks", event), old)


def _without_rules(text: str, old: Node | None) -> str:
    path = ("permissions", "allow")
    kept = json_text.find(old, *path) if old else None
    ours = [rule for rule in RULES if kept is None or rule not in _values(kept)]
    for rule in ours:
        while (allow := json_text.find(_root(text), *path)) and rule in _values(allow):
            text = json_text.remove(text, allow, _values(allow).index(rule))
            text = _unless_empty(text, path, old)
    return text


def _without_status_line(text: str, old: Node | None) -> str:
    root = _root(text)
    found = root.member(_STATUS)
    if found is None or not _is_ours(found.value):
        return text
    return json_text.remove(text, root, root.keys.index(_STATUS))


def _unless_empty(text: str, path: tuple[str, ...], old: Node | None) -> str:
    """Take out a list or object that has become empty, and what holds it, unless it was there."""
    for length in range(len(path), 0, -1):
        root = _root(text)
        found = json_text.find(root, *path[:length])
        if found is None or found.children:
            return text
        if old is not None and json_text.find(old, *path[:length]) is not None:
            return text
        holder = json_text.find(root, *path[: length - 1])
        assert holder is not None
        text = json_text.remove(text, holder, holder.keys.index(path[length - 1]))
    return text


def _blanks_restored(text: str, before: str, old: Node) -> str:
    """Give emptied lists and objects the blanks that they had between their brackets."""
    hooks = old.member("hooks")
    events = [("hooks", event) for event in (hooks.keys if hooks else [])]
    for path in ((), ("permissions",), ("permissions", "allow"), ("hooks",), *events):
        now, was = json_text.find(_root(text), *path), json_text.find(old, *path)
        if now and was and not now.children and not was.children:
            text = text[: now.start] + before[was.start : was.end] + text[now.end :]
    return text
