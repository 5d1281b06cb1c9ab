"""The refusal to write down what looks like a secret (design page chain)."""

from __future__ import annotations

from baton.core.errors import BatonError
from baton.hot import secrets

HINT = (
    "name the place where it is kept in its stead ($NAME, a path), or, if it is none, shorten it with …; "
    "then the same command again"
)


def check(data: bytes, what: str, outcome: str, hint: str = HINT) -> None:
    """Raise secret when `data` holds one.

    what: the text's name, for the sentence "WHAT holds what looks like a secret". outcome: what was
    not done, its end. Lines and kinds are named, never a value.
    """
    found = secrets.find_bytes(data)
    if found:
        told = secrets.described(found)
        message = f"{what} holds what looks like a secret ({told}); {outcome}"
        raise BatonError("secret", message, hint)
