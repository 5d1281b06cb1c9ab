"""JSON for the every-turn path.

The C scanner without the json package, whose import alone costs as much as Python's start.
"""

try:
    from _json import encode_basestring_ascii, make_scanner
except ImportError:  # pragma: no cover - an interpreter without the C accelerator
    from json.encoder import encode_basestring_ascii
    from json.scanner import make_scanner

_BLANK = " \t\r\n"


class _Context:
    """What the C scanner asks of a json.JSONDecoder."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def parse(data: bytes) -> object:
    """Give the value of one JSON document (UTF-8, blanks around it allowed).

    Raises ValueError for anything else, whatever the depth.
    """
    text = data.decode("utf-8")
    start = len(text) - len(text.lstrip(_BLANK))
    try:
        value, end = make_scanner(_Context())(text, start)  # type: ignore[arg-type]
    except (StopIteration, RecursionError, SystemError) as error:
        # SystemError: the C scanner looks for json's own exception, which is not loaded here.
        raise ValueError("not a JSON document") from error
    if text[end:].strip(_BLANK):
        raise ValueError("more than one JSON document")
    return value


def render(value: object) -> str:
    """Give ASCII JSON on one line for str, int, bool, None, and lists and dicts of them.

    Raises TypeError for others.
    """
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return encode_basestring_ascii(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(render, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{render(str(k))}: {render(v)}" for k, v in value.items()) + "}"
    raise TypeError(f"no JSON for {type(value).__name__}")
