"""What a command is expected to show once its item is done.

`# expect >= 1` behind it (design page chain).
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

# All before a comment: a `#` in quotes, behind a backslash or inside a word begins none. A quote that
# is never closed is a sign like any other.
_NO_COMMENT = re.compile(
    r"""(?> \\. | '[^']*' | "(?:\\.|[^"\\])*" | (?<=\S)\# | (?<=\\\s)\# | [^#] )*+""",
    re.VERBOSE | re.DOTALL,
)
_FORM = re.compile(
    r"""(?:^|(?<=\s)) \#\s* (?:expect(?:ed)?|k(?:ỳ|y\u0300)[- ]v(?:ọ|o\u0323)ng) \s*:?\s*
        (?P<operator>>=|≥|<=|≤|==|!=|=|>|<)? \s*
        (?P<value>"[^"]*"|'[^']*'|\S+)? .*""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
# Python turns no text of more digits into a number.
_NUMBER = re.compile(r"-?[0-9]{1,4000}")
_COMPARE: dict[str, Callable[[int, int], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_SPELLED = {"≥": ">=", "≤": "<=", "==": "="}


@dataclass(frozen=True)
class Expectation:
    """What the output must show.

    operator: one of `>= <= > < = != ok`. value: a whole number for the first four, text for `=` and `!=`, "" for ok.
    """

    operator: str
    value: str

    def __str__(self) -> str:
        """As it is written behind `# expect`."""
        if not self.value or self.value.split() == [self.value]:
            return f"{self.operator} {self.value}".strip()
        quote = "'" if '"' in self.value else '"'
        return f"{self.operator} {quote}{self.value}{quote}"

    def met(self, exit_code: int, output: str) -> bool | None:
        """Say whether a finished command shows it.

        None when it succeeded and its output holds no number to compare.
        """
        if self.operator == "ok":
            return exit_code == 0
        if self.operator in ("=", "!="):
            same = self.value in (output.strip(), (output.strip().splitlines() or [""])[0].strip())
            return same == (self.operator == "=")
        number = _NUMBER.search(output)
        if not number:
            return None if exit_code == 0 else False
        return _COMPARE[self.operator](int(number[0]), int(self.value))


def split(command: str) -> tuple[str, Expectation | None]:
    """Part a command as written from its expectation; None when it has none.

    Backticks round it and a prompt's `$` before it are no part of a command. Words behind the
    expectation are ignored. An expectation that cannot be read (`# expect >=
    many`) is not one: the comment goes, nothing is expected.
    """
    command = _bare(command)
    before = _NO_COMMENT.match(command)
    found = _FORM.search(command, before.end() if before else 0)
    if not found:
        return command, None
    sign = found["operator"] or ""
    value = (found["value"] or "").strip("\"'")
    return _bare(command[: found.start()]), _expectation(_SPELLED.get(sign, sign), value)


def _bare(command: str) -> str:
    """A shell would run what the backticks' command prints; who writes them means Markdown's."""
    command = command.strip()
    if len(command) > 2 and command[0] == command[-1] == "`" and "`" not in command[1:-1]:
        command = command[1:-1].strip()
    return command.removeprefix("$ ").lstrip()


def _expectation(sign: str, value: str) -> Expectation | None:
    if not sign:
        return Expectation("ok", "") if value.lower().rstrip(".,;") == "ok" else None
    if sign in _COMPARE and not _NUMBER.fullmatch(value):
        return None
    return Expectation(sign, value) if value else None
