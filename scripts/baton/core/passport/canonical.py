"""Canonical JSON, RFC 8785: the only door to the package rfc8785."""

from __future__ import annotations

import rfc8785

from baton.core.passport.entry import Mapping


class NotCanonical(ValueError):
    """A value that RFC 8785 gives no bytes to. It names what stands in the way."""


def encode(mapping: Mapping) -> bytes:
    """Give the canonical bytes of an entry: UTF-8, keys sorted (RFC 8785, sections 3.2.2, 3.2.3).

    Strings, null, lists and mappings are all that an entry holds. Raises NotCanonical for a lone
    surrogate, in a key or in a value.
    """
    try:
        return rfc8785.dumps(mapping)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
        raise NotCanonical(
            "a lone surrogate (half of a character) has no UTF-8 bytes to hash"
        ) from error
