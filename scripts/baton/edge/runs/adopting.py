"""A launch that a hook recorded by itself becomes an attempt of the run that a person prepared for it.

Cut off anywhere, the same command again finishes it: everything is put into the prepared run before
anything of the other folder goes.
"""

from __future__ import annotations

import os
import shutil

from baton.hot.runs import keep, layout, snapshot
from baton.hot.runs.layout import Place

_FROM_LAUNCH = ("name", "path", "args_given", "args", "children", "session")


def adopt(place: Place, orphan: Place) -> None:
    """Bring everything of `orphan` home to `place`; the caller holds the lock. Raises OSError.

    The prepared run keeps its purpose, tasks and spec; what only the launch shows is the launch's.
    """
    known, launched = layout.snapshot(place), layout.snapshot(orphan)
    facts = {key: launched[key] for key in _FROM_LAUNCH if key in launched}
    code = (orphan.read(layout.SCRIPT) or b"").decode("utf-8", "surrogatepass")
    if launched:
        snapshot.write(
            place, {"args_given": False, "args": None, "children": {}, **facts}, code, known
        )
    _bring_attempts(place, orphan)
    for folder in (layout.RESULTS, layout.JOURNAL):
        for name in orphan.listing(folder):
            _bring(place, orphan, f"{folder}/{name}")
    for path in (orphan.folder, orphan.private):
        if os.path.isdir(path):
            shutil.rmtree(path)


def _bring_attempts(place: Place, orphan: Place) -> None:
    known, _ = layout.attempts(place)
    theirs, _ = layout.attempts(orphan)
    ids = {attempt.get("run_id") for attempt in known}
    pending = bool(known) and known[-1].get("run_id") == layout.PENDING
    last = known[-1]["attempt"] if known else 0
    assert isinstance(last, int)
    number = last - pending
    for attempt in theirs:
        if attempt.get("run_id") not in ids:
            number += 1
            layout.add_attempt(place, attempt | {"attempt": number})


def _bring(place: Place, orphan: Place, name: str) -> None:
    data = orphan.read(name)
    if data is not None and not place.has(name):
        record = layout.parse(data)
        if "run" in record:
            data = layout.render(record | {"run": place.name})
        keep.store(place, name, data, data.decode("utf-8", "replace"))
