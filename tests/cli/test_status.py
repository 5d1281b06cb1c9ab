"""baton status, in this process and as the process that people start."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from baton.hot.boundaries import Boundaries
from baton.hot.pipelines import Pipelines
from baton.hot.project import locate
from baton.hot.state import DEATH, State
from chain_cases import EXAMPLE, finished
from commands import Here, Said, run_baton
from desk import CHAIN, Desk
from support import git

NONE = "hand-overs   none\nruns         none\npipelines    none\n"
EXAMPLE_ROWS = (
    'goal         "Build feature X: codify the rule, then announce it"\n'
    'in progress  "codify the rule"\n'
    '             "wf:review-docs run=.claude/workflows/runs/r1 runId=wf_bb0ce1d7-62…\n'
    'next         "Append the section to GOVERNANCE.md and run its checks"\n'
)


@pytest.fixture
def desk(repo: Path) -> Desk:
    return Desk(repo)


def _clock(moment: float) -> str:
    return time.strftime("%H:%M", time.localtime(moment))


def test_a_project_of_its_own(desk: Desk, baton: Here) -> None:
    expected = Said(
        0, f"chain        none; `baton wal start` begins one\nlast flush   none yet\n{NONE}", ""
    )
    assert baton("status") == expected
    assert run_baton("status", cwd=desk.root) == expected
    assert not (desk.root / ".git/baton").exists()


def test_a_chain_that_is_kept_and_one_that_is_newer(desk: Desk, baton: Here) -> None:
    path = desk.write(EXAMPLE.decode())
    desk.flush()
    head = desk.head()[:8]
    written = _clock(path.stat().st_mtime)
    kept = f"last flush   kept {desk.kept_at()} on branch main {head}"
    begins = f"chain        1/4 done, unfinished · written {written}\n{EXAMPLE_ROWS}"
    expected = Said(0, f"{begins}{kept}\n{NONE}", "")
    assert baton("status") == expected
    assert run_baton("status", cwd=desk.root) == expected
    desk.write(EXAMPLE.decode() + "\n")
    assert f"{kept}; newer on disk\n" in baton("status").out


def test_what_went_wrong_and_what_the_last_session_left(desk: Desk, baton: Here) -> None:
    desk.write(EXAMPLE.decode())
    (desk.root / ".claude/agent-memory").symlink_to("/etc")
    desk.flush()
    died = int(time.time())
    desk.state.set_record(DEATH, {"error": "rate_limit", "time": died})
    desk.state.write("tasks", b"2")
    out = baton("status").out
    now = _clock(died)
    left = "             left out .claude/agent-memory: a symbolic link: git would keep the…\n"
    assert left in out
    assert f"session      the last one stopped: a usage limit at {now} · 2 task(s) still ran" in out
    note = desk.state.record("outcome")
    desk.state.set_record("outcome", {**note, "kind": "failed", "reason": "fatal: no"})
    assert "             not saved (failed): fatal: no\n" in baton("status").out


def test_a_chain_that_cannot_be_read(desk: Desk, baton: Here) -> None:
    (desk.root / CHAIN).mkdir(parents=True)
    said = baton("status")
    assert said.out.startswith("chain        cannot be read: not a regular file\n")
    assert json.loads(baton("status", "--json").out)["chain"]["state"] == "unreadable"


def test_settings_that_are_ignored_are_said_once(desk: Desk, baton: Here) -> None:
    desk.write("x = 1\n", ".claude/baton.toml")
    said = baton("status")
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines()[-1] == "settings     .claude/baton.toml: unknown key 'x'"


def test_a_chain_that_only_another_place_holds(desk: Desk, baton: Here) -> None:
    assert baton("wal", "start", "goal", "--item", "a", "--next", "a", "--verify", "ls").code == 0
    desk.flush()
    commit = desk.head()[:12]
    (desk.root / CHAIN).unlink()
    out = baton("status").out
    assert "chain        0/1 done, unfinished\n" in out
    assert f"             not in the work tree, but in HEAD at {commit}\n" in out
    assert f"             to bring it: baton wal restore {commit}\n" in out
    data = json.loads(baton("status", "--json").out)
    assert data["place"] == f"HEAD at {commit}"
    assert len(data["chain"]["rev"]) == 12


def test_whose_chain_it_is(desk: Desk, baton: Here) -> None:
    desk.write(EXAMPLE.decode())
    desk.git("add", CHAIN)
    desk.git("commit", "--quiet", "--author", "Grace <g@example.org>", "-m", "her chain")
    assert "             it came with the repository: Grace, 20" in baton("status").out


def test_many_runs_are_counted(desk: Desk, baton: Here) -> None:
    for number in range(9):
        desk.write("{}", f".claude/workflows/runs/r{number}/snapshot.json")
    out = baton("status").out
    assert "             and 6 more\n" in out, out


def test_runs_and_pipelines(desk: Desk, baton: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    """What reads the pipelines' logs is tested beside it."""
    desk.write("{}", ".claude/workflows/runs/r1/snapshot.json")
    found = Pipelines()
    row = {"name": "main", "global": "running", "stage": "2", "stage_name": "WRITE"}
    found.rows = [{**row, "state": "in_progress"}]
    monkeypatch.setattr("baton.hot.pipelines.look", lambda *_: found)
    out = baton("status").out
    assert (
        "runs         run r1: never launched\npipelines    main: stage 2 WRITE in progress\n" in out
    )
    data = json.loads(baton("status", "--json").out)
    assert data["runs"] == [{"run": "r1"}]
    assert data["pipelines"] == found.rows


def test_hand_overs(desk: Desk, baton: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that wait and those that were taken; what reads them is tested beside it."""
    found = Boundaries()
    found.awaiting = [{"hash": "0123456789ab", "stage": "2", "next": "3", "path": "p.yaml"}]
    found.taken = [{"hash": "ba9876543210", "stage": "1", "next": "2", "path": "p.yaml"}]
    monkeypatch.setattr("baton.hot.boundaries.look", lambda *_: found)
    out = baton("status").out
    assert [line[13:] for line in out.splitlines()[2:4]] == found.lines
    data = json.loads(baton("status", "--json").out)
    assert (data["awaiting"], data["unfinished"]) == (found.awaiting, found.taken)


def test_what_cannot_be_looked_at_is_said(
    desk: Desk, baton: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A passport without the packages that read it; folders that the system refuses."""
    desk.write("reset_boundary:\n- x\n", "passports/a.yaml")
    monkeypatch.setattr("baton.cli.status.waiting_runs.names", _refuse)
    desk.write("{}\n", ".claude/pipelines/main.jsonl")
    monkeypatch.setattr("baton.hot.asked.answer", _refuse)
    out = baton("status").out
    assert "hand-overs   could not be checked: " in out
    assert "runs         could not be checked: Permission denied\n" in out
    assert "pipelines    could not be checked: " in out
    unchecked = json.loads(baton("status", "--json").out)["unchecked"]
    assert set(unchecked) == {"awaiting", "runs", "pipelines"}


def _refuse(*_: object) -> None:
    raise PermissionError(13, "Permission denied", "/x")


def test_every_work_tree_and_branch(
    desk: Desk, baton: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as long_ago:
        long_ago.setenv("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
        desk.git("commit", "--quiet", "--allow-empty", "-m", "begin")
    desk.git("branch", "empty")
    desk.write(EXAMPLE.decode())
    desk.flush()
    desk.git("branch", "old")
    desk.write(finished().decode())
    other = tmp_path / "another tree"
    desk.git("worktree", "add", "--quiet", "-b", "topic", str(other))
    (other / CHAIN).unlink()
    gone = tmp_path / "gone"
    desk.git("worktree", "add", "--quiet", "--detach", str(gone))
    (gone / CHAIN).unlink()
    (gone / CHAIN).mkdir()
    expected = (
        "work trees and branches\n"
        '  main (here)                    4/4 finished     "Build feature X: codify the…\n'
        "  topic in another tree          no chain\n"
        "  (detached) in gone             unreadable       not a regular file\n"
        '  old                            1/4 unfinished   "Build feature X: codify the…\n'
        "  empty                          no chain\n"
    )
    assert baton("status", "--all").out.partition("\n\n")[2] == expected
    assert run_baton("status", "--all", cwd=desk.root).out.partition("\n\n")[2] == expected
    rows = json.loads(baton("status", "--all", "--json").out)["others"]
    assert [(row["branch"], row["state"]) for row in rows] == [
        ("main", "finished"),
        ("topic", "absent"),
        ("", "unreadable"),
        ("old", "unfinished"),
        ("empty", "absent"),
    ]
    assert rows[0] == {
        "tree": str(desk.root),
        "branch": "main",
        "here": True,
        "state": "finished",
        "done": 4,
        "total": 4,
        "goal": "Build feature X: codify the rule, then announce it",
        "fault": "",
    }


def test_a_work_tree_that_was_deleted_and_a_bare_repository(
    desk: Desk, baton: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.git("worktree", "add", "--quiet", "-b", "topic", str(tmp_path / "tree"))
    git("clone", "--quiet", "--bare", str(desk.root), str(tmp_path / "bare.git"), cwd=tmp_path)
    git("worktree", "add", "--quiet", str(tmp_path / "of bare"), "main", cwd=tmp_path / "bare.git")
    (tmp_path / "tree/README.md").unlink()
    (tmp_path / "tree/.git").unlink()
    (tmp_path / "tree").rmdir()
    assert baton("status", "--all").out.endswith(
        "  main (here)                    no chain\n  topic                          no chain\n"
    )
    monkeypatch.chdir(tmp_path / "of bare")
    assert baton("status", "--all").out.endswith(
        "  main (here)                    no chain\n  topic                          no chain\n"
    )


def test_what_a_removed_work_tree_left_on_batons_ref(
    desk: Desk, baton: Here, tmp_path: Path
) -> None:
    desk.write(EXAMPLE.decode())
    desk.flush()
    tree = tmp_path / "feature"
    desk.git("worktree", "add", "--quiet", "-b", "topic", str(tree))
    desk.git("update-ref", "refs/baton/wal/feature", "HEAD")
    desk.git("update-ref", "refs/baton/wal/main", "HEAD")
    row = '  refs/baton/wal/feature         1/4 unfinished   "Build feature X: codify the…\n'
    assert row not in baton("status", "--all").out
    desk.git("worktree", "remove", "--force", str(tree))
    said = baton("status", "--all").out
    assert row in said
    assert "refs/baton/wal/main" not in said.partition("work trees and branches")[2]


def test_outside_git(tmp_path: Path, baton: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert baton("status", "--all").out.endswith("  none: not a git repository\n")


def test_a_git_that_does_not_answer(
    desk: Desk, baton: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "git"
    program.write_text(
        '#!/bin/sh\ncase " $* " in *" cat-file "*) exit 1 ;; esac\nexec {git} "$@"\n'
    )
    program.write_text(program.read_text().replace("{git}", _real_git()))
    program.chmod(0o755)
    desk.git("branch", "other")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    line = "  other                          unreadable       git could not read it\n"
    assert baton("status", "--all").out.endswith(line)
    monkeypatch.setenv("PATH", "/nowhere")
    told = "work trees and branches could not be checked: git could not name the work trees and branches"
    assert baton("status", "--all").out.endswith(f"{told}\n")
    assert json.loads(baton("status", "--all", "--json").out)["others"] is None
    found = locate({"HOME": "/"}, str(desk.root))
    assert found is not None and not State(found, {}).exists


def _real_git() -> str:
    import shutil

    found = shutil.which("git")
    assert found
    return found
