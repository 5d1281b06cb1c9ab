"""What a person hears of a flush: one line, and only when there is something to say that was not said before."""

from __future__ import annotations

from baton.hot import branch, clean, files
from baton.hot import chain as chains
from baton.hot import outcome as outcomes
from baton.hot.chain import Chain
from baton.hot.outcome import Outcome
from baton.hot.project import CHAIN, Project
from baton.hot.state import State

SAID, PROGRESS = "said", "progress"
_TOLD = 3


def fresh(project: Project, state: State, outcome: Outcome) -> str:
    """Give what is to be said of an outcome and of the chain that it kept, "" when all of it was said already.

    A matter that is over is forgotten, so that it is said again when it comes back.
    """
    if outcome.kind == outcomes.DISABLED:
        return ""
    now = {
        "outcome": _of_outcome(outcome),
        "ignored": _of_ignored(outcome),
        "chain": _of_chain(project, state, outcome),
    }
    before = state.record(SAID)
    topics: dict[str, object] = {topic: text for topic, text in now.items() if text}
    if topics != before:
        try:
            state.set_record(SAID, topics)
        except OSError:
            # What cannot be remembered would be said each turn; the person has the status line.
            return ""
    new = [text for topic, text in now.items() if text and before.get(topic) != text]
    return "baton: " + "; ".join(new) if new else ""


def _of_outcome(outcome: Outcome) -> str:
    if outcome.kind in (outcomes.DEFERRED, outcomes.FAILED):
        return f"not saved on the branch ({outcome.kind}): {outcome.reason}"
    left_out = [f"{outcomes.printable(path)} ({reason})" for path, reason in outcome.refused]
    if not left_out:
        return ""
    more = f" and {len(left_out) - _TOLD} more" if len(left_out) > _TOLD else ""
    return clean.line(f"left out of the flush: {', '.join(left_out[:_TOLD])}{more}")


def _of_ignored(outcome: Outcome) -> str:
    if not outcome.reason.startswith(branch.IGNORED):
        return ""
    count = len(outcome.parked)
    return (
        f"{count} state file{'s are' if count > 1 else ' is'} {outcome.reason}, not on the branch"
    )


def _of_chain(project: Project, state: State, outcome: Outcome) -> str:
    try:
        data = files.read(project.path(CHAIN), chains.MAX_BYTES)
    except OSError:
        # The flush has named it among what it left out.
        return ""
    chain = chains.parse(data) if data is not None else None
    if chain is None:
        return ""
    if chain.state == chains.UNREADABLE:
        return clean.line(
            f"the chain cannot be read, and is kept as it is: {chain.problems[0]}", 200
        )
    words = [str(problem) for problem in chain.problems if problem.code == "too-long"]
    return "; ".join(
        [
            *(f"the chain has {word.split(': ')[-1]}" for word in words),
            *_gone_back(state, chain, outcome),
        ]
    )


def _gone_back(state: State, chain: Chain, outcome: Outcome) -> list[str]:
    """Compare with the last flush of the same goal, and remember this one."""
    last = state.record(PROGRESS)
    done = last.get("done")
    facts: dict[str, object] = {"goal": chain.goal, "done": chain.done}
    if outcome.kind in (outcomes.DEFERRED, outcomes.FAILED) or not chain.goal:
        return []
    if facts != last:
        try:
            state.set_record(PROGRESS, facts)
        except OSError:
            return []
    if last.get("goal") != chain.goal or not isinstance(done, int) or chain.done >= done:
        return []
    return [f"the chain went back: {chain.done} done, {done} at the last flush of the same goal"]
