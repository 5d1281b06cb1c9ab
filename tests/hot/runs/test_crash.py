"""A hook of a run ended, or refused by the disk, at each call that changes a file: old or new exactly.

Everything that the hook does to files is counted once; then each call in turn is the last one. What
was there stays whole, and the same event again, or the next one, brings what is missing.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import syscalls
from baton.hot.runs import layout
from hot.runs.conftest import Left
from measured import patient
from support import HOOKS, make_repository, run_hook
from workflow_host import RUN_ID, SCRIPT, Host, asked, said, text

MODES = ("kill", "enospc", "eio", "full")
EVERYDAY_STEP = 6

pytestmark = pytest.mark.skipif(not syscalls.SUPPORTED, reason="ptrace on Linux x86-64 only")


def _traced(host: Host, event: dict[str, Any], mode: str, at: int) -> int:
    """Run the hook under the tracer; give how many calls it came to."""
    hook = patient(HOOKS / "run_events.py", "-B")
    command = [sys.executable, syscalls.__file__, mode, str(at), *hook]
    done = subprocess.run(
        command,
        env={**os.environ, "CLAUDE_PROJECT_DIR": str(host.project)},
        input=json.dumps(event).encode() + b"\n",
        capture_output=True,
        timeout=120,
    )
    assert b"Traceback" not in done.stderr
    return int(done.stderr.rpartition(b"calls: ")[2])


class Case:
    """One event on top of others. check: what must hold of what is on disk whenever it ended."""

    def __init__(
        self,
        before: Callable[[Host], list[dict[str, Any]]],
        event: Callable[[Host], dict[str, Any]],
        check: Callable[[Left], None],
        done: Callable[[Left], None],
    ) -> None:
        self.before = before
        self.event = event
        self.check = check
        self.done = done


def _results_are_whole(left: Left, old: dict[str, object]) -> None:
    found, bad = layout.results(left.place)
    assert bad == []
    for name, record in found:
        assert record["result"] in (f"new result of {name[6:8]}", old.get(name))


def _first_result(left: Left) -> None:
    _results_are_whole(left, {})


def _second_result(left: Left) -> None:
    _results_are_whole(left, {"agent-a1.json": "old"})
    assert layout.results(left.place)[0]


def _launch_is_whole(left: Left) -> None:
    """No snapshot speaks of a script that is not there; no attempt of a snapshot that is not there."""
    attempts, bad = layout.attempts(left.place)
    assert bad == 0
    snapshot = layout.snapshot(left.place)
    if attempts:
        assert snapshot
    if snapshot:
        script = left.place.read(layout.SCRIPT)
        assert script == SCRIPT.encode()
        assert layout.digest(script) == snapshot["digests"]["script.js"]  # type: ignore[index]


def _relaunch_is_whole(left: Left) -> None:
    _launch_is_whole(left)
    assert len(layout.attempts(left.place)[0]) in (1, 2)
    assert left.place.has("results/agent-a1.json")


def _has_result(left: Left) -> None:
    assert left.result("a1")["result"] == "new result of a1"


def _has_attempts(count: int) -> Callable[[Left], None]:
    def check(left: Left) -> None:
        assert [each["attempt"] for each in layout.attempts(left.place)[0]] == [
            *range(1, count + 1)
        ]

    return check


def _new(host: Host) -> dict[str, Any]:
    return host.agent("a1", asked("x"), said(text("new result of a1")))


def _old(host: Host) -> dict[str, Any]:
    return host.agent("a1", asked("x"), said(text("old")))


def _relaunch(host: Host) -> dict[str, Any]:
    return host.after("wf_2", script=SCRIPT + layout.marker(RUN_ID, 2))


CASES = {
    "first result": Case(lambda h: [h.after()], _new, _first_result, _has_result),
    "result again": Case(lambda h: [h.after(), _old(h)], _new, _second_result, _has_result),
    "before the launch": Case(lambda h: [], lambda h: h.before(), _launch_is_whole, lambda _: None),
    "launch": Case(
        lambda h: [h.before()], lambda h: h.after(args=[1]), _launch_is_whole, _has_attempts(1)
    ),
    "relaunch": Case(
        lambda h: [h.after(), _new(h)], _relaunch, _relaunch_is_whole, _has_attempts(2)
    ),
}


def _every(case: Case, tmp_path: Path, mode: str, step: int) -> None:
    template = make_repository(tmp_path / "template")
    config = tmp_path / "config"
    for event in case.before(Host(config, template)):
        assert run_hook("run_events", event, cwd=template).stdout.count(b"not recorded") == 0
    counted = tmp_path / "counted"
    shutil.copytree(template, counted, symlinks=True)
    # Files of the host are outside the project; only the project is laid anew each time.
    host = Host(config, counted)
    calls = _traced(host, case.event(host), "count", 0)
    assert calls > 3
    points = range(1, calls + 1, step)
    for at in points:
        folder = tmp_path / f"at{at}"
        shutil.copytree(template, folder, symlinks=True)
        host = Host(config, folder)
        event = case.event(host)
        _traced(host, event, mode, at)
        left = Left(folder)
        case.check(left)
        assert run_hook("run_events", event, cwd=folder).returncode == 0
        case.check(left)
        case.done(left)
        shutil.rmtree(folder)
    print(f"tried: run events, {mode}: {calls} calls that change files, {len(points)} of them")


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_killed_at_some_calls(case: Case, tmp_path: Path) -> None:
    _every(case, tmp_path, "kill", EVERYDAY_STEP)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_ended_or_refused_at_every_call(case: Case, tmp_path: Path, mode: str) -> None:
    _every(case, tmp_path, mode, 1)
