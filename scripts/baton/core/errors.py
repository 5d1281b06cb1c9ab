"""The named errors of the command line and the exit code that belongs to each (design page cli)."""

from __future__ import annotations

import os
import shlex

_CODES_BY_EXIT = {
    1: "invalid-chain invalid-ledger duplicate-key bad-yaml log-broken journal-empty journal-foreign",
    2: "usage bad-hash-form bad-config bad-path no-tag",
    3: "chain-changed not-lead no-such-boundary ambiguous-hash already-resumed hash-mismatch "
    "ledger-rewound recovery-conflict unknown-branch mode-refused same-session in-session-refused "
    "version-not-bumped illegal-transition cannot-skip limit-reached integrity-void "
    "snapshot-changed unsafe-state secret",
    4: "needs-person needs-decision needs-reverify needs-mode-yes several-passports "
    "missing-material untrusted",
    5: "locked no-exclusion claim-unreachable no-passport no-run run-exists no-journal "
    "journal-unreadable not-a-repo git-failed io no-environment ambiguous-project",
}

EXITS: dict[str, int] = {
    code: exit_ for exit_, codes in _CODES_BY_EXIT.items() for code in codes.split()
}


def typed(path: str) -> str:
    """Give a path as it is typed in a shell: quoted, and never taken for an option."""
    return shlex.quote(f"./{path}" if path.startswith("-") else path)


def way_out(error: OSError, otherwise: str) -> str:
    """Give the command that shows why a file was closed to us, `otherwise` where that was not it."""
    if isinstance(error, PermissionError) and error.filename:
        return f"ls -ld {shlex.quote(os.path.dirname(os.fsdecode(error.filename)) or os.curdir)}"
    return otherwise


class BatonError(Exception):
    """A refusal or failure that a person can act on.

    code: one of EXITS. message: what is wrong, where, expected and got. hint: the next command to
    type, or "".
    """

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint

    @property
    def exit(self) -> int:
        """The process exit code that stands for this error."""
        return EXITS[self.code]
