"""From what a flush did to what is noted and told of it."""

from baton.hot.flush import outcome as outcomes
from baton.hot.flush import record as records
from baton.hot.flush import signature
from baton.hot.flush.attempt import Attempt
from baton.hot.flush.branch import Landed
from baton.hot.flush.comparison import Comparison
from baton.hot.flush.outcome import Kept, Outcome
from baton.hot.flush.parking import Parked
from baton.hot.flush.signature import Survey
from baton.hot.git import head as heads
from baton.hot.git.head import Head
from baton.hot.project import CHAIN, Project

NOT_INCLUDED = "not kept: the state files had to be parked, and only a branch commit can hold it"


def landed(attempt: Attempt, landed: Landed, parked: Parked | None) -> tuple[Outcome, Kept]:
    """Conclude a flush to the branch; `parked`: what became of files that may not go there."""
    project = attempt.request.project
    if landed.indexed:
        tip = parked.tip if parked else ""
        off = [*landed.off, *attempt.survey.faults]
        attempt.note(records.BRANCH, landed.ids, oid=attempt.head.oid, tip=tip, kept_off=off)
    result = _done(attempt, landed.commit, attempt.head.name, landed.paths, outcomes.COMMITTED)
    if parked:
        if parked.commit and not landed.commit:
            result = _done(attempt, parked.commit, parked.ref, parked.paths, outcomes.PARKED)
        result.parked = [signature.shown(project, path) for path in landed.off]
        result.reason = f"{next(iter(landed.off.values()))[1]}; kept on {parked.ref}"
    chain_parked = parked and signature.named(project, CHAIN) in landed.off
    return result, kept(
        attempt.survey, project, parked.ref if parked and chain_parked else _place(attempt.head)
    )


def parked(attempt: Attempt, parked: Parked, why: str) -> tuple[Outcome, Kept]:
    """Conclude a flush of everything to the ref."""
    attempt.note(
        records.REF,
        parked.ids,
        oid=attempt.head.oid,
        tip=parked.tip,
        kept_off=list(attempt.survey.faults),
    )
    attempt.survey.faults.update(dict.fromkeys(attempt.request.include, NOT_INCLUDED))
    result = _done(attempt, parked.commit, parked.ref, parked.paths, outcomes.PARKED)
    result.reason = why if parked.commit else result.reason
    return result, kept(attempt.survey, attempt.request.project, parked.ref)


def still_there(attempt: Attempt, comparison: Comparison, settled: bool) -> tuple[Outcome, Kept]:
    """Conclude a flush that found everything in the commit that it compared with.

    settled: whether nothing else is left to do.
    """
    tip = comparison.commit if comparison.where == records.REF else ""
    off = list(attempt.survey.faults)
    if settled:
        oid = attempt.head.oid
        attempt.note(comparison.where, comparison.ids, oid=oid, tip=tip, kept_off=off)
    attempt.survey.faults.update(dict.fromkeys(attempt.request.include, NOT_INCLUDED))
    project = attempt.request.project
    where = heads.parking_ref(attempt.checkout) if tip else _place(attempt.head)
    result = outcome(attempt.survey, project, outcomes.UNCHANGED)
    return result, kept(attempt.survey, project, where)


def outcome(survey: Survey, project: Project, kind: str) -> Outcome:
    """Give an outcome that names what was left out; it is `refused` if that is all there is."""
    result = Outcome(outcomes.REFUSED if survey.faults and kind == outcomes.UNCHANGED else kind)
    result.refused = [
        (signature.shown(project, path), reason) for path, reason in survey.faults.items()
    ]
    if result.kind == outcomes.REFUSED:
        path, reason = result.refused[0]
        more = f" (and {len(result.refused) - 1} more)" if len(result.refused) > 1 else ""
        result.reason = f"{path}: {reason}{more}"
    return result


def kept(survey: Survey, project: Project, where: str) -> Kept:
    """Give the proof that what was surveyed is kept, the chain's size and time with it."""
    chain = signature.named(project, CHAIN)
    stats = [stat for stat, path in map(signature.parts, survey.lines) if path == chain]
    seen = stats and not survey.hides(chain)
    return Kept(where, (int(stats[0][1]), int(stats[0][2])) if seen else None)


def _done(attempt: Attempt, commit: str, ref: str, paths: list[bytes], kind: str) -> Outcome:
    project = attempt.request.project
    result = outcome(attempt.survey, project, kind if commit else outcomes.UNCHANGED)
    if commit:
        result.commit, result.ref = commit, ref
        result.paths = [signature.shown(project, path) for path in paths]
    return result


def _place(head: Head) -> str:
    return f"branch {head.branch}" if head.on_branch else "HEAD"
