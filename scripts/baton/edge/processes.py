"""Who runs, where the system shows it: Linux's /proc; elsewhere nobody is seen."""

from __future__ import annotations

import os

from baton.hot import clean

_PROC = "/proc"


def lock_holder(path: str, processes: str = _PROC) -> int:
    """Give the id of the process that holds an flock on a file, 0 when it cannot be told."""
    try:
        looks = os.stat(path)
        with open(f"{processes}/locks", encoding="ascii", errors="replace") as file:
            rows = [line.split() for line in file]
    except OSError:
        return 0
    place = f"{os.major(looks.st_dev):02x}:{os.minor(looks.st_dev):02x}:{looks.st_ino}"
    for row in rows:
        if len(row) > 5 and row[1] == "FLOCK" and row[5] == place and row[4].isdecimal():
            return int(row[4])
    return 0


def command(pid: int, processes: str = _PROC) -> str:
    """Give a process's command line as one harmless line, "" when it cannot be seen."""
    try:
        with open(f"{processes}/{pid}/cmdline", "rb") as file:
            words = file.read(4096).decode("utf-8", "replace").split("\0")
    except OSError:
        return ""
    return clean.line(" ".join(words), 120)


def age(pid: int, processes: str = _PROC) -> int:
    """Give for how many seconds a process has run, 0 when it cannot be told."""
    try:
        with open(f"{processes}/{pid}/stat", encoding="utf-8", errors="replace") as file:
            started = int(file.read().rpartition(")")[2].split()[19])
        with open(f"{processes}/uptime", encoding="ascii") as file:
            up = float(file.read().split()[0])
        return max(0, int(up - started / os.sysconf("SC_CLK_TCK")))
    except (OSError, ValueError, IndexError):
        return 0
