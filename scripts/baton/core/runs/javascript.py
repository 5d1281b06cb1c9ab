"""Values written into a script, so that every JavaScript engine reads the same values back.

The host refuses control characters in a script, and its checks look at the syntax tree alone: so
everything that is odd is escaped, and what is left stands in one string (relaunch notes: encoding).
"""

from __future__ import annotations

import json
import re

# Controls, bidirectional and invisible characters, lone surrogates, non-characters, tags.
_ODD = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)


def json_text(value: object) -> str:
    """Give compact JSON on one line in which no odd character stands for itself.

    value: what json reads; a lone surrogate comes back as itself.
    """
    return _ODD.sub(_escape, json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def literal(text: str) -> str:
    """Give the string literal of a text that `json_text` made, or of a part of one."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def parsed(value: object) -> str:
    """Give an expression whose value is `value`.

    JSON.parse and not an object literal, where `__proto__` would not be a key like others.
    """
    return f"globalThis.JSON.parse({literal(json_text(value))})"


def _escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
