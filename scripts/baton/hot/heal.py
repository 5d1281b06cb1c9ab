"""An index that a killed flush left behind HEAD, recognised.

Killed between ref and index, the index still holds what was before: the user's next commit would
take the state files back.
"""

from __future__ import annotations

from baton.hot.attempt import Attempt, Comparison
from baton.hot.index import Listing
from baton.hot.trees import NOTHING

_OURS = b"wal: "


def behind(attempt: Attempt, comparison: Comparison, listing: Listing) -> list[bytes]:
    """Give the state files that the index holds as they were before HEAD, a commit of ours.

    Anything else that differs there is the user's own. Raises Failed.
    """
    if not comparison.commit:
        return []
    commit = attempt.trees.commit(comparison.commit)
    if not commit.message.startswith(_OURS):
        return []
    before = attempt.trees.commit(commit.parents[0].decode()).tree if commit.parents else b""
    return [
        path
        for path in _ours(attempt, listing)
        if _is_behind(attempt, comparison, listing, before, path)
    ]


def _ours(attempt: Attempt, listing: Listing) -> list[bytes]:
    paths = {**attempt.survey.files, **dict.fromkeys(listing.entries)}
    return [path for path in paths if path not in listing.bars and not attempt.survey.hides(path)]


def _is_behind(
    attempt: Attempt, comparison: Comparison, listing: Listing, before: bytes, path: bytes
) -> bool:
    held = listing.entries.get(path, NOTHING)
    now = attempt.trees.find(comparison.tree, path)
    return held != now and held == attempt.trees.find(before, path)
