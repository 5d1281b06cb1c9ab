"""Numbers out of foreign text: Python itself refuses to read those of thousands of digits."""

# As many as a time in nanoseconds has.
_MOST = 19


def whole(text: str | bytes) -> int:
    """Give the number that up to 19 decimal digits stand for, -1 for any other text."""
    return int(text) if text.isdigit() and text.isascii() and len(text) <= _MOST else -1
