"""Whatever stands in a run's folder or in the host's: it is read, or refused by name."""

from __future__ import annotations

import json
import shutil
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from baton.cli import run_line
from baton.core.errors import BatonError
from baton.core.runs import telling
from baton.edge.runs import relaunching
from baton.edge.runs.relaunching import Wish
from runs_desk import FOUR, RUN_ID, Desk

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 10**18)
    | st.sampled_from(["", "a1", "agent", RUN_ID, "pending", "complete", "\ud800", "../x"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=5,
)


def _object(*keys: str) -> st.SearchStrategy[bytes]:
    rows = st.dictionaries(st.sampled_from(keys), VALUES)
    return rows.map(lambda row: json.dumps(row).encode()) | st.binary(max_size=40)


SNAPSHOT = _object("purpose", "args", "args_given", "tasks", "children", "digests", "estimate")
ATTEMPT = _object("attempt", "run_id", "session", "transcripts", "cwd", "launched")
RESULT = _object(
    "attempt", "run_id", "agent", "task", "label", "phase", "prompt", "model", "agent_type",
    "worktree", "started", "ended", "row", "result", "status", "error",
)  # fmt: skip
JOURNAL = _object("type", "agentId", "key", "label", "phase", "result")
ROW = _object("type", "message", "isApiErrorMessage", "cwd")


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    snapshot=SNAPSHOT,
    attempts=st.lists(ATTEMPT, max_size=3),
    results=st.lists(RESULT, max_size=3),
    journal=st.lists(JOURNAL, max_size=4),
    transcript=st.lists(ROW, max_size=3),
)
def test_anything(
    desk: Desk,
    snapshot: bytes,
    attempts: list[bytes],
    results: list[bytes],
    journal: list[bytes],
    transcript: list[bytes],
) -> None:
    place = desk.place()
    # Nothing of the example before this one is left.
    for left in (place.folder, place.private, str(desk.host.base)):
        shutil.rmtree(left, ignore_errors=True)
    place.write("script.js", FOUR.encode())
    place.write("snapshot.json", snapshot)
    launch = json.dumps({"attempt": 1, "run_id": RUN_ID}).encode()
    place.write("attempts.jsonl", b"\n".join([launch, *attempts]))
    for number, result in enumerate(results):
        place.write(f"results/agent-a{number}.json", result)
    desk.cwd(desk.repo)
    folder = desk.host.folder()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "journal.jsonl").write_bytes(b"\n".join(journal))
    (folder / "agent-a1.jsonl").write_bytes(b"\n".join(transcript))
    try:
        run = desk.harvest(partial=True).run
        relaunching.prepare(run, Wish(edited=True))
    except BatonError as error:
        assert error.code in ("io", "usage")
        run = desk.run()
    said: Any = telling.stands("r1", run.purpose, run.standing)
    "\n".join(said).encode()
    run_line.fields(run).encode()


# Up from results/ it would be the project's .claude/settings.json.
LEADS_OUT = "x/../../../../../settings"


@pytest.mark.parametrize("agent", [LEADS_OUT, "../x", "x/y", "\ud800", "a\0b", ".", "a" * 300])
@pytest.mark.parametrize("place", ["results", "journal"])
def test_an_agent_s_id_leads_to_no_other_file(desk: Desk, place: str, agent: str) -> None:
    """Files are named by it, and a cloned repository brings results and journals along."""
    (desk.repo / ".claude").mkdir(exist_ok=True)
    settings = desk.repo / ".claude/settings.json"
    settings.write_text("{}")
    desk.prepare(args=["a1"])
    desk.launch()
    desk.ran("a1")
    if place == "results":
        data = {"agent": agent, "hooks": {}, "result": "x", "label": "label a1", "attempt": 1}
        desk.place().write("results/mine.json", json.dumps(data).encode())
    else:
        desk.host.journal({"type": "started", "key": "k", "agentId": agent, "label": "y"})
        desk.host.journal({"type": "result", "key": "k", "agentId": agent, "result": "x"})
    before = _names(desk)
    desk.harvest()
    assert settings.read_text() == "{}"
    new = _names(desk) - before
    assert {name for name in new if "/results/" in name} <= {
        str(desk.place().folder) + "/results/agent-a1.json"
    }


def _names(desk: Desk) -> set[str]:
    return {str(path) for path in desk.repo.rglob("*") if ".git" not in path.parts}


def test_results_that_cannot_be_told_apart(desk: Desk) -> None:
    """A label or an id that is no text at all is unknown."""
    desk.place().write("results/t1.json", b'{"task": 7, "label": [], "result": {"x": 1}}')
    assert [record.task for record in desk.run().records] == ["t1"]
    with pytest.raises(BatonError, match=r"has no script\.js"):
        relaunching.prepare(desk.run(), Wish())
