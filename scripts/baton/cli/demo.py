"""`baton demo`: the whole story on a throw-away repository, every step a real process of baton's own."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile

from baton.cli.context import Context
from baton.core.errors import BatonError
from baton.edge import process
from baton.hot import clean, reply

_SECONDS = 60.0
_CAP = 1 << 20
_ROOT = os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
)

# Session one: it keeps its chain, ends a turn, goes on working, and is killed before the next turn ends.
_FIRST_TURN = """
baton wal start 'Ship the parser' \\
  --item '[x] grammar written — ls grammar.txt' \\
  --item '[!] parser handles numbers — grep -c number parser.py' \\
  --item 'announce it' \\
  --next 'write parser.py until the grep finds a number' \\
  --verify 'grep -c number parser.py  # expect >= 1' \\
  --verify 'python3 parser.py'
"""
_KILLED = """
printf 'print("number")\\n' > parser.py
baton wal next 'run parser.py, then announce it'
kill -9 $$
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.epilog = "example: baton demo --keep /tmp/story"
    parser.add_argument(
        "--keep", metavar="DIR", default="", help="do it in DIR (new or empty) and leave it there"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, _: Context) -> int:
    """Tell the story; the folder is removed in the end unless it is to be kept."""
    folder = _folder(arguments.keep)
    try:
        _Story(folder).tell()
    finally:
        if not arguments.keep:
            shutil.rmtree(folder, ignore_errors=True)
    return 0


def _folder(keep: str) -> str:
    if not keep:
        return os.path.realpath(tempfile.mkdtemp(prefix="baton-demo-"))
    folder = os.path.realpath(keep)
    try:
        os.makedirs(folder, exist_ok=True)
        if os.listdir(folder):
            raise BatonError(
                "bad-path", f"{keep} is not empty; nothing was written", "baton demo --keep NEW-DIR"
            )
    except OSError as error:
        raise BatonError(
            "bad-path", f"{keep}: {error.strerror}", "baton demo --keep NEW-DIR"
        ) from error
    return folder


class _Story:
    """The steps, told as they happen."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._project = os.path.join(folder, "project")
        self._step = 0

    def tell(self) -> None:
        self._begin()
        self._first_session()
        self._second_session()
        self._end()

    def _begin(self) -> None:
        os.makedirs(self._project)
        reply.write(
            f"A session dies in the middle; the next one goes on. All of it in {self._folder}\n"
        )
        for words in (
            "init -q -b main",
            "config user.name Ada",
            "config user.email ada@example.org",
        ):
            self._run(["git", *words.split()], "one")
        with open(os.path.join(self._project, "grammar.txt"), "w", encoding="utf-8") as file:
            file.write("number = digit+\n")
        self._run(["git", "add", "."], "one")
        self._run(["git", "commit", "-q", "-m", "begin"], "one")

    def _first_session(self) -> None:
        self._say(
            "Session one begins a chain: the goal, the steps with evidence, what is next, what proves it"
        )
        self._show(self._shell(_FIRST_TURN, "one"))
        self._say("Its turn ends: the Stop hook puts the chain into git, and nothing else")
        self._hook("flush", {"hook_event_name": "Stop"}, "one")
        self._show(self._git("log", "--format=%h %s", "--name-only", "-1"))
        self._say("It writes parser.py, notes what is next, and is killed in mid-turn (kill -9)")
        killed = self._shell(_KILLED, "one", expected=-9)
        self._show(killed + "the process is gone; no hook ran")

    def _second_session(self) -> None:
        self._say(
            "Session two, another account with an empty home. What the person sees before any prompt"
        )
        answer = self._hook(
            "session_start", {"hook_event_name": "SessionStart", "source": "startup"}, "two"
        )
        self._show(json.loads(answer)["systemMessage"])
        self._say(
            "/tiep: ground truth first. The parser is further than the chain says, and that wins"
        )
        self._show(self._shell("baton tiep || true", "two"))
        self._say(
            "The session corrects the chain as it was told, runs what was left to run, and goes on"
        )
        self._show(
            self._shell(
                "baton wal mark 2 done && python3 parser.py && baton wal verify 'python3 parser.py'",
                "two",
            )
        )
        left = json.loads(self._shell("baton tiep --json", "two"))
        self._show(f"baton tiep: {len(left['mismatches'])} mismatches, next: {left['next']}")

    def _end(self) -> None:
        self._say("/pause: committed by name, nothing pushed, safe to close the lid")
        self._show(self._shell("baton pause -m 'announcing comes tomorrow'", "two"))
        self._show(self._git("log", "--format=%h %s", "-4"))

    def _say(self, text: str) -> None:
        self._step += 1
        reply.write(f"\n{self._step}. {text}\n")

    def _show(self, text: str) -> None:
        reply.write("".join(f"   | {line}\n" for line in text.rstrip().splitlines()))

    def _git(self, *words: str) -> str:
        return self._run(["git", "--no-pager", *words], "two")

    def _shell(self, script: str, session: str, expected: int = 0) -> str:
        return self._run(["sh", "-c", script], session, expected=expected)

    def _hook(self, door: str, event: dict[str, str], session: str) -> str:
        line = (
            json.dumps({**event, "session_id": _session_id(session), "cwd": self._project}) + "\n"
        )
        return self._run(["sh", os.path.join(_ROOT, "hooks", "run"), door], session, line.encode())

    def _run(
        self, argv: list[str], session: str, stdin: bytes | None = None, expected: int = 0
    ) -> str:
        environment = self._environment(session)
        done = process.run(
            argv, cwd=self._project, env=environment, stdin=stdin, timeout=_SECONDS, cap=_CAP
        )
        if done.exit != expected:
            words = clean.line((done.errors or done.output).decode("utf-8", "replace"), 300)
            how = "does not run" if done.exit is None else f"ended with {done.exit}"
            raise BatonError("io", f"the demo's own {argv[0]} {how}: {words}", "baton doctor")
        return (done.output + done.errors).decode("utf-8", "replace")

    def _environment(self, session: str) -> dict[str, str]:
        """A session's surroundings: its own empty home, so that not a byte of the person's is read or written."""
        home = os.path.join(self._folder, f"home of session {session}")
        os.makedirs(home, exist_ok=True)
        kept = {
            name: os.environ[name]
            for name in ("LANG", "LC_ALL", "TZ", "SYSTEMROOT")
            if name in os.environ
        }
        path = os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", os.defpath)
        return kept | {
            "HOME": home,
            "PATH": os.path.join(_ROOT, "bin") + os.pathsep + path,
            "CLAUDECODE": "1",
            "CLAUDE_CODE_SESSION_ID": _session_id(session),
            "CLAUDE_PROJECT_DIR": self._project,
        }


def _session_id(session: str) -> str:
    return {
        "one": "11111111-0000-4000-8000-000000000001",
        "two": "22222222-0000-4000-8000-000000000002",
    }[session]
