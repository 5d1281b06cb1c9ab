"""An index that a killed flush left behind HEAD, recognised.

Killed between ref and index, the index still holds what was before: the user's next commit would
take the state files back.
"""

from baton.hot.flush.attempt import Attempt
from baton.hot.flush.comparison import Comparison
from baton.hot.git.index import Listing
from baton.hot.git.trees import NOTHING
from baton.hot.project import OWN

_OURS = f"{OWN} ".encode()


def behind(comparison: Comparison, listing: Listing) -> list[bytes]:
    """Give the state files that the index holds as they were before HEAD, a commit of ours.

    Anything else that differs there is the user's own; and where the record tells what has changed,
    no flush was killed. Raises Failed.
    """
    trees = comparison.attempt.trees
    if comparison.narrowed or not comparison.commit:
        return []
    commit = trees.commit(comparison.commit)
    if not commit.message.startswith(_OURS):
        return []
    before = trees.commit(commit.parents[0].decode()).tree if commit.parents else b""
    found = []
    for path in _ours(comparison.attempt, listing):
        held = listing.entries.get(path, NOTHING)
        if held == trees.find(before, path) != trees.find(comparison.tree, path):
            found.append(path)
    return found


def _ours(attempt: Attempt, listing: Listing) -> list[bytes]:
    paths = {**attempt.survey.files, **dict.fromkeys(listing.entries)}
    return [path for path in paths if path not in listing.bars and not attempt.survey.hides(path)]
