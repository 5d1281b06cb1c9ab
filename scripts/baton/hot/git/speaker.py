"""The hot tier's one speaker of git: plumbing alone, bounded in time, ended with its children.

No user hook, editor, pager, prompt or signer runs, nothing is fetched, and no `GIT_*` of the
environment reaches it.
"""

import os
import time

from baton.hot.git.talk import Failed, Stuck, Talk

__all__ = ["GUARDS", "Failed", "Git", "Stuck", "Talk", "alone", "environment", "kill", "start"]

# Who visits a repository obeys no program that it names for checking signatures, and no bare
# repository that lies in it as files.
GUARDS = ("-c", "log.showSignature=false", "-c", "safe.bareRepository=explicit")

_OPTIONS = (
    "-c", f"core.hooksPath={os.devnull}",
    "-c", "core.safecrlf=false",
    "-c", "user.useConfigOnly=true",
    "-c", "core.fsync=reference,index",
    "-c", "i18n.commitEncoding=UTF-8",
    *GUARDS,
)  # fmt: skip
_ENVIRONMENT = {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": ":"}
# What a partial clone lacks would be fetched from an address that may name a program to run.
_ALONE = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}
_HUP, _INT, _KILL, _PIPE, _ALRM, _TERM, _XFSZ = 1, 2, 9, 13, 14, 15, 25
_RESET = (_HUP, _INT, _PIPE, _ALRM, _TERM, _XFSZ)
_GRACE_SECONDS, _BURIAL_SECONDS = 0.1, 1.0


class Git:
    """Git in one work tree until a deadline (of time.monotonic).

    Leaving `with` ends every process that it started.
    """

    __slots__ = ("_environment", "_program", "_talks", "_top", "deadline")

    def __init__(self, top: str, deadline: float) -> None:
        self._top = top
        self.deadline = deadline
        self._environment = alone()
        self._program = _find(self._environment)
        self._talks: list[Talk] = []

    def __enter__(self) -> "Git":
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        for talk in self._talks:
            talk.hang_up()
        if kind is None:
            self._await()
        kill(self._talks)

    def start(self, *args: str, env: dict[str, str] | None = None) -> Talk:
        """Start `git ARGS`.

        env: variables on top of the clean environment. Raises Failed when there is no git.
        """
        command = [self._program, *_OPTIONS, "-C", self._top, *args]
        name = next(arg for arg in args if not arg.startswith("-") and "=" not in arg)
        talk = start(name, self.deadline, command, {**self._environment, **(env or {})})
        self._talks.append(talk)
        return talk

    def run(
        self,
        *args: str,
        data: bytes = b"",
        env: dict[str, str] | None = None,
        good: tuple[int, ...] = (0,),
    ) -> bytes:
        """Run `git ARGS` with `data` on its standard input and give its output.

        Raises Failed, Stuck.
        """
        talk = self.start(*args, env=env)
        talk.say_all(data)
        return talk.finish(good)

    def _await(self) -> None:
        try:
            for talk in self._talks:
                talk.reap()
        except Stuck:
            pass


def environment() -> dict[str, str]:
    """Give the environment without what would point git elsewhere, trace it or let it ask."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, **_ENVIRONMENT}


def alone() -> dict[str, str]:
    """Give the environment of a git that must not reach for any other repository."""
    return {**environment(), **_ALONE}


def _find(environ: dict[str, str]) -> str:
    for folder in environ.get("PATH", os.defpath).split(os.pathsep):
        for name in ("git", "git.exe") if os.name == "nt" else ("git",):
            path = os.path.join(folder, name)
            if os.path.isabs(path) and os.access(path, os.X_OK) and os.path.isfile(path):
                return path
    raise Failed("git was not found on PATH")


def start(name: str, deadline: float, command: list[str], env: dict[str, str]) -> Talk:
    if hasattr(os, "posix_spawn"):
        return Talk(name, deadline, *_spawn(command, env))
    from baton.hot.git.slow_talk import SlowTalk

    return SlowTalk(name, deadline, command, env)


def _spawn(command: list[str], env: dict[str, str]) -> tuple[int, tuple[int, int, int]]:
    """Start a process in a group of its own; give its id and our ends of its three pipes."""
    _occupy_standard_descriptors()
    pipes = [os.pipe() for _ in range(3)]
    (their_in, our_in), (our_out, their_out), (our_err, their_err) = pipes
    theirs = (their_in, their_out, their_err)
    actions = [(os.POSIX_SPAWN_DUP2, fd, target) for target, fd in enumerate(theirs)]
    try:
        # The launcher ignores TERM and Python PIPE; a git that inherited this would go on after
        # a signal that should end it.
        pid = os.posix_spawn(
            command[0], command, env, file_actions=actions, setpgroup=0, setsigdef=_RESET
        )
    except OSError:
        for fd in (our_in, our_out, our_err):
            os.close(fd)
        raise
    finally:
        for fd in theirs:
            os.close(fd)
    for fd in (our_in, our_out, our_err):
        os.set_blocking(fd, False)
    return pid, (our_in, our_out, our_err)


def _occupy_standard_descriptors() -> None:
    """A hook may be started with these closed; a pipe in their place would not survive dup2."""
    while (fd := os.open(os.devnull, os.O_RDWR)) < 3:
        os.set_inheritable(fd, True)
    os.close(fd)


def kill(talks: list[Talk]) -> None:
    """End the processes that still run, with their children: TERM, a moment to clean up, KILL."""
    running = [talk for talk in talks if not talk.ended()]
    for talk in running:
        talk.signal(_TERM)
    _wait(running, _GRACE_SECONDS)
    # Also where git itself has ended: a filter of its may not have.
    for talk in running:
        talk.signal(_KILL)
    _wait(running, _BURIAL_SECONDS)


def _wait(talks: list[Talk], seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and not all(talk.ended() for talk in talks):
        time.sleep(0.002)
