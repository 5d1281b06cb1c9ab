"""What the model is told of a run that was just launched (design pages notice, runs)."""

from __future__ import annotations

from baton.hot import chain as chains
from baton.hot import files
from baton.hot.project import CHAIN, Project
from baton.hot.runs.launch import Made
from baton.hot.runs.layout import RUNS, SNAPSHOT

_RECORDED = (
    "baton records this run in {folder}; each agent's result is on disk as it ends. Should the session die, "
    "/tiep goes on with what is left."
)
_FIRST = " Put it into the work chain now: {command} (0/0: the number of agents, once it is known)."
_AGAIN = " It is attempt {number} of that run."


def launched(project: Project, made: Made) -> str:
    """Give the context for the model: where the run is, and the exact command for its `wf:` line."""
    folder = f"{RUNS}/{made.place.name}"
    text = _RECORDED.format(folder=folder)
    if made.attempt > 1:
        text += _AGAIN.format(number=made.attempt)
    elif _has_chain(project):
        text += _FIRST.format(command=_command(folder, made))
    return text


def _command(folder: str, made: Made) -> str:
    fields = f"run={folder} runId={made.run_id} args={folder}/{SNAPSHOT} done=0/0 harvested=no"
    return f"`baton wal add 'wf:{_plain(made.name)} {fields}' --mark doing`"


def _plain(name: str) -> str:
    """A purpose that neither a shell nor the chain's grammar could misread."""
    signs = "".join(sign if sign.isalnum() or sign in "-_." else " " for sign in name)
    return " ".join(signs.split())[:40].rstrip() or "workflow"


def _has_chain(project: Project) -> bool:
    """Whether there is work in progress whose chain the run belongs into."""
    try:
        data = files.read(project.path(CHAIN), chains.MAX_BYTES)
    except OSError:
        return False
    return data is not None and chains.parse(data).state == chains.UNFINISHED
