"""baton.cli.run_record: a run recorded by hand before its launch, and the launch noted."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from baton.hot.runs import layout
from commands import Here, Said, refused
from runs_desk import FOUR, RUN_ID, Desk

FOLDER = ".claude/workflows/runs"
HELP = "baton run snapshot --help"


@pytest.fixture
def desk(repo: Path, home: Path) -> Desk:
    return Desk(repo, home)


def _snapshot(desk: Desk, name: str) -> dict[str, Any]:
    return json.loads(desk.place(name).read("snapshot.json") or b"")  # type: ignore[no-any-return]


def _file(desk: Desk, name: str, content: str) -> str:
    (desk.repo / name).write_text(content, encoding="utf-8")
    return name


def test_snapshot(baton: Here, desk: Desk) -> None:
    tasks = _file(desk, "tasks.json", '[{"id": "t1", "label": "one", "args": [1]}, "t2"]')
    spec = _file(desk, "spec.md", "# What to do\n")
    said = baton("run", "snapshot", " Review  the Docs!", "--tasks", tasks, "--spec", spec)
    assert said == Said(
        0,
        f"run review-the-docs is recorded in {FOLDER}/review-the-docs\n"
        f"each task leaves its result in {FOLDER}/review-the-docs/results/<task>.json\n"
        "right after the launch: baton run launched review-the-docs --run-id ID\n",
        "",
    )
    snapshot = _snapshot(desk, "review-the-docs")
    assert snapshot.pop("created").endswith("Z")
    assert snapshot == {
        "format": 1,
        "run": "review-the-docs",
        "engine": "other",
        "tasks": [
            {"id": "t1", "label": "one", "args": [1]},
            {"id": "t2", "label": "t2", "args": None},
        ],
        "estimate": None,
        "purpose": "Review the Docs!",
        "session": "",
        "name": None,
        "path": None,
        "args_given": False,
        "args": None,
        "children": {},
        "digests": {"spec.md": layout.digest(b"# What to do\n")},
        "withheld": {},
    }
    assert desk.place("review-the-docs").read("spec.md") == b"# What to do\n"


def test_a_script_with_its_args(baton: Here, desk: Desk) -> None:
    script = _file(desk, "flow.js", FOUR)
    args = _file(desk, "args.json", '["a1"]')
    words = ("--script", script, "--args", args, "--minutes", "7", "--name", "r1", "--json")
    told = json.loads(baton("run", "snapshot", "x", *words).out)
    assert told == {"run": "r1", "folder": f"{FOLDER}/r1", "tasks": []}
    snapshot = _snapshot(desk, "r1")
    assert (snapshot["engine"], snapshot["args"], snapshot["estimate"]) == ("workflow", ["a1"], 7)
    assert snapshot["digests"] == {
        "script.js": layout.digest(FOUR),
        "args": layout.value_digest(["a1"]),
    }


def test_names(baton: Here, desk: Desk) -> None:
    for purpose, name in (
        ("Dự án", "du-an"),
        ("Đọc lại tài liệu", "doc-lai-tai-lieu"),
        ("🙂", "run"),
        ("🙂", "run-2"),
        ("x" * 100, "x" * 60),
    ):
        assert json.loads(baton("run", "snapshot", purpose, "--json").out)["run"] == name
    assert baton("run", "snapshot", "x", "--name", "run") == refused(
        5, "run run is there already; nothing was written", "baton run show run"
    )
    message = (
        '--name "../x": a run\'s name is up to 80 ASCII letters, digits, `._-`; nothing was written'
    )
    assert baton("run", "snapshot", "x", "--name", "../x") == refused(2, message, HELP)
    message = "the purpose is empty; nothing was written"
    assert baton("run", "snapshot", " ") == refused(2, message, HELP)


TASKS = {
    "lines": ("t1\n\n t2 \n", ["t1", "t2"]),
    "an object": ('{"tasks": ["t1"]}', ["t1"]),
    "Windows lines": ("\ufefft1\r\nt2\r\n", ["t1", "t2"]),
}


@pytest.mark.parametrize("name", TASKS)
def test_forms_of_tasks(name: str, baton: Here, desk: Desk) -> None:
    content, ids = TASKS[name]
    file = _file(desk, "tasks", content)
    said = baton("run", "snapshot", "x", "--tasks", file, "--json")
    assert json.loads(said.out)["tasks"] == ids


FORM = 'a task is {"id": TEXT, "label": TEXT, "args": …} or its id alone'
BAD_TASKS = {
    "a number": ("[1]", FORM),
    "no id": ('[{"label": "x"}]', FORM),
    "no list": ('{"x": 1}', "expected a list of tasks"),
    "nothing": ("", "it names no task"),
    "an empty list": ("[]", "it names no task"),
    "a folder": ('["a/b"]', '"a/b" cannot name the file of a task\'s result'),
    "a way out": ('["../snapshot"]', '"../snapshot" cannot name the file of a task\'s result'),
    "a backslash": ('["a\\\\b"]', '"a\\b" cannot name the file of a task\'s result'),
    "a hidden file": ('[".x"]', '".x" cannot name the file of a task\'s result'),
    "no name": ('[""]', '"" cannot name the file of a task\'s result'),
    "two lines": ('["a\\nb"]', '"a b" cannot name the file of a task\'s result'),
    "too long": (f'["{"é" * 101}"]', f'"{"é" * 59}…" cannot name the file of a task\'s result'),
    "one id twice": ('["a", "b", "a"]', 'two tasks have the id "a"'),
}


@pytest.mark.parametrize("name", BAD_TASKS)
def test_bad_tasks(name: str, baton: Here, desk: Desk) -> None:
    content, why = BAD_TASKS[name]
    file = _file(desk, "tasks", content)
    message = f"--tasks tasks: {why}; nothing was written"
    assert baton("run", "snapshot", "x", "--tasks", file) == refused(2, message, HELP)
    assert not (desk.repo / ".claude").exists()


def test_files_that_cannot_be_read(baton: Here, desk: Desk) -> None:
    (desk.repo / "latin").write_bytes(b"\xe9")
    message = "--script latin: not UTF-8 text; nothing was written"
    assert baton("run", "snapshot", "x", "--script", "latin") == refused(2, message, "ls -l latin")
    message = "--spec none: no such file; nothing was written"
    assert baton("run", "snapshot", "x", "--spec", "none") == refused(2, message, "ls -l none")


def test_files_for_each_agent_are_mandatory(baton: Here, desk: Desk) -> None:
    three = _file(desk, "three", "a\nb\nc\n")
    two = _file(desk, "two", "a\nb\n")
    off = "--no-agent-files"
    message = (
        "a run of {} tasks and {} minutes keeps a file for each agent: from 3 tasks or over 5 minutes "
        "nothing else survives its death; nothing was written"
    )
    hint = "the same command without --no-agent-files"
    said = baton("run", "snapshot", "x", "--tasks", three, off)
    assert said == refused(2, message.format(3, 0), hint)
    said = baton("run", "snapshot", "x", "--tasks", two, "--minutes", "5.5", off)
    assert said == refused(2, message.format(2, 5.5), hint)
    said = baton("run", "snapshot", "x", "--tasks", two, "--minutes", "5", off)
    assert (said.code, "each task leaves" in said.out) == (0, False)


def test_two_tasks_of_one_label_are_doubted(baton: Here, desk: Desk) -> None:
    """Case W5."""
    rows = '[{"id": "a", "label": "same"}, {"id": "b", "label": "same"}]'
    said = baton("run", "snapshot", "x", "--tasks", _file(desk, "tasks", rows))
    assert (said.code, said.err) == (
        0,
        'baton: 2 tasks have the label "same": what an agent of that label brings cannot be told to belong to '
        "one of them\n",
    )


def test_a_secret_stays_out_of_git(baton: Here, desk: Desk) -> None:
    spec = _file(desk, "spec", "key: AKIA" + "ABCDEFGHIJKLMNOP\n")
    said = baton("run", "snapshot", "x", "--spec", spec)
    assert (said.code, "kept outside git" in said.err) == (0, True)
    assert not (desk.repo / FOLDER / "x/spec.md").exists()
    assert desk.place("x").has("spec.md")


def test_what_cannot_be_written(baton: Here, desk: Desk) -> None:
    (desk.repo / ".claude").write_text("a file where a folder should be")
    said = baton("run", "snapshot", "x")
    folder = desk.project.path(".claude")
    assert said == refused(
        5, f"{folder}: Not a directory; nothing was written", f"ls -la {os.path.dirname(folder)}"
    )


def test_a_snapshot_that_came_to_nothing_leaves_no_run(
    baton: Here, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    (desk.repo / "spec").write_text("what to do")

    def full(*_: object) -> str:
        raise OSError(28, "No space left on device", "/somewhere/snapshot.json")

    monkeypatch.setattr("baton.hot.runs.snapshot.write", full)
    said = baton("run", "snapshot", "x", "--spec", "spec")
    message = "/somewhere/snapshot.json: No space left on device; nothing was written"
    assert said == refused(5, message, "ls -la /somewhere")
    assert baton("run", "list", "--all").out == "no runs here\n"


@pytest.mark.parametrize("minutes", ["nan", "inf", "-5", "soon", "1e12"])
def test_minutes_that_are_none(minutes: str, baton: Here, desk: Desk) -> None:
    """JSON has no word for the first two."""
    message = f'argument --minutes: not a number of minutes: "{minutes}"'
    assert baton("run", "snapshot", "x", f"--minutes={minutes}") == refused(2, message, HELP)


def test_a_script_that_is_none(baton: Here, desk: Desk) -> None:
    for content in ("", "console.log(1)"):
        (desk.repo / "s.js").write_text(content)
        said = baton("run", "snapshot", "x", "--script", "s.js")
        assert said.code == 2
        assert said.err.startswith("baton: --script s.js: not a workflow script: ")
    assert not (desk.repo / ".claude").exists()


@pytest.mark.parametrize("args", ['{"a": NaN}', "[1e999]", "-Infinity"])
def test_args_that_json_does_not_know(args: str, baton: Here, desk: Desk) -> None:
    (desk.repo / "a.json").write_text(args)
    said = baton("run", "snapshot", "x", "--args", "a.json")
    why = "not JSON: a number like NaN, or one too large"
    assert said == refused(2, f"--args a.json: {why}; nothing was written", "ls -l a.json")


def test_locked(baton: Here, desk: Desk) -> None:
    (desk.repo / ".claude").mkdir()
    (desk.repo / ".claude/baton.toml").write_text("lock_wait = 0\n")
    message = "the runs are being changed by somebody else for 0 s; nothing was written"
    desk.prepare()
    with layout.lock(desk.state, 0):
        for words in (("snapshot", "x"), ("launched", "r1", "--run-id", "pending")):
            assert baton("run", *words) == refused(5, message, "the same command again")


# ---- launched ----


def _attempts(desk: Desk, name: str = "r1") -> list[tuple[object, object]]:
    found, _ = layout.attempts(desk.place(name))
    return [(attempt["attempt"], attempt["run_id"]) for attempt in found]


def test_launched(baton: Here, desk: Desk) -> None:
    desk.prepare()
    said = baton("run", "launched", "r1", "--run-id", "pending", CLAUDE_CODE_SESSION_ID="s7")
    assert said == Said(0, "run r1: attempt 1, pending\n", "")
    said = baton("run", "launched", "r1", "--run-id", RUN_ID)
    assert said == Said(0, f"run r1: attempt 1, {RUN_ID}\n", "")
    assert baton("run", "launched", "r1", "--run-id", RUN_ID).out == said.out
    assert _attempts(desk) == [(1, RUN_ID)]
    desk.place().write("harvested.json", b"{}")
    told = json.loads(baton("run", "launched", "r1", "--run-id", "wf_2", "--json").out)
    assert told == {"run": "r1", "attempt": 2, "run_id": "wf_2"}
    assert _attempts(desk) == [(1, RUN_ID), (2, "wf_2")]
    assert not desk.place().has("harvested.json")
    found, _ = layout.attempts(desk.place())
    assert found[1] | {"launched": ""} == {
        "attempt": 2,
        "run_id": "wf_2",
        "session": None,
        "transcripts": None,
        "cwd": str(desk.repo),
        "launched": "",
        "source": "command",
        "script": layout.digest(FOUR),
        "relaunch": True,
        "tool_use": None,
    }
    assert layout.find(desk.project, desk.state, "wf_2") is not None


def test_where_there_is_a_chain_the_run_belongs_into_it(baton: Here, desk: Desk) -> None:
    """The command that is named works when it is typed."""
    desk.prepare()
    baton("wal", "start", "goal", "--item", "x", "--next", "y", "--verify", "true")
    said = baton("run", "launched", "r1", "--run-id", "pending")
    assert said.out.splitlines()[1] == "put it into the chain: baton wal run r1"
    assert baton("wal", "run", "r1").code == 0
    chain = desk.repo / ".claude/WAL.md"
    chain.unlink()
    chain.mkdir()
    said = baton("run", "launched", "r1", "--run-id", RUN_ID)
    assert said.out == f"run r1: attempt 1, {RUN_ID}\n"


def test_launched_without_a_snapshot(baton: Here, desk: Desk) -> None:
    desk.place().write("results/t1.json", b"{}")
    assert baton("run", "launched", "r1", "--run-id", "pending").code == 0
    assert _attempts(desk) == [(1, "pending")]


def test_a_run_id_that_is_none(baton: Here, desk: Desk) -> None:
    desk.prepare()
    message = '--run-id "wf /x": not a run id; nothing was written'
    hint = "baton run launched r1 --run-id pending"
    assert baton("run", "launched", "r1", "--run-id", "wf /x") == refused(2, message, hint)


def test_a_run_id_of_another_run(baton: Here, desk: Desk) -> None:
    desk.prepare()
    desk.prepare("r2")
    desk.launch("r2")
    message = f"{RUN_ID} is a launch of run r2; nothing was written"
    assert baton("run", "launched", "r1", "--run-id", RUN_ID) == refused(
        5, message, "baton run show r2"
    )


def test_what_a_hook_recorded_comes_home(baton: Here, desk: Desk) -> None:
    """The hook saw the launch of a run that was prepared without its script."""
    desk.prepare(script="", tasks=[{"id": "t1", "label": "label a1"}])
    desk.prepare(RUN_ID, args=["a1"])
    desk.launch(RUN_ID)
    layout.point(desk.state, RUN_ID, RUN_ID)
    assert baton("run", "launched", "r1", "--run-id", RUN_ID).code == 0
    assert _attempts(desk) == [(1, RUN_ID)]
    assert layout.names(desk.project) == ["r1"]
    found = layout.find(desk.project, desk.state, RUN_ID)
    assert found is not None
    assert found.name == "r1"


def test_launched_that_cannot_be_written(baton: Here, desk: Desk) -> None:
    desk.prepare()
    (desk.repo / FOLDER / "r1/attempts.jsonl").mkdir()
    said = baton("run", "launched", "r1", "--run-id", "pending")
    assert (said.code, said.err.splitlines()[-1]) == (5, f"try: ls -la {desk.place().folder}")
