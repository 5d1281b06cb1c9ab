"""baton.hot.statusline: what stands below the prompt box (design page notice), in this process and as a process."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import measured
from baton.hot import statusline
from baton.hot.state import DEATH, OUTCOME
from chain_cases import EMPTY, EXAMPLE, PROBLEMS, changed, finished
from commands import run_baton
from desk import CHAIN, Desk
from support import SCRIPTS

MOMENT = int(time.mktime((2026, 7, 11, 14, 3, 22, 0, 0, -1)))
WHEN = "2026-07-11 14:03"
YELLOW = "\033[33m{}\033[0m"


def kept(desk: Desk, kind: str = "committed", saved: bool = True, **facts: object) -> None:
    """Note an outcome of a flush at a known time."""
    looks = (desk.root / CHAIN).stat()
    chain = [looks.st_size, looks.st_mtime_ns] if saved else [1, 1]
    note = {"kind": kind, "reason": "", "refused": [], "kept_at": MOMENT, "chain": chain}
    desk.state.set_record(OUTCOME, {**note, **facts})


def _died(desk: Desk, error: object, saved: bool) -> None:
    kept(desk, saved=saved)
    desk.state.set_record(DEATH, {"error": error, "time": MOMENT})


def _nothing(_: Desk) -> None:
    """No flush has been here."""


Make = Callable[[Desk], object]
GOAL = "Build feature X: codify the rul…"
CASES: dict[str, tuple[bytes, Make, str]] = {
    "never saved": (EXAMPLE, _nothing, f"▸ 1/4 {GOAL} · not saved yet"),
    "saved": (EXAMPLE, kept, f"▸ 1/4 {GOAL} · saved {WHEN}"),
    "changed since": (
        EXAMPLE,
        lambda desk: kept(desk, saved=False),
        f"▸ 1/4 {GOAL} · saved {WHEN}, newer on disk",
    ),
    "finished": (finished(), kept, f"✓ 4/4 {GOAL} · saved {WHEN}"),
    "parked is saved": (
        EXAMPLE,
        lambda desk: kept(desk, "parked"),
        f"▸ 1/4 {GOAL} · saved {WHEN}",
    ),
    "another path was left out": (
        EXAMPLE,
        lambda desk: kept(desk, refused=[["x", "y"], "?"]),
        f"▸ 1/4 {GOAL} · saved {WHEN}",
    ),
    "limit, saved": (
        EXAMPLE,
        lambda desk: _died(desk, "rate_limit", True),
        f"⏸ limit {WHEN}, saved",
    ),
    "limit, not saved": (
        EXAMPLE,
        lambda desk: _died(desk, "rate_limit", False),
        f"⏸ limit {WHEN}, not saved yet",
    ),
    "another death": (EXAMPLE, lambda desk: _died(desk, "?", True), f"⏸ error {WHEN}, saved"),
    "a damaged note of a death": (
        EXAMPLE,
        lambda desk: _died(desk, 7, True),
        f"▸ 1/4 {GOAL} · saved {WHEN}",
    ),
    "locked": (
        EXAMPLE,
        lambda desk: kept(desk, "deferred", False, reason="another baton held its lock for 5 s"),
        "⚠ not saved: locked",
    ),
    "failed": (
        EXAMPLE,
        lambda desk: kept(desk, "failed", False, reason="git was not found on PATH"),
        "⚠ not saved: git was not found on PATH",
    ),
    "failed, and kept all the same": (
        EXAMPLE,
        lambda desk: kept(desk, "failed", reason="fatal: no; kept on refs/baton/wal/main"),
        "⚠ not on the branch: fatal: no; kept on refs/baton/wal/main",
    ),
    "refused": (
        EXAMPLE,
        lambda desk: kept(desk, "refused", False, refused=[[CHAIN, "larger than 32 MiB"]]),
        "⚠ not saved: larger than 32 MiB",
    ),
    "unreadable": (
        PROBLEMS["conflict-markers"].document,
        kept,
        "⚠ the chain cannot be read: conflict-markers, type /tiep",
    ),
    "empty": (EMPTY, kept, ""),
    "switched off": (
        EXAMPLE,
        lambda desk: desk.write('persist = "off"\n', ".claude/baton.toml"),
        f"▸ 1/4 {GOAL} · kept nowhere",
    ),
    "nobody escapes": (
        changed(("goal: Build feature X: codify", "goal: \x1b[2J<b>codify")),
        _nothing,
        "▸ 1/4 \ufffd[2J<b>codify the rule, then an… · not saved yet",
    ),
}


@pytest.fixture(autouse=True)
def _no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stays unsaved is not waited for."""
    monkeypatch.setattr(statusline, "_LOOK_SECONDS", 0.0)


@pytest.fixture
def desk(repo: Path) -> Desk:
    return Desk(repo)


def _said(desk: Desk, capfd: pytest.CaptureFixture[str], asked: bytes = b"{}", **env: str) -> str:
    read, write = os.pipe()
    os.write(write, asked + b"\n")
    os.close(write)
    statusline.main({**os.environ, "CLAUDE_PROJECT_DIR": str(desk.root), **env}, read)
    os.close(read)
    out, err = capfd.readouterr()
    assert err == ""
    return out


@pytest.mark.parametrize(("document", "make", "line"), CASES.values(), ids=CASES)
def test_the_line(
    document: bytes, make: Make, line: str, desk: Desk, capfd: pytest.CaptureFixture[str]
) -> None:
    desk.write(document.decode())
    make(desk)
    expected = f"{line}\n" if line else ""
    assert _said(desk, capfd, NO_COLOR="1") == expected
    coloured = f"{YELLOW.format(line)}\n" if line.startswith("⚠") else expected
    assert _said(desk, capfd) == coloured


@pytest.mark.parametrize("name", ["saved", "locked", "empty"])
def test_as_a_process(name: str, desk: Desk) -> None:
    """Straight to the hot tier, and round by the options: the same line."""
    document, make, line = CASES[name]
    desk.write(document.decode())
    make(desk)
    asked = json.dumps({"cwd": "/", "workspace": {"project_dir": str(desk.root)}}).encode()
    for words in ((), ("--project", str(desk.root))):
        said = run_baton(*words, "statusline", cwd="/", env={"NO_COLOR": "1"}, stdin=asked)
        assert (said.code, said.out, said.err) == (0, f"{line}\n" if line else "", "")


def test_the_flush_beside_it_is_waited_for(
    desk: Desk, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A turn's end starts the Stop hook and asks for the line at once."""
    desk.write(EXAMPLE.decode())
    slept = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            kept(desk)

    monkeypatch.setattr(time, "sleep", sleep)
    assert _said(desk, capfd) == f"▸ 1/4 {GOAL} · saved {WHEN}\n"
    assert len(slept) == 3


def test_straight_to_the_hot_tier_loads_no_parser(desk: Desk) -> None:
    desk.write(EXAMPLE.decode())
    script = SCRIPTS / "baton/__main__.py"
    program = (
        "import sys; sys.argv = ['baton', 'statusline']\n"
        f"names = {{'__name__': '__main__', '__file__': {str(script)!r}}}; "
        f"exec(open({str(script)!r}).read(), names); print(*sys.modules)"
    )
    command = [measured.base_interpreter(), "-I", "-S", "-c", program]
    done = subprocess.run(command, cwd=desk.root, input=b"{}\n", capture_output=True, timeout=60)
    line, _, loaded = done.stdout.decode().partition("\n")
    assert line == f"▸ 1/4 {GOAL} · not saved yet"
    assert {"argparse", "json", "re", "dataclasses", "subprocess"}.isdisjoint(loaded.split())


PLACES = {
    "the folder that the session began in": {"workspace": {"project_dir": "{root}"}, "cwd": "/"},
    "its working folder": {"workspace": "?", "cwd": "{root}/.claude"},
    "no word of it: where the process is": {},
}


@pytest.mark.parametrize("asked", PLACES.values(), ids=PLACES)
def test_where(asked: dict[str, object], desk: Desk, capfd: pytest.CaptureFixture[str]) -> None:
    desk.write(EXAMPLE.decode())
    line = json.dumps(asked).replace("{root}", str(desk.root)).encode()
    assert _said(desk, capfd, line, CLAUDE_PROJECT_DIR="").startswith("▸ 1/4 ")


def test_a_linked_work_tree_in_which_the_session_is_now(
    desk: Desk, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The same file as for every hook and command."""
    desk.write(EXAMPLE.decode())
    tree = tmp_path / "tree"
    desk.git("worktree", "add", "--quiet", str(tree))
    Desk(tree).write(finished().decode())
    line = json.dumps({"cwd": str(tree), "workspace": {"project_dir": str(desk.root)}}).encode()
    for env in ({}, {"CLAUDE_PROJECT_DIR": ""}):
        assert _said(desk, capfd, line, **env) == f"✓ 4/4 {GOAL} · not saved yet\n"


def test_nothing_to_say(
    desk: Desk, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _said(desk, capfd) == ""
    desk.write(EXAMPLE.decode())
    assert _said(desk, capfd, BATON_DISABLED="1") == ""
    assert _said(desk, capfd, b'{"cwd": "/no/such/folder"}', CLAUDE_PROJECT_DIR="") == ""
    assert not (desk.root / ".git/baton").exists()


def test_a_chain_that_is_no_file(desk: Desk, capfd: pytest.CaptureFixture[str]) -> None:
    (desk.root / CHAIN).mkdir(parents=True)
    said = _said(desk, capfd, NO_COLOR="1")
    assert said == "⚠ the chain cannot be read: not a regular file\n"


def test_the_overlay_counts(desk: Desk, capfd: pytest.CaptureFixture[str]) -> None:
    """What git must not see yet is what the work stands at."""
    desk.write(EXAMPLE.decode())
    desk.state.write("overlay", finished())
    assert _said(desk, capfd) == f"✓ 4/4 {GOAL} · not saved yet\n"


def test_a_fault_of_batons_own_is_the_line(
    desk: Desk, home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write(EXAMPLE.decode())
    monkeypatch.setattr(statusline, "line", lambda *_: 1 / 0)
    for _ in range(2):
        said = _said(desk, capfd, NO_COLOR="1")
        begins = "⚠ baton: internal error, the turn goes on: ZeroDivisionError: division by zero"
        assert said.startswith(f"{begins} (report: {home}/.local/state/baton/faults/fault-")
    assert len(list((home / ".local/state/baton/faults").iterdir())) == 1
