"""The user's own settings, for what no repository may set (design page cli).

`$XDG_CONFIG_HOME/baton/config.toml`, else `~/.config/baton/config.toml`:

    claim_remote = "origin"             # for every project
    [project."/home/ada/paper"]
    claim_remote = ""                   # but not for this one
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping

from baton.core.errors import BatonError
from baton.hot import files, homes

_LIMIT = 64 << 10


def path(environ: Mapping[str, str]) -> str:
    """Give where the file is, or would be."""
    base = homes.xdg(environ, "XDG_CONFIG_HOME", ".config")
    return os.path.join(base, "baton", "config.toml")


def claim_remote(environ: Mapping[str, str], root: str) -> str:
    """Give the git remote on which a project's boundaries are claimed; "" for none.

    root: the project's folder. Raises `bad-config` for a file that does not say it in the right form.
    """
    where = path(environ)
    table = _table(where)
    projects = table.get("project", {})
    own = projects.get(root, {}) if isinstance(projects, dict) else None
    if not isinstance(own, dict):
        raise _bad(where, 'project must be tables, as in [project."/home/ada/paper"]')
    value = own.get("claim_remote", table.get("claim_remote", ""))
    if not isinstance(value, str) or value.startswith("-"):
        raise _bad(where, f"claim_remote must be the name of a git remote; it is {value!r}")
    return value


def _table(where: str) -> dict[str, object]:
    try:
        data = files.read(where, _LIMIT)
    except OSError as error:
        raise _bad(where, f"cannot be read: {error.strerror}") from error
    if data is None:
        return {}
    import tomllib  # dear to import, and few users have such a file

    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise _bad(where, f"is not TOML: {error}") from error


def _bad(where: str, what: str) -> BatonError:
    return BatonError(
        "bad-config", f"{where}: {what}; nothing was done", f"cat {shlex.quote(where)}"
    )
