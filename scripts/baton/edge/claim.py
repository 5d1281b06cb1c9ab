"""A boundary claimed on a git remote before it is consumed, so that one clone alone can (design page
passport, `claim_remote`).

The claim is a ref that can only be made, never moved; what it points to is unique, so that a push which
finds it there is not taken for a win. Its id is kept before the push: a claim whose append never came
to be is taken up again with the same object. What `ls-remote` shows decides, never an error's wording.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import secrets
import shlex
import socket
import time

from baton.core.errors import BatonError, way_out
from baton.edge import clock, process
from baton.hot import clean, files
from baton.hot.flush.commits import NEUTRAL
from baton.hot.git import durable
from baton.hot.git.speaker import Failed, Git, Stuck, environment
from baton.hot.git.talk import words
from baton.hot.lock import Locked
from baton.hot.project import Project
from baton.hot.state import State

_REFS = "refs/baton/consumed/"
_SECONDS = 20.0
# Another clone that is about to make the same ref holds its lock on the server for a moment.
_TRIES, _PAUSE_SECONDS = 3, 0.5
_OPTIONS = (
    "-c", f"core.hooksPath={os.devnull}",
    "-c", "push.pushOption=",
    "-c", "push.gpgSign=false",
    "-c", "protocol.ext.allow=never",
    "-c", "gc.auto=0",
    "-c", "maintenance.auto=false",
)  # fmt: skip
_QUIET_SSH = "ssh -oBatchMode=yes -oConnectTimeout=10"
_NO_QUESTIONS = {"GIT_ASKPASS": "", "SSH_ASKPASS_REQUIRE": "never", "GCM_INTERACTIVE": "never"}
# Named in a repository's own configuration, these would be run by every claim.
_PROGRAMS = {"receivepack": "git-receive-pack", "uploadpack": "git-upload-pack"}


class Claim:
    """One boundary's claim. remote: the git remote's name. wait: seconds for the lock of baton's notes."""

    def __init__(
        self, project: Project, state: State, remote: str, hash_: str, session: str, wait: float
    ) -> None:
        self._project = project
        self._state = state
        self._remote = remote
        self._hash = hash_
        self._session = session
        self._wait = wait
        self._ref = f"{_REFS}{hash_}"
        self._note = f"claims/{hash_}"

    def stake(self) -> None:
        """Make the claim ours. Asks nothing; each word with the remote is bounded.

        Raises `already-resumed`, naming who, when another clone has it; `claim-unreachable` when the
        remote does not answer or does not take it; nothing is written then.
        """
        self._check_remote()
        oid = self._object()
        holder = self._pushed_to(oid)
        if holder != oid:
            self.done()
            raise self._lost(holder)

    def _pushed_to(self, oid: str) -> str:
        """Push it, and give what the remote holds now: ours, or another clone's. Raises
        `claim-unreachable` when it holds nothing or says nothing."""
        for number in range(_TRIES):
            if number:
                time.sleep(_PAUSE_SECONDS)
            push = self._push(oid)
            if _made_just_now(push):
                return oid
            if holder := self._there():
                return holder
            if push.timed_out:
                break
        raise self._unreachable(f"it did not take the claim: {_refused(push)}")

    def done(self) -> None:
        """Forget the object: the resume is in a ledger now, ours or another clone's.

        A note that stays is of no use and of no harm.
        """
        with contextlib.suppress(OSError):
            os.unlink(self._state.path(self._note))

    def _check_remote(self) -> None:
        """What is pushed to must be what is looked at."""
        if self._project.checkout is None:
            raise self._unreachable("the project is in no git repository")
        fetched = self._run("remote", "get-url", "--all", self._remote)
        pushed = self._run("remote", "get-url", "--push", "--all", self._remote)
        if fetched.exit != 0:
            raise self._unreachable(_said("remote", fetched))
        if fetched.output != pushed.output or fetched.output.count(b"\n") != 1:
            raise self._unreachable("it has more than one URL, or pushes elsewhere than it fetches")

    def _object(self) -> str:
        """The object of our claim: the one of an earlier try, or of a session beside this one; else a
        new one, its id on the disk. A clone has one object, whoever asks first."""
        try:
            with self._state.lock(self._wait):
                return self._kept() or self._new()
        except Locked:
            message = f"baton's notes are locked by another session for {self._wait:g} s; nothing was written"
            raise BatonError("locked", message, "the same command again") from None
        except OSError as error:
            message = f"baton's notes: {error.filename}: {error.strerror}; nothing was written"
            raise BatonError("io", message, way_out(error, "the same command again")) from error

    def _kept(self) -> str:
        """The id of an earlier try, "" without one, or when a crash left no more than its id."""
        note = files.read(self._state.path(self._note), 200) or b""
        kept = note.decode("ascii", "replace").strip()
        if kept and self._run("cat-file", "commit", kept).exit != 0 and self._there() != kept:
            return ""
        return kept

    def _new(self) -> str:
        path = self._state.path(self._note)
        oid = self._whole()
        files.make_folders(os.path.dirname(path))
        files.replace(path, f"{oid}\n".encode())
        return oid

    def _whole(self) -> str:
        """A new object, on the disk with all that belongs to it."""
        torn: list[str] = []
        for _ in range(_TRIES):
            tree = self._made("mktree", stdin=b"")
            oid = self._made("commit-tree", tree, "-m", self._words())
            torn = self._brought(tree, oid)
            if not torn:
                return oid
        raise _git_failed(f"the object {torn[0]} is torn, however often it is made")

    def _brought(self, *oids: str) -> list[str]:
        """Bring objects to the disk; give what a crash had torn, and was put aside."""
        checkout = self._project.checkout
        assert checkout is not None
        try:
            with Git(checkout.top, time.monotonic() + _SECONDS) as git:
                made = [oid.encode() for oid in oids]
                return durable.sync_objects(git, checkout, made, self._state.path(durable.ASIDE))
        except Failed as error:
            raise _git_failed(error.words) from error
        except Stuck:
            raise _git_failed(f"git gave no answer within {_SECONDS:g} s") from None

    def _words(self) -> str:
        facts = {
            "hash": self._hash,
            "session": self._session,
            "host": socket.gethostname(),
            "time": clock.stamp(),
            "nonce": secrets.token_hex(16),
        }
        return json.dumps(facts)

    def _made(self, *command: str, stdin: bytes | None = None) -> str:
        done = self._run(*command, stdin=stdin)
        if done.exit != 0:
            raise _git_failed(_said(command[0], done))
        return done.output.decode().strip()

    def _push(self, oid: str) -> process.Completed:
        """Make the ref, if there is none."""
        return self._run(
            "-c", f"remote.{self._remote}.mirror=false",
            "push", "--porcelain", "--no-verify", "--no-signed", "--no-follow-tags",
            "--no-recurse-submodules", f"--force-with-lease={self._ref}:",
            self._remote, f"{oid}:{self._ref}",
        )  # fmt: skip

    def _there(self) -> str:
        """What the remote holds now, "" for nothing. Raises `claim-unreachable` when it does not say."""
        done = self._run("ls-remote", self._remote, self._ref)
        if done.exit != 0:
            raise self._unreachable(_said("ls-remote", done))
        return done.output.split(b"\t")[0].decode("ascii", "replace").strip()

    def _lost(self, holder: str) -> BatonError:
        message = (
            f"boundary {self._hash} was already resumed elsewhere: {self._who(holder)} holds its claim on "
            f"{self._remote}; nothing was written"
        )
        return BatonError("already-resumed", message, "git pull")

    def _who(self, holder: str) -> str:
        """Who made a claim, out of its own words."""
        self._run(
            "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules",
            self._remote, self._ref,
        )  # fmt: skip
        text = self._run("cat-file", "commit", holder).output.partition(b"\n\n")[2]
        try:
            facts = json.loads(text)
            session, host, moment = (
                clean.quoted(str(facts[key]), 80) for key in ("session", "host", "time")
            )
        except (ValueError, TypeError, KeyError):
            return f"object {clean.line(holder, 64)}"
        return f"session {session} on {host} at {moment}"

    def _unreachable(self, reason: str) -> BatonError:
        message = (
            f"boundary {self._hash} cannot be claimed on the remote {clean.quoted(self._remote, 60)}: {reason}; "
            "nothing was written"
        )
        return BatonError(
            "claim-unreachable", message, f"git ls-remote {shlex.quote(self._remote)}"
        )

    def _run(self, *command: str, stdin: bytes | None = None) -> process.Completed:
        env = {**environment(), **NEUTRAL, **_NO_QUESTIONS, "GIT_PROXY_COMMAND": "", **self._ssh}
        argv = ["git", *_OPTIONS, *self._programs, *command]
        return process.run(argv, cwd=self._project.root, env=env, stdin=stdin, timeout=_SECONDS)

    @functools.cached_property
    def _ssh(self) -> dict[str, str]:
        """The user's own ssh command, but none that the repository brings along."""
        own = os.environ.get("GIT_SSH_COMMAND") or _own("core.sshCommand")
        return {"GIT_SSH_COMMAND": own or _QUIET_SSH}

    @functools.cached_property
    def _programs(self) -> list[str]:
        """Options for the programs at the other end: the user's own, but none of the repository's."""
        keys = {f"remote.{self._remote}.{name}": usual for name, usual in _PROGRAMS.items()}
        return [
            word for key, usual in keys.items() for word in ("-c", f"{key}={_own(key) or usual}")
        ]


def _git_failed(words: str) -> BatonError:
    return BatonError("git-failed", f"{words}; nothing was written", "git fsck")


def _own(key: str) -> str:
    """A setting of the user's own, "" where there is none."""
    argv = ["git", "config", "--global", key]
    done = process.run(argv, cwd=os.sep, env=environment(), timeout=_SECONDS)
    return done.output.decode("utf-8", "surrogateescape").strip()


def _made_just_now(push: process.Completed) -> bool:
    """Whether the ref was made by this very push."""
    return push.exit == 0 and any(line.startswith(b"*") for line in push.output.splitlines())


def _refused(push: process.Completed) -> str:
    """Why a server did not take a ref, in git's words."""
    lines = [line for line in push.output.splitlines() if line.startswith(b"!")]
    if not lines:
        return _said("push", push)
    return clean.line(lines[0].rpartition(b"\t")[2].decode("utf-8", "replace"), 160)


def _said(command: str, done: process.Completed) -> str:
    if done.timed_out:
        return f"git {command} gave no answer within {_SECONDS:g} s"
    return words(command, done.errors, done.exit)
