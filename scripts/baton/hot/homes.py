"""A person's folders: one rule for whatever looks for something in them."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def home(environ: "Mapping[str, str]") -> str:
    """Give the home folder."""
    return environ.get("HOME") or environ.get("USERPROFILE") or os.path.expanduser("~")


def xdg(environ: "Mapping[str, str]", variable: str, usual: str) -> str:
    """Give the folder that a variable such as XDG_STATE_HOME names, else `usual`, from the home folder.

    A relative one is to be ignored (XDG Base Directory Specification). hooks/run has the same rule.
    """
    named = environ.get(variable, "")
    return named if os.path.isabs(named) else os.path.join(home(environ), *usual.split("/"))


def claude(environ: "Mapping[str, str]") -> str:
    """Give Claude Code's own folder, of the account that runs here (design page host)."""
    return environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home(environ), ".claude")
