"""The scripts that a run may call with `workflow()`: the host keeps them nowhere (design page runs).

A saved workflow is called by its `meta.name`, a plugin's as `plugin:name`, a file as
`{scriptPath}`. Only the top script calls others: one level.
"""

import os

from baton.hot import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# What the host takes as a script.
_LIMIT = 524_288
_MOST = 200
_LITERAL = r"""(['"`])((?:\\.|(?!\1).)*)\1"""


def scripts(script: str, config: str, folders: list[str], cwd: str) -> dict[str, str]:
    """Give the scripts that `script` may call, by how it may call them.

    config: Claude Code's folder. folders: those whose `.claude/workflows` count, the strongest last.
    cwd: what a relative scriptPath starts from. A name that the script spells brings its file; a
    name that it computes brings all.
    """
    if "workflow" not in script:
        return {}
    import re  # only scripts that may have children come here

    found = _by_path(re.findall(rf"scriptPath['\"]?\s*:\s*{_LITERAL}", script), cwd)
    literal = len(re.findall(r"\bworkflow\s*\(\s*['\"`{]", script))
    computed = len(re.findall(r"\bworkflow\b", script)) > literal
    for name, text in _saved(script, config, folders):
        if computed or any(f"{quote}{name}{quote}" in script for quote in "'\"`"):
            found[name] = text
    return found


def named(name: str, config: str, folders: list[str]) -> str:
    """Give the saved script of that name, "" where there is none. config, folders: as in `scripts`."""
    return dict(_saved(name, config, folders)).get(name, "")


def _by_path(literals: list[tuple[str, str]], cwd: str) -> dict[str, str]:
    texts = {path: _text(os.path.join(cwd, path)) for _, path in literals}
    return {path: text for path, text in texts.items() if text}


def _saved(script: str, config: str, folders: list[str]) -> "Iterator[tuple[str, str]]":
    for folder in (config, *(os.path.join(folder, ".claude") for folder in folders)):
        yield from _in(os.path.join(folder, "workflows"), "")
    if ":" in script:
        yield from _of_plugins(os.path.join(config, "plugins", "cache"), script)


def _of_plugins(cache: str, script: str) -> "Iterator[tuple[str, str]]":
    """`cache/<market>/<plugin>/<version>/workflows`; of several versions the one that came last."""
    for market in _names(cache):
        for plugin in _names(os.path.join(cache, market)):
            if f"{plugin}:" in script:
                versions = os.path.join(cache, market, plugin)
                for version in sorted(_names(versions), key=lambda v: _time(versions, v)):
                    yield from _in(os.path.join(versions, version, "workflows"), f"{plugin}:")


def _in(folder: str, prefix: str) -> "Iterator[tuple[str, str]]":
    for file in _names(folder)[:_MOST]:
        text = _text(os.path.join(folder, file)) if file.endswith(".js") else ""
        name = _name(text)
        if name:
            yield prefix + name, text


def _name(script: str) -> str:
    import re

    match = re.search(rf"\bname['\"]?\s*:\s*{_LITERAL}", script)
    return match[2] if match else ""


def _text(path: str) -> str:
    try:
        data = files.read(path, _LIMIT) or b""
    except OSError:
        return ""
    return data.decode("utf-8", "replace") if len(data) <= _LIMIT else ""


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _time(folder: str, name: str) -> float:
    try:
        return os.stat(os.path.join(folder, name)).st_mtime
    except OSError:
        return 0.0
