"""The few verbs for files.

Each says what is atomic and what has reached the disk when it returns.
"""

import errno
import os


class Unconfirmed(OSError):
    """The new content is in its place, but the disk did not confirm it."""


def read(path: str, limit: int) -> bytes | None:
    """Give the bytes of a regular file, at most `limit` + 1 of them.

    None when there is no such file. One byte more than the limit tells the caller that the file is
    too big. Anything else that keeps the file from being read (no permission, a folder, a FIFO)
    raises OSError.
    """
    try:
        fd = open_regular(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    try:
        return _read_up_to(fd, limit + 1)
    finally:
        os.close(fd)


def open_regular(path: str) -> int:
    """Open a regular file to read; of what else has that name (a FIFO) nothing is waited for.

    Raises OSError, and ValueError for a name that no file can have: NUL or a lone surrogate in it.
    """
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if (os.fstat(fd).st_mode & 0o170000) != 0o100000:
        os.close(fd)
        raise OSError(errno.EINVAL, "not a regular file", path)
    return fd


def read_open(fd: int, limit: int) -> bytes:
    """Give the bytes of an open file from its beginning, at most `limit` + 1 of them. Raises OSError."""
    os.lseek(fd, 0, os.SEEK_SET)
    return _read_up_to(fd, limit + 1)


def _read_up_to(fd: int, limit: int) -> bytes:
    parts = []
    while limit > 0 and (part := os.read(fd, min(limit, 1 << 20))):
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)


def replace(path: str, data: bytes) -> None:
    """Put `data` at `path` whole.

    Readers see the old bytes or the new ones, and after the return the new ones are on disk. Keeps
    the mode of a file that was there. Raises OSError; then nothing has changed, but for Unconfirmed.
    """
    _put(path, data, durable=True)
    try:
        sync_folder(os.path.dirname(path))
    except OSError as error:
        raise Unconfirmed(error.errno, error.strerror, path) from error


def make_folder(path: str) -> None:
    """Make a folder whose parent is there, and bring its name to the disk. Raises OSError."""
    try:
        os.mkdir(path)
    except FileExistsError:
        return
    sync_folder(os.path.dirname(path))


def make_folders(path: str) -> None:
    """Make a folder and those above it that are missing, and bring their names to the disk. Raises OSError."""
    if os.path.isdir(path or os.curdir):
        return
    make_folders(os.path.dirname(path))
    make_folder(path)
    if not os.path.isdir(path):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)


def note(path: str, data: bytes) -> None:
    """Put `data` at `path` whole like `replace`, but without waiting for the disk.

    For notes that may be lost.
    """
    _put(path, data, durable=False)


def overwrite(path: str, data: bytes) -> None:
    """Put `data` into the file at `path`, in place: a reader may find half of it.

    A fraction of what `note` costs, for what every prompt notes. Raises OSError, FileNotFoundError
    where there is no file yet.
    """
    fd = os.open(path, os.O_WRONLY | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0))
    try:
        os.write(fd, data)
    finally:
        os.close(fd)


def sweep(path: str) -> None:
    """Remove what killed writers of the file at `path` left beside it.

    The caller holds the lock under which all of them write.
    """
    folder, name = os.path.split(path)
    try:
        left = [other for other in os.listdir(folder) if _is_passing(other, name)]
    except OSError:
        return
    for other in left:
        _forget(os.path.join(folder, other))


def _is_passing(name: str, of: str) -> bool:
    number = name.removeprefix(f"{of}.").removesuffix(".tmp")
    return number.isdecimal() and name == f"{of}.{number}.tmp"


def _put(path: str, data: bytes, *, durable: bool) -> None:
    temporary = f"{path}.{os.getpid()}.tmp"
    # Left by a killed process of that number, or laid there as a link to somewhere else.
    _forget(temporary)
    try:
        fd = os.open(
            temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666
        )
        try:
            _keep_mode(path, temporary)
            write_all(fd, data)
            if durable:
                os.fsync(fd)
        finally:
            os.close(fd)
        os.replace(temporary, path)
    except BaseException as error:
        _forget(temporary)
        if isinstance(error, OSError):
            # The passing name says nothing to anybody.
            error.filename = path
        raise


def _keep_mode(path: str, temporary: str) -> None:
    try:
        os.chmod(temporary, os.lstat(path).st_mode & 0o777)
    except FileNotFoundError:
        pass


def _forget(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


def write_all(fd: int, data: bytes) -> None:
    """Write every byte, whatever the system takes at a time."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def sync(path: str) -> None:
    """Bring the bytes of the file at `path` to the disk. Raises OSError."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def sync_folder(path: str) -> None:
    """Bring a folder's entries (a rename, a new name) to the disk, where the system can."""
    try:
        sync(path or ".")
    except PermissionError:
        # Windows cannot open a folder; its renames are journalled with the file.
        if os.name != "nt":
            raise
    except OSError as error:
        # Some network file systems cannot sync a folder; there is no better promise to be had there.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
