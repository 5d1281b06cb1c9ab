"""What every command is given: where it works, who asks, and how to answer."""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import os
import sys
from typing import TYPE_CHECKING

from baton.core.errors import BatonError
from baton.hot import clean, passports, reply
from baton.hot import config as configs
from baton.hot import project as projects
from baton.hot.git import head, operation
from baton.hot.state import State

if TYPE_CHECKING:
    from baton.edge.chain_file import ChainFile

DETACHED = "(detached)"


class Context:
    """One invocation. named: the folder that `--project` names, or ""."""

    def __init__(self, environ: dict[str, str], named: str, as_json: bool) -> None:
        self.environ = environ
        self._named = named
        self.as_json = as_json

    @functools.cached_property
    def project(self) -> projects.Project:
        """The project. Raises bad-path when there is no such folder."""
        named = os.path.abspath(self._named) if self._named else ""
        found = projects.locate(self.environ, named, _working_folder())
        if found is None:
            where = f"--project {self._named}" if self._named else "the working folder"
            raise BatonError("bad-path", f"{where}: no such folder", "baton --project DIR …")
        return found

    @functools.cached_property
    def config(self) -> configs.Config:
        """The project's settings, the passports that baton has written among its paths; what is wrong
        with them is said on stderr, once."""
        config = configs.load(self.project)
        for problem in config.problems:
            warn(problem)
        config.paths = passports.with_written(config.paths, self.project, self.state)
        return config

    @functools.cached_property
    def state(self) -> State:
        """baton's own notes about this checkout."""
        return State(self.project, self.environ)

    @functools.cached_property
    def chain_file(self) -> ChainFile:
        """The chain of this project."""
        from baton.edge.chain_file import ChainFile  # half of the commands have no use for it

        return ChainFile(self.project, self.state, self.config.lock_wait)

    @property
    def session(self) -> str:
        """The id of the Claude Code session that asks, "" at a terminal."""
        return self.environ.get("CLAUDE_CODE_SESSION_ID", "")

    @property
    def session_mark(self) -> str:
        """The session as a chain's header names it: the first six letters and digits of its id."""
        return "".join(filter(str.isalnum, clean.line(self.session)))[:6]

    @property
    def branch(self) -> str:
        """The branch as a chain's header names it, in the middle of a rebase or bisect the one that HEAD
        comes back to: DETACHED, or "" outside git."""
        found = self.project.checkout
        if found is None:
            return ""
        return clean.line(head.read(found).branch or operation.interrupted(found) or DETACHED)

    @property
    def inside_claude(self) -> bool:
        """Whether Claude Code runs this command."""
        return bool(self.environ.get("CLAUDECODE"))

    def answer(self, text: str, data: dict[str, object]) -> None:
        """Print the answer: `data` as one JSON object with `--json`, else `text`.

        Raises io when it cannot be: half an answer is not to pass for a whole one.
        """
        try:
            reply.put(json_line(data) if self.as_json else text.rstrip("\n") + "\n")
        except BrokenPipeError:
            pass  # Nobody listens any more.
        except OSError as error:
            message = f"the answer could not be written: {error.strerror}; what it tells of is done"
            raise BatonError("io", message) from error


def json_line(value: object) -> str:
    """Give a value as one line of JSON in which no text can pass for a tag."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c") + "\n"


def folder_name(text: str) -> str:
    """Give what `--project` names; a variable that was empty must not stand for another folder."""
    if not text.strip():
        raise argparse.ArgumentTypeError("must name a folder; it is empty")
    return text


def warn(text: str) -> None:
    """Say something on stderr that does not change the outcome."""
    complain(f"baton: {clean.line(text)}\n")


def complain(text: str) -> None:
    """Put text on stderr; what cannot be written is for nobody. Never raises."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(text)


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""
