"""Repositories that git may not trust are git's to judge, before anything is written."""

import os

from baton.hot import files
from baton.hot.git.checkout import Checkout
from baton.hot.git.speaker import Failed, Git

_LIMIT = 1 << 20


def check(git: Git, checkout: Checkout) -> None:
    """Let git judge a repository that is another user's, or whose work tree may be elsewhere.

    Raises Failed with git's own words, or when what git calls the work tree is not ours.
    """
    if hasattr(os, "geteuid"):
        owners = {os.lstat(path).st_uid for path in (checkout.top, checkout.git_dir)}
        if owners != {os.geteuid()}:
            git.run("rev-parse", "--git-dir")
    settings = files.read(os.path.join(checkout.common_dir, "config"), _LIMIT) or b""
    if b"worktree" in settings.lower():
        told = os.fsdecode(git.run("rev-parse", "--show-toplevel")).rstrip("\n")
        if os.path.realpath(told) != checkout.top:
            raise Failed(f"core.worktree says that {told} is the work tree, not {checkout.top}")
