"""What the state files look like from outside: one lstat each, nothing opened, no git.

Paths are bytes, relative to the work tree's top (outside git: to the project), as git names them.
"""

import os

from baton.hot.project import CONFIG, Project

# How a name that git keeps for itself begins (hot/git/names); a turn's end looks no further at others.
_FIRST = (b".", b"g", b"G", b"\xe2", b"\xef")
_TYPE, _FOLDER, _FILE, _LINK = 0o170000, 0o040000, 0o100000, 0o120000


class Survey:
    """The state files at one moment.

    files: path → st_mode of every regular file and symbolic link. lines: what `Record` compares,
    one for each file or fault. faults: path → why it, and all below it, cannot be kept. newest: the
    latest change, in ns since the epoch.
    """

    __slots__ = ("base", "faults", "files", "lines", "newest", "places", "root")

    def __init__(self, base: bytes, root: bytes, places: dict[bytes, bytes]) -> None:
        self.base = base
        self.root = root
        self.places = places
        self.files: dict[bytes, int] = {}
        self.lines: list[bytes] = []
        self.faults: dict[bytes, str] = {}
        self.newest = 0

    def place(self, path: bytes) -> bytes:
        """Give the absolute path of the file that holds a state file's content."""
        return self.places.get(path) or os.path.join(self.base, path)

    def hides(self, path: bytes) -> bool:
        """Whether a fault keeps us from seeing if this path still exists."""
        return any(path == fault or path.startswith(fault + b"/") for fault in self.faults)

    def refuse(self, path: bytes, reason: str) -> None:
        """Leave out a path and all below it."""
        self.faults[path] = reason
        self.files = {file: mode for file, mode in self.files.items() if not self.hides(file)}

    def _fault(self, path: bytes, reason: str) -> None:
        self.faults[path] = reason
        self.lines.append(b"! %s %s" % (reason.encode(), path))


def take(project: Project, paths: list[str], places: dict[bytes, bytes]) -> Survey:
    """Look at everything below the state paths of a project, in a fixed order.

    places: `sources.places`.
    """
    base = os.fsencode(project.checkout.top if project.checkout else project.root)
    survey = Survey(base, os.fsencode(project.root), places)
    for path in roots(project, paths):
        if not _barred(survey, path, len(survey.root) - len(base)):
            _look(survey, path)
    return survey


def roots(project: Project, paths: list[str]) -> list[bytes]:
    """Give the state paths as git names them: from the work tree's top, none inside another."""
    found: list[bytes] = []
    for path in sorted(_plain(path) for path in paths):
        whole = named(project, path)
        if not any(whole == other or whole.startswith(other + b"/") for other in found):
            found.append(whole)
    return found


def shown(project: Project, path: bytes) -> str:
    """Give git's path as the project names it."""
    return project.from_git(os.fsdecode(path))


def named(project: Project, path: str) -> bytes:
    """Give the project's path as git names it."""
    return os.fsencode(project.in_git(path))


def parts(line: bytes) -> tuple[list[bytes], bytes]:
    """Give a survey line's stat fields and path; of a fault, no fields.

    The fields: mode, size, mtime_ns, ctime_ns, ino.
    """
    if line.startswith(b"! "):
        return [], line
    *stat, path = line.split(b" ", 5)
    return stat, path


def settings(project: Project) -> str:
    """Give what changes when the project's configuration file does."""
    try:
        st = os.lstat(project.path(CONFIG))
    except OSError:
        return ""
    return f"{st.st_mode} {st.st_size} {st.st_mtime_ns} {st.st_ctime_ns} {st.st_ino}"


def _plain(path: str) -> str:
    return "/".join(part for part in path.split("/") if part not in ("", "."))


def _barred(survey: Survey, path: bytes, project_at: int) -> bool:
    """Note as a fault a folder between project and path that is a link or a repository."""
    end = path.find(b"/", max(project_at, 0))
    while end >= 0:
        parent = path[:end]
        whole = os.path.join(survey.base, parent)
        if os.path.islink(whole):
            survey._fault(parent, "a symbolic link: git keeps nothing behind it")
        elif os.path.lexists(whole + b"/.git"):
            survey._fault(parent, "a repository of its own")
        if parent in survey.faults:
            return True
        end = path.find(b"/", end + 1)
    return False


def _look(survey: Survey, path: bytes) -> None:
    try:
        st = os.lstat(survey.place(path))
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        survey._fault(path, f"cannot be looked at: {error.strerror}")
        return
    if st.st_mode & _TYPE == _LINK:
        survey._fault(path, "a symbolic link: git would keep the link alone")
    else:
        _note(survey, path, st)


def _note(survey: Survey, path: bytes, st: os.stat_result) -> None:
    kind = st.st_mode & _TYPE
    if kind == _FOLDER:
        _enter(survey, path)
    elif kind == _FILE or (kind == _LINK and _stays_inside(survey, path)):
        survey.files[path] = st.st_mode
        survey.newest = max(survey.newest, st.st_ctime_ns)
        stat = (st.st_mode, st.st_size, st.st_mtime_ns, st.st_ctime_ns, st.st_ino)
        survey.lines.append(b"%o %d %d %d %d %s" % (*stat, path))
    elif kind == _LINK:
        survey._fault(path, "a symbolic link out of the project")
    else:
        survey._fault(path, "neither a file nor a folder")


def _enter(survey: Survey, path: bytes) -> None:
    try:
        with os.scandir(os.path.join(survey.base, path)) as listing:
            entries = sorted(listing, key=_name)
    except OSError as error:
        survey._fault(path, f"cannot be read: {error.strerror}")
        return
    if any(entry.name == b".git" for entry in entries):
        survey._fault(path, "a repository of its own")
        return
    for entry in entries:
        inner = path + b"/" + entry.name
        if entry.name[:1] in _FIRST and _is_reserved(entry):
            survey._fault(inner, "a name that git keeps for itself")
            continue
        try:
            elsewhere = inner in survey.places
            st = os.lstat(survey.place(inner)) if elsewhere else entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            continue
        _note(survey, inner, st)


def _is_reserved(entry: os.DirEntry[bytes]) -> bool:
    from baton.hot.git import names

    return names.reserved(entry.name, link=entry.is_symlink())


def _name(entry: os.DirEntry[bytes]) -> bytes:
    return entry.name


def _stays_inside(survey: Survey, path: bytes) -> bool:
    target = os.path.realpath(os.path.join(survey.base, path))
    return target.startswith(survey.root.rstrip(b"/") + b"/")
