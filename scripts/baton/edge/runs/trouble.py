"""Why the host's journal of a launch gave nothing: missing, unreadable, empty and foreign are four
different things (design page runs)."""

from __future__ import annotations

import shlex

from baton.core.errors import BatonError
from baton.edge.runs.journals import Search
from baton.hot.runs import layout


def trouble(name: str, run_id: str, search: Search) -> BatonError:
    """Give what is said of a search for a run id that found no journal of this project's.

    name: the run's.
    """
    if run_id == layout.PENDING:
        message = "its run id is not known yet, so its journal cannot be found"
        return BatonError("no-journal", message, f"baton run launched {name} --run-id wf_…")
    if search.unreadable:
        path, why = search.unreadable[0]
        message = f"the journal of {run_id} cannot be read: {path}: {why}"
        return BatonError("journal-unreadable", message, f"ls -l {shlex.quote(path)}")
    if search.empty:
        message = f"the journal of {run_id} is empty: no agent was started yet: {search.empty[0]}"
        return BatonError("journal-empty", message, f"baton run harvest {name}")
    if search.foreign:
        path, owner = search.foreign[0]
        whose = f"belongs to another project ({owner})" if owner else "names no project"
        message = f"the journal of {run_id} {whose}, and was left alone: {path}"
        there = shlex.quote(owner) if owner else "DIR, where it was launched"
        return BatonError("journal-foreign", message, f"baton run harvest {name} --cwd {there}")
    looked = " or ".join(search.looked) or "the folder that was noted"
    message = (
        f"no journal of {run_id} in {looked}; Claude Code deletes it after 30 days, and another account "
        "may have another configuration folder"
    )
    return BatonError("no-journal", message, f"baton run harvest {name} --config-dir DIR")
