"""Where the content of a state file comes from when it is not the file itself: the overlay."""

import os

from baton.hot.flush import signature
from baton.hot.project import CHAIN, Project
from baton.hot.state import OVERLAY, State


def places(project: Project, state: State) -> dict[bytes, bytes]:
    """Give state path → absolute path of the file that holds its content, for those elsewhere."""
    overlay = state.path(OVERLAY)
    if not os.path.exists(overlay):
        return {}
    return {signature.named(project, CHAIN): os.fsencode(overlay)}
