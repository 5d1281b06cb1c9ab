"""A disk that power can be taken from: what of an operation's steps it holds afterwards.

Three models. On `POSIX` nothing is kept but what was asked for: a file's bytes by its fsync, a name by the
fsync of the folder that it is in; whatever was not asked for may be there or not, each step by itself. On
`OWN_NAMES` (btrfs, f2fs) the fsync of a file keeps its names, too, and names that nobody asked for are kept
in the order in which they were made. On `JOURNAL` (ext4, xfs) the fsync of anything keeps all names before it.
Git syncs no folder of its objects, and baton none for it: an object's fsync keeps its name on `POSIX`, too, as
every file system with a journal does; without that no repository of git's would outlive a cut.

Of bytes that were not brought to the disk a file may hold all, none, the first half, or zeros in their
place. A renaming is whole: both names change, or none.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from crash.recorder import Step

POSIX, OWN_NAMES, JOURNAL = "posix", "own names", "journal"
_OBJECTS = "/objects/"
_FOLDER = -1
_WHOLE, _NONE, _HALF, _ZEROS = "whole", "none", "half", "zeros"
LOSSES = (_NONE, _HALF, _ZEROS)

Content = bytes | str | None
"""What a name stands for on a disk: a file's bytes, a link's target, or None for a folder."""
Laid = dict[str, Content]
"""A disk as one finds it, by whole names."""


@dataclass
class _File:
    """kept: what the disk has for certain; steps: what came after, as (where, bytes) or a new size."""

    kept: bytes = b""
    steps: list[tuple[int, bytes] | int] = field(default_factory=list)

    def bytes(self, loss: str = _WHOLE) -> bytes:
        whole = _applied(self.kept, self.steps)
        if loss == _WHOLE:
            return whole
        if loss == _NONE:
            return self.kept
        if loss == _HALF:
            return _applied(self.kept, _first_half(self.steps))
        return self.kept[: len(whole)].ljust(len(whole), b"\0")


def _applied(data: bytes, steps: Iterable[tuple[int, bytes] | int]) -> bytes:
    for step in steps:
        if isinstance(step, int):
            data = data[:step].ljust(step, b"\0")
        else:
            at, part = step
            data = data.ljust(at, b"\0")
            data = data[:at] + part + data[at + len(part) :]
    return data


def _first_half(steps: list[tuple[int, bytes] | int]) -> list[tuple[int, bytes] | int]:
    kept = steps[: (len(steps) + 1) // 2]
    if kept and not isinstance(kept[-1], int):
        at, part = kept[-1]
        kept[-1] = (at, part[: len(part) // 2])
    return kept


@dataclass(frozen=True)
class _Naming:
    """A step on names that is whole or not at all: name → a file's number, _FOLDER, a link's target, or
    None where the name goes. folder: whose fsync keeps it."""

    folder: str
    names: tuple[tuple[str, int | str | None], ...]

    def made(self) -> list[str]:
        """The names that are there after it."""
        return [name for name, what in self.names if what is not None]


class Disk:
    """What reached the disk for certain, and what is on its way.

    before: what it held at first. elsewhere: folders of other machines, whose power stays.
    """

    def __init__(self, model: str, before: Laid, elsewhere: tuple[str, ...] = ()) -> None:
        self._model = model
        self._before = before
        self._elsewhere = elsewhere
        self._roots = {path for path in before if os.path.dirname(path) not in before}
        self._files: dict[int, _File] = {}
        self._kept: dict[str, int | str | None] = {
            path: _FOLDER if content is None else content
            for path, content in before.items()
            if not isinstance(content, bytes)
        }
        self._now = dict(self._kept)
        self._pending: list[_Naming] = []

    def take(self, step: Step) -> None:
        """Let one step happen."""
        act = getattr(self, f"_{step.what}")
        act(step)
        if step.path.startswith(self._elsewhere):
            self._keep([each for each in self._pending if each.folder.startswith(self._elsewhere)])
            if step.file in self._files:
                file = self._files[step.file]
                file.kept, file.steps = file.bytes(), []

    # ---- what happens to bytes ----

    def _create(self, step: Step) -> None:
        self._files[step.file] = _File()
        self._name_it((step.path, step.file))

    def _write(self, step: Step) -> None:
        self._files[step.file].steps.append((step.at, step.data))

    def _size(self, step: Step) -> None:
        self._files[step.file].steps.append(step.at)

    def _sync(self, step: Step) -> None:
        file = self._files[step.file]
        file.kept, file.steps = file.bytes(), []
        if self._model == JOURNAL:
            self._keep(self._pending)
        elif self._model == OWN_NAMES or _OBJECTS in step.path:
            names = [name for name, file in self._now.items() if file == step.file]
            folders = [str(parent) for name in names for parent in Path(name).parents]
            mine = {*names, *folders}
            self._keep([each for each in self._pending if mine & {*each.made()}])

    # ---- what happens to names ----

    def _name(self, step: Step) -> None:
        """A file that was there before anything happened."""
        content = self._before[step.path]
        assert isinstance(content, bytes)
        self._files[step.file] = _File(content)
        self._kept[step.path] = self._now[step.path] = step.file

    def _folder(self, step: Step) -> None:
        self._name_it((step.path, _FOLDER))

    def _link(self, step: Step) -> None:
        self._name_it((step.path, step.other))

    def _hard_link(self, step: Step) -> None:
        self._name_it((step.other, self._now[step.path]))

    def _remove(self, step: Step) -> None:
        self._name_it((step.path, None))

    def _rename(self, step: Step) -> None:
        below = f"{step.path}/"
        moved = [step.path, *(name for name in self._now if name.startswith(below))]
        gone = [(name, None) for name in moved]
        made = [(step.other + name[len(step.path) :], self._now[name]) for name in moved]
        self._name_it(*gone, *made, folder=os.path.dirname(step.other))

    def _sync_folder(self, step: Step) -> None:
        mine = [each for each in self._pending if each.folder == step.path]
        self._keep(self._pending if self._model == JOURNAL else mine)

    def _name_it(self, *names: tuple[str, int | str | None], folder: str = "") -> None:
        self._pending.append(_Naming(folder or os.path.dirname(names[0][0]), names))
        self._now.update(names)

    def _keep(self, namings: list[_Naming]) -> None:
        for naming in namings:
            self._kept.update(naming.names)
        self._pending = [each for each in self._pending if each not in namings]

    # ---- what power leaves ----

    def losses(self, sample: int, seed: str) -> Iterator[Laid]:
        """Every state for each single loss and each single step that is kept, for nothing and all lost,
        for each point at which names end; and so many at random of all the others."""
        unsynced = [number for number, file in self._files.items() if file.steps]
        every = range(len(self._pending))
        for names in self._kept_names(every):
            yield self._laid(names, {})
            for loss in LOSSES:
                yield self._laid(names, dict.fromkeys(unsynced, loss))
        for number in unsynced:
            for loss in LOSSES:
                yield self._laid(every, {number: loss})
        chance = random.Random(seed)
        for _ in range(sample if unsynced or self._pending else 0):
            lost = {number: chance.choice((_WHOLE, *LOSSES)) for number in unsynced}
            yield self._laid(self._some_names(chance), lost)

    def _kept_names(self, every: range) -> Iterator[Iterable[int]]:
        for end in range(len(every) + 1):
            yield range(end)
        if self._model == POSIX:
            for one in every:
                yield [each for each in every if each != one]
                yield [one]

    def _some_names(self, chance: random.Random) -> Iterable[int]:
        every = range(len(self._pending))
        if self._model != POSIX:
            return range(chance.randint(0, len(every)))
        return [each for each in every if chance.random() < 0.5]

    def _laid(self, names: Iterable[int], lost: Mapping[int, str]) -> Laid:
        kept = dict(self._kept)
        for index in names:
            kept.update(self._pending[index].names)
        found: Laid = {}
        for path in sorted(kept):
            what = kept[path]
            parent = os.path.dirname(path)
            if what is None or not (path in self._roots or found.get(parent, "") is None):
                # What stands in a folder that was lost is lost with it.
                continue
            if isinstance(what, str):
                found[path] = what
            elif what == _FOLDER:
                found[path] = None
            else:
                found[path] = self._files[what].bytes(lost.get(what, _WHOLE))
        return found


def digest(laid: Laid) -> int:
    """Give what tells two disks apart. Python remembers a file's: most of them are as they were."""
    return hash(frozenset(laid.items()))


def states(steps: list[Step], disk: Disk, sample: int, seed: str) -> Iterator[tuple[Laid, bool]]:
    """Give every different disk that a cut can leave, and whether the operation had reported its end.

    disk: as it was before. sample: so many more at random for each moment of a cut.
    """
    seen: set[int] = set()
    first = next((n for n, step in enumerate(steps) if step.what != "name"), len(steps))
    for number, step in enumerate(steps):
        if number >= first:
            yield from _new_ones(disk.losses(sample, f"{seed} {number}"), seen)
        disk.take(step)
    # What was not different from an earlier state is, once the end was reported, another claim.
    for laid, _ in _new_ones(disk.losses(sample, f"{seed} end"), set()):
        yield laid, True


def _new_ones(found: Iterable[Laid], seen: set[int]) -> Iterator[tuple[Laid, bool]]:
    for laid in found:
        mark = digest(laid)
        if mark not in seen:
            seen.add(mark)
            yield laid, False


def found(roots: list[str]) -> Laid:
    """Give what lies below the roots now."""
    laid: Laid = {}
    for root in roots:
        for folder, folders, names in os.walk(root):
            laid[folder] = None
            for path in (os.path.join(folder, name) for name in (*folders, *names)):
                if os.path.islink(path):
                    laid[path] = os.readlink(path)
                elif os.path.isfile(path):
                    laid[path] = Path(path).read_bytes()
    return laid


class Times:
    """When files were written: git and baton tell by it whether a file is the one they know."""

    def __init__(self, before: Laid) -> None:
        self._before = before
        self._then = _moments(before)
        self._now: dict[str, int] = {}

    def after(self, laid: Laid) -> None:
        """Remember the times of what the operation left."""
        self._now = _moments(laid)

    def give(self, path: str, content: bytes) -> None:
        """Give a file that was just laid the time that it had."""
        of = self._then if self._before.get(path) == content else self._now
        if path in of and os.lstat(path).st_mtime_ns != of[path]:
            os.utime(path, ns=(of[path], of[path]))


def _moments(laid: Laid) -> dict[str, int]:
    return {path: os.lstat(path).st_mtime_ns for path in laid}


def lay(laid: Laid, roots: list[str], times: Times) -> None:
    """Make the roots on the real disk what a cut left; what is so already keeps its inode and times."""
    for root in roots:
        _clear(root, laid)
    for path, content in sorted(laid.items()):
        if content is None:
            os.makedirs(path, exist_ok=True)
        elif isinstance(content, str):
            if not os.path.islink(path):
                os.symlink(content, path)
        else:
            if not (os.path.isfile(path) and Path(path).read_bytes() == content):
                Path(path).unlink(missing_ok=True)
                Path(path).write_bytes(content)
            times.give(path, content)


def _clear(root: str, laid: Laid) -> None:
    for folder, folders, names in os.walk(root):
        for name in [*folders]:
            path = os.path.join(folder, name)
            if path not in laid or (laid[path] is not None and not os.path.islink(path)):
                folders.remove(name)
                os.unlink(path) if os.path.islink(path) else shutil.rmtree(path)
        for name in names:
            path = os.path.join(folder, name)
            if path not in laid or laid[path] is None:
                os.unlink(path)
