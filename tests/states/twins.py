"""A repository that baton works in, and its twin: the user does the same in both, and whatever is
the user's must come out the same."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from commands import Said, run_baton
from desk import CHAIN, STATE_PATHS, Desk
from support import run_hook

# What git keeps of an operation that is not over. It leaves REBASE_HEAD and AUTO_MERGE behind in one
# rebase and not in another, as the last commit went.
_MARKS = (
    "MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD BISECT_LOG SQUASH_MSG sequencer rebase-merge"
    " rebase-apply index.lock HEAD.lock"
).split()
_sessions = itertools.count(1)


class Listened(Desk):
    """A desk that keeps what the user's gits came to.

    base: the folder that all of its repositories lie in.
    """

    def __init__(self, root: Path, env: Mapping[str, str] | None = None) -> None:
        super().__init__(root, env)
        self.base = root
        self.told: list[tuple[tuple[str, ...], int]] = []

    def try_git(
        self, *args: str, stdin: bytes = b"", **env: str
    ) -> subprocess.CompletedProcess[bytes]:
        """Run git here, whatever it may come to, and keep that."""
        done = super().try_git(*args, stdin=stdin, **env)
        self.told.append((args, done.returncode))
        return done


class Twins:
    """ours: where baton works. plain: where it never was."""

    def __init__(self, ours: Path, plain: Path, env: Mapping[str, str] | None = None) -> None:
        self.ours = Listened(ours, env)
        self.plain = Listened(plain, env)

    def copy(self, folder: Path) -> Twins:
        """Give two repositories that are as these are now."""
        for desk in (self.ours, self.plain):
            shutil.copytree(desk.root, folder / desk.root.name, symlinks=True)
        return Twins(folder / self.ours.root.name, folder / self.plain.root.name, self.ours.env)

    def both(self, act: Callable[[Desk], object]) -> None:
        """Let the user do the same in both; each git must come to the same."""
        for desk in (self.ours, self.plain):
            desk.told.clear()
            act(desk)
        assert self.ours.told == self.plain.told, (self.ours.told, self.plain.told)

    def git(self, *args: str) -> None:
        """One git of the user's, in both."""
        self.both(lambda desk: desk.try_git(*args))

    def alike(self) -> None:
        """Fail unless all that is the user's is the same in both."""
        ours, plain = users_view(self.ours), users_view(self.plain)
        unlike = {name: (ours[name], plain[name]) for name in ours if ours[name] != plain[name]}
        assert not unlike, f"(ours, plain): {unlike}"


def baton(desk: Desk, *args: str, cwd: Path | None = None, **env: str) -> Said:
    """Run a command as a process, as Claude Code's Bash tool would."""
    told = {"CLAUDE_PROJECT_DIR": str(desk.root), "CLAUDECODE": "1"}
    return run_baton(*args, cwd=cwd or desk.root, env={**told, **env})


def wal(desk: Desk, *args: str) -> Said:
    """Change the chain; it must succeed."""
    said = baton(desk, "wal", *args)
    assert (said.code, said.err) == (0, ""), said
    return said


def stop(desk: Desk, **env: str) -> str:
    """End a turn; give what the person is told."""
    return person(desk, "flush", {"hook_event_name": "Stop", "cwd": str(desk.root)}, **env)


def begin(desk: Desk, **env: str) -> str:
    """Begin a session; give what the model is told."""
    event = {"hook_event_name": "SessionStart", "source": "startup", "cwd": str(desk.root)}
    session = f"00000000-0000-4000-8000-{next(_sessions):012}"
    said = _hook(desk, "session_start", {**event, "session_id": session}, **env)
    specific = said.get("hookSpecificOutput", {})
    return str(specific["additionalContext"]) if isinstance(specific, dict) and specific else ""


def person(desk: Desk, door: str, event: Mapping[str, object], **env: str) -> str:
    """Knock at a door; give what the person is told."""
    return str(_hook(desk, door, event, **env).get("systemMessage", ""))


def _hook(desk: Desk, door: str, event: Mapping[str, object], **env: str) -> dict[str, object]:
    done = run_hook(door, event, cwd=desk.root, env=env)
    assert (done.returncode, done.stderr) == (0, b""), done
    value = json.loads(done.stdout) if done.stdout else {}
    assert isinstance(value, dict)
    return value


def found(desk: Desk) -> dict[str, str]:
    """Give the next step of the chain, as each of those who must find the newest one tells it."""
    shown = json.loads(baton(desk, "wal", "show", "--json").out)
    report = json.loads(baton(desk, "tiep", "--json").out)
    notice = begin(desk)
    told = [line for line in notice.splitlines() if line.startswith("- next: ")]
    return {
        "show": shown["next"],
        "tiep": report["next"],
        "notice": told[0].removeprefix("- next: ").strip('"“”') if told else notice,
    }


def everywhere(text: str) -> dict[str, str]:
    """Give what `found` gives when all of them tell of `text`."""
    return dict.fromkeys(("show", "tiep", "notice"), text)


def users_view(desk: Listened) -> dict[str, object]:
    """Give what a user sees of a repository, without the state files and baton's own commits."""
    refs = desk.git("for-each-ref", "--format=%(refname)", "refs/heads").split()
    head = desk.try_git("rev-parse", "--verify", "--quiet", "HEAD").returncode == 0
    history = {ref: _history(desk, ref) for ref in [*refs, *(["HEAD"] if head else [])]}
    # A branch that only baton has committed to is still unborn for its user.
    history = {ref: rows for ref, rows in history.items() if rows}
    return {
        "head": desk.try_git("symbolic-ref", "--quiet", "HEAD").stdout.decode().strip(),
        "history": history,
        "trees": {ref: _tree(desk, ref) for ref in history},
        # What follows is the commit that it was made on, which may be a flush.
        "stashes": re.findall(r"^[^:]*", desk.git("stash", "list", "--format=%gs"), re.MULTILINE),
        "index": _users(desk.git("ls-files", "-z", "-s", "-v").split("\0"), "\t"),
        "status": _users(desk.git(*_STATUS).split("\0"), " "),
        "files": _files(desk.root),
        "marks": [mark for mark in _MARKS if (desk.git_dir() / mark).exists()],
        "config": desk.git("config", "--local", "--list").replace(str(desk.base), "…"),
    }


_STATUS = ("status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignored", "--no-renames")


def _history(desk: Desk, ref: str) -> list[str]:
    rows = desk.git("log", "--topo-order", "--format=%s%x00%b%x00%an%x00%cn", ref, "--")
    # A revert names the commit, whose id differs.
    rows = re.sub(r"\b[0-9a-f]{40}\b", "…", rows)
    return [row for row in rows.splitlines() if not row.startswith("wal: ") and row]


def _tree(desk: Desk, ref: str) -> list[str]:
    return _users(desk.git("ls-tree", "-r", "-z", ref).split("\0"), "\t")


def _users(rows: list[str], mark: str) -> list[str]:
    """Drop the rows about state files; the path stands behind the last `mark`.

    The commit of a submodule is another one in each twin.
    """
    kept = [row for row in rows if row and not is_state(row.rpartition(mark)[2])]
    return [re.sub(r"(160000 (?:commit )?)[0-9a-f]+", r"\1…", row) for row in kept]


def is_state(path: str) -> bool:
    """Whether a path is a state file's, that of a folder that holds nothing else, or of a text that
    baton kept beside the chain."""
    inside = any(f"/{root}/" in f"/{path}/" for root in STATE_PATHS)
    aside = f"/{CHAIN}.refused-" in f"/{path}"
    return inside or aside or path.endswith((".claude/", ".claude"))


def _files(root: Path) -> dict[str, tuple[int, bytes]]:
    rows = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            path = Path(folder, name)
            short = path.relative_to(root).as_posix()
            if name != ".git" and not is_state(short):
                data = os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
                # A conflict's marker names the commit, whose id differs.
                data = re.sub(rb"(?m)^>>>>>>> [0-9a-f]+", b">>>>>>>", data)
                rows[short] = (path.lstat().st_mode, data)
    return rows
