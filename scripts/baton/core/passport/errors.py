"""What is wrong with a passport, and where (design page passport)."""

from __future__ import annotations

import shlex

from baton.core.errors import BatonError


class LedgerError(BatonError):
    """A passport that cannot be read, or a ledger that does not hold together.

    code: `bad-yaml` (no YAML, or not the YAML that a passport may be), `duplicate-key`,
    `invalid-ledger` (structure), `hash-mismatch`, `ambiguous-hash`. what: the sentence without its
    place. index: of the entry in `reset_boundary`, from 0; None outside of it. line, column: from
    1, 0 when there is none. expected, got: "" where nothing was compared. hint: `{path}` in it stands for the
    file.
    """

    def __init__(
        self,
        code: str,
        what: str,
        *,
        index: int | None = None,
        line: int = 0,
        column: int = 0,
        expected: str = "",
        got: str = "",
        hint: str = "",
    ) -> None:
        self.what = what
        self.index = index
        self.line = line
        self.column = column
        self.expected = expected
        self.got = got
        super().__init__(code, f"{self._place('')}{what}", hint)

    def in_file(self, path: str, hint: str = "", also: str = "") -> LedgerError:
        """Give the same error with the file named in its message.

        hint: the next command to type. also: what to add at the end, such as that nothing was
        written.
        """
        named = LedgerError(
            self.code,
            self.what,
            index=self.index,
            line=self.line,
            column=self.column,
            expected=self.expected,
            got=self.got,
            hint=hint or self.hint.replace("{path}", shlex.quote(path)),
        )
        named.message = f"{self._place(path) or f'{path}: '}{self.what}{also}"
        return named

    def _place(self, path: str) -> str:
        parts = [path] if path else []
        if self.line:
            parts.append(f"line {self.line}")
        if self.column:
            parts.append(f"column {self.column}")
        if self.index is not None:
            parts.append(f"reset_boundary[{self.index}]")
        return f"{', '.join(parts)}: " if parts else ""
