"""What every turn costs: the hooks against bare Python, and the Stop hook against a plain one."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from paired import BARE, BATON, DOOR, Row, environment, git, in_turn, ratio, timed

PLAIN_HOOK = Path(__file__).with_name("plain_hook.sh")
SIZES = (2_000, 50_000)
_EVENT = b'{"session_id":"8500ed5f","transcript_path":"/x.jsonl","cwd":"%s","hook_event_name":'
_STOP = _EVENT + (
    b'"Stop","stop_hook_active":false,"last_assistant_message":"done","background_tasks":[]}\n'
)
_PROMPT = _EVENT + b'"UserPromptSubmit","prompt":"now the parser, please"}\n'
_START = _EVENT + b'"SessionStart","source":"startup"}\n'
_BUDGETS = (  # what, contender, yardstick, the ratio it may have at each size
    ("Stop, nothing changed, against bare Python", "unchanged", "bare", (1.6, 1.6)),
    ("Stop, nothing changed, against a plain hook", "unchanged", "plain unchanged", (1.2, 0.35)),
    ("Stop, chain changed, against a plain hook", "changed", "plain changed", (1.5, 0.4)),
    ("prompt hook, against bare Python", "prompt", "bare", (1.4, 1.4)),
    ("session start, nothing waits, against bare Python", "start", "bare", (2.5, 2.5)),
)


def rows(folder: Path, rounds: int, hook: Path) -> Iterator[Row]:
    """Measure among 2,000 and 50,000 files. hook: a shell hook that commits the same."""
    for index, files in enumerate(SIZES):
        stage = _Stage(folder / str(files), files, hook)
        times = in_turn(stage.contenders(), rounds)
        for what, name, yardstick, budgets in _BUDGETS:
            yield ratio(f"{what}, {files:,} files", times, name, yardstick, budgets[index])


class _Stage:
    """Two like repositories in a home of their own, and one in which nothing waits."""

    def __init__(self, folder: Path, files: int, hook: Path) -> None:
        self.env = environment(folder / "home")
        self.hook = hook
        self.ours = _repository(folder / "ours", files, self.env)
        self.plain = _repository(folder / "plain", files, self.env)
        self.quiet = _repository(folder / "quiet", files, self.env)
        reset = [BATON, "wal", "reset"]
        subprocess.run(reset, cwd=self.quiet, env=self.env, check=True, stdout=subprocess.DEVNULL)
        self.count = 0

    def contenders(self) -> dict[str, Callable[[], float]]:
        """Give what is measured, by name, in the order of a round."""
        return {
            "bare": lambda: self.run(BARE, _STOP, self.ours),
            "unchanged": lambda: self.run((*DOOR, "flush"), _STOP, self.ours),
            "changed": lambda: self.run((*DOOR, "flush"), _STOP, self.change(self.ours)),
            "prompt": lambda: self.run((*DOOR, "prompt"), _PROMPT, self.ours),
            "start": lambda: self.run((*DOOR, "session_start"), _START, self.quiet),
            "plain unchanged": lambda: self.run(("bash", str(self.hook)), _STOP, self.plain),
            "plain changed": lambda: self.run(
                ("bash", str(self.hook)), _STOP, self.change(self.plain)
            ),
        }

    def run(self, command: tuple[str, ...], event: bytes, project: Path) -> float:
        """Milliseconds of one hook on one event."""
        env = {**self.env, "CLAUDE_PROJECT_DIR": str(project)}
        return timed(command, project, env, event % os.fsencode(project))

    def change(self, project: Path) -> Path:
        """Write the chain anew, as a turn does, and let the clock of the file system move on."""
        self.count += 1
        chain = project / ".claude/WAL.md"
        chain.write_text(f"goal: count\n\nchain:\n[!] step {self.count} — ls\n", encoding="utf-8")
        time.sleep(0.02)
        return project


def _repository(folder: Path, files: int, env: dict[str, str]) -> Path:
    for number in range(files):
        path = folder / f"src/{number // 100:03d}/{number % 100:02d}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{number}\n", encoding="utf-8")
    (folder / ".claude/agent-memory").mkdir(parents=True)
    (folder / ".claude/agent-memory/notes.md").write_text("notes\n", encoding="utf-8")
    (folder / ".claude/WAL.md").write_text("goal: count\n", encoding="utf-8")
    for words in ("init --quiet -b main", "config gc.auto 0", "add .", "commit --quiet -m begin"):
        git(folder, env, *words.split())
    return folder
