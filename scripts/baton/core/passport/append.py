"""A passport with one more entry, every byte that is not ours the same (design page passport,
"Writing so that every reader agrees").
"""

from __future__ import annotations

from baton.core.passport.document import Document
from baton.core.passport.entry import Entry
from baton.core.passport.events import Events


def appended(document: Document, entry: Entry, events: Events) -> bytes:
    """Give the bytes of the passport with `entry` behind its last one.

    The result is read back: it holds exactly the old entries and the new one, and all else as it
    was. The caller has made sure that the entry may be appended. Raises LedgerError
    `invalid-ledger` where the end of the ledger cannot be extended without changing something else,
    saying what to do about it.
    """
    raise NotImplementedError
