"""Where a newer version of the chain stands when it is not in the work tree.

HEAD, baton's own ref, other branches, baton's notes: a checkout, a reset, an abort or a cleaned
work tree can leave the newest chain in any of them (design pages chain, notice).
"""

import os
import time

from baton.hot import chain as chains
from baton.hot import clean, digits, moments, overlay
from baton.hot.chain import Chain
from baton.hot.git import head as heads
from baton.hot.git.checkout import Checkout
from baton.hot.project import CHAIN, Project
from baton.hot.state import WRITTEN, State

HEAD, REF, BRANCH, TREE, NOTES = "HEAD", "ref", "branch", "tree", "notes"
# What others write.
_OTHERS = (BRANCH, TREE)
_BRANCHES = 20
_SECONDS = 1.0
_SHORT = 12


class Unseen(Exception):
    """Git could not say what it holds; why, on one harmless line."""


class Place:
    """One version of the chain outside the work tree.

    kind: HEAD, REF, BRANCH, NOTES, or TREE for baton's ref of a work tree that was removed. name: the
    branch or ref. commit: 12 digits, "" for NOTES. time: when it was written, seconds since the
    epoch.
    """

    __slots__ = ("chain", "commit", "data", "kind", "name", "time")

    def __init__(self, kind: str, name: str, commit: str, data: bytes, moment: float) -> None:
        self.kind = kind
        self.name = name
        self.commit = commit
        self.data = data
        self.chain: Chain = chains.parse(data)
        self.time = moments.seconds(self.chain.updated) or moment

    @property
    def where(self) -> str:
        """Name the branch, ref or notes that it is in."""
        if self.kind == NOTES:
            return "baton's own notes"
        return f"branch {clean.line(self.name, 60)}" if self.kind == BRANCH else self.name

    @property
    def words(self) -> str:
        """Say where it is, with its commit."""
        return f"{self.where} at {self.commit}" if self.commit else self.where

    @property
    def bring(self) -> str:
        """Give the command that brings it into the work tree."""
        return f"baton wal restore {self.commit or 'newest'}"


def newer(project: Project, state: State, here: bytes | None) -> Place | None:
    """Give the newest version elsewhere that is newer than `here`, the work tree's; else None.

    Another branch's or work tree's chain of another goal is its own business while an unfinished chain
    stands here. What baton wrote last in this checkout is the newest by definition, and then
    nothing is looked at; so is what somebody made of it with an editor, who leaves its time as it
    is. Never raises.
    """
    last = state.read(WRITTEN)
    here = here if here is None else chains.as_written(here)
    if not state.exists or (here is not None and here == last):
        return None
    chain = chains.parse(here or b"")
    if chain.state == chains.UNREADABLE:
        return None
    since = max(moments.seconds(chain.updated), _emptied(state, last))
    edited = _edited(project, state, here, chain, last)
    if edited:
        since, last = max(since, edited), b""
    found = [
        place
        for place in _all_that_is_seen(project, state)
        if place.data != here and _counts(place, chain) and _is_newer(place, since, last)
    ]
    return max((place for place in found if _stands(project, place)), key=_age, default=None)


def beside(project: Project, state: State, here: Chain) -> list[Place]:
    """Give the unfinished chains of others that were written after `here`, newest first.

    Raises Unseen.
    """
    found = [
        place
        for place in elsewhere(project, state)
        if place.kind in _OTHERS and place.chain.state == chains.UNFINISHED
    ]
    later = [place for place in found if place.time > moments.seconds(here.updated)]
    return sorted(later, key=_age)[::-1]


def elsewhere(project: Project, state: State, seconds: float = _SECONDS) -> list[Place]:
    """Give every version outside the work tree, each content once. Raises Unseen."""
    found = _in_git(project, project.checkout, seconds) if project.checkout else []
    found += _in_notes(state)
    return list({place.data: place for place in reversed(found)}.values())


def _all_that_is_seen(project: Project, state: State) -> list[Place]:
    try:
        return elsewhere(project, state)
    except Unseen:
        return _in_notes(state)


def _in_notes(state: State) -> list[Place]:
    last = state.read(WRITTEN)
    return [Place(NOTES, "", "", last, _noted_at(state))] if last else []


def _counts(place: Place, here: Chain) -> bool:
    if not place.chain.readable or not place.chain.items:
        return False
    ours = here.state == chains.UNFINISHED and place.kind in _OTHERS
    return not ours or place.chain.goal == here.goal


def _stands(project: Project, place: Place) -> bool:
    """Whether what a work tree left behind was not gone on with on a branch."""
    if place.kind != TREE or project.checkout is None:
        return True
    from baton.hot.git.speaker import Failed, Git, Stuck

    try:
        with Git(project.checkout.top, time.monotonic() + _SECONDS) as git:
            later = git.run(*_TOUCHED, "--", project.in_git(CHAIN)).strip()
    except (Failed, Stuck, OSError):
        return True
    return digits.whole(later) <= place.time


def _is_newer(place: Place, since: float, last: bytes) -> bool:
    """A header's time has whole seconds: of two in one second, the last written here is newer."""
    return place.time > since or (place.data == last and place.time == since)


def _age(place: Place) -> tuple[float, bool]:
    return place.time, place.kind == HEAD


def _edited(project: Project, state: State, here: bytes | None, chain: Chain, last: bytes) -> float:
    """When the file was changed by hand, 0.0 where its own time tells or git put it there."""
    told = moments.seconds(chain.updated)
    if not chain.items or (told and told != moments.seconds(chains.parse(last).updated)):
        return 0.0
    return overlay.edited(project, state, here)


def _emptied(state: State, last: bytes) -> float:
    """When the chain was put away here on purpose, 0.0 when it was not."""
    return _noted_at(state) if last and not chains.parse(last).items else 0.0


def _noted_at(state: State) -> float:
    try:
        return os.stat(state.path(WRITTEN)).st_mtime
    except OSError:
        return 0.0


def _in_git(project: Project, checkout: Checkout, seconds: float) -> list[Place]:
    # Only a chain that is not as baton left it pays for these.
    from baton.hot.git.speaker import Failed, Git, Stuck

    try:
        with Git(checkout.top, time.monotonic() + seconds) as git:
            listing = git.run(*_LIST, f"--count={_BRANCHES}", heads.BRANCHES, heads.PARKING)
            tips = _tips(listing, checkout)
            path = os.fsencode(project.in_git(CHAIN))
            asked = b"".join(b"%s:%s\n" % (os.fsencode(oid), path) for _, _, oid, _ in tips)
            contents = blobs(git.run("cat-file", "--batch", data=asked)) if tips else []
    except Stuck:
        raise Unseen(f"git: no answer in {seconds:g} s") from None
    except (Failed, OSError) as error:
        raise Unseen(clean.line(str(error), 200)) from None
    return [
        Place(kind, name, oid[:_SHORT], data, moment)
        for (kind, name, oid, moment), data in zip(tips, contents, strict=False)
        if data is not None and len(data) <= chains.MAX_BYTES
    ]


_LIST = (
    "for-each-ref",
    "--sort=-committerdate",
    "--format=%(objectname) %(committerdate:unix) %(refname)",
)


_TOUCHED = ("log", "-1", "--branches", "--format=%ct")


def _tips(listing: bytes, checkout: Checkout) -> list[tuple[str, str, str, float]]:
    """Kind, name, commit and time of each tip that may hold a version.

    HEAD, our ref, branches, the refs of work trees that are gone.
    """
    head = heads.read(checkout)
    ref = heads.parking_ref(checkout)
    tips = [(HEAD, "HEAD", head.oid, 0.0), (REF, ref, heads.resolve(checkout, ref), 0.0)]
    for line in os.fsdecode(listing).splitlines():
        oid, moment, name = line.split(" ", 2)
        if name.startswith(heads.PARKING):
            # A work tree that lives speaks for itself.
            if name != ref and heads.is_left_behind(checkout, name):
                tips.append((TREE, name, oid, float(moment or 0)))
        elif name != head.name:
            tips.append((BRANCH, name.removeprefix(heads.BRANCHES), oid, float(moment or 0)))
    return [tip for tip in tips if tip[2]]


def blobs(answer: bytes) -> list[bytes | None]:
    """Give the contents that `cat-file --batch` answered with, None for what is no file."""
    found: list[bytes | None] = []
    at = 0
    while at < len(answer):
        end = answer.index(b"\n", at)
        words = answer[at:end].rsplit(b" ", 2)
        at = end + 1
        size = digits.whole(words[2]) if len(words) == 3 and len(words[0]) >= 40 else -1
        if size >= 0:
            found.append(answer[at : at + size] if words[1] == b"blob" else None)
            at += size + 1
        else:
            found.append(None)
    return found
