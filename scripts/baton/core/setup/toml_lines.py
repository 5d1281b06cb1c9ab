"""One key of a TOML file's head set, changed or taken out; every other byte stays.

Each edit is proved: what a TOML reader makes of the new text is what it made of the old one, but
for this key.
"""

from __future__ import annotations

import re
import tomllib

_MARK = "  # baton setup"
_VALUE = r"""[ \t]*=[ \t]*)("[^"\n]*"|'[^'\n]*'|[^\s#"'\[{][^\s#]*)"""


class Malformed(ValueError):
    """The text is not TOML, or the key stands where it cannot be changed. Says where."""


def put(text: str, key: str, value: str) -> str:
    """Give the text in which the key has this value, the same text when it has it already.

    A new key goes on a line of its own at the top, marked as baton's. Raises Malformed.
    """
    old = read(text)
    if old.get(key) == value:
        return text
    if key in old:
        return _changed(text, key, f'"{value}"', {**old, key: value})
    line = "\r\n" if "\r\n" in text else "\n"
    return f'{key} = "{value}"{_MARK}{line}{text}'


def take(text: str, key: str) -> str:
    """Give the text without the line that `put` made for the key. Raises Malformed."""
    old = read(text)
    kept = {name: value for name, value in old.items() if name != key}
    for match in re.finditer(rf"(?m)^{key} = .*{_MARK}\r?$\n?", text):
        new = text[: match.start()] + text[match.end() :]
        if _means(new, kept):
            return new
    return text


def restore(text: str, key: str, before: str) -> str:
    """Give the text in which the key has the value that it has in `before`, as written there."""
    found = _written(before, key)
    if found is None or read(text).get(key) == read(before).get(key) or key not in read(text):
        return text
    return _changed(text, key, found, {**read(text), key: read(before)[key]})


def read(text: str) -> dict[str, object]:
    """Give what a TOML reader makes of the text. Raises Malformed."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise Malformed(str(error)) from error


def _changed(text: str, key: str, written: str, meant: dict[str, object]) -> str:
    for match in _assignments(text, key):
        new = text[: match.start(2)] + written + text[match.end(2) :]
        if _means(new, meant):
            return new
    raise Malformed(f'{key} is not written as `{key} = "…"` on a line of its own')


def _written(text: str, key: str) -> str | None:
    """A key's value as it is written, None when there is no such line."""
    value = read(text).get(key)
    for match in _assignments(text, key):
        if _means(f"{key} = {match[2]}", {key: value}):
            return match[2]
    return None


def _assignments(text: str, key: str) -> list[re.Match[str]]:
    return list(re.finditer(rf"""(?m)^([ \t]*(?:{key}|"{key}"|'{key}'){_VALUE}""", text))


def _means(text: str, meant: dict[str, object]) -> bool:
    try:
        return read(text) == meant
    except Malformed:
        return False
