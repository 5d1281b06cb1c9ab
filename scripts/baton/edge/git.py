"""Reading from git for reports.

No hooks, no pager, no command that a repository names, nothing fetched; no lock but the one with
which `git diff` renews the times in the index, whoever calls it.
"""

from __future__ import annotations

from baton.edge import process
from baton.hot.git.speaker import GUARDS, alone

_SAFE = (
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.fsmonitor=false",
    "-c", "diff.external=",
    *GUARDS,
    "--no-pager",
    "--no-optional-locks",
)  # fmt: skip
_NO_DRIVERS = {
    "diff": ("--no-ext-diff", "--no-textconv"),
    "log": ("--no-ext-diff", "--no-textconv"),
}
_SECONDS = 10.0
_CAP = 1 << 20


def read(
    folder: str, *words: str, cap: int = _CAP, stdin: bytes | None = None
) -> process.Completed:
    """Run a git command that only reads, in `folder`, for at most 10 s and `cap` bytes of output.

    stdin: what it is asked; None is the null device.
    """
    argv = ["git", *_SAFE, words[0], *_NO_DRIVERS.get(words[0], ()), *words[1:]]
    env = alone()
    return process.run(argv, cwd=folder, env=env, stdin=stdin, timeout=_SECONDS, cap=cap)
