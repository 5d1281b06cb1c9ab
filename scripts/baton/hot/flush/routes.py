"""The two routes of a flush: the user's branch where moving HEAD is safe, else our own ref."""

from baton.hot.flush import awaiting, branch, conclusion, heal, parking
from baton.hot.flush import outcome as outcomes
from baton.hot.flush import record as records
from baton.hot.flush.attempt import Attempt, Held, Lost, Request
from baton.hot.flush.comparison import Comparison
from baton.hot.flush.outcome import Kept, Outcome
from baton.hot.git import operation
from baton.hot.git.checkout import Checkout
from baton.hot.git.graft import InSubmodule
from baton.hot.git.index import Listing
from baton.hot.git.speaker import Failed, Git
from baton.hot.git.trees import Trees

OWN_REF = 'persist = "ref"'
_ATTEMPTS = 5


def run(
    request: Request, checkout: Checkout, git: Git, trees: Trees
) -> tuple[Outcome, Kept | None]:
    """Flush, under the state directory's lock; look again as often as somebody moves something.

    Raises Failed, Held, Lost, Stuck, OSError; HEAD has not moved then.
    """
    why = ""
    for _ in range(_ATTEMPTS):
        attempt = Attempt(request, checkout, git, trees)
        if attempt.same() and not (request.always or request.include):
            return Outcome(outcomes.UNCHANGED), None
        try:
            why = _off_the_branch(request, checkout) or operation.in_the_way(checkout)
            return _to_ref(attempt, why, parking.compare(attempt)) if why else _to_branch(attempt)
        except InSubmodule as found:
            request.barred[found.path] = "in a submodule"
        except Lost as lost:
            why = lost.words
    attempt = Attempt(request, checkout, git, trees)
    return _to_ref(attempt, why, parking.compare(attempt))


def _off_the_branch(request: Request, checkout: Checkout) -> str:
    """Say why nothing is to go to the branch, though HEAD may be moved; "" when it may."""
    if request.config.persist == "ref":
        return OWN_REF
    return awaiting.AWAITED if awaiting.on(request.state, checkout) else ""


def _to_branch(attempt: Attempt) -> tuple[Outcome, Kept]:
    try:
        landed = branch.land(attempt)
    except Failed as error:
        return _kept_all_the_same(attempt.again(), error)
    off = {path: entry for path, (entry, _) in landed.off.items()}
    return conclusion.landed(attempt, landed, parking.park(attempt, off) if off else None)


def _to_ref(attempt: Attempt, why: str, comparison: Comparison) -> tuple[Outcome, Kept]:
    entries = parking.everything(attempt, comparison)
    if comparison.holds(entries) and not attempt.request.always:
        return conclusion.still_there(attempt, comparison, _is_settled(attempt, comparison))
    return conclusion.parked(attempt, parking.park(attempt, entries), why)


def _is_settled(attempt: Attempt, comparison: Comparison) -> bool:
    """Whether the index has what HEAD has, too; else a later flush must still see to that."""
    if comparison.narrowed or comparison.where == records.REF:
        return True
    listing = Listing(attempt.git, attempt.roots)
    listing.wait()
    return not heal.behind(comparison, listing)


def _kept_all_the_same(attempt: Attempt, error: Failed) -> tuple[Outcome, Kept]:
    """What the branch did not take goes to the ref; it is a failure nevertheless."""
    try:
        result, kept = _to_ref(attempt, "", parking.with_ref(attempt))
    except (Failed, Held, Lost):
        raise error from None
    result.kind = outcomes.FAILED
    result.reason = f"{error.words}; kept on {result.ref or kept.where}"
    return result, kept
