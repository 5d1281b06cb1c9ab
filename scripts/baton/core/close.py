"""What `baton close` may do, decided from facts alone (design page chain, "/close").

The run: the unbroken row of commits at HEAD whose subject starts with `wal:`, that are no merges and
that no other ref holds. It is squashed onto its parent; where that is missing, at a root commit,
nothing is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from baton.core.errors import BatonError
from baton.hot import clean
from baton.hot.chain import UNFINISHED, UNREADABLE, Chain
from baton.hot.git.operation import DETACHED, REFTABLE
from baton.hot.project import OWN

UNTOUCHED = "nothing was done"
AGAIN = "baton close"
_NAMED = 3
_WAYS_OUT = {
    DETACHED: f"git switch BRANCH, then {AGAIN}",
    # Only git can read and move those.
    REFTABLE: "git reset --soft COMMIT, then baton wal reset",
}


@dataclass(frozen=True)
class Commit:
    """A commit as git has it. parents: full ids. subject: its first line."""

    id: str
    parents: tuple[str, ...]
    subject: str

    @property
    def is_step(self) -> bool:
        """Whether it can be part of a run: one of baton's, and no merge."""
        return self.subject.startswith(OWN) and len(self.parents) < 2


@dataclass(frozen=True)
class Facts:
    """A repository at one moment.

    branch: full ref name of HEAD's branch, "" when detached. head: its commit, "" when unborn.
    blocked: the operation that is on, "" when none is. busy: whose lock or git is in the way.
    unmerged: whether the index holds a conflict. own: from HEAD along first parents, the commits
    that no other ref holds. below: the commit that those stand on, None at the root. staged: paths
    beyond the state paths whose index differs from HEAD. guards: what `git commit` would do here and
    baton does not: hooks and signing, in words. known: whether git knows who the user is.
    """

    branch: str
    head: str
    blocked: str
    busy: str
    unmerged: bool
    own: tuple[Commit, ...]
    below: Commit | None
    staged: tuple[str, ...]
    guards: tuple[str, ...]
    known: bool


@dataclass(frozen=True)
class Run:
    """The commits to squash, newest first, and the commit that HEAD goes back to ("" when unborn).

    left: why commits of baton's stay below, "" when none does.
    """

    commits: tuple[Commit, ...]
    base: str
    left: str


def trailing(facts: Facts) -> Run:
    """Give the run of a repository, empty when there is nothing to squash."""
    run: list[Commit] = []
    for commit in facts.own:
        if not commit.is_step:
            return Run(tuple(run), commit.id, _why_it_stays(commit))
        if not commit.parents:
            return Run((), facts.head, "they begin at the root commit, which has no parent")
        run.append(commit)
    below = facts.below
    held = below is not None and below.subject.startswith(OWN)
    left = "they are pushed, or another branch or a tag has them" if held else ""
    return Run(tuple(run), run[-1].parents[0] if run else facts.head, left)


def _why_it_stays(commit: Commit) -> str:
    return "a merge is among them" if commit.subject.startswith(OWN) else ""


def check_chain(state: str, chain: Chain, *, abandon: bool) -> None:
    """Raise unsafe-state for a chain that is given up only when a person says so."""
    if state not in (UNFINISHED, UNREADABLE) or abandon:
        return
    stands = f" ({chain.done}/{chain.total} done · {clean.line(chain.goal, 60)})"
    message = f"the chain is {state}{stands if state == UNFINISHED else ''}; {UNTOUCHED}"
    raise BatonError(
        "unsafe-state", message, "baton tiep goes on with it; baton close --abandon gives it up"
    )


def check_message(message: str | None) -> None:
    """Raise usage for a message that cannot be a closing commit's."""
    if message is None:
        return
    if not message.strip():
        raise BatonError("usage", f"-m: the message is empty; {UNTOUCHED}", f"{AGAIN} -m MESSAGE")
    if message.lstrip().startswith(OWN):
        text = f"-m: a subject that starts with {OWN} is baton's own; {UNTOUCHED}"
        raise BatonError("usage", text, f"{AGAIN} -m MESSAGE")


def check_repository(facts: Facts, message: str | None) -> None:
    """Raise unsafe-state, or locked for what may be over in a moment, unless HEAD may be moved."""
    if facts.blocked:
        way = _WAYS_OUT.get(facts.blocked, f"git status says how to end it; then {AGAIN}")
        raise BatonError("unsafe-state", f"{facts.blocked}; {UNTOUCHED}", way)
    if facts.busy:
        raise BatonError("locked", f"{facts.busy}; {UNTOUCHED}", AGAIN)
    if facts.unmerged:
        text = f"the index holds a conflict that is not resolved; {UNTOUCHED}"
        raise BatonError("unsafe-state", text, f"git status, then {AGAIN}")
    if message is not None and facts.staged:
        _check_staged(facts)


def _check_staged(facts: Facts) -> None:
    """The user's own work goes into a commit of baton's only where git would make the same one."""
    takes = f"the closing commit would take in what you have staged ({listed(facts.staged)}), but"
    if facts.guards:
        past = f"past {' and '.join(facts.guards)}, which baton never runs"
        raise BatonError(
            "unsafe-state", f"{takes} {past}; {UNTOUCHED}", f"{AGAIN}, then git commit -m MESSAGE"
        )
    if not facts.known:
        text = f"{takes} git does not know who you are; {UNTOUCHED}"
        hint = "git config user.name NAME and git config user.email ADDRESS"
        raise BatonError("unsafe-state", text, f"{hint}, then {AGAIN} -m MESSAGE")


def listed(names: Sequence[str]) -> str:
    """Give the first three names, and how many more there are."""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(clean.line(name, 60) for name in names[:_NAMED]) + more
