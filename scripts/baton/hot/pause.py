"""/pause's deterministic half.

Commit the state files by name, then say what is safe and where (design page chain).
"""

import os

from baton.hot import chain as chains
from baton.hot import clean, left_out, overlay, secrets
from baton.hot.chain import Chain
from baton.hot.config import Config
from baton.hot.flush.flush import Outcome, flush
from baton.hot.git import head
from baton.hot.project import CHAIN, OWN, PIPELINES, Project
from baton.hot.state import OUTCOME, RECORD, State

SUBJECT = f"{OWN} pause"
_WIDTH = 74
_UNKEPT = {
    "deferred": "not kept in git yet",
    "failed": "the flush failed",
    "disabled": "nothing is kept",
}


class Paused:
    """What a pause came to.

    lines: what a person is told, at most 75 columns each. safe: whether it may say so. words: what
    went into the commit as its body.
    """

    __slots__ = ("lines", "outcome", "safe", "words")

    def __init__(self, safe: bool, lines: list[str], outcome: Outcome, words: str) -> None:
        self.safe = safe
        self.lines = lines
        self.outcome = outcome
        self.words = words if outcome.commit else ""


def pause(
    project: Project, state: State, config: Config, words: str = "", include: tuple[str, ...] = ()
) -> Paused:
    """Commit the state files and the files in `include`, with `words` as the body; then report.

    "Safe" is said only after the commit, of a chain without problems. Words are kept even when
    nothing has changed; but not with a secret in them.
    """
    paused, unpaused = _pipelines(project)
    secret = secrets.find(words)
    words = "" if secret else words
    outcome = flush(
        project, state, config, subject=SUBJECT, body=words, include=include, always=bool(words)
    )
    recall(outcome, state)
    chain = _chain(project, state)
    faults = [*_faults_of(secret), *_faults(chain, outcome), *map(_cut, unpaused)]
    where = kept_where(project, state, outcome)
    if CHAIN in (path for path, _ in outcome.refused):
        where = ""
    head = _headline(chain, faults, where)
    told = [*_standing(chain), *map(_cut, paused), *_kept(where, outcome), *_running(state)]
    lines = [head, *faults, *told]
    return Paused(not faults, lines, outcome, words)


def _pipelines(project: Project) -> tuple[list[str], list[str]]:
    """Pause what runs, so that the flush takes its log along."""
    if not os.path.isdir(project.path(PIPELINES)):
        return [], []
    from baton.hot import pipelines

    return pipelines.pause(project)


def recall(outcome: Outcome, state: State) -> None:
    """Let a flush that found nothing new, and so looked at nothing, name what is still left out."""
    if outcome.kind == "unchanged" and not outcome.refused:
        outcome.refused = left_out.rows(state.record(OUTCOME))


def _chain(project: Project, state: State) -> Chain | None:
    try:
        data = overlay.content(project, state)
    except OSError as error:
        chain = Chain()
        chain.problems.append(chains.Problem(0, "io", f"it cannot be read: {error.strerror}"))
        return chain
    return None if data is None else chains.parse(data)


def _faults_of(secret: list[secrets.Secret]) -> list[str]:
    told = secrets.described(secret)
    return [_cut(f"your words were not kept: secret in {told}")] if secret else []


def _faults(chain: Chain | None, outcome: Outcome) -> list[str]:
    faults = [
        _cut(f"chain {problem.code}: {problem}")
        for problem in (chain.problems if chain else [])[:3]
    ]
    faults += [_cut(f"left out {path}: {reason}") for path, reason in outcome.refused]
    if outcome.kind in _UNKEPT:
        faults.append(_cut(f"{_UNKEPT[outcome.kind]}: {outcome.reason}"))
    return faults


def _headline(chain: Chain | None, faults: list[str], where: str) -> str:
    progress = f" · {_progress(chain)}"
    if not faults:
        return f"⏸ Safe to leave{progress}"
    return (
        f"⏸ Kept, but look at this first{progress}" if where else f"⏸ NOT safe to leave{progress}"
    )


def _progress(chain: Chain | None) -> str:
    if chain and (not chain.readable or any(p.code == "io" for p in chain.problems)):
        return "unreadable"  # Beside the host's own words there are no more than 47 columns.
    return f"{chain.done}/{chain.total} done" if chain and chain.items else "no chain here"


def _standing(chain: Chain | None) -> list[str]:
    """Of a chain that cannot be read, nothing: both sides of a conflict would stand for one."""
    if chain is None or not chain.items or not chain.readable:
        return []
    lines = [_cut(f"goal: {chain.goal}")]
    current = chain.first_open
    if current is not None:
        verb = "in progress" if current.mark == chains.DOING else "not begun"
        lines.append(_cut(f"{verb}: {current.text}"))
    return lines


def kept_where(project: Project, state: State, outcome: Outcome) -> str:
    """Say where the state files are kept now, "" when they are nowhere but in the work tree."""
    if outcome.kind in ("committed", "parked"):
        place = outcome.ref if outcome.kind == "parked" else f"on {_branch(project)}"
        verb = "kept on" if outcome.kind == "parked" else "committed"
        return f"{verb} {place} ({outcome.commit[:8]}), nothing pushed"
    if outcome.kind == "unchanged" and project.checkout is None:
        return "on disk; this is not a git repository"
    if outcome.kind in ("unchanged", "refused"):
        where = state.record(OUTCOME).get("kept_where")
        if isinstance(where, str) and where:
            return f"already kept ({where}), nothing pushed"
        return "already in git" if state.read(RECORD) else ""
    return ""


def _branch(project: Project) -> str:
    return head.read(project.checkout).branch if project.checkout else ""


def _kept(where: str, outcome: Outcome) -> list[str]:
    said = where.startswith(("kept", "already"))
    lines = [_cut(where if said else f"kept: {where}")] if where else []
    if outcome.kind in ("committed", "parked") and outcome.reason:
        paths = f"{', '.join(outcome.parked[:2])}: " if outcome.kind == "committed" else ""
        lines.append(_cut(f"not on the branch: {paths}{outcome.reason}"))
    return lines


def _running(state: State) -> list[str]:
    count = state.tasks
    return [f"still running: {count} background task(s); not in the chain yet"] if count else []


def _cut(text: str) -> str:
    return clean.fit(text, _WIDTH)
