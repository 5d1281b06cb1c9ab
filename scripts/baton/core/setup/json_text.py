"""A JSON document edited as text: whatever is not touched stays the same to the byte.

Adding and removing are each other's inverse: what `add_*` put in, `remove` takes out again, with
the comma and the blanks that came with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field

_BLANKS = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_PLAIN = re.compile(r"[^\s,\]}]+")
_INDENT = re.compile(r"\{\r?\n([ \t]+)\S")
# From the indent of the line that a value begins on, None for one line, to its text.
_Rendered = Callable[[str | None], str]


class Malformed(ValueError):
    """The text cannot be edited: not JSON, or not of the shape that is needed. Says where."""


@dataclass(frozen=True, slots=True)
class Node:
    """A value's place in the text.

    start, end: offsets, end exclusive. children: of an object or array, in order; keys: of an
    object's children, beside them; starts: where each child begins, a member with its key.
    """

    start: int
    end: int
    value: object
    children: list[Node] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    def member(self, key: str) -> Node | None:
        """Give an object's member. Raises Malformed when the key stands there twice."""
        found = [child for name, child in zip(self.keys, self.children, strict=True) if name == key]
        if len(found) > 1:
            raise Malformed(f"the key {key!r} stands twice in one object")
        return found[0] if found else None


def parse(text: str) -> Node:
    """Give the root of a JSON document. Raises Malformed, naming line and column."""
    try:
        json.loads(text, parse_constant=_no_constant)
        return _node(text, _skip(text, 0))
    except json.JSONDecodeError as error:
        comment = text.startswith(("//", "/*"), error.pos)
        what = "a comment, which JSON does not have" if comment else error.msg
        raise Malformed(f"line {error.lineno} column {error.colno}: {what}") from error
    except RecursionError:
        raise Malformed("nested too deeply") from None
    except Malformed:
        raise
    except ValueError as error:
        raise Malformed("a number of too many digits") from error


def find(root: Node, *path: str) -> Node | None:
    """Give the value at a path of keys, None where there is none. Raises Malformed."""
    node: Node | None = root
    for key in path:
        node = None if node is None else node.member(key)
    return node


def add_item(text: str, array: Node, value: object) -> str:
    """Append a value to an array, in the style of its neighbours."""
    return _append(text, array, lambda indent: _render(text, value, indent))


def add_member(text: str, object_: Node, key: str, value: object) -> str:
    """Append a member to an object, in the style of its neighbours."""
    colon = ":" if _is_dense(text) else ": "
    name = json.dumps(key, ensure_ascii=False)
    return _append(text, object_, lambda indent: name + colon + _render(text, value, indent))


def remove(text: str, container: Node, index: int) -> str:
    """Take a child out, with the comma that parts it from its neighbour."""
    starts, ends = container.starts, [child.end for child in container.children]
    if index > 0:
        return text[: ends[index - 1]] + text[ends[index] :]
    if len(ends) > 1:
        return text[: starts[0]] + text[starts[1] :]
    return text[: container.start + 1] + text[container.end - 1 :]


def _append(text: str, container: Node, rendered: _Rendered) -> str:
    if container.children:
        return _append_to_others(text, container, rendered)
    if not _has_lines(text):
        return _replace_inside(text, container, rendered(None))
    outer = _indent_of_line(text, container.start)
    indent = outer + _unit(text)
    line = newline(text)
    return _replace_inside(text, container, line + indent + rendered(indent) + line + outer)


def _append_to_others(text: str, container: Node, rendered: _Rendered) -> str:
    before = text[container.start + 1 : container.starts[0]]
    last = container.children[-1].end
    if "\n" in before:
        indent = before.rpartition("\n")[2]
        added = "," + newline(text) + indent + rendered(indent)
    else:
        added = ("," if _is_dense(text) else ", ") + rendered(None)
    return text[:last] + added + text[last:]


def _replace_inside(text: str, container: Node, inside: str) -> str:
    return text[: container.start + 1] + inside + text[container.end - 1 :]


def newline(text: str) -> str:
    """Give the line end that a text uses."""
    return "\r\n" if "\r\n" in text else "\n"


def _render(text: str, value: object, indent: str | None) -> str:
    """indent: of the line that the value begins on; None for everything on one line."""
    if indent is None:
        separators = (",", ":") if _is_dense(text) else (", ", ": ")
        return json.dumps(value, ensure_ascii=False, separators=separators)
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n")
    return (newline(text) + indent).join(lines)


def _has_lines(text: str) -> bool:
    """Whether the document is written on several lines; an empty one has no style yet."""
    inside = text.strip()
    return "\n" in inside or not inside[1:-1].strip()


def _is_dense(text: str) -> bool:
    return '":' in text and '": ' not in text and not _has_lines(text)


def _unit(text: str) -> str:
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _indent_of_line(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _no_constant(name: str) -> object:
    raise Malformed(f"{name} is no JSON value")


def _skip(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    assert found is not None
    return found.end()


def _node(text: str, at: int) -> Node:
    if text[at] in "{[":
        return _container(text, at)
    found = (_STRING if text[at] == '"' else _PLAIN).match(text, at)
    assert found is not None
    return Node(at, found.end(), json.loads(found[0]))


def _container(text: str, start: int) -> Node:
    """Read an object or array of a document that is known to be well formed."""
    is_object = text[start] == "{"
    children, starts, keys = [], [], []
    at = _skip(text, start + 1)
    while text[at] not in "}]":
        starts.append(at)
        if is_object:
            name = _node(text, at)
            keys.append(str(name.value))
            at = _skip(text, _skip(text, name.end) + 1)
        children.append(_node(text, at))
        at = _skip(text, children[-1].end)
        at = _skip(text, at + 1) if text[at] == "," else at
    values = [child.value for child in children]
    value = dict(zip(keys, values, strict=True)) if is_object else values
    return Node(start, at + 1, value, children, starts, keys)
