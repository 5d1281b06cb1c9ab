"""What the model is told of a run that was just launched (design pages notice, runs)."""

from baton.hot import chain as chains
from baton.hot import overlay
from baton.hot.project import Project
from baton.hot.runs.launch import Made
from baton.hot.runs.layout import RUNS
from baton.hot.state import State

_RECORDED = (
    "baton records this run in {folder}; each agent's result is on disk as it ends. Should the session die, "
    "/tiep goes on with what is left."
)
_AGAIN = " It is attempt {number} of that run."
_LINE = " Bring its line into the work chain now: `baton wal run {name}`"


def launched(project: Project, state: State, made: Made) -> str:
    """Give the context for the model: where the run is, and the exact command for its `wf:` line."""
    name = made.place.name
    text = _RECORDED.format(folder=f"{RUNS}/{name}")
    if made.attempt > 1:
        text += _AGAIN.format(number=made.attempt)
    return text + _LINE.format(name=name) if has_chain(project, state) else text


def has_chain(project: Project, state: State) -> bool:
    """Whether there is work in progress whose chain the run belongs into."""
    try:
        data = overlay.content(project, state)
    except OSError:
        return False
    return data is not None and chains.parse(data).state == chains.UNFINISHED
