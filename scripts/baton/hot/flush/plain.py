"""Outside git: the state files' bytes are brought to the disk, and that is all."""

import os

from baton.hot import files
from baton.hot.flush import conclusion, signature, sources
from baton.hot.flush import outcome as outcomes
from baton.hot.flush import record as records
from baton.hot.flush.attempt import Request
from baton.hot.flush.outcome import Kept, Outcome
from baton.hot.flush.record import Record
from baton.hot.state import RECORD

ON_DISK = "not a git repository: the files are on disk"


def sync(request: Request) -> tuple[Outcome, Kept]:
    """Sync every state file that can be read. Raises OSError."""
    project, state, config = request.project, request.state, request.config
    record = Record(records.DISK, config.persist, signature.settings(project), config.paths)
    survey = signature.take(project, config.paths, sources.places(project, state))
    for place in map(survey.place, survey.files):
        if os.path.isfile(place) and os.access(place, os.R_OK):
            files.sync(os.fsdecode(place))
    record.lines = survey.lines
    state.write(RECORD, record.render())
    result = conclusion.outcome(survey, project, outcomes.UNCHANGED)
    result.reason = result.reason or ON_DISK
    return result, conclusion.kept(survey, project, "disk")
