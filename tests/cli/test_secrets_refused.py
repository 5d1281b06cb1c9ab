"""No command writes a secret down: it is refused with its line and kind, never its value (case C2)."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from chain_cases import EXAMPLE, changed
from commands import Here, Said, refused, run_baton
from secret_cases import AWS, PASSWORD
from support import git

WAL = ".claude/WAL.md"
KEPT = (
    "name the place where it is kept in its stead ($NAME, a path), or, if it is none, shorten it with …; "
    "then the same command again"
)
EDIT = f"take it out of {WAL} with an editor, then the same command again"


def _refused(line: int, kind: str = "AWS access key", hint: str = KEPT) -> Said:
    found = f"line {line}: {kind}"
    message = (
        f"the chain as it would be holds what looks like a secret ({found}); nothing was written"
    )
    return refused(3, message, hint)


# name: (command, line, kind)
WRITERS: dict[str, tuple[list[str], int, str]] = {
    "goal": (["start", AWS, "--item", "a", "--next", "b", "--verify", "ls", "--force"], 3, "AWS access key"),
    "item": (["start", "a", "--item", AWS, "--next", "b", "--verify", "ls", "--force"], 6, "AWS access key"),
    "text": (["add", f"use {AWS}"], 10, "AWS access key"),
    "evidence": (["mark", "2", "done", "--evidence", f"curl -u ada:{PASSWORD} x"], 7, "password"),
    "next": (["next", f"export DB_PASSWORD={PASSWORD}"], 11, "password"),
    "verify": (["verify", "psql postgres" + f"://app:{PASSWORD}@db/x", "ls"], 12, "password in a URL"),
}  # fmt: skip


@pytest.mark.parametrize(("words", "line", "kind"), WRITERS.values(), ids=WRITERS)
def test_a_writer(words: list[str], line: int, kind: str, baton: Here, chain: Path) -> None:
    assert baton("wal", *words) == _refused(line, kind)
    assert chain.read_bytes() == EXAMPLE


def test_in_a_process(baton: Here, chain: Path, repo: Path) -> None:
    assert run_baton("wal", "next", AWS, cwd=repo) == _refused(11)
    assert json.loads(baton("wal", "next", AWS, "--json").out)["error"]["code"] == "secret"
    assert chain.read_bytes() == EXAMPLE


def test_one_that_is_there_already(baton: Here, chain: Path) -> None:
    """Put in by hand: no command but one that replaces the whole takes part in it."""
    there = changed(("draft the announcement", f"draft {AWS}"))
    chain.write_bytes(there)
    assert baton("wal", "next", "go on") == _refused(9, hint=EDIT)
    assert chain.read_bytes() == there
    assert baton("wal", "reset", "--abandon").code == 0


def _typing(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    def typed(document: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(document)))

    return typed


@pytest.mark.parametrize("base", ["right", "wrong"])
def test_a_whole_document(
    base: str, baton: Here, chain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that would be refused as out of date, and then kept beside the chain."""
    document = changed(("draft the announcement", f"draft {AWS}"))
    revision = json.loads(baton("wal", "show", "--json").out)["rev"]
    _typing(monkeypatch)(document)
    said = baton("wal", "write", "--base", revision if base == "right" else "0" * 12)
    message = (
        "the document holds what looks like a secret (line 9: AWS access key); nothing was written, "
        "nor was it kept beside the chain"
    )
    assert said == refused(3, message, KEPT)
    assert chain.read_bytes() == EXAMPLE
    assert [path.name for path in chain.parent.iterdir()] == ["WAL.md"]


def test_a_kept_version(baton: Here, chain: Path, repo: Path) -> None:
    """The user committed it: it is not brought back."""
    chain.write_bytes(changed(("draft the announcement", f"draft {AWS}")))
    git("add", WAL, cwd=repo)
    git("commit", "--quiet", "-m", "wal: by hand", cwd=repo)
    chain.unlink()
    assert baton("wal", "restore", "newest") == _refused(9)
    assert not chain.exists()


def test_words_of_a_pause(baton: Here, chain: Path, repo: Path) -> None:
    said = refused(
        3,
        "--message holds what looks like a secret (line 2: AWS access key); nothing was committed",
        KEPT,
    )
    assert baton("pause", "-m", f"the key\n{AWS}") == said
    assert run_baton("pause", "-m", f"the key\n{AWS}", cwd=repo) == said
    assert git("log", "--format=%s", cwd=repo) == "begin\n"


def test_a_file_to_include(baton: Here, chain: Path, repo: Path) -> None:
    (repo / "config.py").write_text(f"KEY = '{AWS}'\n")
    said = baton("pause", "--include", "config.py")
    assert said.code == 1
    assert said.out.startswith(
        "⏸ Kept, but look at this first · 1/4 done\n"
        "left out config.py: secret in line 1: AWS access key\n"
    )
    assert git("show", "--format=", "--name-only", cwd=repo) == f"{WAL}\n"
