"""An entry as text that every YAML and JSON reader reads alike (design page passport, "Writing so
that every reader agrees").
"""

from __future__ import annotations

from dataclasses import dataclass

from baton.core.passport.entry import Mapping, Value

_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def quoted(text: str) -> str:
    r"""Give a text in double quotes, on one line.

    Only `\" \\ \n \t \r`, and `\uXXXX` for what is not printable in the Basic Multilingual Plane.
    """
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return f'"{"".join(map(_sign, text))}"'


def _sign(sign: str) -> str:
    if sign in _SHORT:
        return _SHORT[sign]
    # `\U` is no JSON, and every reader takes what lies above the plane as it is.
    return sign if sign.isprintable() or ord(sign) > 0xFFFF else f"\\u{ord(sign):04X}"


def block(mapping: Mapping, dash: str, keys: str) -> list[str]:
    """Give the lines of an item of a block list. dash, keys: what indents its dash and its keys."""
    lines = _block_pairs(mapping, keys)
    return [f"{dash}-{lines[0][len(dash) + 1 :]}", *lines[1:]]


def _block_pairs(mapping: Mapping, indent: str) -> list[str]:
    lines: list[str] = []
    for key, value in mapping.items():
        if not value and not isinstance(value, str | None):
            lines.append(f"{indent}{key}: {Flow().spelled(value)}")
        elif isinstance(value, dict):
            lines += [f"{indent}{key}:", *_block_pairs(value, f"{indent}  ")]
        elif isinstance(value, list):
            lines.append(f"{indent}{key}:")
            for item in value:
                assert isinstance(item, dict)
                lines += block(item, f"{indent}  ", f"{indent}    ")
        else:
            lines.append(f"{indent}{key}: {_scalar(value)}")
    return lines


def _scalar(value: str | None) -> str:
    return "null" if value is None else quoted(value)


@dataclass(frozen=True, slots=True)
class Flow:
    """How flow collections are laid out: on one line, or one item a line.

    indent: of the line that the value begins on. unit: one step deeper. end: the line end, "" for
    all on one line.
    """

    indent: str = ""
    unit: str = ""
    end: str = ""

    def spelled(self, value: Value) -> str:
        """Give a value, keys in quotes: legal JSON too."""
        if isinstance(value, dict):
            pairs = [f"{quoted(key)}: {self.deeper.spelled(item)}" for key, item in value.items()]
            return self._bracketed("{", pairs, "}")
        if isinstance(value, list):
            return self._bracketed("[", [self.deeper.spelled(item) for item in value], "]")
        return _scalar(value)

    @property
    def deeper(self) -> Flow:
        """The layout of what lies one step deeper."""
        return Flow(self.indent + self.unit, self.unit, self.end)

    def _bracketed(self, opens: str, items: list[str], closes: str) -> str:
        if not self.end or not items:
            return f"{opens}{', '.join(items)}{closes}"
        inner = f"{self.end}{self.indent}{self.unit}"
        return f"{opens}{inner}{f',{inner}'.join(items)}{self.end}{self.indent}{closes}"
