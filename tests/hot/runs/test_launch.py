"""The launch of a workflow run, recorded: snapshot, attempts, relaunches (design page runs)."""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path
from typing import Any

import pytest

from baton.hot import project
from baton.hot.runs import layout
from baton.hot.runs.layout import Place
from baton.hot.state import State
from doors import Door
from hot.runs.conftest import Left
from workflow_host import RUN_ID, SCRIPT, SESSION, Host, recorded

KEY = "AKIA" + "Z7QK3JRWX5TNV2MD"


def test_the_recorded_launch(repo: Path, door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """The events as the real program sent them; nothing is said to the person."""
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", os.path.realpath(repo))
    before, after = recorded("PreToolUse-Workflow"), recorded("PostToolUse-Workflow")
    before["cwd"] = after["cwd"] = str(repo)
    left = Left(repo)
    assert door(before).out == ""
    assert left.launching() == [before["tool_use_id"]]
    assert left.files() == []
    answer = door(after)
    assert (answer.person, answer.event) == ("", "PostToolUse")
    assert answer.model == (
        "baton records this run in .claude/workflows/runs/wf_9f05723c-7b2; each agent's result is on disk as it "
        "ends. Should the session die, /tiep goes on with what is left."
    )
    assert left.launching() == []
    assert left.files() == ["attempts.jsonl", "script.js", "snapshot.json"]
    script = after["tool_input"]["script"]
    assert (left.folder / "script.js").read_bytes() == script.encode()
    snapshot = left.snapshot()
    assert snapshot.pop("created").endswith("Z")
    assert snapshot == {
        "format": 1,
        "run": RUN_ID,
        "engine": "workflow",
        "purpose": "demo",
        "session": SESSION,
        "name": "demo",
        "path": None,
        "args_given": True,
        "args": ["alpha", "beta", "gamma", "delta"],
        "tasks": None,
        "children": {},
        "estimate": None,
        "digests": {
            "script.js": layout.digest(script),
            "args": layout.digest('["alpha", "beta", "gamma", "delta"]'),
        },
        "withheld": {},
    }
    [attempt] = left.attempts()
    assert attempt.pop("launched").endswith("Z")
    assert attempt == {
        "attempt": 1,
        "run_id": RUN_ID,
        "session": SESSION,
        "transcripts": after["tool_response"]["transcriptDir"],
        "cwd": str(repo),
        "source": "hook",
        "script": layout.digest(script),
        "relaunch": False,
        "tool_use": after["tool_use_id"],
    }


ARGS: dict[str, tuple[dict[str, Any], bool, object]] = {
    "absent": ({}, False, None),
    "null": ({"args": None}, True, None),
    "empty": ({"args": []}, True, []),
    "text": ({"args": "Việt"}, True, "Việt"),
    "fractions": ({"args": {"b": 1.5, "a": None}}, True, {"b": 1.5, "a": None}),
}


@pytest.mark.parametrize(("call", "given", "args"), ARGS.values(), ids=list(ARGS))
def test_args(
    host: Host, door: Door, left: Left, call: dict[str, Any], given: bool, args: object
) -> None:
    door(host.after(**call))
    snapshot = left.snapshot()
    assert (snapshot["args_given"], snapshot["args"]) == (given, args)
    assert ("args" in snapshot["digests"]) is given


def test_what_was_not_launched_leaves_nothing(host: Host, door: Door, left: Left) -> None:
    door(host.before())
    assert door(host.after(error="no such workflow")).out == ""
    assert (left.files(), left.launching()) == ([], [])


def test_an_answer_without_a_run_id_leaves_nothing(host: Host, door: Door, left: Left) -> None:
    event = host.after("../../elsewhere")
    assert door(event).out == ""
    event["tool_response"] = "odd"
    assert door(event).out == ""
    assert left.files() == []


def test_another_tool_is_not_looked_at(host: Host, door: Door, repo: Path) -> None:
    for event in (host.before(), host.after()):
        assert door(event | {"tool_name": "Bash"}).out == ""
    assert not (repo / ".git/baton").exists()


def test_another_event_is_not_looked_at(host: Host, door: Door) -> None:
    assert door(host.event("Notification")).out == ""


def test_switched_off(host: Host, door: Door, repo: Path) -> None:
    for event in (host.before(), host.after(), host.agent("a1"), host.failure("a1")):
        assert door(event, BATON_DISABLED="1").out == ""
    assert not (repo / ".claude").exists()
    assert not (repo / ".git/baton").exists()


def test_no_project_at_all(host: Host, door: Door, tmp_path: Path) -> None:
    for event in (host.before(), host.after(), host.agent("a1")):
        gone = str(tmp_path / "gone")
        assert door(event | {"cwd": gone}, CLAUDE_PROJECT_DIR=gone).out == ""


@pytest.mark.parametrize("persist", ["off", "ref"])
def test_whatever_git_is_to_keep(host: Host, door: Door, left: Left, persist: str) -> None:
    """A run is recorded on disk all the same: relaunching needs no git."""
    (host.project / ".claude").mkdir()
    (host.project / ".claude/baton.toml").write_text(f'persist = "{persist}"\n')
    door(host.after())
    assert left.files() == ["attempts.jsonl", "script.js", "snapshot.json"]


def test_a_script_named_by_its_path(host: Host, door: Door, left: Left) -> None:
    (host.project / "flow.js").write_text(SCRIPT)
    door(host.before(scriptPath="flow.js"))
    [name] = left.launching()
    noted = json.loads(Path(left.state.path(f"runs/.launching/{name}")).read_text())
    assert (noted["script"], noted["path"]) == (SCRIPT, "flow.js")
    door(host.after(scriptPath="flow.js"))
    assert left.snapshot()["path"] == "flow.js"
    assert left.attempts()[0]["script"] == layout.digest(SCRIPT)


def test_a_script_named_by_its_name(host: Host, door: Door, left: Left) -> None:
    (host.project / ".claude/workflows").mkdir(parents=True)
    (host.project / ".claude/workflows/any.js").write_text(SCRIPT)
    door(host.before(name="demo"))
    [name] = left.launching()
    noted = json.loads(Path(left.state.path(f"runs/.launching/{name}")).read_text())
    assert (noted["script"], noted["path"]) == (SCRIPT, "demo")


UNREADABLE = {"absent": "gone.js", "a folder": ".", "too large": "large.js"}


@pytest.mark.parametrize("path", UNREADABLE.values(), ids=list(UNREADABLE))
def test_a_script_that_cannot_be_read_before(host: Host, door: Door, left: Left, path: str) -> None:
    (host.project / "large.js").write_bytes(b" " * ((1 << 20) + 1))
    door(host.before(scriptPath=path))
    [name] = left.launching()
    assert json.loads(Path(left.state.path(f"runs/.launching/{name}")).read_text())["script"] == ""


def test_a_script_that_nobody_has(host: Host, door: Door, left: Left) -> None:
    door(host.after(script="", scriptPath="gone.js"))
    assert left.files() == ["attempts.jsonl", "snapshot.json"]
    assert (left.snapshot()["digests"], left.attempts()[0]["script"]) == ({}, None)


def relaunch(run: str = RUN_ID) -> str:
    return SCRIPT + layout.marker(run, 2)


def test_a_relaunch_is_an_attempt_of_its_run(launched: Host, door: Door, left: Left) -> None:
    (left.folder / "harvested.json").write_text("{}")
    before = left.snapshot()
    answer = door(launched.after("wf_2", script=relaunch(), scriptPath="x/relaunch-2.js"))
    assert answer.model.endswith("It is attempt 2 of that run.")
    assert not (left.folder.parent / "wf_2").exists()
    assert left.files() == ["attempts.jsonl", "script.js", "snapshot.json"]
    assert left.snapshot() == before
    assert (left.folder / "script.js").read_text() == SCRIPT
    first, second = left.attempts()
    assert (second["attempt"], second["run_id"], second["relaunch"]) == (2, "wf_2", True)
    assert second["script"] == first["script"] == layout.digest(SCRIPT)
    door(launched.agent("a9", run_id="wf_2"))
    record = left.result("a9")
    assert (record["run"], record["attempt"], record["run_id"]) == (RUN_ID, 2, "wf_2")


def test_a_relaunch_script_serves_once(launched: Host, door: Door, left: Left) -> None:
    """A session that calls it once more asks no agent, and hears what to call instead."""
    left.place.write("relaunch-2.js", relaunch().encode())
    left.place.write("relaunch-2-saved-0.js", b"data")
    first = launched.after("wf_2", script=relaunch(), scriptPath="x/relaunch-2.js")
    door(first)
    spent = (left.folder / "relaunch-2.js").read_text()
    assert re.fullmatch(
        r"export const meta = \{name: 'launched-already', description: '[^']*'\};\n"
        rf"throw new Error\('baton: relaunch 2 of run {RUN_ID} was launched already, as wf_2 at [^']*Z; "
        rf"[^']*what is left now: baton run relaunch {RUN_ID}'\);\n",
        spent,
    )
    assert (left.folder / "relaunch-2-saved-0.js").read_text() == "data"
    before = left.attempts()
    assert door(launched.after("wf_3", script=spent, scriptPath="x/relaunch-2.js")).out == ""
    assert left.attempts() == before
    assert not (left.folder.parent / "wf_3").exists()
    # The next one was made meanwhile: a second registration of the first event leaves it alone.
    left.place.write("relaunch-3.js", b"next")
    door(first)
    assert (left.folder / "relaunch-3.js").read_text() == "next"


def test_a_relaunch_script_outside_git_stays_there(launched: Host, door: Door, left: Left) -> None:
    left.place.write("relaunch-2.js", relaunch().encode(), private=True)
    door(launched.after("wf_2", script=relaunch()))
    assert left.hidden() == ["relaunch-2.js"]
    assert "launched already" in (left.private / "relaunch-2.js").read_text()


def test_a_mark_of_a_run_that_is_not_here_makes_a_run_of_its_own(
    host: Host, door: Door, repo: Path
) -> None:
    door(host.after("wf_2", script=relaunch("wf_gone")))
    left = Left(repo, "wf_2")
    assert left.attempts()[0]["relaunch"] is False
    assert (left.folder / "script.js").read_text() == relaunch("wf_gone")


def test_agents_that_end_before_their_relaunch_is_recorded_are_brought_home(
    launched: Host, door: Door, left: Left, repo: Path
) -> None:
    door(launched.agent("a8", run_id="wf_2"))
    door(launched.agent("a9", said_secret(), run_id="wf_2"))
    orphan = Left(repo, "wf_2")
    assert (orphan.files(), orphan.hidden()) == (
        ["results/agent-a8.json"],
        ["results/agent-a9.json"],
    )
    door(launched.after("wf_2", script=relaunch()))
    assert left.result("a8")["attempt"] == 2
    assert left.result("a8")["run"] == RUN_ID
    assert left.hidden() == ["results/agent-a9.json"]
    assert not orphan.folder.exists()
    assert not orphan.private.exists()


def said_secret() -> dict[str, Any]:
    from workflow_host import said, text

    return said(text(f"the key is {KEY}"))


def test_the_hosts_own_resume_is_a_further_attempt(launched: Host, door: Door, left: Left) -> None:
    created = left.snapshot()["created"]
    door(launched.after(resumeFromRunId=RUN_ID) | {"tool_use_id": "toolu_2"})
    edited = SCRIPT.replace("'x'", "'y'")
    last = launched.after(resumeFromRunId=RUN_ID, script=edited) | {"tool_use_id": "toolu_3"}
    door(last)
    # The same event once more, from a second registration.
    door(last)
    attempts, _ = layout.attempts(left.place)
    assert [each["attempt"] for each in attempts] == [1, 2, 3]
    digests = [layout.digest(SCRIPT), layout.digest(SCRIPT), layout.digest(edited)]
    assert [each["script"] for each in attempts] == digests
    assert (left.folder / "script.js").read_text() == edited
    assert left.snapshot()["created"] == created


def test_a_run_that_was_prepared_by_hand(host: Host, door: Door, repo: Path) -> None:
    """`baton run snapshot` made a folder of this very script: the launch is its first attempt."""
    prepared, other = Left(repo, "review"), Left(repo, "another")
    digests: dict[str, object] = {"script.js": layout.digest(SCRIPT), "spec.md": "sha256:0"}
    tasks: list[object] = [{"id": "t1", "label": "a", "args": None}]
    record: dict[str, object] = {"purpose": "look at it all", "tasks": tasks, "digests": digests}
    prepared.place.write("snapshot.json", layout.render(record))
    other.place.write("snapshot.json", layout.render(record | {"digests": 3}))
    door(host.after())
    assert not Left(repo).folder.exists()
    assert prepared.attempts()[0]["run_id"] == RUN_ID
    assert prepared.snapshot()["purpose"] == "look at it all"
    assert prepared.snapshot()["tasks"] == tasks
    door(host.after("wf_2", script=SCRIPT))
    assert Left(repo, "wf_2").attempts()[0]["attempt"] == 1


SECRETS: dict[str, tuple[dict[str, Any], list[str], dict[str, str]]] = {
    "script": ({"script": f"{SCRIPT}// {KEY}"}, ["script.js"], {"script.js": "secret"}),
    "args": ({"args": {"key": KEY}}, ["args.json"], {"args": "secret"}),
    "path": ({"scriptPath": f"{KEY}.js"}, ["snapshot.json"], {}),
}


@pytest.mark.parametrize(("call", "hidden", "withheld"), SECRETS.values(), ids=list(SECRETS))
def test_a_secret_stays_outside_git_and_that_is_said(
    host: Host,
    door: Door,
    left: Left,
    call: dict[str, Any],
    hidden: list[str],
    withheld: dict[str, str],
) -> None:
    answer = door(host.after(**call))
    assert left.hidden() == hidden
    assert not any(KEY in path.read_text() for path in left.folder.rglob("*") if path.is_file())
    name = next(iter(withheld), "snapshot.json")
    assert answer.person == (
        f"baton: run {RUN_ID}: {name} holds what looks like a secret (AWS access key); "
        f"kept outside git, in {left.private}"
    )
    assert KEY not in answer.out
    snapshot = layout.snapshot(left.place)
    assert snapshot["withheld"] == withheld
    assert snapshot["args"] == call.get("args")
    # What is clean again comes back into the project.
    (left.folder / "attempts.jsonl").unlink()
    door(host.after(script=SCRIPT + " "))
    assert "snapshot.json" in left.files()


def test_a_secret_in_a_childs_script(host: Host, door: Door, left: Left) -> None:
    folder = host.project / ".claude/workflows"
    folder.mkdir(parents=True)
    child = f"export const meta = {{ name: 'kid' }}\n// {KEY}\n"
    (folder / "kid.js").write_text(child)
    door(host.after(script=SCRIPT + "workflow('kid')"))
    assert left.hidden() == ["children.json"]
    assert left.snapshot()["children"] == {}
    assert layout.snapshot(left.place)["children"] == {"kid": child}


def test_several_secrets_are_counted(host: Host, door: Door) -> None:
    answer = door(host.after(script=f"{SCRIPT}// {KEY}", args=[KEY]))
    assert "script.js holds what looks like a secret (AWS access key) and 1 more;" in answer.person


def test_args_over_the_size_of_a_run(
    host: Host, door: Door, left: Left, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "CAP", 20_000)
    answer = door(host.after(args=["x " * 10_000]))
    assert left.snapshot()["withheld"] == {"args": "size"}
    assert "args would bring it over 0 MB; kept outside git" in answer.person


def test_a_disk_that_refuses_is_said(host: Host, door: Door) -> None:
    (host.project / ".claude").write_text("a file")
    assert door(host.before()).out == ""
    told = "baton: this workflow run is not recorded, only Claude Code has it: "
    assert door(host.after()).person == told + "Not a directory"


def test_a_note_that_cannot_be_written_is_silent(host: Host, door: Door) -> None:
    (host.project / ".git/baton").write_text("a file")
    assert door(host.before()).out == ""


def test_a_lock_that_is_held_is_said(
    host: Host, door: Door, left: Left, monkeypatch: pytest.MonkeyPatch
) -> None:
    from baton.hot.runs import launch

    monkeypatch.setattr(launch, "_LOCK_SECONDS", 0.0)
    with layout.lock(left.state, 0):
        told = door(host.after()).person
    assert told.endswith("only Claude Code has it: another process holds its lock")


class TestALaunchThatWasNeverAnswered:
    def test_its_agents_bring_it_back(self, host: Host, door: Door, left: Left) -> None:
        """Killed between launch and PostToolUse's hook: an agent that ends tells the run id."""
        (host.project / ".claude/workflows").mkdir(parents=True)
        kid = "export const meta = { name: 'kid' }\n"
        (host.project / ".claude/workflows/kid.js").write_text(kid)
        script = SCRIPT + "workflow('kid')"
        door(host.before(script=script, args={"a": 1.5}))
        door(host.agent("a1"))
        assert left.launching() == []
        assert (left.folder / "script.js").read_text() == script
        snapshot = left.snapshot()
        assert (snapshot["args"], snapshot["children"]) == ({"a": 1.5}, {"kid": kid})
        [attempt] = left.attempts()
        assert attempt["transcripts"] == str(host.folder())
        assert left.result("a1")["attempt"] == 1

    @pytest.mark.parametrize("sessions", [[], ["other"], [SESSION, SESSION]])
    def test_where_it_is_not_clear_which(
        self, host: Host, door: Door, left: Left, sessions: list[str]
    ) -> None:
        for number, session in enumerate(sessions):
            door(host.before() | {"session_id": session, "tool_use_id": f"t{number}"})
        door(host.agent("a1"))
        assert left.files() == ["results/agent-a1.json"]
        assert len(left.launching()) == len(sessions)

    def test_recovered_once_only(self, host: Host, door: Door, left: Left) -> None:
        from baton.hot.runs import launch

        door(host.before())
        left.place.write("attempts.jsonl", layout.line({"attempt": 1, "run_id": "wf_x"}))
        here = project.locate({}, str(host.project))
        assert here is not None
        launch.recover(here, left.state, SESSION, RUN_ID, str(host.folder()))
        assert len(left.attempts()) == 1

    def test_old_ones_are_forgotten(self, host: Host, door: Door, left: Left) -> None:
        door(host.before() | {"tool_use_id": ""})
        old = time.time() - 8 * 86400
        os.utime(left.state.path("runs/.launching/unknown"), (old, old))
        # One that another hook takes away at this moment.
        os.symlink("nowhere", left.state.path("runs/.launching/gone"))
        door(host.before())
        assert left.launching() == ["gone", "toolu_1"]


def test_a_session_in_a_linked_work_tree(
    host: Host, door: Door, repo: Path, tmp_path: Path
) -> None:
    """The run stands where the session is, and so do results of agents with a work tree of their own."""
    from support import git

    door(host.after())
    git("add", ".claude", cwd=repo)
    git("commit", "--quiet", "--message", "the run", cwd=repo)
    git("worktree", "add", "--quiet", str(tmp_path / "agents"), cwd=repo)
    door(host.agent("a1", spawnedWithWorktree=True) | {"cwd": str(tmp_path / "agents")})
    assert Left(repo).result("a1")["worktree"] is True
    assert not (tmp_path / "agents" / layout.RUNS / RUN_ID / "results").exists()

    elsewhere = Host(tmp_path / "config", tmp_path / "agents", "5e551011")
    door(elsewhere.after("wf_2"))
    door(elsewhere.agent("a2", run_id="wf_2"))
    assert (tmp_path / "agents" / layout.RUNS / "wf_2/results/agent-a2.json").exists()


def test_outside_git(door: Door, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "no repository"
    folder.mkdir()
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(folder))
    host = Host(tmp_path / "config", folder)
    for event in (host.before(), host.after(), host.agent("a1"), host.agent("a2", said_secret())):
        door(event)
    left = Left(folder)
    assert left.result("a1")["attempt"] == 1
    assert left.hidden() == ["results/agent-a2.json"]
    assert list(folder.iterdir()) == [folder / ".claude"]


def test_place_and_state_agree(repo: Path) -> None:
    here = project.locate({}, str(repo))
    assert here is not None
    place = Place(here, State(here, dict(os.environ)), RUN_ID)
    assert place.private == str(repo / ".git/baton/runs" / RUN_ID)
