"""The host's journal of a launch, found by its run id (design pages runs, host 4.1).

It lies under the session that launched it, in a project folder whose name is made from the working
folder, not one to one; and there may be several configuration folders, one for each account. So
every one of them is looked through, and the working folder that the run's own records name decides
whether a find is this project's.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from baton.hot import files, homes
from baton.hot.runs import journal as journals
from baton.hot.runs import layout
from baton.hot.runs.journal import Journal

JOURNAL = "journal.jsonl"
_HEAD = 2 << 20
_AGENTS_ASKED = 20
_SLUG = re.compile(r"[^A-Za-z0-9]")
_SLUG_LENGTH = 200


@dataclass(frozen=True)
class Found:
    """A journal. folder: the host's, with the agents' transcripts."""

    folder: str
    data: bytes
    journal: Journal


@dataclass
class Search:
    """What a search came to.

    unreadable: (path, why). foreign: (path, whose, "" where nothing says it). looked: the folders.
    """

    found: list[Found] = field(default_factory=list)
    unreadable: list[tuple[str, str]] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    foreign: list[tuple[str, str]] = field(default_factory=list)
    looked: list[str] = field(default_factory=list)

    @property
    def best(self) -> Found | None:
        """The journal that holds most: a copy may lie under another session."""
        return max(self.found, key=lambda f: (len(f.journal.results), len(f.data)), default=None)


def config_folders(environ: Mapping[str, str], named: Sequence[str]) -> list[str]:
    """Give Claude Code's configuration folders: those named, the one of this account, the usual."""
    usual = [homes.claude(environ), os.path.join(homes.home(environ), ".claude")]
    given = [os.path.abspath(os.path.expanduser(folder)) for folder in named]
    return list(dict.fromkeys(os.path.realpath(folder) for folder in [*given, *usual]))


def search(
    run_id: str, configs: Sequence[str], noted: Sequence[str], places: Sequence[str]
) -> Search:
    """Give every journal of a run id.

    noted: folders that a hook wrote down for it; where one of them still holds a journal nothing
    else is looked through. places: the project's root first, and other folders whose runs are its
    own.
    """
    result = Search()
    for folder in noted:
        _judge(folder, places, result, trusted=True)
    if result.found:
        return result
    for config in configs:
        base = os.path.join(config, "projects")
        result.looked.append(base)
        for folder in _below(base, run_id):
            if folder not in noted:
                _judge(folder, places, result, trusted=False)
    return result


def _below(base: str, run_id: str) -> Iterator[str]:
    for slug in _folders(base):
        for session in _folders(slug):
            folder = os.path.join(session, "subagents", "workflows", run_id)
            if os.path.isdir(folder):
                yield folder


def _folders(path: str) -> list[str]:
    try:
        with os.scandir(path) as entries:
            return sorted(entry.path for entry in entries if entry.is_dir())
    except OSError:
        return []


def _judge(folder: str, places: Sequence[str], result: Search, *, trusted: bool) -> None:
    path = os.path.join(folder, JOURNAL)
    try:
        data = files.read(path, layout.LIMIT)
    except OSError as error:
        result.unreadable.append((path, error.strerror or "it cannot be read"))
        return
    if data is None:
        return
    try:
        owner = _owner(folder)
    except OSError as error:
        result.unreadable.append((folder, error.strerror or "it cannot be listed"))
        return
    if not (trusted and owner is None) and not _is_ours(owner, folder, places):
        result.foreign.append((path, owner or ""))
        return
    if len(data) > layout.LIMIT:
        result.unreadable.append((path, f"it has more than {layout.LIMIT >> 20} MB"))
        return
    journal = journals.read(data)
    if journal.started or journal.results or journal.failed:
        result.found.append(Found(folder, data, journal))
    elif journal.bad:
        result.unreadable.append((path, f"none of its {journal.bad} lines is a journal's"))
    else:
        result.empty.append(path)


def _is_ours(owner: str | None, folder: str, places: Sequence[str]) -> bool:
    if owner is not None:
        real = os.path.realpath(owner)
        return any(_inside(real, os.path.realpath(place)) for place in places)
    # S/subagents/workflows/<run id>, and S lies in the folder that is named for the project.
    slug = os.path.basename(os.path.dirname(_session(folder)))
    return any(_slug_fits(slug, os.path.realpath(place)) for place in places)


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _slug_fits(slug: str, place: str) -> bool:
    """Whether the host's name for a project folder is the one for this place; a long one ends in a
    hash that is not looked into."""
    whole = slug_of(place)
    if len(whole) <= _SLUG_LENGTH:
        return slug == whole
    return slug.startswith(f"{whole[:_SLUG_LENGTH]}-")


def slug_of(path: str) -> str:
    """Give a path with every UTF-16 unit that is no ASCII letter or digit turned into a dash."""
    return _SLUG.sub(lambda sign: "-" * (1 + (ord(sign[0]) > 0xFFFF)), path)


def transcript(folder: str) -> str:
    """Give the path of the transcript of the session that a run's folder of the host belongs to."""
    return f"{_session(folder)}.jsonl"


def _session(folder: str) -> str:
    return os.path.dirname(os.path.dirname(os.path.dirname(folder)))


def _owner(folder: str) -> str | None:
    """The working folder that the run's agents, else its session, wrote down; None when none did."""
    names = sorted(name for name in os.listdir(folder) if name.endswith(".jsonl"))
    agents = [os.path.join(folder, name) for name in names if name != JOURNAL][:_AGENTS_ASKED]
    for path in [transcript(folder), *agents]:
        found = _cwd(path)
        if found:
            return found
    return None


def _cwd(path: str) -> str | None:
    try:
        data = files.read(path, _HEAD) or b""
    except OSError:
        return None
    for line in data.split(b"\n"):
        cwd = layout.parse(line).get("cwd")
        if isinstance(cwd, str) and os.path.isabs(cwd):
            return cwd
    return None


def status(folder: str, run_id: str) -> str:
    """Give how the host says that a launch ended (completed, failed, killed), "" when it says nothing:
    it runs still, or was cut down."""
    path = os.path.join(_session(folder), "workflows", f"{run_id}.json")
    try:
        said = layout.parse(files.read(path, layout.LIMIT) or b"").get("status")
    except OSError:
        return ""
    return said if isinstance(said, str) else ""


def quiet(folder: str) -> float:
    """Give the seconds since the host last wrote into a journal. Raises OSError."""
    return max(0.0, time.time() - os.stat(os.path.join(folder, JOURNAL)).st_mtime)
