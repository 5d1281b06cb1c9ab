"""What a person hears of a flush: one line, and only of what was not said before."""

import errno

from baton.hot import chain as chains
from baton.hot import clean, overlay
from baton.hot.chain import Chain
from baton.hot.flush import branch
from baton.hot.flush import outcome as outcomes
from baton.hot.flush.outcome import Outcome
from baton.hot.project import Project
from baton.hot.state import State

SAID, PROGRESS = "said", "progress"
_NAMED = 3
_SECRET = "secret in "
_FULL = (errno.ENOSPC, errno.EDQUOT)
_UNSAVED = (outcomes.DEFERRED, outcomes.FAILED)


class Remark:
    """text: what is said of a matter. key: what it is; the same matter is not said twice on end."""

    __slots__ = ("key", "text")

    def __init__(self, key: str, text: str) -> None:
        self.key = key
        self.text = text


def fresh(project: Project, state: State, outcome: Outcome) -> str:
    """Give what is to be said of an outcome and its chain, "" when all of it was said already.

    A matter that is over is forgotten, so that it is said again when it comes back.
    """
    remarks = [*_of_outcome(outcome), *_of_ignored(outcome), *_of_chain(project, state, outcome)]
    before = state.record(SAID)
    now: dict[str, object] = {remark.key: 1 for remark in remarks}
    fault = _remember(state, SAID, now) if now != before else 0
    # What cannot be remembered would be said every turn. That the disk is full is worth it.
    if fault and not (fault in _FULL and outcome.kind in _UNSAVED):
        return ""
    new = [remark.text for remark in remarks if remark.key not in before]
    return clean.line("baton: " + "; ".join(new)) if new else ""


def _remember(state: State, name: str, facts: dict[str, object]) -> int:
    """Give the number of the system's error, 0 when the facts are noted."""
    try:
        state.set_record(name, facts)
    except OSError as error:
        return error.errno or errno.EIO
    return 0


def _of_outcome(outcome: Outcome) -> list[Remark]:
    if outcome.kind in _UNSAVED:
        text = f"not saved on the branch ({outcome.kind}): {outcome.reason}"
        return [Remark(f"{outcome.kind}: {outcome.reason}", text)]
    if not outcome.refused:
        return []
    told = [f"{outcomes.printable(path)} ({reason})" for path, reason in outcome.refused]
    more = f" and {len(told) - _NAMED} more" if len(told) > _NAMED else ""
    text = f"left out of the flush: {', '.join(told[:_NAMED])}{more}"
    if any(reason.startswith(_SECRET) for _, reason in outcome.refused):
        text += "; what is no secret is kept once it is shortened with …"
    return [Remark(text, text)]


def _of_ignored(outcome: Outcome) -> list[Remark]:
    if not outcome.reason.startswith(branch.IGNORED):
        return []
    count = len(outcome.parked)
    text = f"{count} state file{'s are' if count > 1 else ' is'} {outcome.reason}, not the branch"
    return [Remark(branch.IGNORED, text)]


def _of_chain(project: Project, state: State, outcome: Outcome) -> list[Remark]:
    try:
        data = overlay.content(project, state)
    except OSError:
        # The flush has named it among what it left out.
        return []
    if data is None:
        return []
    chain = chains.parse(data)
    if chain.state == chains.UNREADABLE:
        text = f"the chain cannot be read, and is kept as it is: {chain.problems[0]}"
        return [Remark("unreadable", clean.line(text, 200))]
    long = [problem for problem in chain.problems if problem.code == "too-long"]
    return [
        *(Remark(problem.code, f"the chain is too long: {problem.message}") for problem in long),
        *_of_progress(state, chain, outcome),
    ]


def _of_progress(state: State, chain: Chain, outcome: Outcome) -> list[Remark]:
    """Compare with the last flush of the same goal, and remember this one."""
    if outcome.kind in _UNSAVED or not chain.goal:
        return []
    last, now = state.record(PROGRESS), chain.done
    facts: dict[str, object] = {"goal": chain.goal, "done": now}
    if facts != last:
        _remember(state, PROGRESS, facts)
    before = last.get("done")
    if last.get("goal") != chain.goal or not isinstance(before, int) or now >= before:
        return []
    words = f"the chain went back: {now} done, {before} at the last flush of the same goal"
    return [Remark(words, words)]
