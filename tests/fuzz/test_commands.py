"""The real hooks and commands, one process each, over files that somebody prepared: a hook never fails a
turn and says nothing but its answer, a command refuses in words."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from commands import Here
from desk import CHAIN
from fuzz import corpus
from fuzz.mutations import mutated
from passports import NAME, give_packages
from support import HOOKS, run_hook
from workflow_host import RUN_ID

FILES = {
    CHAIN: corpus.CHAINS,
    ".claude/baton.toml": corpus.CONFIGURATIONS,
    ".claude/settings.json": corpus.SETTINGS,
    NAME: corpus.PASSPORTS,
    "passports/other.json": corpus.JSON_PASSPORTS,
    ".claude/pipelines/main.jsonl": corpus.LOGS,
    f".claude/workflows/runs/{RUN_ID}/snapshot.json": corpus.EVENTS,
    f".claude/workflows/runs/{RUN_ID}/attempts.jsonl": corpus.JOURNALS,
    f".claude/workflows/runs/{RUN_ID}/results/agent-a1.json": corpus.EVENTS,
    ".git/baton/flush": corpus.CHAINS,
    ".git/baton/outcome": corpus.EVENTS,
    ".git/baton/nudge": (b"5 1.2 3", b"9" * 5000 + b" 1.1 " + b"9" * 5000),
    ".git/baton/death": corpus.EVENTS,
    ".git/baton/passports": corpus.EVENTS,
    ".git/baton/written": corpus.CHAINS,
    ".gitattributes": corpus.BLOCKS,
    "CLAUDE.md": corpus.BLOCKS,
}
COMMANDS = (
    "status", "status --all", "tiep", "tiep --json", "doctor --json", "wal show", "wal check --json", "wal log",
    "run list", f"run show {RUN_ID}", f"run remaining {RUN_ID}", "passport awaiting --json",
    "passport inspect 075173601107", f"passport verify {NAME}", "passport verify passports/other.json",
    "pipeline status", "pipeline list --json", "pipeline log", "pipeline complete", "setup --dry-run",
    "close --dry-run", "wal next go", "pause", "statusline",
)  # fmt: skip
PAYLOADS = {
    "flush": corpus.EVENTS,
    "prompt": (*corpus.EVENTS, *corpus.PROMPTS),
    "session_start": corpus.EVENTS,
    "run_events": corpus.EVENTS,
    "lead_only": corpus.EVENTS,
}
ROUNDS = int(os.environ.get("BATON_FUZZ_ROUNDS", "12"))


def _lay(repo: Path, chance: random.Random) -> dict[str, bytes]:
    """Put something odd into some of the places, and leave out others."""
    laid = {}
    for name, seeds in FILES.items():
        path = repo / name
        path.unlink(missing_ok=True)
        if chance.random() < 0.7:
            path.parent.mkdir(parents=True, exist_ok=True)
            laid[name] = _one(seeds, chance)
            path.write_bytes(laid[name])
    return laid


def _one(seeds: Sequence[bytes], chance: random.Random) -> bytes:
    pool = seeds if chance.random() < 0.8 else (*seeds, *corpus.NASTY)
    return [*mutated(pool, 1, str(chance.random()))][-1]


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_commands_over_hostile_files(
    repo: Path, home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    baton, chance, tried = Here(capfd), random.Random("commands"), 0
    give_packages(home)
    for _ in range(ROUNDS):
        laid = _lay(repo, chance)
        for command in COMMANDS:
            said = baton("--project", str(repo), *command.split())
            tried += 1
            assert said.code in (0, 1, 2, 3, 4, 5), (command, said, laid)
            if command != "statusline":  # the one that has colours of its own
                assert "\x1b" not in said.out + said.err, (command, laid)
            assert said.err.startswith(("", "baton: ")), (command, said)
    print(f"tried: hostile files, commands: {tried} runs over {ROUNDS} projects")


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_hooks_over_hostile_files_and_payloads(repo: Path) -> None:
    chance, tried = random.Random("hooks"), 0
    assert {path.stem for path in HOOKS.glob("*.py")} == set(PAYLOADS)
    for _ in range(ROUNDS):
        laid = _lay(repo, chance)
        for door, seeds in PAYLOADS.items():
            for _ in range(3):
                line = _one(seeds, chance).replace(b"\n", b" ") + b"\n"
                done = run_hook(door, line, cwd=repo)
                tried += 1
                assert done.returncode == 0, (door, line, done.stderr, laid)
                assert done.stderr == b"", (door, line, laid)
                assert not done.stdout or json.loads(done.stdout), (door, line, laid)
    print(f"tried: hostile files and payloads, hooks: {tried} runs over {ROUNDS} projects")
