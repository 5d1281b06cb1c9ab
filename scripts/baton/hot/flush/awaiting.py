"""Between `baton close` and the user's closing commit the branch is left alone.

What close took off the branch stands staged; a flush to the branch would commit it again, below the
commit that is to absorb it. So until HEAD moves, flushes go to baton's own ref.
"""

from baton.hot.git import head as heads
from baton.hot.git.checkout import Checkout
from baton.hot.state import State

AWAITED = "the closing commit is awaited"
_NOTE = "closing"


def begin(state: State, branch: str, commit: str) -> None:
    """Note that the branch (a full ref name) waits at a commit. Raises OSError."""
    state.write(_NOTE, f"{branch} {commit}".encode())


def on(state: State, checkout: Checkout) -> bool:
    """Whether HEAD still is where `begin` noted it."""
    note = state.read(_NOTE)
    if not note:
        return False
    head = heads.read(checkout)
    return note == f"{head.name} {head.oid}".encode()
