"""Secrets, recognised by their shape, so that none gets into git (design page chain).

Looked for are keys and tokens of well-known services, private keys and signed tokens; credentials
in a URL, in a header and behind `-u`; and `password=`, `token:` and the like with a real value: one
that is long enough, mixed, and neither a reference (`$PW`, `<key>`, `config.pw`), a path, a word nor
a stand-in (`your-api-key`, `xxxx`). What passes for a secret by mistake costs a file its place in
git: where a name is all there is to go by, doubt is decided for the file.
"""

from baton.hot import secret_values as values
from baton.hot.secret_shapes import (
    BASE64,
    DIGITS,
    HARMLESS,
    LETTERS,
    NAMES,
    SHAPES,
    SLUG,
    WORD,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Nobody reads on after so many.
_MOST = 20
# A file of nothing but beginnings is not searched for ever.
_PLACES = 20_000
_SHORTEST_KEY = 15
_GAPS = bytes(sign if sign in WORD + b"-.~+/=%" else 32 for sign in range(256))
_ENDS_AUTHORITY = b" \t\r\n/?#\"'`<>)\\"
_BEGIN, _DASHES, _PRIVATE = b"-----BEGIN ", b"-----", (b"PRIVATE KEY", b"PRIVATE KEY BLOCK")
_LABEL = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 "
_OF_AWS = (b"access_key", b"accesskey")

# kind, where it begins, where it ends
Hit = tuple[str, int, int]


class Secret:
    """What looks like a secret. line: where it begins, from 1. kind: in plain words; no value."""

    __slots__ = ("kind", "line")

    def __init__(self, line: int, kind: str) -> None:
        self.line = line
        self.kind = kind

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and (self.line, self.kind) == (other.line, other.kind)

    def __hash__(self) -> int:
        return hash((self.line, self.kind))

    def __repr__(self) -> str:
        return f"Secret({self.line}, {self.kind!r})"

    def __str__(self) -> str:
        return f"line {self.line}: {self.kind}"


def find(text: str) -> list[Secret]:
    """Give the secrets of a text in order, at most 20 of them. Never raises."""
    return find_bytes(text.encode("utf-8", "surrogatepass"))


def find_bytes(data: bytes) -> list[Secret]:
    """Give the secrets of a file's bytes in order, at most 20 of them. Never raises.

    All of it is searched, whether it is text or not; UTF-16 with its mark is read as such. A chain
    takes a tenth of a millisecond, a MiB some 30 ms.
    """
    data = _eight_bit(data)
    hits: list[Hit] = []
    for hit in _all(data):
        if all(hit[1] >= end or hit[2] <= start for _, start, end in hits):
            hits.append(hit)
        if len(hits) == _MOST:
            break
    return _in_order(data, hits)


def described(found: list[Secret]) -> str:
    """Say on one line what was found: the first three, with lines and kinds."""
    more = f" (and {len(found) - 3} more)" if len(found) > 3 else ""
    return "; ".join(map(str, found[:3])) + more


def _in_order(data: bytes, hits: list[Hit]) -> list[Secret]:
    found: dict[Secret, None] = {}
    line, seen = 1, 0
    for kind, start, _ in sorted(hits, key=_start):
        line, seen = line + data.count(b"\n", seen, start), start
        found[Secret(line, kind)] = None
    return list(found)


def _start(hit: Hit) -> int:
    return hit[1]


def _eight_bit(data: bytes) -> bytes:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace").encode("utf-8", "replace")
    return data


def _all(data: bytes) -> "Iterator[Hit]":
    """What is sure comes first: a name is not looked at where a shape has been seen."""
    yield from _keys(data)
    yield from _private_keys(data)
    yield from _signed_tokens(data)
    yield from _in_urls(data)
    low = data.lower()
    yield from _in_headers(data, low)
    yield from _behind_names(data, low)


def _places(data: bytes, word: bytes) -> "Iterator[int]":
    at = data.find(word)
    for _ in range(_PLACES):
        if at < 0:
            return
        yield at
        at = data.find(word, at + len(word))


def _run(data: bytes, at: int, alphabet: bytes) -> bytes:
    """The signs of an alphabet that stand at a place, at most a window of them."""
    window = data[at : at + values.WINDOW]
    return window[: len(window) - len(window.lstrip(alphabet))]


def _is_word(data: bytes, at: int) -> bool:
    sign = data[at : at + 1]
    return bool(sign) and sign in WORD


def _begins(data: bytes, at: int) -> bool:
    """Whether no word runs into this place; the n of an escaped line end is no word."""
    if not at or not _is_word(data, at - 1):
        return True
    return data[max(0, at - 2) : at] in (b"\\n", b"\\r", b"\\t")


def _keys(data: bytes) -> "Iterator[Hit]":
    # Nearly all of a text goes at once: no key is shorter than this, or holds other signs.
    words = data.translate(_GAPS).split()
    long = b" ".join([word for word in words if len(word) >= _SHORTEST_KEY])
    for kind, prefixes, alphabet, least, most in SHAPES:
        for prefix in prefixes:
            if prefix in long:
                for at in _places(data, prefix):
                    end = _key_ends(data, at, prefix, alphabet)
                    size = end - at - len(prefix)
                    if least <= size <= (most or values.WINDOW):
                        yield kind, at, end


def _key_ends(data: bytes, at: int, prefix: bytes, alphabet: bytes) -> int:
    """Give where the key that begins at a place ends, 0 when none does."""
    body = _run(data, at + len(prefix), alphabet)
    end = at + len(prefix) + len(body)
    # A prefix that begins with a digit stands in the middle of a key.
    if (prefix[:1] in DIGITS or _begins(data, at)) and not _is_word(data, end):
        return 0 if values.is_stand_in(body) else end
    return 0


def _private_keys(data: bytes) -> "Iterator[Hit]":
    for at in _places(data, _BEGIN):
        label = _run(data, at + len(_BEGIN), _LABEL)
        end = at + len(_BEGIN) + len(label) + len(_DASHES)
        # A quote behind it: it is only mentioned.
        mentioned = data[end : end + 1] and data[end : end + 1] in values.QUOTES
        if label.endswith(_PRIVATE) and data[end - len(_DASHES) : end] == _DASHES and not mentioned:
            yield "private key", at, end
    for at in _places(data, b"PuTTY-User-Key-File-"):
        if data[at + 20 : at + 21].isdigit():
            yield "private key", at, at + 21


def _signed_tokens(data: bytes) -> "Iterator[Hit]":
    for at in _places(data, b"eyJ"):
        if _begins(data, at):
            end = at + len(_run(data, at, SLUG))
            if end - at >= 13 and data[end : end + 4] == b".eyJ":
                yield "JSON web token", at, end + 1 + len(_run(data, end + 1, SLUG))


def _in_urls(data: bytes) -> "Iterator[Hit]":
    for at in _places(data, b"://"):
        person, sign, _ = values.until(data, at + 3, _ENDS_AUTHORITY).rpartition(b"@")
        name, colon, password = person.partition(b":")
        if sign and colon and password != name and values.is_password(password):
            yield "password in a URL", at, at + 3 + len(person)


def _in_headers(data: bytes, low: bytes) -> "Iterator[Hit]":
    for at in _places(low, b"bearer "):
        value = _run(data, at + 7, SLUG + b".~+/=")
        if len(value) >= 20 and values.is_mixed(value):
            yield "bearer token", at, at + 7 + len(value)
    for at in _places(low, b"authorization: basic "):
        value = _run(data, at + 21, BASE64)
        if len(value) >= 12 and value.lower() != value != value.upper():
            yield "basic authorization", at, at + 21 + len(value)
    for option in (b" -u ", b" --user "):
        for at in _places(data, option):
            person = values.until(data, at + len(option), values.SPACES)
            _, _, password = person.strip(values.QUOTES).partition(b":")
            if values.is_real(password, 6, quoted=False):
                yield "password", at, at + len(option) + len(person)


def _behind_names(data: bytes, low: bytes) -> "Iterator[Hit]":
    for name, shortest in NAMES.items():
        kind = name.strip(b"_").decode().lower().replace("_", " ").replace("-", " ")
        for at in _places(low, name):
            end = at + len(name)
            before = low[max(0, at - 24) : at]
            value, quoted = values.assigned(data, end, _is_option(before))
            if len(value) >= shortest and not _is_harmless(before):
                if name in _OF_AWS and len(value) == 40 == len(_run(value, 0, BASE64)):
                    yield "AWS secret key", at, end + len(value)
                elif values.is_real(value, shortest, quoted=quoted):
                    yield kind, at, data.find(value, end) + len(value)


def _is_option(before: bytes) -> bool:
    return (b" " + before).rpartition(b" ")[2].startswith(b"--")


def _is_harmless(before: bytes) -> bool:
    before = before.rstrip(b"_-")
    return before[len(before.rstrip(LETTERS)) :] in HARMLESS
