"""Text that came out of a file, made harmless for a terminal and for a model.

Shown as data, never obeyed.
"""

from __future__ import annotations

_SPACES = dict.fromkeys(map(ord, "\t\n\r\v\f\x85\u2028\u2029"), " ")
_CONTROLS = {
    code: "\ufffd"
    for span in (
        range(0x00, 0x20),
        range(0x7F, 0xA0),
        range(0x200B, 0x200D),
        range(0x200E, 0x2010),
        range(0x202A, 0x202F),
        range(0x2060, 0x2070),
        range(0xFEFF, 0xFF00),
        range(0xFFF9, 0xFFFC),
        range(0xE0000, 0xE0080),
    )
    for code in span
}
_HARMLESS = {**_CONTROLS, **_SPACES}


def line(text: str, cap: int = 0) -> str:
    """Give `text` as one line without terminal escapes, control, bidirectional or invisible
    characters.

    Each one becomes U+FFFD (white space becomes a space), so that what was altered can be seen.
    With `cap`, at most that many characters, the last one an ellipsis when something was cut. Lone
    surrogates become `?`.
    """
    text = text.translate(_HARMLESS).encode("utf-8", "replace").decode("utf-8").strip()
    return text if not cap or len(text) <= cap else text[: cap - 1].rstrip() + "…"


def quoted(text: str, cap: int = 0) -> str:
    """Give `line(text)` in double quotes, with nothing inside that could close them or pass for a
    tag."""
    harmless = line(text, cap).replace("<", "‹").replace(">", "›")
    return '"' + harmless.replace('"', "”") + '"'
