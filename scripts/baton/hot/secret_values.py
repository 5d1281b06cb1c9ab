"""Whether a value is a secret's, or only stands for one: a reference, a path, a word, `your-key`."""

from baton.hot.secret_shapes import DIGITS, LETTERS, PLACEHOLDERS, WORD

WINDOW = 512
QUOTES = b"\"'`"
BLANK = b" \t"
SPACES = b" \t\r\n"
_BEHIND_NAME = b"\\\"'`]*"
_BOLD, _WIDE_COLON = b"**", "：".encode()
_ENDS = b" \t\r\n,;\"'`)<>|&}]\\"
_REFERS = b"$<{[(%*&@~/.|"
_EXPANDS = (b"${", b"$(", b"{{", b"<", b"...")
_SIGNS = b"!#$%^&*"
_DASHES = bytes.maketrans(b"_.:/", b"----")
_SHORTEST_PART = 5
# As long as what base64 makes of a key: a shorter value with a slash is taken for a path.
_LONGEST_PATH = 40


def until(data: bytes, at: int, ends: bytes) -> bytes:
    """Give what stands at a place up to the first of some signs, at most 512 bytes of it."""
    window = data[at : at + WINDOW]
    for sign in ends:
        window = window.partition(bytes((sign,)))[0]
    return window


def has(text: bytes, alphabet: bytes) -> bool:
    """Whether any sign of an alphabet is in a text."""
    return len(text.translate(None, alphabet)) < len(text)


def assigned(data: bytes, at: int, option: bool) -> tuple[bytes, bool]:
    """Give what is assigned to a name that ends at a place, and whether it stands in quotes.

    option: whether the name is that of an option, whose value may come after a blank. b"" when
    nothing is assigned there.
    """
    rest = data[at : at + WINDOW].partition(b"\n")[0].replace(_WIDE_COLON, b":")
    behind = rest.lstrip(_BEHIND_NAME).lstrip(BLANK)
    if option and rest[:1] == b" ":
        value = rest.lstrip(BLANK)
    elif behind[:1] in (b":", b"="):
        # In Markdown a name stands out as `**password:**`.
        value = behind.lstrip(b":=>").removeprefix(_BOLD).lstrip(BLANK)
    else:
        return b"", False
    return _unquoted(value)


def _unquoted(value: bytes) -> tuple[bytes, bool]:
    if value[:2] in (b"b'", b'b"', b"r'", b'r"', b"u'", b'u"'):
        value = value[1:]
    # In JSON inside JSON the quotes are escaped.
    value = value.lstrip(b"\\")
    quote = value[:1]
    if quote and quote in QUOTES:
        return value[1:].partition(quote)[0].rstrip(b"\\"), True
    return until(value, 0, _ENDS).rstrip(b".!?:"), False


def is_real(value: bytes, shortest: int, *, quoted: bool) -> bool:
    """Whether a value that a name announces is more than a word for one."""
    if len(value) < shortest or not value.isascii() or b" " in value or _is_reference(value):
        return False
    if not quoted and (has(value, b"([") or _is_dotted_name(value)):
        return False
    if (b"/" in value and len(value) < _LONGEST_PATH) or b"://" in value:
        return False
    if len(set(value)) < _SHORTEST_PART:
        return False
    return is_mixed(value)


def is_mixed(value: bytes) -> bool:
    """Whether some part of a value holds letters and digits, or letters of both cases and a sign."""
    parts = [part for part in _remains(value) if len(part) >= _SHORTEST_PART]
    if any(has(part, LETTERS) and has(part, DIGITS) for part in parts):
        return True
    both_cases = value.lower() != value != value.upper()
    return bool(parts) and both_cases and has(value, _SIGNS)


def is_password(text: bytes) -> bool:
    """Whether the password of a URL is one."""
    rest = b"".join(_remains(text))
    return len(rest) >= _SHORTEST_PART and not _is_reference(text) and len(set(rest)) > 2


def is_stand_in(body: bytes) -> bool:
    """Whether what follows a service's prefix only shows where a key would be."""
    low = body.lower()
    if b"xxxxxx" in low or b"......" in low:
        return True
    is_slug = low == body and has(body, b"-_") and not has(body, DIGITS)
    return is_slug or len(b"".join(_remains(body))) < _SHORTEST_PART


def _is_reference(value: bytes) -> bool:
    return value[:1] in _REFERS or any(sign in value for sign in _EXPANDS)


def _is_dotted_name(value: bytes) -> bool:
    """Whether this is `settings.tokens.first`."""
    parts = value.split(b".")
    return len(parts) > 1 and all(
        part and part[0] not in DIGITS and not part.translate(None, WORD) for part in parts
    )


def _remains(value: bytes) -> list[bytes]:
    """The parts of a value, in lower case, without the words that stand for one."""
    low = value.lower()
    for word in PLACEHOLDERS:
        low = low.replace(word, b"")
    return low.translate(_DASHES).split(b"-")
