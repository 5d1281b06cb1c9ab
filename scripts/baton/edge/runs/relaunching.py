"""Writes the script with which a run goes on (design page runs, "going on")."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, field

from baton.core.errors import BatonError
from baton.core.runs import matching, relaunch, script
from baton.core.runs.matching import Plan
from baton.core.runs.relaunch import Job, Relaunch
from baton.edge.runs import folder as folders
from baton.edge.runs.folder import Run
from baton.hot.runs import keep, layout
from baton.hot.runs.layout import Place


@dataclass(frozen=True)
class Wish:
    """What the caller wants. args: the args of this launch in place of the original's, as a list of
    one; None for the original's. edited: a changed script or spec is meant."""

    strict: bool = False
    edited: bool = False
    args: list[object] | None = None


@dataclass(frozen=True)
class Prepared:
    """A relaunch that is ready to be called. path: absolute. edited: what is not as it was launched.
    live: children whose calls run live. budget: whether the script looks at what it has spent."""

    path: str
    attempt: int
    plan: Plan
    edited: list[str] = field(default_factory=list)
    live: list[str] = field(default_factory=list)
    budget: bool = False


def prepare(run: Run, wish: Wish) -> Prepared:
    """Write `relaunch-<n>.js`, always from the original script and the results of all attempts.

    Raises snapshot-changed, no-run when no script is kept, usage for a script that cannot be
    relaunched, io.
    """
    try:
        return _prepare(run, wish)
    except OSError as error:
        raise folders.unreadable(run.place, error) from error


def _prepare(run: Run, wish: Wish) -> Prepared:
    text = _script(run)
    edited = _edited(run, text)
    if edited and not wish.edited:
        raise BatonError(
            "snapshot-changed",
            f"{' and '.join(edited)} of run {run.place.name}: not what was launched; nothing was written",
            f"baton run relaunch {run.place.name} --edited, if that is meant; or bring the old text back",
        )
    children = _children(run)
    inlined = relaunch.inlined(children)
    plan = matching.plan(
        run.attempts,
        run.records,
        {shown for shown, _ in inlined.values()},
        strict=wish.strict,
        edited=layout.SCRIPT in edited,
    )
    number = max((attempt.number for attempt in run.attempts), default=0) + 1
    path = _write(run, wish, text, plan, children, number)
    live = [name for name in children if name not in inlined]
    return Prepared(path, number, plan, edited, live, script.reads_budget(text))


def _script(run: Run) -> str:
    data = run.place.read(layout.SCRIPT)
    if not data:
        raise _no_script(run)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        message = f"{layout.SCRIPT} of run {run.place.name} is not UTF-8 text"
        raise BatonError("usage", message, f"baton run show {run.place.name}") from None


def _no_script(run: Run) -> BatonError:
    name = run.place.name
    if run.engine != folders.WORKFLOW:
        message = (
            f"run {name} has no {layout.SCRIPT}: only a run of the Workflow tool can be relaunched"
        )
        return BatonError("no-run", message, f"baton run remaining {name}")
    message = f"run {name} has no {layout.SCRIPT}: no hook saw its launch, and no session here tells of it"
    there = shlex.quote(os.path.join(run.place.folder, layout.SCRIPT))
    again = f"baton run relaunch {name}"
    return BatonError(
        "no-run", message, f"{again} --config-dir DIR; or cp SCRIPT {there}, then {again}"
    )


def _edited(run: Run, text: str) -> list[str]:
    """What of the run is not as it was launched, by its digest."""
    digests = run.snapshot.get("digests")
    wanted = digests if isinstance(digests, dict) else {}
    spec = run.place.read(layout.SPEC)
    now = {layout.SCRIPT: layout.digest(text.encode())}
    if spec is not None:
        now[layout.SPEC] = layout.digest(spec)
    for part in layout.PARTS:
        if part in wanted:
            now[part] = layout.value_digest(run.snapshot.get(part))
    return [name for name, digest in now.items() if wanted.get(name) not in (None, digest)]


def _children(run: Run) -> dict[str, str]:
    found = run.snapshot.get("children")
    children = found if isinstance(found, dict) else {}
    return {k: v for k, v in children.items() if isinstance(k, str) and isinstance(v, str)}


def _write(
    run: Run, wish: Wish, text: str, plan: Plan, children: dict[str, str], number: int
) -> str:
    """Write the files, outside git where a part of them must not come in; give the script's path."""
    given = run.snapshot.get("args_given") is True if wish.args is None else True
    args = run.snapshot.get("args") if wish.args is None else wish.args[0]

    def made(folder: str) -> Relaunch:
        stem = os.path.join(folder, f"{layout.RELAUNCH}{number}")
        job = Job(text, given, args, plan.saved, children, run.place.name, number, stem)
        return _composed(job)

    place = run.place
    whole = made(place.folder)
    private = _is_private(place) or any(
        keep.judge(place, os.path.basename(path), len(content.encode()), content).reason
        for path, content in whole.files.items()
    )
    whole = made(place.private) if private else whole
    for path, content in whole.files.items():
        place.write(os.path.basename(path), content.encode(), private=private)
    layout.forget_relaunches(place, frozenset(map(os.path.basename, whole.files)))
    return whole.path


def _composed(job: Job) -> Relaunch:
    try:
        return relaunch.write(job)
    except (script.NotAScript, relaunch.TooLarge) as error:
        hint = "launch what is left by hand"
        raise BatonError(
            "usage",
            f"run {job.run} cannot be relaunched: {error}",
            f"baton run remaining {job.run}, then {hint}",
        ) from error


def _is_private(place: Place) -> bool:
    """Whether a part of the run is kept outside git: what is made of it must be, too."""
    parts = (layout.SCRIPT, "args.json", "children.json", layout.RESULTS)
    return any(os.path.exists(os.path.join(place.private, part)) for part in parts)
