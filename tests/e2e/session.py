"""What scenarios share: a chain begun by a scripted model, and a look at the whole project."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from support import git

from .claude import ALLOW_ALL, Home, run_print
from .model_server import ModelServer, Text, ToolCall

CHAIN = ".claude/WAL.md"
START = (
    "baton wal start 'Ship the parser'"
    " --item '[x] grammar written — ls grammar.txt'"
    " --item '[!] parser handles numbers — grep -c number parser.py'"
    " --item 'announce it'"
    " --next 'write parser.py until the grep finds a number'"
    " --verify 'grep -c number parser.py  # expect >= 1'"
    " --verify 'sh prove.sh'"
)


def bash(command: str) -> ToolCall:
    return ToolCall("Bash", {"command": command, "description": "as told"})


def begin_chain(work: Path, home: Home, model: ModelServer, plugin: Path) -> None:
    """A session that starts the chain and ends its turn."""
    model.play([bash(START), Text("The chain stands.")])
    done = run_print(
        work, "begin", home=home, server=model, plugin_dirs=[plugin], extra_args=ALLOW_ALL
    )
    assert done.returncode == 0, done.stderr


def snapshot(project: Path) -> dict[str, str]:
    """Every file of the project but git's own folder, by digest; and where HEAD is."""
    files = {
        str(path.relative_to(project)): sha256(path.read_bytes()).hexdigest()
        for path in sorted(project.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(project).parts
    }
    return files | {"HEAD": git("rev-parse", "HEAD", cwd=project)}


def has_stopped(project: Path) -> Callable[[], bool]:
    """Forget that a Stop hook ever ran, and give the question whether one has since.

    Asked of a turn whose answer is still to come: the hook runs when that is on the screen already.
    """
    note = project / ".git/baton/stopped"
    note.unlink(missing_ok=True)
    return note.exists
