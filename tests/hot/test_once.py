"""baton.hot.once and baton.hot.bash_path: one event heard twice; baton for a session's Bash tool."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from baton.hot import bash_path, once
from chain_cases import EXAMPLE
from support import ROOT, run_hook

LINE = b'{"session_id": "1"}\n'


@pytest.fixture(params=[once.COPY, once.SOURCE])
def environ(repo: Path, request: pytest.FixtureRequest) -> dict[str, str]:
    """A project with a copy of baton in it, or baton's own, as a hook sees it."""
    (repo / ".claude").mkdir()
    copy = repo / request.param
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.touch()
    return {**os.environ, "CLAUDE_PROJECT_DIR": str(repo)}


def claims(home: Path) -> list[Path]:
    """The notes of who came first."""
    return sorted((home / ".local/state/baton/once").glob("*"))


def test_the_first_to_come_acts(environ: dict[str, str]) -> None:
    assert [once.first(environ, "prompt", LINE) for _ in range(3)] == [True, False, False]


@pytest.mark.parametrize(
    ("door", "line"), [("flush", LINE), ("prompt", b"{}\n")], ids=["another door", "another event"]
)
def test_what_differs_is_another_event(door: str, line: bytes, environ: dict[str, str]) -> None:
    assert once.first(environ, "prompt", LINE)
    assert once.first(environ, door, line)


def test_the_same_again_later_is_another_event(environ: dict[str, str], home: Path) -> None:
    assert once.first(environ, "prompt", LINE)
    [claim] = claims(home)
    claim.write_text(str(time.time_ns() - 21 * 10**9), encoding="ascii")
    assert once.first(environ, "prompt", LINE)
    assert not once.first(environ, "prompt", LINE)


@pytest.mark.parametrize("content", [b"", b"x", b"9" * 19], ids=["none", "damaged", "the future"])
def test_a_claim_that_says_nothing_holds_nobody_up(
    content: bytes, environ: dict[str, str], home: Path
) -> None:
    once.first(environ, "prompt", LINE)
    claims(home)[0].write_bytes(content)
    assert once.first(environ, "prompt", LINE)


def test_old_claims_go(environ: dict[str, str], home: Path) -> None:
    once.first(environ, "prompt", LINE)
    [old] = claims(home)
    os.utime(old, (time.time() - 7200,) * 2)
    once.first(environ, "prompt", b"another\n")
    assert old not in claims(home)
    assert len(claims(home)) == 1


def test_a_claim_that_cannot_be_removed_is_left(environ: dict[str, str], home: Path) -> None:
    once.first(environ, "prompt", LINE)
    odd = home / ".local/state/baton/once/folder"
    odd.mkdir()
    os.utime(odd, (0, 0))
    assert once.first(environ, "prompt", b"another\n")
    assert odd.is_dir()


def test_without_a_copy_there_is_nobody_else(repo: Path, home: Path) -> None:
    for environ in ({**os.environ, "CLAUDE_PROJECT_DIR": str(repo)}, dict(os.environ)):
        assert [once.first(environ, "prompt", LINE) for _ in range(2)] == [True, True]
    assert claims(home) == []


def test_where_nothing_can_be_noted_both_act(environ: dict[str, str], home: Path) -> None:
    (home / ".local/state").mkdir(parents=True)
    (home / ".local/state/baton").touch()
    assert [once.first(environ, "prompt", LINE) for _ in range(2)] == [True, True]


def test_at_once_one_of_many_acts(environ: dict[str, str]) -> None:
    program = (
        f"import os, sys; sys.path.insert(0, {str(ROOT / 'scripts')!r}); from baton.hot import once;"
        " once._WAIT_SECONDS = 120;"
        f" sys.stdin.read(); print(once.first(dict(os.environ), 'prompt', {LINE!r}))"
    )
    command = ["python3", "-I", "-S", "-c", program]
    started = [
        subprocess.Popen(
            command, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(6)
    ]
    for process in started:
        assert process.stdin is not None
        process.stdin.close()
    said = []
    for process in started:
        assert process.stdout is not None
        said.append(process.stdout.read().strip())
        process.wait(120)
        process.stdout.close()
    assert sorted(said) == ["False"] * 5 + ["True"]


# ---- the PATH of the Bash tool ----


def start(repo: Path, **env: str) -> None:
    """Run the SessionStart hook."""
    event = {"hook_event_name": "SessionStart", "source": "startup", "cwd": str(repo)}
    done = run_hook("session_start", event, cwd=repo, env=env)
    assert (done.returncode, done.stderr) == (0, b"")


def test_baton_comes_last_on_the_path(repo: Path, tmp_path: Path) -> None:
    file = tmp_path / "environment"
    start(repo, CLAUDE_ENV_FILE=str(file))
    script = f'. {file}; printf %s "$PATH"; command -v baton >/dev/null || exit 9'
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == f"{os.environ['PATH']}:{ROOT}/bin"


def test_a_plugins_baton_is_there_already(repo: Path, tmp_path: Path) -> None:
    file = tmp_path / "environment"
    start(repo, CLAUDE_ENV_FILE=str(file), CLAUDE_PLUGIN_ROOT=str(ROOT))
    assert not file.exists()


def test_a_folder_with_quotes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "it's $HOME"
    monkeypatch.setattr(bash_path, "__file__", str(folder / "scripts/baton/hot/bash_path.py"))
    file = tmp_path / "environment"
    for _ in range(2):
        bash_path.offer({"CLAUDE_ENV_FILE": str(file)})
    script = f'. {file}; printf %s "$PATH"'
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == f"{os.environ['PATH']}:{folder}/bin"


def test_a_file_that_cannot_be_written_is_no_fault(repo: Path, tmp_path: Path) -> None:
    bash_path.offer({"CLAUDE_ENV_FILE": str(tmp_path / "none" / "x")})
    bash_path.offer({"CLAUDE_ENV_FILE": ""})


# ---- the doors ----


@pytest.mark.parametrize(
    ("door", "event"),
    [
        ("session_start", {"hook_event_name": "SessionStart", "source": "startup"}),
        ("prompt", {"hook_event_name": "UserPromptExpansion", "command_name": "tiep"}),
        ("prompt", {"hook_event_name": "UserPromptExpansion", "command_name": "pause"}),
    ],
    ids=["a one-shot session's notice", "/tiep", "/pause"],
)
def test_told_once(door: str, event: dict[str, str], repo: Path, environ: dict[str, str]) -> None:
    env = {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}
    (repo / ".claude/WAL.md").write_bytes(EXAMPLE)
    whole = {**event, "session_id": "a", "cwd": str(repo)}
    outputs = [run_hook(door, whole, cwd=repo, env=env).stdout for _ in range(2)]
    assert json.loads(outputs[0])
    assert outputs[1] == b""
