"""Text that came out of a file, made harmless for a terminal and for a model.

Shown as data, never obeyed.
"""

_SPACES = dict.fromkeys(map(ord, "\t\n\r\v\f\x85\u2028\u2029"), " ")
_CONTROLS = {
    code: "\ufffd"
    for span in (
        range(0x00, 0x20),
        range(0x7F, 0xA0),
        (0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFEFF, 0xFFA0),
        range(0x180B, 0x1810),
        range(0x200B, 0x200D),
        range(0x200E, 0x2010),
        range(0x202A, 0x202F),
        range(0x2060, 0x2070),
        range(0xFE00, 0xFE0E),
        range(0xFFF0, 0xFFFC),
        range(0x1BCA0, 0x1BCA4),
        range(0x1D173, 0x1D17B),
        range(0xE0000, 0xE0080),
        range(0xE0100, 0xE01F0),
    )
    for code in span
}
_HARMLESS = {**_CONTROLS, **_SPACES}
# How Claude Code's own tags begin (design page host), and those of a conversation.
_HOST_TAGS = (
    "system-", "task-", "command-", "local-command-", "bash-", "teammate-", "user-", "tool_", "function_",
    "antml:", "system>", "human>", "assistant>",
)  # fmt: skip


def line(text: str, cap: int = 0) -> str:
    """Give `text` as one line without terminal escapes, control, bidirectional or invisible
    characters.

    Each one becomes U+FFFD (white space becomes a space), so that what was altered can be seen.
    With `cap`, at most that many characters, the last one an ellipsis when something was cut. Lone
    surrogates become `?`.
    """
    text = text.translate(_HARMLESS).encode("utf-8", "replace").decode("utf-8").strip()
    return text if not cap or len(text) <= cap else text[: cap - 1].rstrip() + "…"


def command(text: str) -> str:
    """Give a command to type as it is, "" where a name in it cannot be shown: altered, it would be
    another command."""
    return text if line(text) == text else ""


def quoted(text: str, cap: int = 0) -> str:
    """Give `line(text)` in double quotes, with nothing inside that could close them or pass for a
    tag."""
    harmless = line(text, cap).replace("<", "‹").replace(">", "›")
    return '"' + harmless.replace('"', "”") + '"'


def untagged(text: str) -> str:
    """Give `text` with no tag left in it that looks like one of the host's own, as in
    `</system-reminder>`; others, as in `<div>`, stay."""
    parts = text.split("<")
    return parts[0] + "".join(("‹" if _is_tag(part) else "<") + part for part in parts[1:])


def _is_tag(rest: str) -> bool:
    return rest.removeprefix("/").lower().startswith(_HOST_TAGS)


def fit(text: str, columns: int) -> str:
    """Give `line(text)` in at most that many columns of a terminal, where some signs take two and some none."""
    harmless = line(text)
    if harmless.isascii():
        return line(harmless, columns)
    widths = [_width(sign) for sign in harmless]
    total = sum(widths)
    if total <= columns:
        return harmless
    while total > columns - 1:
        total -= widths.pop()
    return harmless[: len(widths)].rstrip() + "…"


def _width(sign: str) -> int:
    from unicodedata import category, east_asian_width  # only lines that are not ASCII need it

    if category(sign) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(sign) in "WF" else 1
