"""A project on which flushes are tried: its files, its repository, and all that is the user's."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from baton.hot import config, state
from baton.hot import project as projects
from baton.hot.flush import flush, record
from baton.hot.flush.outcome import Outcome

CHAIN = ".claude/WAL.md"
STATE_PATHS = (CHAIN, ".claude/agent-memory", ".claude/workflows/runs", ".claude/pipeline.jsonl")
# Longer than the clock of any file system stands still.
SETTLE_SECONDS = 0.012


class Desk:
    """A project in a repository. env: added to the environment of every git that is run here."""

    def __init__(self, root: Path, env: Mapping[str, str] | None = None) -> None:
        self.root = root
        self.env = dict(env or {})

    @property
    def project(self) -> projects.Project:
        """The project as every hook and command finds it."""
        found = projects.locate({"CLAUDE_PROJECT_DIR": str(self.root), "HOME": os.environ["HOME"]})
        assert found is not None
        return found

    @property
    def state(self) -> state.State:
        """Its state directory."""
        return state.State(self.project, dict(os.environ))

    def write(self, text: str, path: str = CHAIN) -> Path:
        """Write a file as a turn does, some milliseconds before it ends."""
        whole = self.root / path
        whole.parent.mkdir(parents=True, exist_ok=True)
        whole.write_bytes(text.encode("utf-8", "surrogateescape"))
        time.sleep(SETTLE_SECONDS)
        return whole

    def flush(
        self,
        *,
        subject: str = flush.SUBJECT,
        body: str = "",
        include: tuple[str, ...] = (),
        always: bool = False,
        seconds: float = 120.0,
    ) -> Outcome:
        """Flush in this process, with time enough for a machine that is busy."""
        return flush.flush(
            self.project,
            self.state,
            config.load(self.project),
            subject=subject,
            body=body,
            include=include,
            always=always,
            seconds=seconds,
        )

    def kept_at(self) -> str:
        """The clock time of the last flush that kept something, as baton shows it."""
        moment = self.state.record("outcome")["kept_at"]
        assert isinstance(moment, int)
        return time.strftime("%H:%M", time.localtime(moment))

    def looks(self) -> str:
        """Give what the next turn would see: absent, same or changed."""
        return record.look(self.project, self.state)

    def git(self, *args: str, stdin: bytes = b"", **env: str) -> str:
        """Run git here and give what it printed; fails with its own words."""
        done = self.try_git(*args, stdin=stdin, **env)
        assert done.returncode == 0, f"git {' '.join(args)}: {done.stdout!r} {done.stderr!r}"
        return os.fsdecode(done.stdout)

    def try_git(
        self, *args: str, stdin: bytes = b"", **env: str
    ) -> subprocess.CompletedProcess[bytes]:
        """Run git here, whatever it may come to."""
        whole = {**os.environ, "GIT_EDITOR": "true", **self.env, **env}
        command = ["git", "-c", "gc.auto=0", *args]
        return subprocess.run(command, cwd=self.root, env=whole, input=stdin, capture_output=True)

    def commit(self, subject: str, **files: str) -> str:
        """Commit files as the user does (`__` in a name stands for a dot) and give the commit."""
        for name, text in files.items():
            (self.root / name.replace("__", ".")).write_text(text, encoding="utf-8")
            self.git("add", name.replace("__", "."))
        self.git("commit", "--quiet", "-m", subject)
        return self.head()

    def head(self) -> str:
        """The commit that HEAD is at."""
        return self.git("rev-parse", "HEAD").strip()

    def at(self, commit: str, path: str = CHAIN) -> str:
        """What a commit holds at a path, "" when nothing."""
        done = self.try_git("show", f"{commit}:{path}")
        return os.fsdecode(done.stdout) if done.returncode == 0 else ""

    def files_of(self, commit: str) -> list[str]:
        """The paths that a commit changed."""
        args = ("diff-tree", "--root", "--no-commit-id", "--name-only", "-r", "-z", commit)
        return self.git(*args).split("\0")[:-1]

    def tree_of(self, commit: str) -> list[str]:
        """All paths that a commit holds."""
        return self.git("ls-tree", "-r", "-z", "--name-only", commit).split("\0")[:-1]

    def fsck(self) -> None:
        """Fail unless the repository is whole."""
        told = self.git("fsck", "--full", "--strict", "--no-dangling")
        assert told == ""

    def git_dir(self) -> Path:
        """The git directory of this work tree."""
        return Path(self.git("rev-parse", "--absolute-git-dir").strip())

    def users_own(self) -> dict[str, object]:
        """All that a flush must leave as it is, to the bit: index entries with their flags and
        stat data, files, and what git keeps of operations, configuration and other refs."""
        top = Path(self.git("rev-parse", "--show-toplevel").strip())
        shared = Path(self.git("rev-parse", "--path-format=absolute", "--git-common-dir").strip())
        return {
            "index": _without_state(self.git("ls-files", "-s", "-v", "--debug", ":/")),
            "tree": _files(top, lambda path: not _of_state(path) and not _of_git(path)),
            "own": _files(self.git_dir(), _kept_by_git),
            "shared": _files(shared, _kept_by_git),
            "refs": self._other_refs(),
        }

    def _other_refs(self) -> list[str]:
        branch = self.try_git("symbolic-ref", "-q", "HEAD").stdout.decode().strip()
        rows = self.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        return [row for row in rows if not row.startswith(("refs/baton/", f"{branch} "))]


def _files(folder: Path, wanted: object) -> dict[str, tuple[int, int, bytes]]:
    assert callable(wanted)
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if wanted(name) and (path.is_symlink() or path.is_file()):
            st = path.lstat()
            data = os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
            found[name] = (st.st_mode, st.st_mtime_ns, data)
    return found


def _of_state(path: str) -> bool:
    return any(f"/{root}/" in f"/{path}/" for root in STATE_PATHS)


def _of_git(path: str) -> bool:
    return path == ".git" or path.startswith(".git/") or "/.git/" in path


def _kept_by_git(path: str) -> bool:
    moved = ("objects/", "logs/", "baton/", "refs/", "worktrees/", "modules/", "sharedindex.")
    return not path.startswith(moved) and path not in ("index", "packed-refs")


def _without_state(listing: str) -> list[str]:
    """Split `ls-files --debug` into entries and drop those of state files."""
    entries: list[str] = []
    for row in listing.splitlines():
        if row.startswith("  "):
            # The flag is git's own, in memory: an entry of the shared index that it would rewrite.
            entries[-1] += "\n" + row.replace("flags: 8000000", "flags: 0")
        else:
            entries.append(row)
    return [entry for entry in entries if not _of_state(entry.partition("\t")[2].split("\n")[0])]
